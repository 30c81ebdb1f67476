"""The verdict line says for which sizes it holds where none other was tried, and the small print lists what was tried."""

from __future__ import annotations

from assistant.model.verification import CaseResult, Outcome
from assistant.verify.evidence import SizeCoverage
from assistant.verify.sizes_tried import caveats_of, untried

TRIED = SizeCoverage(own=("rows=100, cols=32",), names=("rows", "cols"), modelled=frozenset({"rows=149, cols=47", "rows=149, cols=32"}))


def passed(shape: str, outcome: Outcome = Outcome.PASS, kind: str = "resized") -> CaseResult:
    return CaseResult(kind, shape, 1.0, outcome, None, None, 1)


def test_where_other_sizes_passed_nothing_is_said() -> None:
    assert caveats_of(TRIED, [passed("rows=149, cols=47")]) == ()


def test_without_other_sizes_the_own_sizes_are_named() -> None:
    results = [passed("rows=100, cols=32", kind=kind) for kind in ("recorded", "dense")]
    assert caveats_of(TRIED, results) == ("at the program's own sizes (rows=100, cols=32)",)


def test_without_other_values_either_the_verdict_names_that() -> None:
    (said,) = caveats_of(TRIED, [passed("rows=100, cols=32", kind="recorded")])
    assert said == "at the program's own sizes (rows=100, cols=32), on its own values only"


def test_at_most_two_shapes_are_named() -> None:
    many = SizeCoverage(("n=1", "n=2", "n=3"), ("n",), frozenset())
    assert caveats_of(many, []) == ("at the program's own sizes (n=1; n=2; …)",)


def test_smaller_sizes_on_the_same_buffers_say_nothing_of_larger_ones() -> None:
    assert caveats_of(TRIED, [passed("rows=99, cols=32")]) == ("at sizes up to the program's own (rows=100, cols=32)",)


def test_a_size_that_never_changed_is_named() -> None:
    assert caveats_of(TRIED, [passed("rows=149, cols=32")]) == ("at the program's own cols=32",)


def test_a_difference_at_another_size_needs_no_caveat_as_a_label_says_it() -> None:
    assert caveats_of(TRIED, [passed("rows=149, cols=47", Outcome.NEEDS_DECISION)]) == ()


def test_the_small_print_lists_every_size_and_how_to_get_others() -> None:
    said = untried(TRIED, [passed("rows=149, cols=47"), passed("rows=149, cols=47"), passed("rows=99, cols=32")])
    expected = "other sizes than the program's own (rows=100, cols=32) and those tried in addition (rows=149, cols=47; rows=99, cols=32)"
    assert said == f"{expected}: declare a workload to try more"
