"""The reward of an edit, from what the judge said of it and nothing else. Pure.

-1 wrong or cheating, 0 the same machine code as the start, 1 right, 2 measured faster than the start, 3 faster and at least four fifths of
what the device allows. A prediction is a component of its own and never more than 1; where the judge or the machine failed there is no
reward at all. Example::

    reward_of(judgement, allowed=frozenset(), is_isolated=False).value      # 1
"""

from __future__ import annotations

import math
from enum import StrEnum

from assistant.model.comparison import SpeedOutcome
from assistant.model.event_parts import SpeedReport
from assistant.model.verification import Label, Outcome, VerificationFinding
from assistant.record import Record

__all__ = ["CHEATS", "NEAR_BOUND_RATIO", "PROTECTED_FILE_CHANGED", "Judgement", "Milestone", "Reason", "Reward", "reward_of"]

NEAR_BOUND_RATIO = 0.8
"""Share of the bound (least time by distinct bytes and arithmetic / measured time) from which a faster edit has the highest reward."""
PROTECTED_FILE_CHANGED = "protected-file-changed"
"""An agent changed what it must leave as it is."""
CHEATS = frozenset(
    {
        *("body_emptied", "constant_output", "magic_size", "once_only_state", "writes_input"),
        *("foreign_reading", "several_programs", "impossible_speed", "unchecked_when_timed"),
        *("host-code", "new-flags", "workload-changed", PROTECTED_FILE_CHANGED),
        *("remembered", "tampering", "changed_inputs", "late_write", "host_access"),
    }
)
"""Codes of reasons that an honest mistake seldom gives: they are named as ``cheat``. Every other code is among the reasons alone."""


class Reason(Record):
    """Why an edit has no higher reward."""

    code: str
    """Of a finding, or of what the judge refused."""
    message: str
    line: int | None = None


class Judgement(Record):
    """What the judge said of an edit."""

    outcome: Outcome | None
    """None: it gave no verdict, or was not asked."""
    answer: str
    """In one line."""
    findings: tuple[VerificationFinding, ...] = ()
    labels: tuple[str, ...] = ()
    speed: SpeedReport | None = None
    light_ratio: float | None = None
    """Of the bound, 0..1; None where it is not known."""
    refusal: Reason | None = None
    """Why the edit got no verdict, where that speaks against the edit."""
    is_unchanged: bool = False
    """The same machine code as the start."""
    is_judged_in_part: bool = False
    """Some kernels have a verdict, and some cannot be judged: no answer about the whole."""


class Milestone(StrEnum):
    WRONG = "wrong"
    UNCHANGED = "unchanged"
    RIGHT = "right"
    FASTER = "faster"
    NEAR_BOUND = "faster and near the bound"
    NO_SAMPLE = "no sample"


_VALUES = {
    Milestone.WRONG: -1,
    Milestone.UNCHANGED: 0,
    Milestone.RIGHT: 1,
    Milestone.FASTER: 2,
    Milestone.NEAR_BOUND: 3,
    Milestone.NO_SAMPLE: None,
}


class MeasuredRatio(Record):
    """time(start) / time(edit), timed on a GPU."""

    outcome: SpeedOutcome
    ratio: float
    low: float | None
    high: float | None


class PredictedRatio(Record):
    """The performance model's ratio; no part of the reward."""

    ratio: float
    low: float | None
    high: float | None
    log_error: float | None
    """log(predicted / measured ratio); None where nothing was measured."""


class Reward(Record):
    """The reward with what it is made of."""

    value: int | None
    """-1 to 3; None: no sample."""
    milestone: Milestone
    compiled: bool | None
    """None: not known, as nothing was compiled."""
    right: bool | None
    reasons: tuple[Reason, ...]
    cheat: str | None
    """The first reason's code that is one of `CHEATS`."""
    labels: tuple[str, ...]
    measured: MeasuredRatio | None
    predicted: PredictedRatio | None
    bound_ratio: float | None
    """Share of the bound that the edit reaches; None where nothing was timed or no bound is known."""
    is_isolated: bool
    """Whether the judge ran as another user than the agent."""


def reward_of(judgement: Judgement, allowed: frozenset[str], *, is_isolated: bool) -> Reward:
    """``allowed``: labels that the task lets pass without a person (`Label` values)."""
    reasons = _reasons(judgement, allowed)
    milestone = _milestone(judgement, bool(reasons))
    is_right = None if milestone is Milestone.NO_SAMPLE else milestone is not Milestone.WRONG
    return Reward(
        value=_VALUES[milestone],
        milestone=milestone,
        compiled=_is_compiled(judgement),
        right=is_right,
        reasons=reasons,
        cheat=next((reason.code for reason in reasons if reason.code in CHEATS), None),
        labels=judgement.labels,
        measured=_measured(judgement.speed) if is_right else None,
        predicted=_predicted(judgement.speed) if is_right else None,
        bound_ratio=judgement.light_ratio if is_right else None,
        is_isolated=is_isolated,
    )


def _milestone(judgement: Judgement, is_wrong: bool) -> Milestone:
    if is_wrong:
        return Milestone.WRONG
    if judgement.is_unchanged:
        return Milestone.UNCHANGED
    if judgement.outcome is None:
        return Milestone.NO_SAMPLE
    if judgement.speed is None or judgement.speed.outcome is not SpeedOutcome.FASTER:
        return Milestone.RIGHT
    is_near = judgement.light_ratio is not None and judgement.light_ratio >= NEAR_BOUND_RATIO
    return Milestone.NEAR_BOUND if is_near else Milestone.FASTER


def _reasons(judgement: Judgement, allowed: frozenset[str]) -> tuple[Reason, ...]:
    """What speaks against the edit; none where it counts."""
    if judgement.refusal is not None:
        return (judgement.refusal,)
    if judgement.outcome is Outcome.FAIL:
        failing = tuple(_reason(finding) for finding in judgement.findings if finding.outcome is Outcome.FAIL)
        return failing or (Reason("fail", judgement.answer),)
    undecided = [finding for finding in judgement.findings if finding.outcome is Outcome.NEEDS_DECISION]
    open_ones = tuple(_reason(finding) for finding in undecided if finding.code.replace("_", "-") not in allowed)
    if judgement.outcome is Outcome.NEEDS_DECISION and (open_ones or not undecided):
        return open_ones or (Reason("needs-decision", judgement.answer),)
    if Label.HOST_CODE in judgement.labels and Label.HOST_CODE not in allowed:
        return (Reason("host-code", "the edit changes host code, which this task does not allow"),)
    return ()


def _reason(finding: VerificationFinding) -> Reason:
    return Reason(finding.code, finding.message, finding.line)


def _is_compiled(judgement: Judgement) -> bool | None:
    if judgement.outcome is None:
        return None
    return all(finding.code != "not_built" for finding in judgement.findings)


def _measured(speed: SpeedReport | None) -> MeasuredRatio | None:
    if speed is None or not _is_timed(speed):
        return None
    return MeasuredRatio(speed.outcome, speed.ratio, speed.low, speed.high)


def _predicted(speed: SpeedReport | None) -> PredictedRatio | None:
    if speed is None:
        return None
    if not _is_timed(speed):
        return PredictedRatio(speed.ratio, speed.low, speed.high, None)
    if speed.predicted_ratio is None:
        return None
    return PredictedRatio(speed.predicted_ratio, None, None, math.log(speed.predicted_ratio / speed.ratio))


def _is_timed(speed: SpeedReport) -> bool:
    return any(case.after_s is not None for case in speed.cases)
