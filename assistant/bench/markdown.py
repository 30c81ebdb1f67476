"""The page of a run's results. Pure.

Example::

    (out / "results.md").write_text(results_page(settings, rows))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.bench.figures import figures_of
from assistant.bench.journal import BenchSettings
from assistant.bench.row import Row, RowOutcome
from assistant.bench.words import PREDICTED_NOTE, bound_words, cost_words, figures_lines, verdict_words
from assistant.measure.targets import target
from assistant.model.comparison import format_ratio
from assistant.profile.quantity import format_quantity
from assistant.program.build_flags import BY_HAND

__all__ = ["results_page", "table_row"]

_HEAD = (
    "program",
    "original",
    "best",
    "bound",
    "original / bound",
    "best / bound",
    "of DRAM's peak",
    "counts",
    "verdict",
    "techniques",
    "tokens",
    "money",
    "time",
)
_MOST_LETTERS = 240
"""Letters of a verdict's words in a cell; the JSON has all of them."""


def results_page(settings: BenchSettings, rows: Sequence[Row]) -> str:
    """Title, where and how, the table, the sums, and what still waits or failed."""
    figures = figures_of(rows)
    lines = ["# Results", ""]
    if figures.is_predicted:
        lines += [f"**{PREDICTED_NOTE}**", ""]
    lines += [*_where(settings, rows), "", table_row(_HEAD), table_row(["---"] * len(_HEAD)), *map(_cells, rows), ""]
    lines += [f"- {line}" for line in figures_lines(figures)]
    unused = [f"- {row.title}: {row.unused}: {BY_HAND}" for row in rows if row.unused]
    if unused:
        lines += ["", "## Flags of the build that were not used", "", *unused]
    waiting = [f"- {row.title}: {words}" for row in rows for words in row.waiting]
    if waiting:
        lines += ["", "## Waiting for a person's decision, not counted", "", *waiting]
    failed = [f"- {row.title}: {row.reason}" for row in rows if row.outcome is RowOutcome.FAILED]
    if failed:
        lines += ["", "## Failed, counted as 1.0x", "", *failed]
    return "\n".join(lines) + "\n"


def _where(settings: BenchSettings, rows: Sequence[Row]) -> Iterator[str]:
    devices = dict.fromkeys(row.device for row in rows if row.device)
    yield f"`{settings.folder}` on {', '.join(devices) or 'no device'}. Times are of all that a program does on the GPU, but"
    yield "copies from and to the host; a bound is the larger of an algorithm's compulsory bytes / bandwidth (as many as L2 holds: of"
    yield "L2, the rest: of DRAM) and its operations / peak rate."
    for name in dict.fromkeys(row.target for row in rows if row.target and row.bound is not None):
        yield f"Peaks of {name}: {target(name).source}."


def _cells(row: Row) -> str:
    times, distance, best = row.times, row.distance, row.best_distance
    words = verdict_words(row)
    return table_row(
        (
            row.title,
            "" if times is None else format_quantity(times.original_s, "s"),
            "" if times is None else format_quantity(times.best_s, "s"),
            bound_words(row.bound),
            "" if distance is None else f"{distance:.3g}x",
            "" if best is None else f"{best:.3g}x",
            "" if row.dram_share is None else f"{row.dram_share:.0%}",
            "" if row.outcome is RowOutcome.NOT_SEARCHED else f"{format_ratio(row.counted_ratio)}x",
            words if len(words) <= _MOST_LETTERS else words[:_MOST_LETTERS] + "…",
            " + ".join(row.chain),
            f"{row.cost.token_count:,}",
            cost_words(row.cost),
            f"{row.cost.wall_s:.0f} s",
        )
    )


def table_row(cells: Sequence[str]) -> str:
    """One line of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
