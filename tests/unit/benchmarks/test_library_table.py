"""Ours next to a library's: the fastest right way counts, the others and what they do otherwise are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.bench.bound import Bound
from assistant.bench.journal import BenchSettings, Journal
from assistant.bench.row import Cost, Row, RowOutcome, Times
from assistant.model.comparison import SpeedOutcome
from benchmarks.gpu.library_table import library_table, read_bench


def ours(name: str = "topk", ratio: float = 4.0, **more: Any) -> Row:
    """80 µs, made faster by the ratio."""
    given: dict[str, Any] = {
        "outcome": RowOutcome.FASTER, "speed": SpeedOutcome.FASTER, "ratio": ratio, "verification": "PASS",
        "times": Times(80e-6, 80e-6 / ratio, is_predicted=False, method="paired"),
        "bound": Bound(10e-6, "DRAM", is_in_steps=False, alone_s=10e-6), **more,
    }  # fmt: skip
    return Row(name, ("64", "256"), "5a", reason="", cost=Cost(2.0), **given)


def theirs(library: str = "torch", time_s: float = 25e-6, program: str = "topk", **more: Any) -> dict[str, Any]:
    return {
        "program": program, "size": [64, 256], "library": library, "calls": f"{library}.call", "type": "float32", "differs": "",
        "median_s": time_s, "low_s": time_s, "high_s": time_s, "n": 25, "cold_s": None, "method": "graph of 40 calls", "difference": 0.0,
        **more,
    }  # fmt: skip


def none(program: str = "topk") -> dict[str, Any]:
    return {"program": program, "size": [64, 256], "library": "none", "calls": "", "reason": "none has it"}


def cells(table: str, line: int = 2) -> list[str]:
    return [cell.strip() for cell in table.splitlines()[line].strip().strip("|").split("|")]


def test_a_program_stands_next_to_the_fastest_library() -> None:
    slow = theirs("CUB", 50e-6, differs="sorts all of a row", cold_s=60e-6)
    table = library_table([slow, theirs(cold_s=28e-6)], [ours()])
    assert cells(table) == ["topk 64 256", "80 µs", "20 µs", "10 µs (DRAM)", "torch", "25 µs", "28 µs", "0.80", "3.20"]
    assert "1 of 1 runs have both times: ours is faster in 1, alike (within 5%) in 0, the library's in 0" in table
    assert "geometric mean of ours ÷ library 0.80" in table
    assert table.splitlines()[-3:] == [
        "- topk 64 256: ours: paired",
        "- topk 64 256: torch, `torch.call`: 25 µs (25 µs to 25 µs, n=25, graph of 40 calls)",
        "- topk 64 256: CUB, `CUB.call`: 50 µs (50 µs to 50 µs, n=25, graph of 40 calls); sorts all of a row",
    ]


@pytest.mark.parametrize("off", [0.5, float("nan")])
def test_a_way_with_other_results_is_not_counted(off: float) -> None:
    table = library_table([theirs(time_s=1e-6, difference=off), theirs("CUB", 40e-6)], [ours()])
    assert cells(table)[4:] == ["CUB", "40 µs", "", "0.50", "2.00"]
    assert "NOT COUNTED" in table


@pytest.mark.parametrize(
    ("found", "word"),
    [([], "not timed"), ([none()], "none"), ([{**none(), "library": "torch"}], "failed"), ([theirs(program="sort")], "not timed")],
)
def test_where_there_is_no_time_there_is_no_ratio(found: list[dict[str, Any]], word: str) -> None:
    table = library_table(found, [ours()])
    assert cells(table)[4:] == [word, "", "", "", ""]
    assert "of 1 runs none has both times" in table


def test_a_predicted_time_is_held_against_nothing() -> None:
    table = library_table([theirs()], [ours(times=Times(80e-6, 20e-6, is_predicted=True, method="performance model"))])
    assert cells(table)[1] == "80 µs PREDICTED" and cells(table)[-2:] == ["", ""]


def test_what_was_not_kept_is_the_original() -> None:
    table = library_table([theirs()], [ours(outcome=RowOutcome.WAITS)])
    assert cells(table)[1:3] == ["80 µs", "80 µs"]


def test_ours_without_a_time_is_a_line_all_the_same() -> None:
    assert cells(library_table([theirs()], [ours(times=None, bound=None, outcome=RowOutcome.FAILED)]))[1:4] == ["", "", ""]


def test_rows_of_a_bench_are_read_the_last_of_each(tmp_path: Path) -> None:
    journal = Journal[BenchSettings, Row].begun(tmp_path, BenchSettings("suite"))
    for each in (ours(ratio=2.0), ours("sort"), ours(ratio=3.0)):
        journal.add(each)
    assert read_bench(tmp_path) == (ours(ratio=3.0), ours("sort"))
