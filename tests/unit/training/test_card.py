"""The card of the policy that comes with kernelopt is the page that is shown, and says what it may."""

from __future__ import annotations

from pathlib import Path

from assistant.plan.policy.network import open_policy
from assistant.training.card import card_page
from assistant.training.policy_run import HELD_OUT

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "technique-policy.md"


def test_the_page_is_the_shipped_policys_own() -> None:
    policy = open_policy("shipped")
    assert policy is not None
    assert PAGE.read_text("utf-8") == card_page(policy.card)


def test_no_kernel_of_the_trial_was_trained_on() -> None:
    policy = open_policy("shipped")
    assert policy is not None
    training, trial = (policy.card.facts[name]["families"].keys() for name in ("training", "trial"))
    assert not training & set(HELD_OUT)
    assert trial <= set(HELD_OUT)
