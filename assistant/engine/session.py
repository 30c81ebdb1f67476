"""The one object front ends talk to: commands in, events out, decisions taken, memory kept.

Jobs are run by ``running.py``, decisions taken by ``decisions.py``; this module says which is which. Example::

    session = open_session()
    async for event in session.profile(request): ...
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.config import EditorSettings, LoadedSettings, Settings, find_workspace, load_settings, memory_path
from assistant.config.remedies import how_to_set_a_model
from assistant.engine import stages
from assistant.engine.accounts import OnWriting
from assistant.engine.comparing import KeepLooked, compare
from assistant.engine.decisions import Ask, Decisions
from assistant.engine.host_code import AskHostCode, HostCodeRight
from assistant.engine.job import Job
from assistant.engine.pair_book import PairBook
from assistant.engine.planning import AskModel, Models
from assistant.engine.reported import locate
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.resume import NOTHING_EARLIER, last_interrupted
from assistant.engine.running import JobRunner, OpenLab
from assistant.engine.searching import People, Searching
from assistant.engine.subject import Subject, as_candidate, read_source, read_subject, with_text
from assistant.engine.submitted import Submission, submit
from assistant.errors import UsageError
from assistant.lab.report import ReportLab, load_report
from assistant.model import events
from assistant.model.proposal import Proposal
from assistant.plan.catalogue import Catalogue
from assistant.ports import Planner, Store

__all__ = ["NOBODY", "Ask", "Asked", "Session", "SessionParts"]


@dataclass(frozen=True)
class SessionParts:
    """What a session is built from, in one place (``assistant.cli.compose``)."""

    open_store: Callable[[Path], Store]
    open_lab: OpenLab
    planner: Planner
    """The expert, who plans whatever nobody asked for by name."""
    catalogue: Catalogue
    who: str
    """Front end and process."""
    load_models: Callable[[], Models] | None = None
    """Loads what asks models, for the first job that may; None: no model is ever asked."""


@dataclass(frozen=True)
class Asked:
    """Who answers what comes up in a search, and who watches."""

    host_code: AskHostCode | None = None
    """Whether candidates may edit host code, where the options do not allow it; None counts as no."""
    model: AskModel | None = None
    """Whether a language model may be asked; None: only where it was asked for by name, or agreed to in the options."""
    on_writing: OnWriting | None = None
    """Is given the pieces of a model's answer."""


