"""The results of a run of PyTorch tasks as files: a page, a drawing and JSON with every task's evidence, written anew after each row.

Example::

    write_results(Path("out"), journal)     # results.md, results.svg, results.json
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.bench.journal import Journal
from assistant.bench.operators.figures import figures_of
from assistant.bench.operators.folder import place_of
from assistant.bench.operators.page import results_page
from assistant.bench.operators.plot import plot_svg
from assistant.bench.operators.row import OperatorRow, OperatorSettings
from assistant.bench.results import write_files
from assistant.serialize import encode

__all__ = ["row_object", "write_results"]


def write_results(out: Path, journal: Journal[OperatorSettings, OperatorRow]) -> None:
    """Raises CannotAnswerError where a file cannot be written."""
    settings, rows = journal.settings, sorted(journal.rows, key=lambda row: place_of(row.level, row.number, row.title))
    results = {
        "settings": encode(settings),
        "rows": [row_object(row, settings) for row in rows],
        "figures": encode(figures_of(rows, settings)),
    }
    write_files(out, results_page(settings, rows), plot_svg(rows, settings), results)


def row_object(row: OperatorRow, settings: OperatorSettings) -> dict[str, Any]:
    """The row as JSON, with its speed-ups by call: null where nothing was timed."""
    speeds = {baseline: row.speed(baseline) for baseline in settings.baselines}
    return encode(row) | {"speedups": {name: None if speed is None else speed.ratio for name, speed in speeds.items()}}
