"""A proposal moved onto a newer text of its file, with what judging it there showed."""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.decide import Moved
from assistant.engine.ids import new_id
from assistant.model import events
from assistant.model.comparison import Comparison, SpeedOutcome, speed_in_words
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.verification import Label, Outcome, Verification
from assistant.source.hunks import hunks

__all__ = ["comparison_of", "rebased_proposal", "verification_of"]


def rebased_proposal(
    moved: Moved, hunk_ids: tuple[str, ...], judged: events.ComparisonMade, speed: events.SpeedReport, now_ms: int
) -> Proposal:
    """A new open proposal with the change on the text as it is now; ``judged`` compares that with ``moved.text``, ``speed`` is its own.

    ``hunk_ids``: the change is only these hunks of the proposal; empty: all of it. Verdict, ratio, labels and evidence are those of the
    new text; the explanation says which numbers were another text's.
    """
    proposal, current, text = moved.proposal, moved.current, moved.text
    part = f"{len(hunk_ids)} of {len(proposal.hunks)} hunks" if hunk_ids else ""
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
        summary=f"{proposal.summary} ({part} of {proposal.id})" if part else proposal.summary,
        explanation=_explanation(proposal, part, judged.verification.outcome, speed),
        state=ProposalState.OPEN,
        created_ms=now_ms,
        figures=judged.figures,
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
        caveats=report.caveats,
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
        predicted_ratio=report.predicted_ratio,
        caveats=report.caveats,
    )


def _explanation(proposal: Proposal, part: str, outcome: str, speed: events.SpeedReport) -> str:
    change, whole = (f"{part} of {proposal.id}'s change", "the whole change") if part else (f"The change of {proposal.id}", "it")
    told = speed_in_words(speed.outcome, speed.ratio, speed.caveats)
    return (
        f"{change}, made on the text as it is now and judged there: {outcome}, {told} "
        f"({speed.method}).\n\nWhat was said of {whole} on the earlier text, with that text's numbers:\n\n{proposal.explanation}"
    )
