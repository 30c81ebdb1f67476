"""A proposal moved onto a newer text of its file, with what judging it there showed."""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.ids import new_id
from assistant.model import events
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.verification import Label, Outcome, Verification
from assistant.source.hunks import hunks

__all__ = ["comparison_of", "rebased_proposal", "verification_of"]


def rebased_proposal(
    proposal: Proposal, current: str, text: str, judged: events.ComparisonMade, speed: events.SpeedReport, now_ms: int
) -> Proposal:
    """A new open proposal with the same change on ``current``; ``judged`` compares ``current`` with ``text``, ``speed`` is its own.

    Verdict, ratio, labels and evidence are those of the new text; the explanation says which numbers were another text's.
    """
    verification = verification_of(judged)
    return replace(
        proposal,
        id=new_id("P"),
        before_text=current,
        after_text=text,
        hunks=hunks(current, text),
        verification=verification,
        comparison=comparison_of(speed),
        labels=verification.labels,
        evidence=judged.evidence,
        explanation=_explanation(proposal, judged.verification.outcome, speed),
        state=ProposalState.OPEN,
        created_ms=now_ms,
    )


def verification_of(judged: events.ComparisonMade) -> Verification:
    """The verdict that an event reports."""
    report = judged.verification
    return Verification(
        outcome=Outcome(report.outcome),
        findings=report.findings,
        labels=tuple(Label(label) for label in report.labels),
        cases=report.cases,
        oracle=judged.oracle,
        dropped_cases=report.dropped_cases,
        missing_checks=report.missing_checks,
    )


def comparison_of(report: events.SpeedReport) -> Comparison:
    """The speed that an event reports."""
    return Comparison(
        outcome=SpeedOutcome(report.outcome),
        ratio=report.ratio,
        low=report.low,
        high=report.high,
        margin=report.margin,
        quality=report.quality,
        cases=report.cases,
        method=report.method,
        bottleneck_before=report.bottleneck_before,
        bottleneck_after=report.bottleneck_after,
    )


def _explanation(proposal: Proposal, outcome: str, speed: events.SpeedReport) -> str:
    return (
        f"The change of {proposal.id}, made on the text as it is now and judged there: {outcome}, {speed.outcome} {speed.ratio:.2f}x "
        f"({speed.method}).\n\nWhat was said of it on the earlier text, with that text's numbers:\n\n{proposal.explanation}"
    )
