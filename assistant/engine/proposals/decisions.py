"""Decisions on proposals: what was not judged as it will stand is judged before it is written.

``decide.py`` changes the file and keeps the decision; this module says when it may, and informs front ends. Example::

    await Decisions(runner, open_store).accept(proposal, hunk_ids=(), listener=listener)
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from assistant.config import find_workspace
from assistant.engine.channel import Listener
from assistant.engine.job import DONE, NO, Ending, Job
from assistant.engine.judge import compare, compare_verified
from assistant.engine.proposals.decide import Decider, DecisionRequest, MadeBefore, MovedChange, as_partial, chosen_of
from assistant.engine.proposals.rebased import rebased_proposal
from assistant.engine.proposals.replayed import keep_recording, replay_request
from assistant.engine.proposals.superseding import better_open, claim_in_words
from assistant.engine.report import proposal_event
from assistant.engine.request import Accept, JobRequest, about_texts
from assistant.engine.run_options import read_run_options, taken_over
from assistant.engine.running import JobRunner
from assistant.engine.scratch import scratch_folder
from assistant.engine.source_version import SourceVersion, candidate_of
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.comparison import SpeedOutcome
from assistant.model.profile import Severity
from assistant.model.proposal import AlreadyDecided, Decision, DecisionKind, Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.verification import Outcome, Verification
from assistant.ports.store import SearchStore
from assistant.record import Record
from assistant.verify.evidence import DetectedLabel

__all__ = ["Ask", "Decisions"]

Ask = Callable[[Proposal], Awaitable[DecisionRequest | None]]
"""Puts a proposal before a person; None leaves it open."""


class Decisions(Record):
    """Takes decisions for one front end."""

    runner: JobRunner
    open_store: Callable[[], SearchStore]

    async def accept(self, proposal: Proposal, hunk_ids: tuple[str, ...], listener: Listener) -> None:
        """Accept a proposal, or some of its hunks."""
        request = _taking(proposal, hunk_ids)
        if request.kind is DecisionKind.PARTIALLY_ACCEPTED:
            part = f"{len(request.hunk_ids)} of {len(proposal.hunks)} hunks"
            judged = await self.judge(self._request(proposal), proposal.before, chosen_of(proposal, request), listener, part=part)
            if judged.exit_code:
                return
        match self._decider().accept(proposal, request):
            case MovedChange() as moved:
                taken = request.hunk_ids if request.kind is DecisionKind.PARTIALLY_ACCEPTED else ()
                await self._rebase(moved, self._request(proposal), taken, NO, listener)
            case MadeBefore() as made:
                raise UsageError(made.words, made.remedy)
            case outcome:
                listener.emit(_decision_made(outcome))

    def reject(self, proposal: Proposal, reason_code: str | None, reason: str | None) -> tuple[events.Event, ...]:
        request = DecisionRequest(DecisionKind.REJECTED, reason_code=reason_code, reason=reason)
        return (_decision_made(self._decider().reject(proposal, request)),)

    def undo(self, proposal: Proposal) -> tuple[events.Event, ...]:
        return (_decision_made(self._decider().undo(proposal)),)

    def accept_text(self, proposal: Proposal) -> events.DecisionMade:
        """Keep that the whole proposal was taken into a text that is in no file; nothing is written."""
        return _decision_made(self._decider().record(proposal, DecisionRequest(DecisionKind.ACCEPTED), proposal.after))

    def undo_text(self, proposal: Proposal) -> events.DecisionMade:
        """Keep that a text that is in no file is as before the proposal again, or that its rejection was taken back."""
        if proposal.state is ProposalState.REJECTED:
            return _decision_made(self._decider().reopen(proposal))
        return _decision_made(self._decider().record(proposal, DecisionRequest(DecisionKind.UNDONE), proposal.before))

    async def offer(self, job: Job, proposal: Proposal, accept: Accept, ask: Ask | None) -> events.DecisionMade | None:
        """Decide on a fresh proposal as the user's options say, or ask."""
        match accept:
            case Accept.BEST | Accept.BEST_PREDICTED:
                request = DecisionRequest(DecisionKind.ACCEPTED) if _may_take(proposal, accept) else None
            case Accept.ASK:
                request = None if ask is None else await ask(proposal)
            case Accept.NONE:
                request = None
        if request is None:
            return None
        decider = self._decider()
        proposal = proposal.taking(request.alternative) or proposal
        request = as_partial(proposal, request)
        is_rejected = request.kind is DecisionKind.REJECTED
        outcome = decider.reject(proposal, request) if is_rejected else decider.accept(proposal, request)
        match outcome:
            case Decision():
                return _decision_event(job.id, outcome)
            case MadeBefore():
                job.say(Severity.WARNING, f"{proposal.id} was not accepted: {outcome.words}", outcome.remedy)
            case MovedChange():
                text = f"{proposal.id} was not accepted, nothing was written: {outcome.changed_names} changed since it was judged"
                job.say(Severity.WARNING, text, f"kernelopt accept {proposal.id} judges it on the present text first")
            case AlreadyDecided(decision=first):
                job.say(Severity.WARNING, f"{proposal.id} was already {_kind_in_words(first)} by {first.decided_by}")
            case _:
                assert_never(outcome)
        return None

    async def judge(
        self,
        request: JobRequest,
        before: Sequence[Source],
        after: Sequence[Source],
        listener: Listener,
        verifications: Sequence[Verification] = (),
        part: str = "",
    ) -> Ending:
        """A confirming comparison of texts of files of a program; ``after`` may hold edits of a candidate, so it runs limited.

        ``verifications``: of the edits that make one of the other, in turn, where they are known: then the request's Region is timed, and
        nothing is verified again.
        ``part``: of a proposal, which is written where it holds.
        """

        async def body(job: Job, version: SourceVersion) -> Ending:
            candidate = candidate_of(version, after)
            if verifications:
                return (await compare_verified(job, version, candidate, verifications)).ending
            ending = (await compare(job, version, candidate, is_strict=False)).ending
            is_refused = bool(part and ending.exit_code)
            return replace(ending, reason=f"nothing was written: {part} alone: {ending.reason}") if is_refused else ending

        return await self.runner.run("compare", about_texts(request, before), body, listener)

    async def replay(self, proposal: Proposal, request: JobRequest, listener: Listener) -> None:
        """A confirming comparison of the proposal's texts, on the values that it was judged on.

        Raises CannotAnswerError where its recording is gone.
        """

        async def body(job: Job, version: SourceVersion) -> Ending:
            source = "the seeds of" if asked.recording is None and asked.live is None else "the recording that was kept with"
            job.say(Severity.INFORMATION, f"{proposal.id} is judged again on {source} its first verdict")
            return (await compare(job, version, candidate_of(version, proposal.after), is_strict=False)).ending

        with scratch_folder() as folder:
            asked = replay_request(self.open_store(), proposal, request, folder / "recording")
            await self.runner.run("compare", about_texts(asked, proposal.before), body, listener)

    async def rebase(
        self, proposal: Proposal, request: JobRequest, current: tuple[Source, ...], listener: Listener, hunk_ids: tuple[str, ...] = ()
    ) -> None:
        """Make the proposal's change on ``current``, texts of all its files, judge it there, and offer it as a new proposal.

        ``hunk_ids``: only these of it, as for a partial accept; empty: all. Raises CannotAnswerError where the change does not fit.
        """
        wanted = _taking(proposal, hunk_ids)
        moved = self._decider().moved(proposal, current, chosen_of(proposal, wanted))
        await self._rebase(moved, request, wanted.hunk_ids, DONE, listener)

    async def _rebase(self, moved: MovedChange, request: JobRequest, hunk_ids: tuple[str, ...], exit_code: int, listener: Listener) -> None:
        """A text moved on: the rebased edit is judged; if it holds, it is offered again as a new proposal, and the job ends so.

        ``hunk_ids``: what of the proposal it is; empty: all.
        """
        proposal = moved.proposal

        async def body(job: Job, version: SourceVersion) -> Ending:
            candidate = replace(candidate_of(version, moved.texts), stated=_stated(proposal))
            compared = await compare(job, version, candidate, is_strict=False)
            if compared.ending.exit_code or compared.whole is None or compared.whole.speed is None:
                return _not_offered(moved, hunk_ids, compared.ending)
            fresh = rebased_proposal(moved, hunk_ids, compared.whole, compared.whole.speed, _now_ms())
            self._store(find_workspace(proposal.path), fresh, proposal)
            keep_recording(self.open_store(), fresh, compared.recording)
            job.emit(proposal_event(job.id, fresh))
            waits = f"({claim_in_words(fresh)}) and waits as {fresh.id}: kernelopt accept {fresh.id}"
            return Ending(exit_code, f"{_judged_in_place_of(moved, hunk_ids)} {waits}")

        await self.runner.run("compare", about_texts(request, moved.current), body, listener)

    def _store(self, workspace: Path, fresh: Proposal, original: Proposal) -> None:
        """In the place of ``original``, which may gain more: a part of it is what a person wants."""
        store = self.open_store()
        store.add_proposal(workspace, fresh, frozenset(known.id for known in better_open(store, workspace, fresh)))
        store.mark(original.id, ProposalState.SUPERSEDED)

    def _request(self, proposal: Proposal) -> JobRequest:
        """Its program, run as it was for the search that found it, where memory still has that."""
        request = JobRequest(proposal.path, working_directory=proposal.path.parent)
        row = next((row for row in self.open_store().jobs(find_workspace(proposal.path)) if row.id == proposal.job), None)
        asked = None if row is None else read_run_options(row.asked)
        return request if asked is None else replace(taken_over(request, asked), kernel=None)

    def _decider(self) -> Decider:
        return Decider(self.open_store(), self.runner.who, _now_ms())