NOBODY = Asked()
"""Nobody is asked, nobody watches."""


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
        if request.report is not None:
            return self._profile_report(request, request.report, keep)
        return self._runner().run("profile", request, lambda job, subject: stages.profile(job, subject, keep))

    def compare(self, request: JobRequest, other: Path, is_strict: bool) -> AsyncIterator[events.Event]:
        def body(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            if request.run_command is None:
                second = read_subject(replace(request, file=other), subject.program.flags)
            else:  # the command starts what is made of A's file: B stands in its place, in a private copy of the folder
                second = as_candidate(with_text(subject, read_source(other).text))
            return compare(job, subject, second, is_strict)

        return self._runner().run("compare", replace(request, other=other), body)

    def weigh(self, request: JobRequest, before: str, keep: KeepLooked) -> AsyncIterator[events.Event]:
        """A confirming comparison of an earlier text of the file with what a person made of it."""

        def body(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            return compare(job, with_text(subject, before), subject, is_strict=False, keep=keep)

        return self._runner().run("pair", request, body)

    def optimize(
        self, request: JobRequest, options: OptimizeOptions, accept: Accept, ask: Ask | None, asked: Asked = NOBODY
    ) -> AsyncIterator[events.Event]:
        """Search; raises UsageError where there is nothing to resume, or no planner of that name.

        ``asked``: who answers what comes up on the way, each question once.
        """
        loaded = load_settings(find_workspace(request.file), editor=_editor_settings(options))
        _check_planner(options, loaded.settings)
        workspace = find_workspace(request.file)
        earlier = last_interrupted(self.store, workspace, request.file, _now_ms()) if options.is_resumed else NOTHING_EARLIER
        runner = self._runner()
        decisions = Decisions(runner)

        def body(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            limited = _limited(options, loaded)
            people = People(
                offer=lambda proposal: decisions.offer(job, proposal, accept, ask),
                host_code=HostCodeRight(limited.may_edit_host_code, asked.host_code),
                model=asked.model,
                on_writing=asked.on_writing,
            )
            searching = Searching(self.store, self._parts.planner, self._parts.catalogue, self._parts.load_models)
            return searching.run(job, subject, limited, loaded, earlier, people)

        return runner.run("optimize", request, body)

    def judge(self, request: JobRequest, before: str, after: str) -> AsyncIterator[events.Event]:
        """A confirming comparison of two texts of one file, neither of which need be on disk."""
        return self._decisions().judge(request, before, after)

    def submit(self, request: JobRequest, submission: Submission) -> AsyncIterator[events.Event]:
        """Judge an edit that somebody else made, and offer it where it is proved better."""

        def body(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
            return submit(job, subject, submission, self.store, find_workspace(request.file))

        return self._runner().run("compare", request, body)

    def rebase(self, id_prefix: str, request: JobRequest, current: str, hunk_ids: tuple[str, ...] = ()) -> AsyncIterator[events.Event]:
        """Offer a proposal's change, or some of its hunks, again, on another text of its file, if it holds there."""
        return self._decisions().rebase(self.store.find_proposal(id_prefix), request, current, hunk_ids)

    async def accept(self, id_prefix: str, hunk_ids: tuple[str, ...]) -> AsyncIterator[events.Event]:
        """Accept a proposal, or some of its hunks; what was not judged as it will stand is judged first."""
        proposal = self.store.find_proposal(id_prefix)
        async for event in self._decisions().accept(proposal, hunk_ids):
            yield event
        self._tell_pairs(proposal)

    def reject(self, id_prefix: str, reason_code: str | None, reason: str | None) -> tuple[events.Event, ...]:
        proposal = self.store.find_proposal(id_prefix)
        told = self._decisions().reject(proposal, reason_code, reason)
        self._tell_pairs(proposal)
        return told

    def undo(self, id_prefix: str) -> tuple[events.Event, ...]:
        proposal = self.store.find_proposal(id_prefix)
        told = self._decisions().undo(proposal)
        self._tell_pairs(proposal)
        return told

    def settings(self, file: Path) -> LoadedSettings:
        return load_settings(find_workspace(file))

    async def _profile_report(self, request: JobRequest, path: Path, keep: stages.KeepReport | None) -> AsyncIterator[events.Event]:
        """Of a profiler's report; raises CannotAnswerError where it cannot be read, UsageError where it is about another file."""
        report = await load_report(path)
        found = locate(request, report)
        runner = JobRunner(lambda: self.store, lambda _request, _scratch, target: ReportLab(found.report, target), self._parts.who)
        async for event in runner.run("profile", found.request, lambda job, subject: found.told(job, subject, keep), found.subject):
            yield event

    def _runner(self) -> JobRunner:
        return JobRunner(lambda: self.store, self._parts.open_lab, self._parts.who)

    def _tell_pairs(self, proposal: Proposal) -> None:
        """A decision is a turn in the pair sessions on the file."""
        book = PairBook(self.store, self.catalogue, self.who)
        for opened in book.open_on(proposal.path):
            book.state(opened.id)

    def _decisions(self) -> Decisions:
        return Decisions(self._runner())


def _editor_settings(options: OptimizeOptions) -> EditorSettings:
    return EditorSettings(folder={}, user={name: json.loads(text) for name, text in options.editor_settings})


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


def _check_planner(options: OptimizeOptions, settings: Settings) -> None:
    """What can be said before anything runs."""
    name = options.planner or settings.planner
    if name not in ("auto", "expert", "llm"):
        raise UsageError(f"--planner takes expert, llm or auto, not {name!r}")
    if name == "llm" and settings.provider.kind == "none":
        raise UsageError(
            "--planner llm: no model provider is configured",
            f"{how_to_set_a_model()}; or use --planner expert, which needs no key and no network",
        )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
