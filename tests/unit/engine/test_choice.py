"""What a round builds on, and what a chain does not take twice."""

import pytest

from assistant.engine.choice import HOST_CODE_MARGIN, Option, Taken, is_preferred, is_settled, moved


def _pure(ratio: float) -> Option:
    return Option(ratio, needs_decision=False, edits_host_code=False)


def _host(ratio: float) -> Option:
    return Option(ratio, needs_decision=False, edits_host_code=True)


def _undecided(ratio: float) -> Option:
    return Option(ratio, needs_decision=True, edits_host_code=False)


def test_anything_kept_is_better_than_nothing() -> None:
    assert is_preferred(_undecided(1.01), None)


def test_the_larger_gain_wins_and_the_first_of_equals_stays() -> None:
    assert is_preferred(_pure(1.5), _pure(1.4))
    assert not is_preferred(_pure(1.4), _pure(1.4))


def test_a_pure_edit_comes_before_one_that_a_human_must_decide_on() -> None:
    assert is_preferred(_pure(1.1), _undecided(3.0))
    assert not is_preferred(_undecided(3.0), _pure(1.1))


def test_of_similar_gains_the_edit_inside_the_kernel_wins() -> None:
    assert not is_preferred(_host(1.5 * HOST_CODE_MARGIN - 0.01), _pure(1.5))
    assert is_preferred(_host(1.5 * HOST_CODE_MARGIN + 0.01), _pure(1.5))
    assert is_preferred(_pure(1.5), _host(1.5))


@pytest.mark.parametrize(
    ("outcome", "ratio", "settled"),
    [
        ("kept", 1.5, False),
        ("not_better", 1.0, False),
        ("not_better", 0.5, True),
        ("FAIL", None, True),
        ("build_failed", None, True),
        ("not_bundled", 1.3, True),
    ],
)
def test_only_an_edit_that_may_still_gain_is_tried_again(outcome: str, ratio: float | None, settled: bool) -> None:
    assert is_settled(outcome, ratio) == settled


def test_a_settled_step_moves_with_its_line() -> None:
    before, after = "a\nb\nc\n", "new\na\nb\nc\n"
    assert moved((Taken("padding", frozenset({2})),), before, after) == (Taken("padding", frozenset({3})),)
    assert moved((Taken("padding", frozenset({2})),), before, "a\nc\n") == (Taken("padding", frozenset()),)
