"""The tables of docs/results.md, from the rows in benchmarks/results; ``tests/unit/benchmarks`` holds the page to them.

    python -m benchmarks.results_tables            # writes what stands between ``<!-- table NAME -->`` and ``<!-- end -->``

A row of the suite that stands in ``suite-h200.jsonl`` was measured in the newest state; one that only ``suite-h200-before.jsonl`` has was
measured in the state before it, and is marked with ``*``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.bench.figures import FAR_RATIO, NEAR_RATIO
from assistant.bench.row import Row, RowOutcome
from assistant.model.comparison import SpeedOutcome, format_ratio
from assistant.profile.quantity import format_quantity
from assistant.serialize import loads
from benchmarks.gpu.libraries import read_rows
from benchmarks.gpu.library_table import LIKE, fastest, ratio_to, rows_by_title
from benchmarks.table import heading
from benchmarks.table import row as table_row

__all__ = ["PAGE", "page_of", "tables"]

PAGE = Path("docs/results.md")
RESULTS = Path("benchmarks/results")
_TABLE = re.compile(r"<!-- table (\w+) -->\n.*?<!-- end -->", re.S)
_LABELS = {
    "reassociation": "another order",
    "precision": "precision",
    "non-determinism": "another order each run",
    "arch-lock-in": "this GPU generation",
}
"""Of what an edit changes, what a person is asked about."""

Found = dict[str, Any]


def tables(results: Path = RESULTS) -> dict[str, Callable[[], str]]:
    """How each table is made, by its name."""
    newest, before = rows_of(results / "suite-h200.jsonl"), rows_of(results / "suite-h200-before.jsonl")
    suite = {**before, **newest}
    found = rows_by_title(read_rows(results / "libraries-h200.jsonl"))
    return {
        "figures": lambda: _figures(suite, newest, found),
        "suite": lambda: _suite(suite, newest, found),
        "libraries": lambda: _libraries(list(suite.values()), found),
        **{name: _later(_further, results / f"{name}-h200.jsonl") for name in ("blind", "blind_second", "blind_third")},
    }


def page_of(text: str, made: Mapping[str, Callable[[], str]]) -> str:
    """The page with its tables. Raises KeyError where it names one that there is not."""
    return _TABLE.sub(lambda mark: f"<!-- table {mark[1]} -->\n\n{made[mark[1]]()}\n<!-- end -->", text)


def rows_of(path: Path) -> dict[str, Row]:
    """Of a file that ``kernelopt bench`` wrote, the last one of each title, behind its settings; none where there is no such file."""
    lines = path.read_text("utf-8").splitlines()[1:] if path.exists() else []
    return {row.title: row for row in (loads(Row, line) for line in lines)}


def _later(make: Callable[[Path], str], path: Path) -> Callable[[], str]:
    return lambda: make(path)


def _figures(suite: Mapping[str, Row], newest: Mapping[str, Row], found: Mapping[str, Sequence[Found]]) -> str:
    rows = list(suite.values())
    judged = [row for row in rows if row.outcome not in (RowOutcome.FAILED, RowOutcome.NOT_SEARCHED)]
    far = [row for row in rows if (row.distance or math.inf) > FAR_RATIO]
    faster = sum(row.outcome is RowOutcome.FASTER and row.speed is SpeedOutcome.FASTER for row in far)
    near = [row for row in rows if _is_near(row, found.get(row.title, []))]
    half = len(rows) // 2  # programs in the manner of machine learning come first; as many of linear algebra and stencils follow
    means = [_mean(rows), _mean(rows[:half]), _mean(rows[half:])]
    searched_s = sum(row.cost.wall_s for row in rows)
    where = "" if len(newest) == len(rows) else f"; {len(newest)} rows of the newest state, {len(rows) - len(newest)} of the one before"
    of_all = f"all {len(far)}" if len(far) == len(rows) else f"{len(far)} of {len(rows)}"
    lines = [
        heading("", "asked", "reached"),
        table_row("programs with a verdict, none of them FAIL", f"{len(rows)} of {len(rows)}", f"**{len(judged)} of {len(rows)}**{where}"),
        table_row(
            f"FASTER, of those that start more than {FAR_RATIO:g}x from their bound ({of_all})",
            "≥ 90 %",
            f"**{faster} ({faster / len(far):.0%})**".replace("%", " %"),
        ),
        table_row(f"within {NEAR_RATIO:g}x of the bound or of the fastest library", "≥ 30", f"**{len(near)}**"),
        table_row(
            "speed-up, geometric mean, what was not proved as 1.0x",
            "≥ 4",
            f"**{means[0]:.2f}** (first half {means[1]:.2f}, second {means[2]:.2f})",
        ),
        table_row(
            "the whole suite on one GPU, two programs at a time",
            "≤ 40 min",
            f"**{searched_s / 120:.1f} min** ({searched_s:,.0f} s of searches)",
        ),
    ]
    return "\n".join(lines) + "\n"


def _is_near(row: Row, found: Sequence[Found]) -> bool:
    """Whether it ends near its bound or the fastest library."""
    ratio = ratio_to(row, fastest(found))
    return (row.best_distance or math.inf) <= NEAR_RATIO or (ratio is not None and ratio <= NEAR_RATIO)


def _mean(rows: Sequence[Row]) -> float:
    return math.exp(math.fsum(math.log(row.counted_ratio) for row in rows) / len(rows))


_HEAD = ("program", "before", "after", "speed-up", "verdict", "labels", "kept", "search, s")


def _suite(suite: Mapping[str, Row], newest: Mapping[str, Row], found: Mapping[str, Sequence[Found]]) -> str:
    lines = [heading(*_HEAD, "library", "its time", "ours ÷ library")]
    for row in suite.values():
        best = fastest(found.get(row.title, []))
        ratio = ratio_to(row, best)
        library = ("none", "") if best is None else (best["library"], format_quantity(best["median_s"], "s"))
        name = row.title if row.title in newest else row.title.replace(row.name, f"{row.name}*", 1)
        lines.append(table_row(name, *_cells(row), *library, "" if ratio is None else f"{ratio:.2f}"))
    return "\n".join(lines) + "\n"


def _further(path: Path) -> str:
    """Programs without a library, next to their bound."""
    lines = [heading(*_HEAD, "after ÷ bound")]
    for row in rows_of(path).values():
        lines.append(table_row(row.title, *_cells(row), "" if row.best_distance is None else f"{row.best_distance:.3g}"))
    return "\n".join(lines) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    before = None if row.times is None else row.times.original_s
    after = None if before is None else before / (row.ratio or 1.0) if row.outcome is RowOutcome.FASTER else before
    interval = "" if row.low is None or row.high is None else f" ({_times_words(row.low)} to {_times_words(row.high)})"
    kept = ", ".join(technique.removesuffix("-search").replace("-", " ") for link in row.chain for technique in link.split("+"))
    return (
        "" if before is None else format_quantity(before, "s"),
        "" if after is None else format_quantity(after, "s"),
        "–" if row.ratio is None else f"{_times_words(row.ratio)}{interval}",
        _verdict(row),
        ", ".join(_LABELS[label] for label in row.labels if label in _LABELS),
        kept + (" (cut off)" if row.is_cut_off and kept else ""),
        f"{row.cost.wall_s:.0f}",
    )


def _times_words(ratio: float) -> str:
    """Three digits: what is measured has no more."""
    return format_ratio(ratio) if ratio < 10 else f"{ratio:.3g}"


def _verdict(row: Row) -> str:
    if row.outcome is RowOutcome.FAILED:
        return "no result"
    if row.verification is None:
        return row.outcome.value
    verdict, _, partly = row.verification.partition(" (")
    speed = "" if row.speed is SpeedOutcome.FASTER else f", {row.speed}"
    return f"{verdict}{' (checked in part)' if partly else ''}{speed}"


def _libraries(rows: Sequence[Row], found: Mapping[str, Sequence[Found]]) -> str:
    """Programs that a library computes, too, in a sentence."""
    ratios = {row.name: ratio for row in rows if (ratio := ratio_to(row, fastest(found.get(row.title, [])))) is not None}
    ahead = [name for name, ratio in ratios.items() if ratio < 1 / LIKE]
    alike = [name for name, ratio in ratios.items() if 1 / LIKE <= ratio <= LIKE]
    mean = math.exp(math.fsum(map(math.log, ratios.values())) / len(ratios))
    return (
        f"Of the {len(ratios)} rows with both times ours is faster in {len(ahead)} ({', '.join(ahead)}), alike within 5 % in {len(alike)} "
        f"({', '.join(alike)}) and slower in {len(ratios) - len(ahead) - len(alike)}; the geometric mean of ours ÷ library is {mean:.2f}.\n"
    )


def main() -> None:
    PAGE.write_text(page_of(PAGE.read_text("utf-8"), tables()), "utf-8")


if __name__ == "__main__":
    main()
