"""What a chain does not take twice."""

from dataclasses import replace

import pytest

from assistant.engine.proposals.steps import SettledStep, followed, is_settled, moved, settled_step
from assistant.model.plan import Step
from assistant.model.trial import TrialOutcome


@pytest.mark.parametrize(
    ("outcome", "ratio", "settled"),
    [
        (TrialOutcome.KEPT, 1.5, False),
        (TrialOutcome.NOT_BETTER, 1.0, False),
        (TrialOutcome.NOT_BETTER, 0.99, False),
        (TrialOutcome.NOT_BETTER, 0.9899, True),
        (TrialOutcome.NOT_BETTER, None, True),
        (TrialOutcome.FAILED, None, True),
        (TrialOutcome.BUILD_FAILED, None, True),
        (TrialOutcome.NOT_BUNDLED, 1.3, True),
    ],
)
def test_only_an_edit_that_may_still_gain_is_judged_again(outcome: TrialOutcome, ratio: float | None, settled: bool) -> None:
    assert is_settled(outcome, ratio) == settled


def test_a_slip_that_no_compiler_takes_does_not_ban_a_models_idea() -> None:
    assert not is_settled(TrialOutcome.BUILD_FAILED, None, is_by_model=True)
    assert is_settled(TrialOutcome.FAILED, None, is_by_model=True)


def test_two_designs_for_one_place_are_settled_apart() -> None:
    step = Step("tile", "k()", 3, "", (), "", (), 0.0, design="Tiles of 32.")
    assert settled_step(step) != settled_step(replace(step, design="Tiles of 64."))


def test_a_settled_step_moves_with_its_line() -> None:
    before, after = "a\nb\nc\n", "new\na\nb\nc\n"
    assert moved((SettledStep("padding", frozenset({2})),), before, after) == (SettledStep("padding", frozenset({3})),)
    assert moved((SettledStep("padding", frozenset({2})),), before, "a\nc\n") == (SettledStep("padding", frozenset()),)


@pytest.mark.parametrize(("line", "lines"), [(0, set()), (1, {1}), (2, {2, 3}), (3, {2, 3}), (4, {4}), (5, {6}), (6, set())])
def test_a_line_that_was_rewritten_is_followed_to_all_that_replaced_it(line: int, lines: set[int]) -> None:
    assert followed("a\nb\nc\nd\ne\n", "a\nB\nC\nd\nnew\ne\n", line) == lines
