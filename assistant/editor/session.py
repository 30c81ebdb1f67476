"""The sources that a front end has open: parsed while typing, compiled, verified and profiled in the background, each shown as a `View`.

A session stores nothing itself: results of jobs are in memory (``Store.analyses``), decisions too; a session that starts later shows the
same. Everything here runs on one event loop and blocks it for no longer than a parse. Example::

    editor = EditorSession(store, EditorParts(quick, heavy, guard, listener, settings_of, "lsp 1234"))
    editor.put("file:///a.cu", Path("/a.cu"), text, Trigger.OPENED)
    job_id = await editor.ask("file:///a.cu", Verb.OPTIMIZE)
    editor.view("file:///a.cu").notes
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace
from pathlib import Path

from assistant.config import find_workspace
from assistant.editor.admission import Admission
from assistant.editor.lanes import Work
from assistant.editor.open_document import OpenDocument
from assistant.editor.parse_pause import ParsePause
from assistant.editor.parts import ON_EVERYTHING, EditorParts, JudgedOn
from assistant.editor.queues import Queues
from assistant.editor.report import Report
from assistant.editor.report_comparison import ComparisonPart
from assistant.editor.review import Review
from assistant.editor.setup_files import is_setup
from assistant.editor.staging import STAGES, Staging, Trigger
from assistant.editor.tasks import Task, Verb
from assistant.editor.view import EMPTY_VIEW, KernelView, PairView, View
from assistant.editor.words import pair_headline
from assistant.engine import JobRequest, OptimizeOptions, new_id
from assistant.errors import KernelOptError, UsageError
from assistant.model.events import BudgetSpent, Event, JobEnded, JobStarted, PairTurn, ProposalMade
from assistant.model.proposal import Decision, ProposalState
from assistant.model.source import ParsedSource
from assistant.model.workload import LiveWorkload
from assistant.ports.store import Store
from assistant.workload.blocks import sidecar_path

__all__ = ["EditorSession"]

_OFFERED = frozenset({ProposalState.OPEN, ProposalState.UNDONE})
_REPORTED_PROPOSALS = 10
"""The newest proposals of a file that a report shows; older ones are in ``kernelopt history``."""
_SEARCHES = frozenset({Verb.OPTIMIZE, Verb.PAIR_SUGGEST})
"""Jobs that a language model may plan."""
_MEMORY_POLL_S = 0.5
"""How soon decisions of other processes are seen (within a second)."""


class EditorSession:
    """Also the listener of its own lanes."""

    def __init__(self, store: Store, parts: EditorParts) -> None:
        self._store = store
        self._parts = parts
        self._documents: dict[str, OpenDocument] = {}
        self._pause = ParsePause(self._parse)
        self._poll: asyncio.Task[None] | None = None
        self._queues = Queues(Admission(parts.guard, parts.quick, parts.heavy, self, self._renewed), parts.quick, parts.heavy)
        self._staging = Staging(self._start_stage, self._queues.background_sources, parts.most_sources)
        self.review = Review(store, parts.who)
        self.spent: BudgetSpent | None = None
        """What the last job with a model has spent; None before one."""

    # --- sources ----------------------------------------------------------------------------------------------------

    def put(self, key: str, path: Path, text: str, trigger: Trigger) -> None:
        """A source was opened, typed in or saved."""
        document = self._documents.get(key)
        if document is None:
            document = self._documents[key] = OpenDocument(key, path, text)
            document.recall(self._store.analyses(path))
            self.review.opened(path, text)
            self._offer(document)
            self._parts.listener.shown(key)
        elif document.text != text or document.path != path:
            document.text, document.path = text, path
            self._pause.typed(key, document.parse_s)
            self._observe(document)
        if self._parts.guard.is_trusted(path):
            self._staging.changed(key, trigger, self._parts.settings_of(path))
            self._staging.look_at(key)
        if self._poll is None:
            self._poll = asyncio.create_task(self._watch_memory())

    def look_at(self, key: str) -> None:
        """A front end shows this source to a person now: its background work comes first."""
        self._staging.look_at(key)

    def bind(self, key: str, live: LiveWorkload | None) -> None:
        """Judge a source on arrays of a notebook from now on. Raises UsageError for a source that is not open."""
        document = self._document(key)
        if document.live != live:
            document.live = live
            document.outdate()

    def remove(self, key: str) -> None:
        """A source was closed: its background work ends."""
        if self._documents.pop(key, None) is None:
            return
        self._staging.drop(key)
        self._pause.drop(key)
        self._queues.cancel_source(key)

    def keys(self) -> tuple[str, ...]:
        return tuple(self._documents)

    def key_of(self, path: Path) -> str | None:
        """The open source at a path."""
        return next((document.key for document in self._documents.values() if document.path == path), None)

    def view(self, key: str) -> View:
        """What to show of a source; empty for one that is not open. A pending parse is done first."""
        document = self._documents.get(key)
        if document is None:
            return EMPTY_VIEW
        document.reparse()
        return document.view

    def text(self, key: str) -> str:
        """The text as it stands. Raises UsageError for a source that is not open."""
        return self._document(key).text

    def report(self, key: str) -> Report:
        """The whole profile of a source, and what became of its proposals. Raises UsageError for a source that is not open."""
        document = self._document(key)
        document.reparse()
        return document.report(self._store.proposals(path=document.path)[:_REPORTED_PROPOSALS])

    def comparisons(self, key: str) -> tuple[tuple[KernelView, ComparisonPart], ...]:
        """What edits and proposals of each kernel came to. Raises UsageError for a source that is not open."""
        document = self._document(key)
        document.reparse()
        return document.comparisons(self._store.proposals(path=document.path)[:_REPORTED_PROPOSALS])

    def last_started(self) -> JobStarted | None:
        """Where the jobs of this editor run, as the newest answer says; None before any."""
        return next((started for document in reversed(self._documents.values()) if (started := document.started) is not None), None)

    def parsed(self, key: str) -> ParsedSource:
        """The parse that the view belongs to. Raises UsageError for a source that is not open."""
        document = self._document(key)
        document.reparse()
        return document.parsed

    def look_again(self) -> None:
        """Settings, trust or an included file changed: every source counts as saved; jobs that may no longer run are ended."""
        for document in self._documents.values():
            if not self._parts.guard.is_trusted(document.path):
                self._staging.drop(document.key)
                self._queues.cancel_source(document.key, is_background_only=False)
            else:
                document.set_up(_setup_of(self._request(document)))
                self._staging.changed(document.key, Trigger.SAVED, self._parts.settings_of(document.path))

    def files_changed(self, paths: tuple[Path, ...]) -> None:
        """Files changed on disk: open sources that reach one of them, or are set up by one, are looked at again once changes stop."""
        names = frozenset(path.name for path in paths)
        is_set_up_anew = any(is_setup(path) for path in paths)
        for document in self._documents.values():
            is_touched = is_set_up_anew or document.includes_any(names) or any(path == sidecar_path(document.path) for path in paths)
            if is_touched and self._parts.guard.is_trusted(document.path):
                document.outdate()
                self._staging.changed(document.key, Trigger.CHANGED_ON_DISK, self._parts.settings_of(document.path))

    def offers_changed(self) -> None:
        """A decision was taken, or a turn of a pair session: show what is open now."""
        for document in self._documents.values():
            self.review.refresh(document.path)
            if self._offer(document):
                self._parts.listener.shown(document.key)

    # --- jobs -------------------------------------------------------------------------------------------------------

    def ask(self, key: str, verb: Verb, kernel: str | None = None, options: OptimizeOptions | None = None) -> str:
        """Start a job that a person asked for; its id. Raises UsageError where it is not open or not trusted.

        A job that already runs or waits is not started again: a double click starts one, and a model is paid once.
        """
        document = self._document(key)
        request = replace(self._request(document), kernel=kernel)
        return self._ask(document, Task(verb, request, options or OptimizeOptions()))

    def judge(self, key: str, before: str, after: str | None = None, on: JudgedOn = ON_EVERYTHING) -> str:
        """Start judging ``after`` (None: the source's text) against ``before``; the job's id. Raises as ``ask`` does."""
        document = self._document(key)
        request = replace(self._request(document), kernel=on.kernel, seeds=on.seeds, cases=on.cases)
        if after is not None:
            request = replace(request, texts=((document.path, after),))
        return self._ask(document, Task(Verb.JUDGE, request, before=before))

    def rebase(self, key: str, proposal_id: str, hunk_ids: tuple[str, ...] = ()) -> str:
        """Start judging a proposal's change, or some hunks of it, on the text as it stands; the job's id. Raises as ``ask`` does."""
        document = self._document(key)
        return self._ask(document, Task(Verb.REBASE, self._request(document), proposal=proposal_id, hunk_ids=hunk_ids))

    def suggest(self, key: str, session_id: str, hint: str) -> str:
        """Start looking for a proposal of a pair session; the job's id. Raises as ``ask`` does."""
        document = self._document(key)
        return self._ask(document, Task(Verb.PAIR_SUGGEST, self._request(document), pair=session_id, said=hint))

    def answer_save(self, key: str) -> str | None:
        """Have the pair sessions that are open on a source answer its text, in the background; a newer save takes its place.

        The job's id; None where no session is open, or nothing may run.
        """
        document = self._document(key)
        if document.view.pairs and self._parts.guard.is_trusted(document.path):
            return self._submit_soon(document, Task(Verb.PAIR_EDIT, self._request(document)), is_background=True)
        return None

    def cancel(self, job_id: str) -> bool:
        """End a job, of this editor or of another process; False when there is none of that id."""
        return self._queues.cancel(job_id) or self._store.request_cancel(job_id)

    def works(self) -> tuple[Work, ...]:
        """Running and waiting jobs; those that wait for a person's answer last."""
        return self._queues.works

    def running(self) -> frozenset[str]:
        """Ids of the jobs that run; the others wait."""
        return self._queues.running

    def reason_to_wait(self, work: Work) -> str | None:
        """Why a job does not start, though nothing else runs; None: it only waits its turn."""
        return self._queues.reason_to_wait(work)

    async def close(self) -> None:
        """End every job and forget the sources."""
        if self._poll is not None:
            self._poll.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._poll
        self._queues.stop_asking()
        for key in self.keys():
            self.remove(key)
        await self._queues.close()

    # --- what lanes report --------------------------------------------------------------------------------------------

    def started(self, work: Work) -> None:
        if work.key in self._documents:
            self._documents[work.key].begin(work.id)
        self._parts.listener.job_started(work)

    def reported(self, work: Work, event: Event) -> None:
        document = self._documents.get(work.key)
        if document is not None and work.task.verb in STAGES and document.collect(work.id, work.task, event):
            if isinstance(event, JobEnded) and work.task.request.kernel is not None:
                self._keep(document, work.task.verb)  # answers on whole files are kept by their job
            self._parts.listener.shown(work.key)
        if document is not None and work.task.verb is Verb.JUDGE and work.task.text == document.text and not work.task.request.cases:
            self._collect_judgement(document, work, event)
        if isinstance(event, ProposalMade | PairTurn):
            self.offers_changed()
        if isinstance(event, BudgetSpent) and (event.spent.call_count or event.estimate is not None):  # of models, not of rounds alone
            self.spent = event
        self._parts.listener.job_reported(work, event)

    def waits(self, work: Work, reason: str) -> None:
        self._parts.listener.job_waits(work, reason)

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        document = self._documents.get(work.key)
        if document is not None:
            document.abandon(work.id)
            if work.task.verb in _SEARCHES and refusal is None and not is_cancelled:
                # the person allowed the search to run the program: background stages can now show the original's figures
                self._staging.changed(document.key, Trigger.SAVED, self._parts.settings_of(document.path))
        self._parts.listener.job_ended(work, refusal, is_cancelled)
        self._staging.go_on()

    # --- inside -----------------------------------------------------------------------------------------------------

    def _document(self, key: str) -> OpenDocument:
        document = self._documents.get(key)
        if document is None:
            raise UsageError(f"{key} is not open", "open the file first")
        return document

    def _parse(self, key: str) -> None:
        document = self._documents.get(key)
        if document is not None:
            document.reparse()
            self._parts.listener.shown(key)

    def _collect_judgement(self, document: OpenDocument, work: Work, event: Event) -> None:
        """Show a judgement of the open text, now and after a restart."""
        if document.collect(work.id, work.task, event):
            self._keep(document, Verb.JUDGE)
            self._parts.listener.shown(document.key)

    def _keep(self, document: OpenDocument, verb: Verb) -> None:
        self._store.keep_analysis(find_workspace(document.path), document.path, document.stored(verb.value), time.time_ns() // 1_000_000)

    def _observe(self, document: OpenDocument) -> None:
        """Save the decisions that the text shows."""
        for outcome in self.review.observe(document.path, document.text):
            if isinstance(outcome, Decision):
                self._parts.listener.decided(document.key, outcome)
            else:
                self._parts.listener.lost(document.key, outcome)
            self._offer(document)

    def _offer(self, document: OpenDocument) -> bool:
        sessions = self._store.pair_sessions(document.path)
        pairs = tuple(PairView(item.id, item.kernel, pair_headline(self._store.turns(item.id))) for item in sessions)
        return document.offer(self._store.proposals(states=_OFFERED, path=document.path), pairs)

    def _request(self, document: OpenDocument) -> JobRequest:
        settings = self._parts.settings_of(document.path)
        return JobRequest(
            document.path,
            is_alone=True,
            working_directory=document.path.parent,
            texts=((document.path, document.text),),
            device=settings.device,
            target=settings.target,
            cflags=settings.build.flags or None,
            timeout_s=settings.run.timeout_s,
            is_live=True,
            live=document.live,
        )

    def _ask(self, document: OpenDocument, task: Task) -> str:
        self._parts.guard.demand_trust(document.path)
        known = next((work for work in self.works() if self._is_asked(work, document, task)), None)
        return self._submit_soon(document, task, is_background=False) if known is None else known.id

    def _is_asked(self, work: Work, document: OpenDocument, task: Task) -> bool:
        """Whether ``work`` is the same job, and not about to end."""
        is_of_person = not work.is_background and not self._queues.is_ending(work.id)
        return is_of_person and work.key == document.key and _asked_for(work.task) == _asked_for(task)

    def _submit_soon(self, document: OpenDocument, task: Task, is_background: bool) -> str:
        work = Work(new_id("J"), document.key, task, is_background, self)
        self._queues.submit(work)
        return work.id

    async def _start_stage(self, key: str, verb: Verb) -> None:
        """One background stage, if there is no answer to it for this text."""
        document = self._documents.get(key)
        if document is None:
            return
        if document.has_answer(verb.value):
            if verb is Verb.INSPECT:
                await self._queues.warm_up()
            return
        document.reparse()
        if document.is_compiled if verb is Verb.INSPECT else document.parsed.kernels and document.has_workload:
            request = replace(self._request(document), needs_kernels=verb is not Verb.INSPECT)
            await self._queues.admit(Work(new_id("J"), key, Task(verb, request), True, self))

    async def _renewed(self, work: Work) -> Work | None:
        """The work as it is to run: searches with the answer on models, background work on the current text."""
        document = self._documents.get(work.key)
        if document is None:
            return None
        task = work.task
        if task.verb in _SEARCHES:
            return replace(work, task=await self._with_models(document, task))
        if not work.is_background:
            return work
        request = replace(self._request(document), needs_kernels=task.request.needs_kernels)
        document.set_up(_setup_of(request))
        return replace(work, task=replace(task, request=request))

    async def _with_models(self, document: OpenDocument, task: Task) -> Task:
        """The task with the person's answer on using a language model."""
        options = replace(task.options, may_call_models=False)
        if self._parts.models is not None:
            settings = self._parts.settings_of(document.path)
            kernel_count = 1 if task.request.kernel else len(document.parsed.kernels)
            options = await self._parts.models.agreed(options, settings, document.path, kernel_count)
        return replace(task, options=options)

    async def _watch_memory(self) -> None:
        """Show decisions of other processes."""
        seen = self._store.data_version()
        while True:
            await asyncio.sleep(_MEMORY_POLL_S)
            version = self._store.data_version()
            if version != seen:
                seen = version
                self.offers_changed()


def _asked_for(task: Task) -> Task:
    """The task without what it gets on its way to a lane."""
    return replace(task, request=replace(task.request, job_id=None), options=replace(task.options, may_call_models=None))


def _setup_of(request: JobRequest) -> object:
    """What a source's answers depend on in addition to its text."""
    return (request.target, request.device, request.cflags)
