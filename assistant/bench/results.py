"""A run's results as files: a page, a drawing and JSON, written anew after each row.

Example::

    write_results(Path("out"), journal)     # results.md, results.svg, results.json
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.bench.figures import figures_of
from assistant.bench.journal import BenchSettings, Journal
from assistant.bench.markdown import results_page
from assistant.bench.plot import plot_svg
from assistant.bench.row import Row
from assistant.errors import CannotAnswerError
from assistant.serialize import encodable, encode

__all__ = ["row_object", "write_files", "write_results"]


def write_results(out: Path, journal: Journal[BenchSettings, Row]) -> None:
    """Raises CannotAnswerError where a file cannot be written."""
    rows = journal.rows
    results = {"settings": encode(journal.settings), "rows": [row_object(row) for row in rows], "figures": encode(figures_of(rows))}
    write_files(out, results_page(journal.settings, rows), plot_svg(rows), results)


def write_files(out: Path, page: str, drawing: str, results: Mapping[str, Any]) -> None:
    """The three files; raises CannotAnswerError where one cannot be written."""
    texts = {
        "results.md": page,
        "results.svg": drawing,
        "results.json": encodable(json.dumps(results, ensure_ascii=False, allow_nan=False, indent=1)) + "\n",
    }
    for name, text in texts.items():
        try:
            (out / name).write_text(text, "utf-8")
        except OSError as error:
            raise CannotAnswerError(f"{out / name} cannot be written: {error.strerror}", "name another folder with --out") from error


def row_object(row: Row) -> dict[str, Any]:
    """The row as JSON, with what follows from it."""
    return encode(row) | {"counted_ratio": row.counted_ratio, "distance": row.distance, "best_distance": row.best_distance}
