"""An edit that somebody else made, judged like every candidate: a coding agent's texts of the whole files that it changes.

Its author cannot say how good it is: verdict and speed are those of a confirming comparison, and an edit that is not proved better
is not offered. Example::

    ending = await submit(job, version, Submission((Source(path, text),), "pads the tile", "some-agent"), store, workspace)
"""

from __future__ import annotations

import time
from pathlib import Path

from assistant.cuda.changes import changes_of
from assistant.engine.evaluate import Evaluation, costliest
from assistant.engine.ids import new_id
from assistant.engine.job import DONE, NO, Ending, Job
from assistant.engine.judge import Verdict, compare
from assistant.engine.proposals.explain import explain_submitted
from assistant.engine.proposals.gating import DECIDED_GAIN_RATIO, is_proved_better
from assistant.engine.proposals.rejected import edits_of, rejected_before
from assistant.engine.proposals.replayed import keep_recording
from assistant.engine.proposals.superseding import store_and_supersede
from assistant.engine.report import proposal_event
from assistant.engine.source_version import SourceVersion, candidate_of
from assistant.errors import UsageError
from assistant.model.comparison import Comparison, format_ratio
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.ports.store import ProposalStore
from assistant.record import Record

__all__ = ["SUBMITTED", "Submission", "submit"]

SUBMITTED = "submitted-edit"
"""Stands for the technique: the reader of the diff may call it what they like."""


class Submission(Record):
    """New texts of files of the program."""

    texts: tuple[Source, ...]
    summary: str
    """What the author says of it; shown as their words, never as a fact."""
    author: str
    """Name of the agent, as its client gives it."""


async def submit(job: Job, version: SourceVersion, submission: Submission, store: ProposalStore, workspace: Path) -> Ending:
    """A confirming comparison, then the proposal it earned, or why it earned none. Raises UsageError for an edit that changes nothing."""
    if not changes_of(version.sources, submission.texts):
        raise UsageError("the submitted text is the file's own", "submit the whole file with the edit made")
    compared = await compare(job, version, candidate_of(version, submission.texts), is_strict=False)
    verdict, before = compared.whole, compared.before
    if compared.ending.exit_code or verdict is None or verdict.speed is None or before is None:
        return compared.ending
    proposal = _proposal(job, version, submission, before, verdict, verdict.speed)
    refusal = _refusal(store, workspace, proposal)
    if refusal is not None:
        return Ending(NO, f"not offered: {refusal}")
    messages = store_and_supersede(job.id, store, workspace, proposal)
    keep_recording(store, proposal, compared.recording)
    job.emit(proposal_event(job.id, proposal), *messages)
    return Ending(DONE, f"{compared.ending.reason}; it waits as {proposal.id} for a person to decide")


def _proposal(
    job: Job, version: SourceVersion, submission: Submission, before: Evaluation, verdict: Verdict, speed: Comparison
) -> Proposal:
    main = costliest(tuple(before.assessment.kernels))
    return Proposal(
        id=new_id("P"),
        job=job.id,
        path=version.source.path,
        kernel=verdict.kernel or main.kernel.key,
        techniques=(SUBMITTED,),
        summary=shown(submission.summary),
        files=changes_of(version.sources, submission.texts),
        labels=verdict.verification.labels,
        assumptions=(),
        verification=verdict.verification,
        comparison=speed,
        evidence=verdict.evidence,
        predictions=(),
        explanation=explain_submitted(submission.author, submission.summary, verdict.verification, speed),
        signature=main.signature,
        state=ProposalState.OPEN,
        created_ms=time.time_ns() // 1_000_000,
        model=shown(submission.author, NAME_CHARACTERS),
    )


def _refusal(store: ProposalStore, workspace: Path, proposal: Proposal) -> str | None:
    """Why the edit is not put before a person; None where it is."""
    speed = proposal.comparison
    if not is_proved_better(speed):
        return f"no gain: {speed.outcome.value} {format_ratio(speed.ratio)}x"
    if proposal.verification.outcome is Outcome.NEEDS_DECISION and speed.ratio < DECIDED_GAIN_RATIO:
        return f"{speed.outcome.value} {format_ratio(speed.ratio)}x is too little for what a person would have to decide"
    rejected = rejected_before(store, workspace, edits_of(proposal)[0])
    return None if rejected is None else f"the very same edit is {rejected.words}"
