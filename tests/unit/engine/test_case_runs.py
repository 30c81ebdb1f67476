"""Which runs of a candidate are held against the original's."""

from __future__ import annotations

from assistant.engine.case_runs import comparable_runs
from assistant.verify.evidence import SideRun

STEADY, VARYING = SideRun(((1, b"a"),)), SideRun(((1, b"a"),), repeat_difference="repeat 3 differs")
REPEAT = SideRun(((1, b"b"),), is_repeat=True)


def test_a_repeat_that_differs_must_be_right_where_the_originals_repeats_are_equal() -> None:
    assert comparable_runs((STEADY,), (VARYING, REPEAT)) == (VARYING, REPEAT)


def test_repeats_blame_nobody_where_the_original_varies_as_well() -> None:
    assert comparable_runs((VARYING,), (VARYING, REPEAT)) == (VARYING,)
