"""What a chain does not take twice."""

import pytest

from assistant.engine.proposals.choice import Taken, is_settled, moved


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
