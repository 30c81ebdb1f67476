"""docs/results.md says what the rows in benchmarks/results say, and the tables count as the figures are defined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.bench.bound import Bound
from assistant.bench.journal import BenchSettings
from assistant.bench.row import Cost, Row, RowOutcome, Times
from assistant.model.comparison import SpeedOutcome
from assistant.serialize import dumps
from benchmarks.results_tables import page_of, tables

ROOT = Path(__file__).resolve().parents[3]


def row(name: str = "dot", ratio: float | None = 4.0, **more: Any) -> Row:
    """80 µs, 8 times its bound."""
    given: dict[str, Any] = {
        "outcome": RowOutcome.FASTER, "speed": SpeedOutcome.FASTER, "ratio": ratio, "low": ratio, "high": ratio, "verification": "PASS",
        "times": Times(80e-6, 80e-6 / (ratio or 1.0), is_predicted=False, method="paired"), "cost": Cost(30.0),
        "bound": Bound(10e-6, "DRAM", is_in_steps=False, alone_s=10e-6), **more,
    }  # fmt: skip
    return Row(name, ("64",), "5a", reason="", **given)


def nothing(name: str) -> Row:
    return row(name, None, outcome=RowOutcome.NOTHING, speed=None, low=None, high=None, verification=None)


def written(folder: Path, file: str, *rows: Row) -> None:
    (folder / file).write_text("\n".join((dumps(BenchSettings("suite")), *map(dumps, rows))) + "\n")


def library(program: str, time_s: float) -> str:
    return f'{{"program": "{program}", "size": [64], "library": "CUB", "calls": "x", "median_s": {time_s}}}\n'


def test_the_page_is_made_of_the_rows() -> None:
    text = (ROOT / "docs" / "results.md").read_text("utf-8")
    assert "<!-- table suite -->" in text
    assert page_of(text, tables(ROOT / "benchmarks" / "results")) == text, "python -m benchmarks.results_tables"


def test_rows_of_the_state_before_stand_in_for_programs_that_were_not_measured_again_and_are_marked(tmp_path: Path) -> None:
    written(tmp_path, "suite-h200-before.jsonl", row("dot", 2.0), row("scan", 3.0))
    written(tmp_path, "suite-h200.jsonl", row("dot", 4.0))
    lines = tables(tmp_path)["suite"]().splitlines()[2:]
    assert [line.split(" | ")[0] for line in lines] == ["| dot 64", "| scan* 64"]
    assert "4.00 (4.00 to 4.00)" in lines[0]


def test_what_was_not_proved_counts_as_1_and_only_a_measured_row_as_faster(tmp_path: Path) -> None:
    lost = row("lu", 0.9, outcome=RowOutcome.NOT_FASTER, speed=SpeedOutcome.INCONCLUSIVE)
    written(tmp_path, "suite-h200.jsonl", row(), nothing("copy"), lost, row("sort", None, outcome=RowOutcome.FAILED, speed=None))
    figures = tables(tmp_path)["figures"]()
    assert "**3 of 4**" in figures  # the failed one has no verdict
    assert "**1 (25 %)**" in figures
    assert "**1.41** (first half 2.00, second 1.00)" in figures
    assert "**1.0 min** (120 s of searches)" in figures


@pytest.mark.parametrize(("library_s", "count"), [(5e-6, 1), (9e-6, 1), (11e-6, 2), (41e-6, 2)])
def test_near_is_near_the_bound_or_the_library(tmp_path: Path, library_s: float, count: int) -> None:
    """The first ends at 20 µs, twice its bound; the second at 20 µs, eight times its bound."""
    far = row("scan", bound=Bound(2.5e-6, "DRAM", is_in_steps=False, alone_s=2.5e-6))
    written(tmp_path, "suite-h200.jsonl", row("dot"), far)
    (tmp_path / "libraries-h200.jsonl").write_text(library("scan", library_s))
    assert f"| ≥ 30 | **{count}** |" in tables(tmp_path)["figures"]()


def test_a_verdict_says_that_it_was_checked_in_part_and_what_is_not_faster(tmp_path: Path) -> None:
    written(
        tmp_path,
        "blind-h200.jsonl",
        row(
            verification="PASS (not every check ran to its end)", labels=("readability", "reassociation"), is_cut_off=True, chain=("a-b+c",)
        ),
        row("lu", 1.0, outcome=RowOutcome.NOT_FASTER, speed=SpeedOutcome.INCONCLUSIVE),
        nothing("copy"),
    )
    first, second, third = tables(tmp_path)["blind"]().splitlines()[2:]
    assert "| PASS (checked in part) | another order | a b, c (cut off) | 30 | 2 |" in first
    assert "| 80 µs | 80 µs | 1.00 (1.00 to 1.00) | PASS, INCONCLUSIVE |" in second
    assert "| 80 µs | 80 µs | – | nothing to propose |  |  | 30 | 8 |" in third
