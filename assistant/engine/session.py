"""The one object front ends talk to: commands in, events out, decisions taken, memory kept.

Jobs are run by ``running.py``, decisions taken by ``decisions.py``; this module says which is which. Example::

    session = open_session()
    async for event in session.profile(request): ...
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

from assistant.config import EditorSettings, LoadedSettings, Settings, find_workspace, load_settings, memory_path
from assistant.config.remedies import how_to_set_a_model
from assistant.engine.asked_function import check_region
from assistant.engine.channel import Listener, streamed
from assistant.engine.compared_files import Sides, sides_of
from assistant.engine.every_program import judging_programs
from assistant.engine.everywhere import SidesIn, compare_everywhere, judged_elsewhere, read_all
from assistant.engine.job import Ending, Job
from assistant.engine.judge import ComparisonResult, compare
from assistant.engine.operator_jobs import OperatorJobs
from assistant.engine.own_edits import Learner, own_edit
from assistant.engine.pair import PairSessions
from assistant.engine.proposals import Ask, Decisions, Submission, submit
from assistant.engine.reading import source_of
from assistant.engine.report import locate, stages
from assistant.engine.request import Accept, JobRequest, OperatorOptions, OptimizeOptions, about_texts
from assistant.engine.running import JobBody, JobRunner, OpenLab, flags_of
from assistant.engine.search import (
    EXPERT,
    NO_CALLBACKS,
    NOTHING_EARLIER,
    HostCodeRight,
    JudgeElsewhere,
    Models,
    Optimizer,
    OptimizeResult,
    People,
    PlannerChoice,
    SearchBody,
    SearchCallbacks,
    as_before,
    asked_once,
    gone_on_with,
)
from assistant.engine.source_version import SourceVersion, candidate_of
from assistant.errors import UsageError
from assistant.lab.report import ReportLab, load_report
from assistant.model import events
from assistant.model.attempt import Attempt
from assistant.model.experience import PERSON
from assistant.model.profile import Severity
from assistant.model.proposal import Proposal
from assistant.model.source import Source
from assistant.model.verification import Verification
from assistant.plan.catalogue import Catalogue
from assistant.ports.operator_writer import OperatorWriter
from assistant.ports.planner import Planner
from assistant.ports.store import Store
from assistant.record import Record

__all__ = ["Ask", "Session", "SessionParts", "within_settings"]


class SessionParts(Record):
    """What a session is built from, in one place (``assistant.cli.compose``)."""

    open_store: Callable[[Path], Store]
    open_lab: OpenLab
    planner: Planner
    """The expert, who plans where no other planner was asked for by name."""
    catalogue: Catalogue
    who: str
    """Front end and process."""
    load_models: Callable[[], Models] | None = None
    """Loads what asks models, for the first job that may; None: no model is ever asked."""


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
        return self._job("inspect", request, stages.inspect)

    def check(self, request: JobRequest) -> AsyncIterator[events.Event]:
        return self._job("check", request, stages.check)

    def profile(self, request: JobRequest, keep: stages.KeepReport | None = None) -> AsyncIterator[events.Event]:
        """Profile; ``keep`` is given the whole report as one value before its events come."""
        if request.report is not None:
            return self._profile_report(request, request.report, keep)
        return self._job("profile", request, lambda job, version: stages.profile(job, version, keep))

    def compare(self, request: JobRequest, other: Path, is_strict: bool) -> AsyncIterator[events.Event]:
        """Is ``other`` right in the place of the request's file, and is it faster? Raises CannotAnswerError as ``judge`` does."""
        programs = judging_programs(replace(request, other=other), self.settings(request.file))
        if programs:
            return self._everywhere(programs, lambda each, version: sides_of(each, version, other), is_strict)

        async def body(job: Job, version: SourceVersion) -> Ending:
            sides = await asyncio.to_thread(sides_of, job.request, version, other)
            if sides.note:
                job.say(Severity.INFORMATION, sides.note)
            result = await compare(job, sides.a, sides.b, is_strict)
            await self.learn(job, result, PERSON)
            return result.ending

        return self._job("compare", replace(request, other=other), body)

    def judge_operator(self, command: str, request: JobRequest, candidate: Path, options: OperatorOptions) -> AsyncIterator[events.Event]:
        """Is a candidate right in the place of a PyTorch task's reference? ``request.file`` is the task.

        ``command``: ``check`` or ``compare``. Raises UsageError where one of them is no such file.
        """
        return OperatorJobs(self._runner()).judge(command, request, candidate, options)

    def profile_operator(self, request: JobRequest, options: OperatorOptions, *, is_timed: bool = False) -> AsyncIterator[events.Event]:
        """What a PyTorch task consists of; ``is_timed``: on a GPU also how long it takes. Raises UsageError where the file is none."""
        return OperatorJobs(self._runner()).profile(request, options, is_timed=is_timed)

    def optimize_operator(
        self,
        request: JobRequest,
        options: OperatorOptions,
        search: OptimizeOptions | None = None,
        accept: Accept = Accept.NONE,
        ask: Ask | None = None,
        asked: SearchCallbacks = NO_CALLBACKS,
    ) -> AsyncIterator[events.Event]:
        """Search on a PyTorch task, from ``request.other``, else from a first kernel that is written for it; ``search``: None: that alone.

        Raises UsageError as `profile_operator`, and for a candidate or a planner that is none.
        """
        limits = OptimizeOptions(planner=EXPERT) if search is None else search
        loaded = load_settings(find_workspace(request.file), editor=_editor_settings(limits))
        _check_planner(limits, loaded.settings)
        if limits.is_resumed:
            raise UsageError("a search on a PyTorch task cannot be resumed", f"kernelopt optimize {request.file.name} begins it again")
        # Where no candidate is named, the launcher is written with its kernel: it is nobody's own.
        limits = replace(limits, may_edit_host_code=limits.may_edit_host_code or request.other is None)
        asked = replace(asked, model=asked_once(asked.model))  # the writer of the first kernel asks, and the search after it

        def searched(about: JobRequest, judge: JudgeElsewhere) -> JobBody:
            return _ending_of(self.search(about, limits, accept, ask, asked, judge))

        def writer(job: Job) -> AbstractAsyncContextManager[OperatorWriter | None]:
            models, expert, earlier = self._parts.load_models, self._parts.planner, NOTHING_EARLIER
            return PlannerChoice(models, expert, job, limits, loaded, self.store, earlier, asked.model, asked.on_writing).writer()

        return OperatorJobs(self._runner()).optimize(request, options, None if search is None else searched, writer)

    async def learn(self, job: Job, result: ComparisonResult, author: str) -> Attempt | None:
        """Keep what an edit of a `PERSON` or an `AGENT` teaches, where a technique is recognised in it; None: nothing was kept."""
        if self._parts.planner.name != EXPERT or result.failure is not None:
            return None
        learner = Learner(self._parts.planner, self._parts.catalogue, self.store)
        found = await own_edit(job, result, learner, author)
        if found is not None:
            self.store.add_attempt(found)
        return found

    def _everywhere(
        self, programs: Sequence[tuple[str, JobRequest]], sides: SidesIn, is_strict: bool = False
    ) -> AsyncIterator[events.Event]:
        """Compare in each of these programs, by its name; ``sides``: what is compared in one of them."""
        first = programs[0][1]
        flags = flags_of(first, self.settings(first.file))

        async def body(job: Job, version: SourceVersion) -> Ending:
            return await compare_everywhere(job, await asyncio.to_thread(read_all, programs, flags, sides), is_strict)

        return self._job("compare", replace(first, region=None, usual_region=first.region), body)

    def optimize(
        self, request: JobRequest, options: OptimizeOptions, accept: Accept, ask: Ask | None, asked: SearchCallbacks = NO_CALLBACKS
    ) -> AsyncIterator[events.Event]:
        """Search; raises UsageError where there is nothing to resume, or no planner of that name.

        ``asked``: who answers what comes up on the way, each question once.
        """
        asked_for = as_before(self.store, request, _now_ms()) if options.is_resumed else request
        request = self._judged_in(asked_for)
        return self._job("optimize", request, _ending_of(self.search(request, options, accept, ask, asked)))

    def search(
        self,
        request: JobRequest,
        options: OptimizeOptions,
        accept: Accept,
        ask: Ask | None,
        asked: SearchCallbacks,
        judge_elsewhere: JudgeElsewhere | None = None,
    ) -> SearchBody:
        """The search as the body of a job, for callers that need what it found; raises as ``optimize`` does.

        ``judge_elsewhere``: who judges what was confirmed once more, before it is offered; by default the other programs of the file.
        """
        loaded = load_settings(find_workspace(request.file), editor=_editor_settings(options))
        _check_planner(options, loaded.settings)
        earlier = gone_on_with(self.store, request, _now_ms()) if options.is_resumed else NOTHING_EARLIER

        async def body(job: Job, version: SourceVersion) -> OptimizeResult:
            limited = within_settings(options, loaded)
            people = People(
                offer=lambda proposal: self._decisions().offer(job, proposal, accept, ask),
                host_code=HostCodeRight(limited.may_edit_host_code, asked.host_code),
                model=asked.model,
                on_writing=asked.on_writing,
            )
            parts, elsewhere = self._parts, judge_elsewhere or judged_elsewhere
            optimizer = Optimizer(self.store, parts.planner, parts.catalogue, parts.load_models, elsewhere)
            return await optimizer.run(job, version, limited, loaded, earlier, people)

        return body

    def check_region(self, request: JobRequest) -> None:
        """Raises UsageError, with the nearest names, where speeds are asked of a function that the program does not define."""
        check_region(request, flags_of(request, self.settings(request.file)))

    def check_planner(self, options: OptimizeOptions, file: Path) -> None:
        """Raises UsageError where a search on the file can have no planner of that name."""
        _check_planner(options, self.settings(file).settings)

    async def run(self, command: str, request: JobRequest, body: JobBody, listener: Listener) -> Ending:
        """A job with a body of the caller's own. Raises KernelOptError where it cannot begin."""
        return await self._runner().run(command, request, body, listener)

    def time_verified(
        self, request: JobRequest, before: Sequence[Source], after: Sequence[Source], verifications: Sequence[Verification]
    ) -> AsyncIterator[events.Event]:
        """How much faster the request's Region is with edits verified in turn. No ComparisonMade where their results differ together."""
        return streamed(lambda listener: self._decisions().judge(request, before, after, listener, verifications))

    def judge(self, request: JobRequest, before: Sequence[Source], after: Sequence[Source]) -> AsyncIterator[events.Event]:
        """A confirming comparison of two texts of each of some files of a program, none of which need be on disk.

        Raises CannotAnswerError where no program is found for a comparison in every one.
        """
        programs = judging_programs(about_texts(request, before), self.settings(request.file))
        if programs:
            return self._everywhere(programs, lambda _, version: Sides(version, candidate_of(version, after)))
        return streamed(lambda listener: self._decisions().judge(request, before, after, listener))

    def submit(self, request: JobRequest, submission: Submission) -> AsyncIterator[events.Event]:
        """Judge an edit that somebody else made, and offer it where it is proved better."""
        workspace = find_workspace(request.file)
        about = about_texts(request, [source_of(request, source.path) for source in submission.texts])
        return self._job("compare", about, lambda job, version: submit(job, version, submission, self.store, workspace))

    def rebase(self, id_prefix: str, request: JobRequest, hunk_ids: tuple[str, ...] = ()) -> AsyncIterator[events.Event]:
        """Offer a proposal's change, or some of its hunks, again, on the request's texts of its files, if it holds there."""
        proposal = self.store.find_proposal(id_prefix)
        current = tuple(source_of(request, path) for path in proposal.paths)
        return streamed(lambda listener: self._decisions().rebase(proposal, request, current, listener, hunk_ids))

    def replay(self, id_prefix: str, request: JobRequest) -> AsyncIterator[events.Event]:
        """Judge a proposal once more, on the values that it was judged on. Raises CannotAnswerError where its recording is gone."""
        proposal = self.store.find_proposal(id_prefix)
        return streamed(lambda listener: self._decisions().replay(proposal, request, listener))

    def accept(self, id_prefix: str, hunk_ids: tuple[str, ...]) -> AsyncIterator[events.Event]:
        """Accept a proposal, or some of its hunks; what was not judged as it will stand is judged first."""

        async def work(listener: Listener) -> None:
            proposal = self.store.find_proposal(id_prefix)
            await self._decisions().accept(proposal, hunk_ids, listener)
            self._report_pairs(proposal)

        return streamed(work)

    def accept_text(self, id_prefix: str) -> events.DecisionMade:
        """Keep that a proposal on a text that is in no file was accepted; its text is the proposal's ``after``."""
        return self._decisions().accept_text(self.store.find_proposal(id_prefix))

    def undo_text(self, id_prefix: str) -> events.DecisionMade:
        """Keep that such an acceptance was taken back."""
        return self._decisions().undo_text(self.store.find_proposal(id_prefix))

    def reject(self, id_prefix: str, reason_code: str | None, reason: str | None) -> tuple[events.Event, ...]:
        proposal = self.store.find_proposal(id_prefix)
        decision_events = self._decisions().reject(proposal, reason_code, reason)
        self._report_pairs(proposal)
        return decision_events

    def undo(self, id_prefix: str) -> tuple[events.Event, ...]:
        proposal = self.store.find_proposal(id_prefix)
        decision_events = self._decisions().undo(proposal)
        self._report_pairs(proposal)
        return decision_events

    def _judged_in(self, request: JobRequest) -> JobRequest:
        """``request``, which says whether edits are judged in every program."""
        return replace(request, is_everywhere=bool(judging_programs(request, self.settings(request.file))))

    def settings(self, file: Path) -> LoadedSettings:
        return load_settings(find_workspace(file))

    def _profile_report(self, request: JobRequest, path: Path, keep: stages.KeepReport | None) -> AsyncIterator[events.Event]:
        """Profile from a profiler's report; raises CannotAnswerError where it cannot be read, UsageError where it is about another file."""

        async def work(listener: Listener) -> None:
            found = locate(request, await load_report(path))
            runner = JobRunner(lambda: self.store, lambda _request, _scratch, target: ReportLab(found.report, target), self._parts.who)
            await runner.run("profile", found.request, lambda job, version: found.emit_profile(job, version, keep), listener, found.version)

        return streamed(work)

    def _job(self, command: str, request: JobRequest, body: JobBody) -> AsyncIterator[events.Event]:
        return streamed(lambda listener: self._runner().run(command, request, body, listener))

    def _runner(self) -> JobRunner:
        return JobRunner(lambda: self.store, self._parts.open_lab, self._parts.who)

    def _report_pairs(self, proposal: Proposal) -> None:
        """A decision is a turn in the pair sessions on the file."""
        pairs = PairSessions(self.store, self.catalogue, self.who)
        for opened in pairs.open_on(proposal.path):
            pairs.state(opened.id)

    def _decisions(self) -> Decisions:
        return Decisions(self._runner(), lambda: self.store)


