"""A confirmed version as the proposal that people see. Pure but for ids and the clock that it is given."""

from __future__ import annotations

from assistant.cuda.changes import changes_of
from assistant.engine.evaluate import KernelAssessment, costliest, figures_of
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.proposals.explain import explain
from assistant.engine.proposals.steps import KeptStep
from assistant.engine.source_version import SourceVersion
from assistant.model.comparison import Comparison
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.verification import Verification
from assistant.record import Record

__all__ = ["ConfirmedVersion", "proposal_record"]


class ConfirmedVersion(Record):
    """What the confirmation of a chain's end found."""

    texts: tuple[Source, ...]
    """Texts of every file that it changes."""
    kept: tuple[KeptStep, ...]
    verification: Verification
    comparison: Comparison
    before: tuple[KernelAssessment, ...]
    """The kernel's instances in the text that the user has."""
    after: tuple[KernelAssessment, ...] = ()
    """The same in this one."""
    explained: str | None = None
    """What its planner says of it; None: nothing."""
    others: tuple[str, ...] = ()
    """As `Story.others`."""


def proposal_record(job: Job, start: SourceVersion, confirmed: ConfirmedVersion, now_ms: int) -> Proposal:
    """The chain's end as it is offered: one edit of the texts that the user has."""
    kept = confirmed.kept
    origins = [step.rewrite.origin for step in kept if step.rewrite.origin is not None]
    explanation = explain(kept, confirmed.verification, confirmed.comparison, confirmed.others)
    main = costliest(confirmed.before)
    evidence = {fact.id: fact for step in kept for fact in step.evidence}
    return Proposal(
        id=new_id("P"),
        job=job.id,
        path=start.source.path,
        kernel=main.kernel.key,
        techniques=tuple(step.technique.id for step in kept),
        summary=_summary(kept),
        files=changes_of(start.sources, confirmed.texts),
        labels=confirmed.verification.labels,
        assumptions=tuple(dict.fromkeys(text for step in kept for text in step.rewrite.assumptions)),
        verification=confirmed.verification,
        comparison=confirmed.comparison,
        evidence=tuple(evidence.values()),
        predictions=tuple(outcome for step in kept for outcome in step.outcomes),
        explanation=explanation if confirmed.explained is None else f"{explanation}\n\n{confirmed.explained}",
        signature=main.signature,
        state=ProposalState.OPEN,
        created_ms=now_ms,
        model=origins[-1].model if origins else None,
        calls=tuple(dict.fromkeys(call for origin in origins for call in origin.calls)),
        figures=figures_of(job, confirmed.before, confirmed.after),
    )


def _summary(kept: tuple[KeptStep, ...]) -> str:
    """The steps' own sentences, one after the other."""
    return " ".join(f"{step.rewrite.summary.rstrip('.')}." for step in kept)
