"""The one object front ends talk to: commands in, events out, decisions taken, memory kept.

Example::

    session = build_session(environment)
    async for event in session.profile(request): ...
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.build.architectures import architecture
from assistant.build.flags import choose_flags, compile_commands_flags
from assistant.config import LoadedSettings, Settings, find_workspace, load_settings, memory_path
from assistant.engine import stages
from assistant.engine.comparing import compare
from assistant.engine.decide import Decider, DecisionRequest, Moved, as_partial, chosen_text
from assistant.engine.event_json import event_json
from assistant.engine.ids import new_id
from assistant.engine.job import CANNOT_ANSWER, DONE, Ending, Job
from assistant.engine.optimize import Offer, Search
from assistant.engine.rebased import rebased_proposal
from assistant.engine.rejudge import rejudge
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.resume import NOTHING_EARLIER, Earlier, last_interrupted, resumed_events
from assistant.engine.scratch import scratch_folder, unusable
from assistant.engine.subject import Subject, read_subject
from assistant.engine.workbench import Looked, look, repeat_limited
from assistant.errors import KernelOptError, UsageError
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.attempt import JobRow
from assistant.model.build import Flags
from assistant.model.comparison import SpeedOutcome
from assistant.model.profile import Severity
from assistant.model.proposal import AlreadyDecided, Decision, DecisionKind, Proposal
from assistant.model.verification import Outcome
from assistant.plan.catalogue import Catalogue
from assistant.ports import Lab, LabFailure, Planner, RunLimits, Store

__all__ = ["Ask", "Session", "SessionParts"]

Ask = Callable[[Proposal], Awaitable[DecisionRequest | None]]
"""Puts a proposal before a person; None leaves it open."""

_SEED_BITS = 31
_HEARTBEAT_S = 1.0


@dataclass(frozen=True)
class SessionParts:
    """What a session is built from, in one place (``assistant.cli.compose``)."""

    open_store: Callable[[Path], Store]
    open_lab: Callable[[JobRequest, Path, str], Lab]
    """(request, scratch folder, target name) → a lab. Raises CannotAnswerError for a device that is not there."""
    planner: Planner
    catalogue: Catalogue
    who: str
    """Front end and process."""


class Session:
    """Runs jobs and takes decisions for one front end."""

    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts
        self._store: Store | None = None

    @property
    def store(self) -> Store:
        """The memory file, opened when first needed."""
        if self._store is None:
            self._store = self._parts.open_store(memory_path(load_settings(None).settings))
        return self._store

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def inspect(self, request: JobRequest) -> AsyncIterator[events.Event]:
        return self._job("inspect", request, stages.inspect)

    def check(self, request: JobRequest) -> AsyncIterator[events.Event]:
        return self._job("check", request, stages.check)

    def profile(self, request: JobRequest, keep: stages.KeepReport | None = None) -> AsyncIterator[events.Event]:
        """Profile; ``keep`` is given the whole report as one value before its events come."""
        return self._job("profile", request, lambda job, subject: stages.profile(job, subject, keep))

    def compare(self, request: JobRequest, other: Path, is_strict: bool) -> AsyncIterator[events.Event]:
        def run(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            second = read_subject(replace(request, file=other), subject.program.flags)
            return compare(job, subject, second, is_strict)

        return self._job("compare", replace(request, other=other), run)

    def optimize(self, request: JobRequest, options: OptimizeOptions, accept: Accept, ask: Ask | None) -> AsyncIterator[events.Event]:
        """Search; raises UsageError where there is nothing to resume, or no planner of that name."""
        _check_planner(options.planner)
        workspace = find_workspace(request.file)
        earlier = last_interrupted(self.store, workspace, request.file, _now_ms()) if options.is_resumed else NOTHING_EARLIER

        def run(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            settings = self.settings(request.file).settings
            limited = replace(
                options,
                max_rounds=min(options.max_rounds, settings.limits.rounds),
                max_candidates=min(options.max_candidates, settings.limits.candidates),
                recordings_bytes=settings.memory.recordings_bytes,
                may_recall_across_workspaces=settings.recall.across_workspaces,
            )
            return self._optimize(job, subject, limited, earlier, lambda proposal: self._offer(job, proposal, accept, ask))

        return self._job("optimize", request, run)

    async def accept(self, id_prefix: str, hunk_ids: tuple[str, ...]) -> AsyncIterator[events.Event]:
        """Accept a proposal, or some of its hunks; what was not judged as it will stand is judged first."""
        proposal = self.store.find_proposal(id_prefix)
        kind = DecisionKind.PARTIALLY_ACCEPTED if hunk_ids else DecisionKind.ACCEPTED
        request = as_partial(proposal, DecisionRequest(kind, hunk_ids))
        if request.kind is DecisionKind.PARTIALLY_ACCEPTED:
            exit_code = CANNOT_ANSWER
            async for event in self._judge_text(proposal, proposal.before_text, chosen_text(proposal, request)):
                yield event
                exit_code = event.exit_code if isinstance(event, events.JobEnded) else exit_code
            if exit_code:
                return
        match self._decider().accept(proposal, request):
            case Moved(current=current, text=text):
                async for event in self._judge_moved(proposal, current, text):
                    yield event
            case outcome:
                for event in self._decided(outcome, None):
                    yield event

    def reject(self, id_prefix: str, reason_code: str | None, reason: str | None) -> tuple[events.Event, ...]:
        request = DecisionRequest(DecisionKind.REJECTED, reason_code=reason_code, reason=reason)
        return self._decided(self._decider().reject(self.store.find_proposal(id_prefix), request), None)

    def undo(self, id_prefix: str) -> tuple[events.Event, ...]:
        return self._decided(self._decider().undo(self.store.find_proposal(id_prefix)), None)

    def settings(self, file: Path) -> LoadedSettings:
        return load_settings(find_workspace(file))

    async def _job(
        self, command: str, request: JobRequest, run: Callable[[Job, Subject], AsyncIterator[events.Event]]
    ) -> AsyncIterator[events.Event]:
        """One job from its row in memory to its last event; its scratch folder and its workers end with it."""
        loaded = self.settings(request.file)
        subject = read_subject(request, self._flags(request, loaded))
        target_name = request.target or loaded.settings.target
        chosen = target(target_name)
        limits = architecture(chosen.architecture)
        assert limits is not None, f"{chosen.architecture} is in no table of limits"
        with scratch_folder() as scratch:
            lab = self._parts.open_lab(request, scratch, target_name)
            job = Job(new_id("J"), request, lab, chosen, limits, scratch, _seeds(loaded.settings), _run_limits(request, loaded.settings))
            try:
                self._start_row(job, command)
                async for event in self._told(job, command, loaded.warnings, run(job, subject)):
                    yield event
            finally:
                await lab.close()

    async def _told(
        self, job: Job, command: str, warnings: Iterable[str], stream: AsyncIterator[events.Event]
    ) -> AsyncIterator[events.Event]:
        """The job's events between its first and its last; a deliberate error becomes its last."""
        exit_code = CANNOT_ANSWER
        try:
            yield self._kept(command, job, job.started(command))
            for warning in warnings:
                yield self._kept(command, job, job.message(Severity.WARNING, warning))
            async for event in self._with_heartbeat(job, stream):
                if isinstance(event, events.JobEnded):
                    exit_code = event.exit_code
                yield self._kept(command, job, event)
        except (KernelOptError, OSError) as raised:
            error = raised if isinstance(raised, KernelOptError) else unusable(raised)
            exit_code = error.exit_code
            last = (job.message(Severity.ERROR, error.message, error.remedy), job.ended(Ending(error.exit_code, error.message)))
            for event in last:
                with suppress(KernelOptError):
                    self._kept(command, job, event)
                yield event
        finally:
            with suppress(KernelOptError):
                self.store.end_job(job.id, _now_ms(), exit_code)

    def _kept(self, command: str, job: Job, event: events.Event) -> events.Event:
        """The event; a search's are in memory before anybody sees them, for whoever resumes it."""
        if command == "optimize":
            self.store.add_event(job.id, event_json(event))
        return event

    async def _with_heartbeat(self, job: Job, stream: AsyncIterator[events.Event]) -> AsyncIterator[events.Event]:
        """The job's events; another process that asks for cancellation is heard within a second."""
        asking = asyncio.current_task()

        async def beat() -> None:
            is_wanted = True
            while is_wanted:
                await asyncio.sleep(_HEARTBEAT_S)
                is_wanted = not await asyncio.to_thread(self.store.beat, job.id, _now_ms())
            if asking is not None:
                asking.cancel()

        heart = asyncio.create_task(beat())
        try:
            async for event in stream:
                yield event
        finally:
            heart.cancel()

    async def _optimize(
        self, job: Job, subject: Subject, options: OptimizeOptions, earlier: Earlier, offer: Offer
    ) -> AsyncIterator[events.Event]:
        for event in resumed_events(job, earlier, subject):
            yield event
        looked = await look(job, subject)
        if isinstance(looked, LabFailure):
            for event in stages.failed(job, looked):
                yield event
            return
        again = await repeat_limited(job, subject, looked.counted)
        if isinstance(again, LabFailure):
            for event in stages.failed(job, again):
                yield event
            return
        search = Search(
            job=job,
            options=options,
            store=self.store,
            planner=self._parts.planner,
            catalogue=self._parts.catalogue,
            workspace=find_workspace(job.request.file),
            offer=offer,
            earlier=earlier,
        )
        offered = accepted = 0
        async for event in search.run(looked, again):
            offered += isinstance(event, events.ProposalMade)
            accepted += isinstance(event, events.DecisionMade) and event.kind in ("accepted", "partially_accepted")
            yield event
        yield job.ended(_optimize_ending(looked, offered, accepted))

    async def _offer(self, job: Job, proposal: Proposal, accept: Accept, ask: Ask | None) -> events.DecisionMade | None:
        """Decide on a fresh proposal as the user said beforehand, or ask."""
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
        request = as_partial(proposal, request)
        is_rejected = request.kind is DecisionKind.REJECTED
        outcome = decider.reject(proposal, request) if is_rejected else decider.accept(proposal, request)
        if isinstance(outcome, Decision):
            return _decision_event(job.id, outcome)
        return None

    async def _judge_text(self, proposal: Proposal, before: str, after: str) -> AsyncIterator[events.Event]:
        request = JobRequest(proposal.path, working_directory=proposal.path.parent)

        def run(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            return rejudge(job, subject, before, after)

        async for event in self._job("compare", request, run):
            yield event

    async def _judge_moved(self, proposal: Proposal, current: str, text: str) -> AsyncIterator[events.Event]:
        """The file moved on: the rebased edit is judged; if it holds, it is offered again as a new proposal."""
        ended: events.JobEnded | None = None
        async for event in self._judge_text(proposal, current, text):
            yield event
            ended = event if isinstance(event, events.JobEnded) else ended
        if ended is None or ended.exit_code:
            return
        fresh = self._rebased(proposal, current, text)
        yield events.Message(
            ended.job,
            Severity.INFORMATION,
            f"{proposal.path.name} changed since {proposal.id} was made; the rebased edit was judged again and is {fresh.id}",
            f"kernelopt accept {fresh.id}",
            None,
            None,
        )

    def _rebased(self, proposal: Proposal, current: str, text: str) -> Proposal:
        fresh = rebased_proposal(proposal, current, text, _now_ms())
        self.store.add_proposal(find_workspace(proposal.path), fresh)
        return fresh

    def _decided(self, outcome: Decision | AlreadyDecided, job: str | None) -> tuple[events.Event, ...]:
        if isinstance(outcome, AlreadyDecided):
            first = outcome.decision
            raise UsageError(
                f"{first.proposal} was already {first.kind.value.replace('_', ' ')} by {first.decided_by}",
                "kernelopt history shows who decided what",
            )
        return (_decision_event(job, outcome),)

    def _decider(self) -> Decider:
        return Decider(self.store, self._parts.who, _now_ms())

    def _flags(self, request: JobRequest, loaded: LoadedSettings) -> Flags:
        workspace = find_workspace(request.file)
        database = workspace / "compile_commands.json"
        known = compile_commands_flags(database.read_text("utf-8"), request.file) if database.is_file() else None
        return choose_flags(command_line=request.cflags, project=loaded.settings.build.flags or None, database=known)

    def _start_row(self, job: Job, command: str) -> None:
        path = job.request.file
        owner = f"{os.uname().nodename} {self._parts.who}"
        now = _now_ms()
        self.store.start_job(JobRow(job.id, command, path, find_workspace(path), owner, now, now, None, None, False))


def _check_planner(name: str) -> None:
    """``auto`` takes the expert planner, as long as no model provider can be configured."""
    if name == "llm":
        raise UsageError("--planner llm: no model provider is configured", "use --planner expert, which needs no key and no network")
    if name not in ("auto", "expert"):
        raise UsageError(f"--planner takes expert, llm or auto, not {name!r}")


def _optimize_ending(looked: Looked, offered: int, accepted: int) -> Ending:
    if not looked.assessment.kernels:
        return Ending(CANNOT_ANSWER, "the workload launches none of the kernels asked about")
    if not offered:
        return Ending(DONE, "nothing to propose: no planned edit was verified, predicted to be faster, and new")
    noun = "proposal" if offered == 1 else "proposals"
    return Ending(DONE, f"{offered} {noun}, {accepted} accepted; kernelopt proposals lists the open ones")


def _may_take(proposal: Proposal, accept: Accept) -> bool:
    """Only PASS, and only FASTER or a prediction above 1 (``best``: by its lower bound, which an unmeasured model has not)."""
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


def _decision_event(job: str | None, decision: Decision) -> events.DecisionMade:
    return events.DecisionMade(
        job=job,
        proposal=decision.proposal,
        kind=decision.kind.value,
        hunk_ids=decision.hunk_ids,
        reason_code=decision.reason_code,
        reason=decision.reason,
        decided_by=decision.decided_by,
    )


def _seeds(settings: Settings) -> tuple[int, ...]:
    """Fresh ones: half of them screen, half confirm."""
    return tuple(secrets.randbits(_SEED_BITS) for _ in range(2 * settings.verification.seeds))


def _run_limits(request: JobRequest, settings: Settings) -> RunLimits:
    limits = settings.limits
    return RunLimits(
        wall_s=settings.run.timeout_s if request.timeout_s is None else request.timeout_s,
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
        launch_bytes=limits.launch_bytes,
        recording_bytes=limits.recording_bytes,
    )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