def _taking(proposal: Proposal, hunk_ids: tuple[str, ...]) -> DecisionRequest:
    """To accept these hunks; empty: all."""
    return as_partial(proposal, DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED if hunk_ids else DecisionKind.ACCEPTED, hunk_ids))


def _stated(proposal: Proposal) -> tuple[DetectedLabel, ...]:
    """What it was offered with: a person decides on that wherever its edit has moved to."""
    messages = {finding.code: finding.message for finding in proposal.verification.findings}
    return tuple(DetectedLabel(label, messages.get(label, f"{proposal.id} was offered so")) for label in proposal.verification.labels)


def _judged_in_place_of(moved: MovedChange, hunk_ids: tuple[str, ...]) -> str:
    """What was judged in place of a proposal, and why; ``hunk_ids``: what of it; empty: all."""
    proposal, part = moved.proposal, f"({len(hunk_ids)} of {len(moved.proposal.hunks)} hunks)"
    if not moved.changed_names:
        return f"what is left of {proposal.id} {part} was judged"
    what = f"what you took of it {part}" if hunk_ids else "its edit"
    changed = f"{moved.changed_names} changed since {proposal.id} was made"
    return f"nothing was written: {changed}; {what}, moved to the present text, was judged again"


def _not_offered(moved: MovedChange, hunk_ids: tuple[str, ...], ending: Ending) -> Ending:
    """Of a part of a proposal on the text that it was made for, the reason names that part."""
    if moved.changed_names:
        return ending
    part = f"{len(hunk_ids)} of {len(moved.proposal.hunks)} hunks"
    return Ending(ending.exit_code, f"what is left of {moved.proposal.id} ({part}) is not offered: {ending.reason}")


