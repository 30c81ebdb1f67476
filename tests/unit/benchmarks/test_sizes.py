"""The table of screens and confirmations by size: what was measured stands next to what is asked, however far the part came."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.gpu.screen import spans_of
from benchmarks.gpu.sizes import SIZES, sizes_table

SMALL = {"program": "accumulator, 64²", "size": "10us", "own_s": 2.0}
LARGE = {"program": "accumulator, 4352²", "size": "100ms", "own_s": 3.0}


def found(of: dict[str, Any], what: str, seconds: float, a_us: float | None = None) -> dict[str, Any]:
    return {**of, "what": what, "seconds": seconds, "a_us": a_us}


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def test_a_size_has_its_times_beside_what_is_asked() -> None:
    rows = [
        found(SMALL, "first", 6.0),
        found(SMALL, "screen", 3.5, 15.54),
        found(SMALL, "screen", 3.0, 15.6),
        found(SMALL, "confirm", 12.0),
    ]
    assert cells(sizes_table([*rows, found(SMALL, "search", 30.0)]).splitlines()[-1]) == [
        "10us: accumulator, 64²", "15.5", "2.00", "6.00", "3.50, 3.00", "1.50, 1.00", "3", "12.00", "15", "30.00",
    ]  # fmt: skip


def test_what_was_broken_off_is_shown_as_far_as_it_came_and_sizes_are_in_order() -> None:
    lines = sizes_table([found(LARGE, "first", 40.0), found(SMALL, "first", 6.0)]).splitlines()
    small, large = (cells(line) for line in lines[-2:])
    assert (small[0], large[0]) == ("10us: accumulator, 64²", "100ms: accumulator, 4352²")
    assert large[1:] == ["–", "3.00", "40.00", "–", "–", "6", "–", "30", "–"]


@pytest.mark.parametrize(("size", "asked"), [("10us", (3, 15)), ("20ms", (3, 15)), ("100ms", (6, 30))])
def test_what_is_asked_depends_on_the_size(size: str, asked: tuple[int, int]) -> None:
    assert SIZES[size] == asked


def test_candidates_that_are_tried_at_once_share_the_time_of_their_round() -> None:
    """They are reported together, so that the time between two of them says nothing."""
    started, plan, confirming = {"event": "job_started"}, {"event": "plan"}, {"event": "stage_started", "stage": "confirm"}
    kept, other, unbuilt = (
        {"event": "candidate", "kernel": "k", "candidate": name, "ratio": ratio} for name, ratio in (("A", 1.5), ("B", 0.9), ("C", None))
    )
    setting = {"event": "setting", "kernel": "k", "candidate": "A", "point": {"ratio": 1.5}}
    first = [(1.0, started), (2.0, plan), (7.0, setting), (8.0, kept), (8.0, other), (8.5, unbuilt)]
    events = [*first, (9.0, plan), (13.0, other), (14.0, confirming), (20.0, {"event": "proposal"}), (20.5, {"event": "job_ended"})]
    rows = [(span["what"], span["count"], span["seconds"]) for span in spans_of(events)]
    assert rows == [("first", 2, 3.0), ("screen", 1, 4.0), ("confirm", 1, 6.0)]
