"""Which defect of several a call raises, and its words."""

from __future__ import annotations

from assistant.live.faults import OutOfBounds, Race, fault_of
from assistant.model.profile import Problem


def problem(kind: str, line: int, *, other_line: int | None = None, argument: int | None = None) -> Problem:
    other_file = "k.cu" if other_line else None
    return Problem(kind, "", "k.cu", line, other_file, other_line, (0, 0, 0), (1, 0, 0), None, 1, argument=argument)


def test_a_race_between_warps_explains_one_within_a_warp_whichever_of_its_lines_the_other_is_on() -> None:
    found = fault_of([problem("missing_syncwarp", 7, other_line=8), problem("shared_race", 8, other_line=7)], [])
    assert isinstance(found, Race) and found.kind == "shared_race"
    assert "line 8, the other access at line 7, block (0, 0, 0), thread (1, 0, 0)" in str(found)


def test_threads_beyond_an_array_explain_the_race_on_it() -> None:
    race, beyond = problem("global_race", 8, argument=2), problem("out_of_bounds", 8, argument=2)
    found = fault_of([race, problem("out_of_bounds", 7, argument=1), beyond], ["a", "b", "c"])
    assert isinstance(found, OutOfBounds) and found.array == "c"
    assert isinstance(fault_of([race, problem("out_of_bounds", 7, argument=1)], ["a", "b", "c"]), Race)


def test_further_defects_of_one_kind_and_line_are_named_once() -> None:
    found = fault_of([problem("trap", 3), problem("out_of_bounds", 7, argument=0), problem("out_of_bounds", 7, argument=1)], ["a", "b"])
    assert str(found).endswith("; further: out of bounds at line 7")


def test_an_access_far_behind_an_array_is_named_by_a_nearer_one_of_its_line() -> None:
    far, near = problem("out_of_bounds", 6), problem("out_of_bounds", 6, argument=2)
    found = fault_of([far, problem("out_of_bounds", 5, argument=0), near], ["out", "a", "b"])
    assert found is not None and found.array == "b"
    alone = fault_of([far, problem("out_of_bounds", 5, argument=0)], ["out"])
    assert alone is not None and alone.array is None