def _decision_made(outcome: Decision | AlreadyDecided) -> events.DecisionMade:
    """Raises UsageError where somebody else decided first."""
    if isinstance(outcome, AlreadyDecided):
        first = outcome.decision
        raise UsageError(
            f"{first.proposal} was already {_kind_in_words(first)} by {first.decided_by}",
            f"kernelopt undo {first.proposal} takes that back"
            if first.kind is not DecisionKind.UNDONE
            else "kernelopt history shows who decided",
        )
    return _decision_event(None, outcome)


def _kind_in_words(decision: Decision) -> str:
    return decision.kind.value.replace("_", " ")


def _decision_event(job: str | None, decision: Decision) -> events.DecisionMade:
    return events.DecisionMade(
        job=job,
        proposal=decision.proposal,
        kind=decision.kind.value,
        hunk_ids=decision.hunk_ids,
        reason_code=decision.reason_code,
        reason=decision.reason,
        decided_by=decision.decided_by,
        alternative=decision.alternative,
    )


def _may_take(proposal: Proposal, accept: Accept) -> bool:
    """Only PASS, and only FASTER or a prediction above 1 (``best``: by its lower bound, which a prediction without an interval has not)."""
    if proposal.verification.outcome is not Outcome.PASS:
        return False
    speed = proposal.comparison
    if speed.outcome is SpeedOutcome.FASTER:
        return True
    if speed.outcome is not SpeedOutcome.PREDICTED:
        return False
    if speed.low is not None:
        return speed.low > 1.0
    return accept is Accept.BEST_PREDICTED and speed.ratio > 1.0


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
