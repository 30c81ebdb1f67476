"""What a run found of a PyTorch task, and what all rows of a run have in common."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from assistant.engine import OperatorOptions
from assistant.model.code_events import OperatorTimed
from assistant.model.event_parts import SpeedReport, VerificationReport
from assistant.record import Record

__all__ = ["ANSWER", "RULES", "OperatorOutcome", "OperatorRow", "OperatorSettings", "Origin"]

Origin = Literal["answer", "rules"]
ANSWER, RULES = "answer", "rules"
"""A candidate of the folder of answers, or a kernel that rules wrote."""


class OperatorSettings(Record):
    """What all rows of a run have in common; a run is only resumed with the same."""

    suite: str
    folder: str
    answers: str | None = None
    device: str | None = None
    target: str | None = None
    has_gpu: bool = False
    """Whether candidates are timed."""
    baselines: tuple[str, ...] = OperatorOptions().baselines
    timeout_s: float = 1800.0
    """For each task."""


class OperatorOutcome(StrEnum):
    """How a task ended. Only PASS is correct."""

    PASS = "PASS"
    NEEDS_DECISION = "NEEDS_DECISION"
    """A person has to decide whether it is right."""
    FAIL = "FAIL"
    NO_KERNEL = "no kernel"
    """There is no candidate, and rules write none."""
    NO_TASK = "no task"
    """The file is none."""
    FAILED = "failed"
    """It could not be judged."""


class OperatorRow(Record):
    """One task with its result."""

    title: str
    level: int | None
    number: int | None
    """Within its level."""
    sources_sha256: str
    """Hash over the task's and the candidate's text; a row of other texts is run again."""
    outcome: OperatorOutcome
    reason: str
    """One sentence; empty of a PASS."""
    wall_s: float
    origin: Origin | None = None
    """None: there was nothing to judge."""
    candidate: str | None = None
    """Its file: relative to the folder of answers, or, of a kernel that rules wrote, to that of the results."""
    device: str = ""
    verification: VerificationReport | None = None
    """None: there is no verdict."""
    timed: OperatorTimed | None = None
    """None: nothing was timed. Of a candidate that is right ``verification.missing_checks`` says why."""

    @property
    def is_correct(self) -> bool:
        return self.outcome is OperatorOutcome.PASS

    def speed(self, baseline: str) -> SpeedReport | None:
        """time(baseline) / time(candidate) by call; None where it was not timed."""
        if self.timed is None:
            return None
        return next((ratio.call for ratio in self.timed.ratios if ratio.baseline == baseline), None)
