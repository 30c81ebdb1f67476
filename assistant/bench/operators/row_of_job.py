"""What the job of a PyTorch task reported, as its row. Pure.

Example::

    row_of_job(begun_row(trial), heard).outcome     # OperatorOutcome.PASS
"""

from __future__ import annotations

from dataclasses import replace

from assistant.bench.heard import Heard, failure_of, judged_of
from assistant.bench.operators.answers import Trial
from assistant.bench.operators.row import RULES, OperatorOutcome, OperatorRow
from assistant.model import events
from assistant.model.verification import Outcome

__all__ = ["begun_row", "row_of_job"]

_OUTCOMES = {
    Outcome.PASS: OperatorOutcome.PASS,
    Outcome.NEEDS_DECISION: OperatorOutcome.NEEDS_DECISION,
    Outcome.FAIL: OperatorOutcome.FAIL,
}


def begun_row(trial: Trial) -> OperatorRow:
    """What is known before anything is judged."""
    return OperatorRow(trial.title, trial.problem.level, trial.problem.number, trial.sources_sha256, OperatorOutcome.FAILED, "", 0.0)


def row_of_job(row: OperatorRow, heard: Heard) -> OperatorRow:
    """The verdict with its evidence and times; without a verdict, why there is none."""
    device = next((event.device for event in heard.events if isinstance(event, events.JobStarted)), "")
    judged = judged_of(heard.events)
    if judged is None:
        reason = failure_of(heard.events) or "the job ended without a verdict"
        is_declined = row.origin == RULES and _is_declined(heard)
        outcome = OperatorOutcome.NO_KERNEL if is_declined else OperatorOutcome.FAILED
        return replace(row, outcome=outcome, reason=reason, origin=None if row.origin == RULES else row.origin, device=device)
    verification = judged.verification
    first = next((finding for finding in verification.findings if finding.outcome is verification.outcome), None)
    return replace(
        row,
        outcome=_OUTCOMES[verification.outcome],
        reason="" if verification.outcome is Outcome.PASS or first is None else f"{first.code}: {first.message}",
        device=judged.device.name,
        verification=verification,
        timed=next((event for event in reversed(heard.events) if isinstance(event, events.OperatorTimed)), None),
    )


def _is_declined(heard: Heard) -> bool:
    """Whether nobody had an answer, which is no error."""
    return any(isinstance(event, events.KernelDeclined) for event in heard.events)
