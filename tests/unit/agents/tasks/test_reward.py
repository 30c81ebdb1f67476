"""The reward follows from the judge's words alone: which verdict is worth what, and what is said besides."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assistant.agents.tasks import Judgement, Reason, Reward, reward_of
from assistant.model.comparison import CaseSpeed, SpeedOutcome
from assistant.model.event_parts import SpeedReport
from assistant.model.verification import Outcome, VerificationFinding


def speed(outcome: SpeedOutcome, ratio: float, predicted: float | None = None) -> SpeedReport:
    after_s = None if outcome is SpeedOutcome.PREDICTED else 1e-3
    case = CaseSpeed("n=4", 1.0, ratio, None, None, outcome, after_s, after_s)
    return SpeedReport(outcome, ratio, ratio - 0.1, ratio + 0.1, 0.01, "good", (case,), "paired", None, None, predicted)


def check(judgement: Judgement, allowed: frozenset[str] = frozenset()) -> Reward:
    return reward_of(judgement, allowed, is_isolated=False)


def passing(**more: Any) -> Judgement:
    return Judgement(Outcome.PASS, "PASS", **more)


def finding(code: str, outcome: Outcome) -> VerificationFinding:
    return VerificationFinding(code, outcome, f"{code} it is", line=7)


@pytest.mark.parametrize("outcome", [SpeedOutcome.SAME, SpeedOutcome.SLOWER, SpeedOutcome.INCONCLUSIVE, SpeedOutcome.PREDICTED])
def test_what_is_right_and_not_measured_faster_is_one(outcome: SpeedOutcome) -> None:
    assert check(passing(speed=speed(outcome, 9.0))).value == 1
    assert check(passing()).value == 1


@pytest.mark.parametrize(("light", "value"), [(None, 2), (0.79, 2), (0.8, 3)])
def test_faster_is_two_and_near_the_bound_three(light: float | None, value: int) -> None:
    assert check(passing(speed=speed(SpeedOutcome.FASTER, 1.5), light_ratio=light)).value == value


def test_the_same_machine_code_is_nothing_however_it_was_timed() -> None:
    reward = check(passing(speed=speed(SpeedOutcome.FASTER, 1.5), is_unchanged=True))
    assert (reward.value, reward.milestone, reward.right) == (0, "unchanged", True)


def test_a_failure_is_wrong_and_named_even_where_machine_code_is_the_same() -> None:
    findings = (finding("wrong_value", Outcome.FAIL), finding("body_emptied", Outcome.FAIL))
    reward = check(Judgement(Outcome.FAIL, "FAIL", findings, is_unchanged=True))
    assert (reward.value, reward.right, reward.compiled) == (-1, False, True)
    assert [(reason.code, reason.line) for reason in reward.reasons] == [("wrong_value", 7), ("body_emptied", 7)]
    assert reward.cheat == "body_emptied"


def test_what_does_not_build_is_wrong_and_not_compiled() -> None:
    reward = check(Judgement(Outcome.FAIL, "FAIL", (finding("not_built", Outcome.FAIL),)))
    assert (reward.value, reward.compiled, reward.cheat) == (-1, False, None)


def test_a_decision_counts_only_where_the_task_allows_it() -> None:
    asks = Judgement(Outcome.NEEDS_DECISION, "NEEDS_DECISION", (finding("precision", Outcome.NEEDS_DECISION),), ("precision",))
    assert check(asks).value == -1
    assert check(asks, frozenset({"precision"})).value == 1
    assert check(asks, frozenset({"alignment"})).reasons == (Reason("precision", "precision it is", 7),)


def test_codes_of_operators_are_allowed_by_the_same_labels() -> None:
    asks = Judgement(Outcome.NEEDS_DECISION, "NEEDS_DECISION", (finding("library_call", Outcome.NEEDS_DECISION),))
    assert check(asks, frozenset({"library-call"})).value == 1


def test_host_code_that_passed_is_refused_all_the_same() -> None:
    assert check(passing(labels=("host-code",))).cheat == "host-code"
    assert check(passing(labels=("host-code",)), frozenset({"host-code"})).value == 1


def test_no_verdict_is_no_sample_unless_the_edit_is_at_fault() -> None:
    assert (check(Judgement(None, "the GPU is gone")).value, check(Judgement(None, "the GPU is gone")).right) == (None, None)
    refused = check(Judgement(None, "it reads /etc/passwd", refusal=Reason("foreign_reading", "it reads /etc/passwd")))
    assert (refused.value, refused.cheat) == (-1, "foreign_reading")


def test_a_prediction_is_a_component_of_its_own() -> None:
    predicted = check(passing(speed=speed(SpeedOutcome.PREDICTED, 3.0)))
    assert predicted.measured is None and predicted.predicted is not None
    assert (predicted.predicted.ratio, predicted.predicted.log_error) == (3.0, None)
    measured = check(passing(speed=speed(SpeedOutcome.FASTER, 2.0, predicted=3.0)))
    assert measured.measured is not None and (measured.measured.low, measured.measured.high) == (1.9, 2.1)
    assert measured.predicted is not None and measured.predicted.log_error == pytest.approx(math.log(1.5))


def test_of_what_is_wrong_no_speed_is_told() -> None:
    asks = Judgement(Outcome.NEEDS_DECISION, "", (finding("precision", Outcome.NEEDS_DECISION),), speed=speed(SpeedOutcome.FASTER, 2.0))
    assert (check(asks).measured, check(asks).predicted, check(asks).bound_ratio) == (None, None, None)
