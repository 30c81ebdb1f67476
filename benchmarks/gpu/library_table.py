"""What ``kernelopt bench`` reached next to what a user would call instead, as a Markdown table.

    python -m benchmarks.gpu.library_table FOLDER BENCH        # `libraries` wrote into FOLDER, ``kernelopt bench --out`` into BENCH

Each program at a size is held against the fastest way that a library has, whose calls, and what they do otherwise, stand below.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from assistant.bench.journal import ROWS_NAME as BENCH_NAME
from assistant.bench.markdown import table_row
from assistant.bench.row import Row
from assistant.bench.words import bound_words
from assistant.profile.quantity import format_quantity
from assistant.serialize import loads
from benchmarks.gpu.libraries import ROWS_NAME, read_rows

__all__ = ["LIKE", "MOST_OFF", "fastest", "library_table", "ratio_to", "read_bench", "rows_by_title"]

_HEAD = ("program", "original", "ours (best)", "bound", "library", "its time", "cold", "ours ÷ library", "original ÷ library")
LIKE = 1.05
"""Up to this ratio, and down to its inverse, two times are called alike."""
MOST_OFF = 1e-3
"""Relative; an operation that is farther from the program's own mathematics does something else, and its time is not counted."""

Found = dict[str, Any]


def read_bench(folder: Path) -> tuple[Row, ...]:
    """The rows of a run of ``kernelopt bench``, the last one of each title, behind its settings. Raises OSError where there is none."""
    text = (folder / BENCH_NAME).read_text("utf-8")
    lines = text[: text.rfind("\n") + 1].splitlines()[1:]
    return tuple({row.title: row for row in (loads(Row, line) for line in lines)}.values())


def library_table(found: Iterable[Found], bench: Sequence[Row]) -> str:
    """A line for each row of the bench, in its order; then the sums, the calls, and why there is none."""
    of = rows_by_title(found)
    lines = [table_row(_HEAD), table_row(["---"] * len(_HEAD))]
    lines += [_line(row, of.get(row.title, [])) for row in bench]
    ratios = [ratio for row in bench if (ratio := ratio_to(row, fastest(of.get(row.title, [])))) is not None]
    lines += ["", *(f"- {line}" for line in _sums(ratios, len(bench)))]
    notes = [note for row in bench for note in _notes(row, of.get(row.title, []))]
    return "\n".join([*lines, "", *notes])


def _line(row: Row, found: Sequence[Found]) -> str:
    best, best_s = fastest(found), _best_s(row)
    ratio = ratio_to(row, best)
    original_s = None if row.times is None else row.times.original_s
    return table_row(
        (
            row.title,
            _time(original_s) + (" PREDICTED" if row.times is not None and row.times.is_predicted else ""),
            _time(best_s),
            bound_words(row.bound),
            _library(found, best),
            "" if best is None else _time(best["median_s"]),
            "" if best is None else _time(best.get("cold_s")),
            "" if ratio is None else f"{ratio:.2f}",
            "" if ratio is None or best is None or original_s is None else f"{original_s / best['median_s']:.2f}",
        )
    )


def _library(found: Sequence[Found], best: Found | None) -> str:
    if best is not None:
        return best["library"]
    if not found:
        return "not timed"
    return "none" if all(each["library"] == "none" for each in found) else "failed"


def rows_by_title(found: Iterable[Found]) -> dict[str, list[Found]]:
    """All ways of each program and size, under the title that a row of the bench has."""
    of: dict[str, list[Found]] = {}
    for each in found:
        of.setdefault(" ".join((each["program"], *map(str, each["size"]))), []).append(each)
    return of


def fastest(found: Sequence[Found]) -> Found | None:
    """Of those that are right."""
    timed = [each for each in found if each.get("median_s") is not None and not _is_other(each)]
    return min(timed, key=lambda each: each["median_s"], default=None)


def _is_other(found: Found) -> bool:
    """Whether its results were held against the program's and are others."""
    off = found.get("difference")
    return off is not None and not off <= MOST_OFF  # nan is other, too


def _best_s(row: Row) -> float | None:
    """By the ratio that counts in the bench."""
    return None if row.times is None else row.times.original_s / row.counted_ratio


def ratio_to(row: Row, library: Found | None) -> float | None:
    """Time of ours / of the library; None where one of them was not measured."""
    best_s = _best_s(row)
    if library is None or best_s is None or row.times is None or row.times.is_predicted:
        return None
    return best_s / library["median_s"]


def _sums(ratios: Sequence[float], count: int) -> list[str]:
    if not ratios:
        return [f"of {count} runs none has both times"]
    ours = sum(ratio < 1 / LIKE for ratio in ratios)
    theirs = sum(ratio > LIKE for ratio in ratios)
    mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
    return [
        f"{len(ratios)} of {count} runs have both times: ours is faster in {ours}, alike (within {LIKE - 1:.0%}) in "
        f"{len(ratios) - ours - theirs}, the library's in {theirs}; geometric mean of ours ÷ library {mean:.2f}"
    ]


def _notes(row: Row, found: Sequence[Found]) -> list[str]:
    """How ours was timed, then a line for each way, the fastest first."""
    ours = [] if row.times is None else [f"ours: {row.times.method}"]
    ordered = sorted(found, key=lambda each: each.get("median_s") or math.inf)
    return [f"- {row.title}: {words}" for words in (*ours, *map(_words, ordered))]


def _words(found: Found) -> str:
    if found["library"] == "none":
        return f"none: {found['reason']}"
    calls = f"{found['library']}, `{found['calls']}`"
    if found.get("median_s") is None:
        return f"{calls}: {found['reason']}"
    time = f"{_time(found['median_s'])} ({_time(found['low_s'])} to {_time(found['high_s'])}, n={found['n']}, {found['method']})"
    differs = f"; {found['differs']}" if found.get("differs") else ""
    other = f"; NOT COUNTED: {found['difference']:.1e} off the program's results" if _is_other(found) else ""
    return f"{calls}: {time}{differs}{other}"


def _time(seconds: float | None) -> str:
    return "" if seconds is None else format_quantity(seconds, "s")


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu.library_table")
    parser.add_argument("folder", type=Path, help="that `libraries` wrote into")
    parser.add_argument("bench", type=Path, help="that `kernelopt bench --out` wrote into")
    options = parser.parse_args()
    print(library_table(read_rows(options.folder / ROWS_NAME), read_bench(options.bench)))


if __name__ == "__main__":
    main()
