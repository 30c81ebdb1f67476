"""What a search leaves behind: attempts for memory, proposals for people. Pure but for ids and the clock that it is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from assistant.cuda.hunks import hunks
from assistant.engine.evaluate.assess import KernelAssessment
from assistant.engine.evaluate.figures import figures_of
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.proposals.explain import KeptStep, explain
from assistant.model.attempt import Attempt
from assistant.model.build import Diagnostic
from assistant.model.comparison import Comparison
from assistant.model.plan import Rewrite, Step
from assistant.model.proposal import PredictionOutcome, Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Verification
from assistant.record import Record

__all__ = ["Confirmed", "KernelVersion", "Tried", "attempt_record", "costliest", "proposal_record"]


class KernelVersion(Record):
    """A text and what its kernel was found to be."""

    source: Source
    kernels: tuple[KernelAssessment, ...]


class Tried(Record):
    """One candidate and how it fared."""

    id: str
    step: Step
    rewrite: Rewrite
    text: str = ""
    outcome: TrialOutcome = TrialOutcome.CANNOT_JUDGE
    reason: str = ""
    ratio: float | None = None
    verification: Verification | None = None
    comparison: Comparison | None = None
    predictions: tuple[PredictionOutcome, ...] = ()
    after: tuple[KernelAssessment, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    """Of the compiler, where it was not built."""
    printed: str = ""
    """What of ``reason`` the candidate itself said."""

    def ended(self, outcome: TrialOutcome, reason: str) -> Tried:
        return replace(self, outcome=outcome, reason=reason)


def costliest(kernels: Iterable[KernelAssessment]) -> KernelAssessment:
    """The instance that takes most predicted time."""
    return max(kernels, key=lambda item: item.predicted_time_s)


def attempt_record(job: Job, workspace: Path, parent: KernelVersion, tried: Tried, now_ms: int) -> Attempt:
    """One candidate as memory keeps it."""
    before = costliest(parent.kernels)
    lab = job.lab.describe()
    return Attempt(
        id=tried.id,
        job=job.id,
        workspace=workspace,
        path=parent.source.path,
        kernel=before.kernel.key,
        technique=tried.step.technique,
        finding=tried.step.finding,
        line=tried.step.line,
        planner=tried.step.planner,
        parent_text=parent.source.text,
        text=tried.text,
        outcome=tried.outcome,
        reason=tried.reason,
        verification=None if tried.verification is None else tried.verification.outcome,
        comparison=tried.comparison,
        predictions=tried.predictions,
        before=before.signature,
        after=tried.after[0].signature if tried.after else None,
        lab=lab.name,
        device=lab.device,
        target=job.target.name,
        created_ms=now_ms,
        model=None if tried.rewrite.origin is None else tried.rewrite.origin.model,
        calls=() if tried.rewrite.origin is None else tried.rewrite.origin.calls,
        summary=tried.rewrite.summary,
        labels=tried.rewrite.labels,
        assumptions=tried.rewrite.assumptions,
    )


class Confirmed(Record):
    """What the confirmation of a chain's end found."""

    after_text: str
    kept: tuple[KeptStep, ...]
    verification: Verification
    comparison: Comparison
    told: str | None = None
    """What its planner says of it; None: nothing."""
    others: tuple[str, ...] = ()
    """As `Story.others`."""
    after: tuple[KernelAssessment, ...] = ()
    """What the kernel was found to be then."""


def proposal_record(job: Job, start: KernelVersion, confirmed: Confirmed, now_ms: int) -> Proposal:
    """The chain's end as it is offered: one diff from the text that the user has."""
    kept, after_text = confirmed.kept, confirmed.after_text
    origins = [step.rewrite.origin for step in kept if step.rewrite.origin is not None]
    explanation = explain(kept, confirmed.verification, confirmed.comparison, confirmed.others)
    main = costliest(start.kernels)
    evidence = {fact.id: fact for step in kept for fact in step.evidence}
    return Proposal(
        id=new_id("P"),
        job=job.id,
        path=start.source.path,
        kernel=main.kernel.key,
        techniques=tuple(step.technique.id for step in kept),
        summary=_summary(kept),
        before_text=start.source.text,
        after_text=after_text,
        hunks=hunks(start.source.text, after_text),
        labels=confirmed.verification.labels,
        assumptions=tuple(dict.fromkeys(text for step in kept for text in step.rewrite.assumptions)),
        verification=confirmed.verification,
        comparison=confirmed.comparison,
        evidence=tuple(evidence.values()),
        predictions=tuple(outcome for step in kept for outcome in step.outcomes),
        explanation=explanation if confirmed.told is None else f"{explanation}\n\n{confirmed.told}",
        signature=main.signature,
        state=ProposalState.OPEN,
        created_ms=now_ms,
        model=origins[-1].model if origins else None,
        calls=tuple(dict.fromkeys(call for origin in origins for call in origin.calls)),
        figures=figures_of(job, start.kernels, confirmed.after),
    )


def _summary(kept: tuple[KeptStep, ...]) -> str:
    """The steps' own sentences, one after the other."""
    return " ".join(f"{step.rewrite.summary.rstrip('.')}." for step in kept)