def _ending_of(search: SearchBody) -> JobBody:
    async def ending(job: Job, version: SourceVersion) -> Ending:
        return (await search(job, version)).ending

    return ending


def _editor_settings(options: OptimizeOptions) -> EditorSettings:
    return EditorSettings(folder={}, user={name: json.loads(text) for name, text in options.editor_settings})


def within_settings(options: OptimizeOptions, loaded: LoadedSettings) -> OptimizeOptions:
    """As far as the settings allow."""
    limits, recall = loaded.settings.limits, loaded.settings.recall
    return replace(
        options,
        max_rounds=min(options.max_rounds, limits.rounds),
        max_candidates=min(options.max_candidates, limits.candidates),
        may_recall_across_workspaces=recall.across_workspaces,
        choice=options.choice or recall.choice,
        choice_seed=recall.seed if options.choice_seed is None else options.choice_seed,
        policy=options.policy or recall.policy,
    )


def _check_planner(options: OptimizeOptions, settings: Settings) -> None:
    """Errors of the request that are found before anything runs."""
    name = options.planner or settings.planner
    if name not in ("auto", "expert", "llm", "agent"):
        raise UsageError(f"--planner takes expert, llm, agent or auto, not {name!r}")
    if name == "agent" and settings.provider.kind in ("editor", "manual"):
        raise UsageError(f"--planner agent: provider.kind {settings.provider.kind} cannot call tools", "set provider.kind to openai")
    if name in ("llm", "agent") and settings.provider.kind == "none":
        raise UsageError(
            f"--planner {name}: no model provider is configured",
            f"{how_to_set_a_model()}; or use --planner expert, which needs no key and no network",
        )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
