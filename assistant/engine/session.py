"""The one object front ends talk to: commands in, events out, decisions taken, memory kept.

Jobs are run by ``running.py``, decisions taken by ``decisions.py``; this module says which is which. Example::

    session = open_session()
    async for event in session.profile(request): ...
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.config import LoadedSettings, find_workspace, load_settings, memory_path
from assistant.engine import stages
from assistant.engine.comparing import KeepLooked, compare
from assistant.engine.decisions import Ask, Decisions
from assistant.engine.host_code import AskHostCode, HostCodeRight
from assistant.engine.job import CANNOT_ANSWER, DONE, Ending, Job
from assistant.engine.optimize import NOT_ALLOWED, Offer, Search
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.resume import NOTHING_EARLIER, Earlier, last_interrupted, resumed_events
from assistant.engine.running import JobRunner, OpenLab
from assistant.engine.subject import Subject, read_subject, with_text
from assistant.engine.submitted import Submission, submit
from assistant.engine.workbench import Looked, look, repeat_limited
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.profile import Severity
from assistant.plan.catalogue import Catalogue
from assistant.ports import LabFailure, Planner, Store

__all__ = ["Ask", "Session", "SessionParts"]


@dataclass(frozen=True)
class SessionParts:
    """What a session is built from, in one place (``assistant.cli.compose``)."""

    open_store: Callable[[Path], Store]
    open_lab: OpenLab
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

    @property
    def catalogue(self) -> Catalogue:
        return self._parts.catalogue

    @property
    def planner(self) -> Planner:
        return self._parts.planner

    @property
    def who(self) -> str:
        """Front end and process."""
        return self._parts.who

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def inspect(self, request: JobRequest) -> AsyncIterator[events.Event]:
        return self._runner().run("inspect", request, stages.inspect)

    def check(self, request: JobRequest) -> AsyncIterator[events.Event]:
        return self._runner().run("check", request, stages.check)

    def profile(self, request: JobRequest, keep: stages.KeepReport | None = None) -> AsyncIterator[events.Event]:
        """Profile; ``keep`` is given the whole report as one value before its events come."""
        return self._runner().run("profile", request, lambda job, subject: stages.profile(job, subject, keep))

    def compare(self, request: JobRequest, other: Path, is_strict: bool) -> AsyncIterator[events.Event]:
        def body(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            second = read_subject(replace(request, file=other), subject.program.flags)
            return compare(job, subject, second, is_strict)

        return self._runner().run("compare", replace(request, other=other), body)

    def weigh(self, request: JobRequest, before: str, keep: KeepLooked) -> AsyncIterator[events.Event]:
        """A confirming comparison of an earlier text of the file with what a person made of it."""

        def body(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            return compare(job, with_text(subject, before), subject, is_strict=False, keep=keep)

        return self._runner().run("pair", request, body)

    def optimize(
        self, request: JobRequest, options: OptimizeOptions, accept: Accept, ask: Ask | None, ask_host_code: AskHostCode | None = None
    ) -> AsyncIterator[events.Event]:
        """Search; raises UsageError where there is nothing to resume, or no planner of that name.

        ``ask_host_code`` is asked once, where the options do not allow edits of host code; None counts as no.
        """
        _check_planner(options.planner)
        workspace = find_workspace(request.file)
        earlier = last_interrupted(self.store, workspace, request.file, _now_ms()) if options.is_resumed else NOTHING_EARLIER
        runner = self._runner()
        decisions = Decisions(runner)

        def body(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            limited = _limited(options, self.settings(request.file))
            host_code = HostCodeRight(limited.may_edit_host_code, ask_host_code)
            return self._optimize(job, subject, limited, earlier, host_code, lambda proposal: decisions.offer(job, proposal, accept, ask))

        return runner.run("optimize", request, body)

    def judge(self, request: JobRequest, before: str, after: str) -> AsyncIterator[events.Event]:
        """A confirming comparison of two texts of one file, neither of which need be on disk."""
        return self._decisions().judge(request, before, after)

    def submit(self, request: JobRequest, submission: Submission) -> AsyncIterator[events.Event]:
        """Judge an edit that somebody else made, and offer it where it is proved better."""

        def body(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            return submit(job, subject, submission, self.store, find_workspace(request.file))

        return self._runner().run("compare", request, body)

    def rebase(self, id_prefix: str, request: JobRequest, current: str) -> AsyncIterator[events.Event]:
        """Offer a proposal's change again, on another text of its file, if it holds there."""
        return self._decisions().rebase(self.store.find_proposal(id_prefix), request, current)

    async def accept(self, id_prefix: str, hunk_ids: tuple[str, ...]) -> AsyncIterator[events.Event]:
        """Accept a proposal, or some of its hunks; what was not judged as it will stand is judged first."""
        async for event in self._decisions().accept(self.store.find_proposal(id_prefix), hunk_ids):
            yield event

    def reject(self, id_prefix: str, reason_code: str | None, reason: str | None) -> tuple[events.Event, ...]:
        return self._decisions().reject(self.store.find_proposal(id_prefix), reason_code, reason)

    def undo(self, id_prefix: str) -> tuple[events.Event, ...]:
        return self._decisions().undo(self.store.find_proposal(id_prefix))

    def settings(self, file: Path) -> LoadedSettings:
        return load_settings(find_workspace(file))

    def _runner(self) -> JobRunner:
        return JobRunner(lambda: self.store, self._parts.open_lab, self._parts.who)

    def _decisions(self) -> Decisions:
        return Decisions(self._runner())

    async def _optimize(
        self, job: Job, subject: Subject, options: OptimizeOptions, earlier: Earlier, host_code: HostCodeRight, offer: Offer
    ) -> AsyncIterator[events.Event]:
        for event in resumed_events(job, earlier, subject):
            yield event
        yield events.StageStarted(job.id, "profile", "counts what the kernels do as they stand")
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
            host_code=host_code,
            earlier=earlier,
        )
        offered = accepted = 0
        withheld: dict[str, None] = {}
        async for event in search.run(looked, again):
            offered += isinstance(event, events.ProposalMade)
            accepted += isinstance(event, events.DecisionMade) and event.kind in ("accepted", "partially_accepted")
            if isinstance(event, events.CandidateTried) and event.outcome == NOT_ALLOWED:
                withheld[f"{event.technique} of {event.kernel}"] = None
            yield event
        if withheld:
            text = f"not tried, because it edits host code, which nobody allowed: {', '.join(withheld)}"
            yield job.message(Severity.INFORMATION, text, f"kernelopt optimize {job.request.file} --allow-host-code")
        yield job.ended(_optimize_ending(looked, offered, accepted))


def _limited(options: OptimizeOptions, loaded: LoadedSettings) -> OptimizeOptions:
    """As far as the settings allow."""
    settings = loaded.settings
    return replace(
        options,
        max_rounds=min(options.max_rounds, settings.limits.rounds),
        max_candidates=min(options.max_candidates, settings.limits.candidates),
        recordings_bytes=settings.memory.recordings_bytes,
        may_recall_across_workspaces=settings.recall.across_workspaces,
    )


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


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
