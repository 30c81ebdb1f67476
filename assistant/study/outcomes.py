"""What came of draws, and how the judge's outcome counts: fail, compile, pass or fast. Pure.

Example::

    grade_of(TrialOutcome.NOT_BETTER)        # Grade.PASS: right, not faster
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from enum import StrEnum

from assistant.model.completion import Spending
from assistant.model.plan import Rewrite, Step
from assistant.model.trial import TrialOutcome
from assistant.record import Record
from assistant.serialize import dumps, encode

__all__ = ["Answer", "Grade", "Verdict", "grade_of", "rewrite_key"]


class Grade(StrEnum):
    """How far an answer came; each grade holds those before it."""

    FAIL = "fail"
    """No edit, or one that does not build."""
    COMPILE = "compile"
    """It builds, and is wrong or does not run to its end."""
    PASS = "pass"
    """It is right, and not faster."""
    FAST = "fast"
    """It is right and gains what an edit must gain to be kept."""

    @property
    def level(self) -> int:
        return tuple(Grade).index(self)


class Answer(Record):
    """What a model answered in one draw."""

    node: str
    arm: str
    """`Arm.key`."""
    index: int
    """Of the draw, from 0."""
    step: Step | None
    """The plan's first step; None where it had none."""
    rewrite: Rewrite | None
    """None where the answers came to no edit."""
    reason: str
    """Why there is no edit."""
    calls: tuple[str, ...]
    """Ids in memory of all calls, with their prompts and answers."""
    spending: Spending


class Verdict(Record):
    """What the judge found of an edit of a node; the same edit is judged once."""

    node: str
    rewrite: str
    """`rewrite_key`."""
    outcome: TrialOutcome
    reason: str
    ratio: float | None
    needs_decision: bool = False
    """It is faster, and a person would have to decide on it."""


_LATER_FIELDS = ("tuning_fault", "numbers", "alternatives")
"""Empty in every rewrite of studies that were kept before there were such fields, whose keys stay."""
_GRADES = {
    TrialOutcome.KEPT: Grade.FAST,
    TrialOutcome.NOT_BUNDLED: Grade.FAST,
    TrialOutcome.NEEDS_DECISION: Grade.FAST,
    TrialOutcome.NOT_BETTER: Grade.PASS,
    TrialOutcome.FAILED: Grade.COMPILE,
    TrialOutcome.BUILD_FAILED: Grade.FAIL,
    TrialOutcome.NOT_ALLOWED: Grade.FAIL,
    TrialOutcome.UNWRITTEN: Grade.FAIL,
}


def grade_of(outcome: TrialOutcome) -> Grade | None:
    """None for what says nothing about the answer: a failure of the judge or the machine."""
    return _GRADES.get(outcome)


def rewrite_key(rewrite: Rewrite) -> str:
    """The same for rewrites that make the same edit with the same declarations, whoever wrote them and whatever they call it."""
    plain = encode(replace(rewrite, technique="", line=0, summary="", predictions=(), origin=None))
    for name in _LATER_FIELDS:
        if not plain[name]:
            del plain[name]
    return hashlib.sha256(dumps(plain).encode()).hexdigest()
