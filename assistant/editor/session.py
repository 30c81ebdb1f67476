"""The sources that a front end has open: parsed while typing, compiled, verified and profiled in the background, each shown as a `View`.

A session stores nothing itself: results of jobs are in memory (``Store.analyses``), decisions too; a session that starts later shows the
same. Everything here runs on one event loop and blocks it for no longer than a parse. Example::

    editor = EditorSession(store, EditorParts(quick, heavy, guard, listener, settings_of, "lsp 1234"))
    editor.put("file:///a.cu", Path("/a.cu"), text, Trigger.OPENED)
    job_id = await editor.ask("file:///a.cu", Verb.OPTIMIZE)
    editor.view("file:///a.cu").notes
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.cuda.includes import included_files
from assistant.editor.admission import Admission
from assistant.editor.builds import Showing, configured, recorded
from assistant.editor.job_requests import SEARCHES, JobRequests, is_asked_by_person
from assistant.editor.lanes import Work
from assistant.editor.memory_watch import MemoryWatch
from assistant.editor.offering import offer
from assistant.editor.open_document import InnerText, OpenDocument, written_anew
from assistant.editor.open_documents import OpenDocuments
from assistant.editor.open_programs import OpenPrograms
from assistant.editor.parse_pause import ParsePause
from assistant.editor.parts import ON_EVERYTHING, EditorParts, JudgedOn
from assistant.editor.queues import Queues
from assistant.editor.refusals import Refusals
from assistant.editor.report import Report
from assistant.editor.report_comparison import ComparisonPart
from assistant.editor.review import Review
from assistant.editor.rewritten import RewrittenFiles
from assistant.editor.search_reports import SearchReports
from assistant.editor.setup_files import is_choice, is_setup
from assistant.editor.sharing import AnswerSharing
from assistant.editor.staging import STAGES, Staging, Trigger
from assistant.editor.tasks import Task, Verb
from assistant.editor.unopened import UnopenedFile
from assistant.editor.view import EMPTY_VIEW, KernelView, View
from assistant.engine import OptimizeOptions, about_texts, new_id
from assistant.errors import KernelOptError
from assistant.model.events import BudgetSpent, Event, JobEnded, JobStarted, PairTurn, ProposalMade
from assistant.model.proposal import AlreadyDecided, Decision
from assistant.model.source import ParsedSource, Source
from assistant.model.workload import LiveWorkload
from assistant.ports.store import Store

__all__ = ["EditorSession"]

_REPORTED_PROPOSALS = 10
"""The newest proposals of a file that a report shows; older ones are in ``kernelopt history``."""


class EditorSession:
    """Also the listener of its own lanes."""

    def __init__(self, store: Store, parts: EditorParts) -> None:
        self._store = store
        self._parts = parts
        self._documents = OpenDocuments()
        self._pause = ParsePause(self._parse)
        self._watch = MemoryWatch(store, self.offers_changed)
        self._programs = OpenPrograms(self._documents, parts.settings_of, self._programs_known, parts.ask_program)
        self._requests = JobRequests(self._documents, self._programs, parts)
        refusals = Refusals(self._documents, lambda key: self._staging.is_to_run(key, Verb.INSPECT) or self.queues.is_compiling(key))
        admission = Admission(parts.guard, parts.quick, parts.heavy, self._requests.settled, self._requests.renewed, refusals.of)
        self.queues = Queues(admission, parts.quick, parts.heavy)
        """What becomes of the jobs: which run, and what the others wait for."""
        self._staging = Staging(self._start_stage, self.queues.background_sources, parts.most_sources)
        self.review = Review(store, parts.who)
        self._answers = AnswerSharing(store, self._documents, self.queues.cancel_waiting, parts.listener.shown)
        self._searches = SearchReports(self._answers, self.queues.cancel_waiting, parts.listener.shown)
        self._rewritten = RewrittenFiles()
        self.spent: BudgetSpent | None = None
        """What the last job with a model has spent; None before one."""

    # --- sources ----------------------------------------------------------------------------------------------------

    def put(self, key: str, path: Path, text: str, trigger: Trigger, inner: InnerText | None = None) -> None:
        """A source was opened, typed in or saved; ``inner``: it is a cell or a string."""
        trigger = trigger if inner else self._rewritten.trigger(path, text, trigger)
        written = written_anew(document := self._documents.get(key), text, inner)
        if trigger is not Trigger.TYPED or (document is not None and included_files(document.text) != included_files(text)):
            self._programs.changed((path,))
        if document is None:
            document = self._documents[key] = OpenDocument(key, path, text, inner)
            document.recall(self._store.analyses(path))
            self.review.opened(path, text)
            offer(self._store, document)
            self._parts.listener.shown(key)
        elif document.text != text or document.path != path:
            document.text, document.path = text, path
            self._pause.typed(key)
            self._observe(document)
        if trigger in {Trigger.SAVED, Trigger.CHANGED_ON_DISK} and document.saved():
            self._parts.listener.shown(key)
        if self._parts.guard.is_trusted(path):
            self._staging.changed(key, trigger, self._parts.settings_of(path))
            self._staging.look_at(key)
        if written:
            self._documents[key].inner = inner
            self.files_changed(written)
        self._watch.start()

    def look_at(self, key: str) -> None:
        """A front end shows this source to a person now: its background work comes first; its programs are looked for."""
        self._staging.look_at(key)
        if (document := self._documents.get(key)) is not None and self._parts.guard.is_trusted(document.path):
            self._programs.look(document)

    def bind(self, key: str, live: LiveWorkload | None) -> None:
        """Judge a source on arrays of a notebook from now on. Raises UsageError for a source that is not open."""
        document = self._documents.open(key)
        if document.live != live:
            document.live = live
            document.outdate()

    def ask_speed_of(self, key: str, region: str | None) -> None:
        """Have speeds of edits be of this part of the program (``JobRequest.region``) in every job on the source from now on."""
        self._documents.open(key).region = region

    def remove(self, key: str) -> None:
        """A source was closed: its background work ends."""
        if (document := self._documents.pop(key, None)) is None:
            return
        self._programs.changed((document.path,))
        self._staging.drop(key)
        self._pause.closed(key)
        self.queues.cancel_source(key)
        self._answers.unopened.forget(key)
        self.review.closed(document.path)

    def keys(self) -> tuple[str, ...]:
        return tuple(self._documents)

    def key_of(self, path: Path) -> str | None:
        """The open source at a path."""
        return self._documents.key_of(path)

    def view(self, key: str) -> View:
        """What to show of a source; empty for one that is not open. A pending parse is done first."""
        view = self._documents.reparsed(key).view if key in self._documents else EMPTY_VIEW
        return replace(view, waits_for_consent=self.queues.asks_about(key))

    def unopened(self, key: str) -> Mapping[Path, UnopenedFile]:
        """What jobs on a source reported of files that are not open."""
        return self._answers.unopened.of(key)

    def text(self, key: str) -> str:
        """The text as it stands. Raises UsageError for a source that is not open."""
        return self._documents.open(key).text

    def texts_of(self, paths: Iterable[Path]) -> tuple[Source, ...]:
        """Files as they stand: as they are open here, else on disk. Raises UsageError for one that cannot be read."""
        return self._documents.texts_of(paths)

    def other_files(self, key: str) -> tuple[Source, ...]:
        """The other files of a source's program, as they stand; none where that is not known. Raises as ``texts_of``."""
        document = self._documents.open(key)
        paths = () if document.program is None else document.program.files
        return self.texts_of(path for path in paths if path != document.path)

    def report(self, key: str) -> Report:
        """The whole profile of a source, and what became of its proposals. Raises UsageError for a source that is not open."""
        document = self._documents.reparsed(key)
        return document.report(self._store.proposals(path=document.path)[:_REPORTED_PROPOSALS])

    def comparisons(self, key: str) -> tuple[tuple[KernelView, ComparisonPart], ...]:
        """What edits and proposals of each kernel came to. Raises UsageError for a source that is not open."""
        document = self._documents.reparsed(key)
        return document.comparisons(self._store.proposals(path=document.path)[:_REPORTED_PROPOSALS])

    def last_started(self) -> JobStarted | None:
        """Where the jobs of this editor run, as the newest answer says; None before any."""
        return self._documents.last_started()

    def parsed(self, key: str) -> ParsedSource:
        """The parse that the view belongs to. Raises UsageError for a source that is not open."""
        return self._documents.reparsed(key).parsed

    def look_again(self) -> None:
        """Settings, trust or an included file changed: every source counts as saved; jobs that may no longer run are ended."""
        for document in self._documents.values():
            if not self._parts.guard.is_trusted(document.path):
                self._staging.drop(document.key)
                self.queues.cancel_source(document.key, is_background_only=False)
            else:
                self._requests.set_up(document)
                self._staging.changed(document.key, Trigger.SAVED, self._parts.settings_of(document.path))

    def files_changed(self, paths: tuple[Path, ...]) -> None:
        """Files changed on disk: open sources that are made with one of them, or set up by one, are looked at again once changes stop."""
        self._programs.changed(paths)
        for key in self._answers.unopened.changed(paths):
            self._parts.listener.shown(key)
        is_set_up_anew, is_choosing = any(map(is_setup, paths)), any(map(is_choice, paths))
        for document in self._documents.values():
            is_reached = document.is_reached_by(paths) or self._rewritten.is_reloaded(document.path, document.text, paths)
            may_be_run_otherwise = document.may_have_program and (is_choosing or document.program is None)
            if not self._parts.guard.is_trusted(document.path) or not (is_set_up_anew or is_reached or may_be_run_otherwise):
                continue
            if is_set_up_anew or is_reached:
                document.outdate()
            self._programs.look(document)
            self._staging.changed(document.key, Trigger.CHANGED_ON_DISK, self._parts.settings_of(document.path))

    async def choose_program(self, key: str, name: str | None) -> None:
        """Remember which program runs the kernels of a source; None: ask. Raises as ``OpenPrograms.choose``, and as ``ask``."""
        document = self._documents.open(key)
        self._parts.guard.demand_trust(document.path)
        await self._programs.choose(document, name)
        self._staging.changed(key, Trigger.SAVED, self._parts.settings_of(document.path))

    async def record_build(self, key: str, command: tuple[str, ...], showing: Showing) -> str:
        """Record a build of a source's project, and use what it says at once; what it was, in words. Raises as ``builds.recorded``."""
        return await self._built(key, lambda path: recorded(path, command, self._parts.guard, showing))

    async def configure_project(self, key: str, options: tuple[str, ...], showing: Showing) -> str:
        """As ``record_build``, of CMake's."""
        return await self._built(key, lambda path: configured(path, options, self._parts.guard, showing))

    async def _built(self, key: str, build: Callable[[Path], Awaitable[str]]) -> str:
        report = await build(self._documents.open(key).path)
        self._programs.changed(document.path for document in self._documents.values())
        for document in self._documents.values():
            if document.may_have_program and self._parts.guard.is_trusted(document.path):
                self._programs.look(document)
                self._staging.changed(document.key, Trigger.CHANGED_ON_DISK, self._parts.settings_of(document.path))
        return report

    def offers_changed(self) -> None:
        """A decision was taken, or a turn of a pair session: show what is open now."""
        for document in self._documents.values():
            self.review.refresh(document.path)
            if offer(self._store, document):
                self._parts.listener.shown(document.key)

    # --- jobs -------------------------------------------------------------------------------------------------------

    def ask(
        self, key: str, verb: Verb, kernel: str | None = None, options: OptimizeOptions | None = None, region: str | None = None
    ) -> str:
        """Start a job that a person asked for; its id. Raises UsageError where it is not open or not trusted.

        ``region``: of this job alone; None: as for every job on the source. A job that already runs or waits is not started again: a
        double click starts one, and a model is paid once.
        """
        document = self._documents.open(key)
        request = replace(self._programs.alone(document), kernel=kernel, region=region or document.region)
        return self._ask(document, Task(verb, request, options or OptimizeOptions()))

    def judge(self, key: str, before: Sequence[Source], after: Sequence[Source] = (), on: JudgedOn = ON_EVERYTHING) -> str:
        """Start judging ``after`` (none: the texts as they stand) against ``before``; the job's id. Raises as ``ask`` does."""
        document = self._documents.open(key)
        texts = after or self.texts_of(source.path for source in before)
        region = on.region or document.region
        request = replace(self._programs.alone(document), kernel=on.kernel, seeds=on.seeds, cases=on.cases, region=region)
        return self._ask(document, Task(Verb.JUDGE, about_texts(request, texts), before=tuple(before)))

    def rebase(self, key: str, proposal_id: str, hunk_ids: tuple[str, ...] = ()) -> str:
        """Start judging a proposal's change, or some hunks of it, on the texts as they stand; the job's id. Raises as ``ask`` does."""
        document = self._documents.open(key)
        request = about_texts(self._programs.alone(document), self.texts_of(self._store.find_proposal(proposal_id).paths))
        return self._ask(document, Task(Verb.REBASE, request, proposal=proposal_id, hunk_ids=hunk_ids))

    def suggest(self, key: str, session_id: str, hint: str) -> str:
        """Start looking for a proposal of a pair session; the job's id. Raises as ``ask`` does."""
        document = self._documents.open(key)
        return self._ask(document, Task(Verb.PAIR_SUGGEST, self._programs.alone(document), pair=session_id, said=hint))

    def answer_save(self, key: str) -> None:
        """Have the pair sessions that are open on a source, or on another of its program, answer the texts as they are, in the background.

        A newer save takes its place; nothing is answered where nothing may run.
        """
        for document in self._documents.made_with(key):
            if document.view.pairs and self._parts.guard.is_trusted(document.path):
                self._submit_soon(document, Task(Verb.PAIR_EDIT, self._programs.alone(document)), is_background=True)

    def cancel(self, job_id: str) -> bool:
        """End a job, of this editor or of another process; False when there is none of that id."""
        return self.queues.cancel(job_id) or self._store.request_cancel(job_id)

    def works(self) -> tuple[Work, ...]:
        """Running and waiting jobs; those that wait for a person's answer last."""
        return self.queues.works

    def is_settled(self, key: str) -> bool:
        """Whether no job on a source runs or waits, and none is about to."""
        return not any(work.key == key for work in self.works()) and not self._staging.is_to_run(key, Verb.INSPECT)

    async def close(self) -> None:
        """End every job and forget the sources."""
        await self._watch.stop()
        self.queues.stop_asking()
        await self._programs.close()
        for key in self.keys():
            self.remove(key)
        await self.queues.close()

    # --- what lanes report --------------------------------------------------------------------------------------------

    def started(self, work: Work) -> None:
        if work.key in self._documents:
            self._documents[work.key].begin(work.id)
        self._parts.listener.job_started(work)

    def reported(self, work: Work, event: Event) -> None:
        document = self._documents.get(work.key)
        heard = () if document is None or not isinstance(event, JobEnded) else (*document.heard(work.id), event)
        if document is not None and work.task.verb in STAGES and document.collect(work.id, work.task, event):
            if isinstance(event, JobEnded) and work.task.request.kernel is not None:
                self._answers.keep(document, work.task.verb)  # answers on whole files are kept by their job
            self._parts.listener.shown(work.key)
            self._answers.share(document, work.task, heard)
        is_judged = work.task.verb is Verb.JUDGE and not work.task.request.cases
        if is_judged and document is not None and work.task.text == document.text and document.collect(work.id, work.task, event):
            self._answers.keep(document, Verb.JUDGE)  # a judgement of the open text is shown now and after a restart
            self._parts.listener.shown(document.key)
        if document is not None and work.task.verb is Verb.OPTIMIZE:
            self._searches.heard(document, work, event)
        if isinstance(event, ProposalMade | PairTurn):
            self.offers_changed()
        if isinstance(event, BudgetSpent) and (event.spent.call_count or event.estimate is not None):  # of models, not of rounds alone
            self.spent = event
        self._parts.listener.job_reported(work, event)

    def waits_for_consent(self, work: Work) -> None:
        self._parts.listener.shown(work.key)

    def waits(self, work: Work, reason: str) -> None:
        self._parts.listener.job_waits(work, reason)

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        document = self._documents.get(work.key)
        if document is not None:
            if document.abandon(work.id):
                self._parts.listener.shown(document.key)
            if work.task.verb in SEARCHES and refusal is None and not is_cancelled:
                # the person allowed the search to run the program: background stages can now show the original's figures
                self._staging.changed(document.key, Trigger.SAVED, self._parts.settings_of(document.path))
        self._parts.listener.job_ended(work, refusal, is_cancelled)
        self._staging.go_on()

    # --- inside -----------------------------------------------------------------------------------------------------

    def _parse(self, key: str) -> None:
        if key in self._documents:
            self._documents.reparsed(key)
            self._parts.listener.shown(key)
            self._documents.hold_back(self._parts.listener.shown)

    def _programs_known(self, document: OpenDocument) -> None:
        """What memory has on the source in its program is shown."""
        if document.key in self._documents:
            document.recall(self._store.analyses(document.path))
            self._parts.listener.shown(document.key)

    def _observe(self, document: OpenDocument) -> None:
        """Save the decisions that the text shows."""
        for outcome in self.review.observe(document.path, document.text):
            self.show_decision(document.key, outcome)

    def show_decision(self, key: str, outcome: Decision | AlreadyDecided) -> None:
        """A source shows a decision, taken here or earlier in another front end: say so, and offer what is open now."""
        offer(self._store, self._documents.open(key))
        if isinstance(outcome, Decision):
            self._parts.listener.decided(key, outcome)
            self._documents.decided(self._store.find_proposal(outcome.proposal), self._parts.listener.shown)
        else:
            self._parts.listener.lost(key, outcome)

    def _ask(self, document: OpenDocument, task: Task) -> str:
        self._parts.guard.demand_trust(document.path)
        asked = (work for work in self.works() if is_asked_by_person(work, document.key, task))
        known = next((work for work in asked if not self.queues.is_ending(work.id)), None)
        return self._submit_soon(document, task, is_background=False) if known is None else known.id

    def _submit_soon(self, document: OpenDocument, task: Task, is_background: bool) -> str:
        work = Work(new_id("J"), document.key, task, is_background, self)
        self.queues.submit(work)
        return work.id

    async def _start_stage(self, key: str, verb: Verb) -> None:
        """One background stage, if there is no answer to it for this text."""
        document = self._documents.get(key)
        if document is None:
            return
        await self._programs.find(document)
        if document.has_answer(verb.value):
            if verb is Verb.INSPECT:
                await self.queues.warm_up()
            return
        document.reparse()
        if document.is_compiled if verb is Verb.INSPECT else document.parsed.kernels and document.has_workload:
            request = replace(self._programs.alone(document), needs_kernels=verb is not Verb.INSPECT)
            await self.queues.admit(Work(new_id("J"), key, Task(verb, request), True, self))
