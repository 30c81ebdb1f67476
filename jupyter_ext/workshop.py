"""What one notebook kernel works with: the editor session of its cells on a background thread, memory, and a lab for compiling and calling.

Nothing here blocks the thread that calls it for longer than a compile. No CUDA library is loaded: workers compile and run. Example::

    workshop = Workshop()
    run = workshop.open(cell, live, CellQuestions(kernel=None, verbs=(Verb.CHECK, Verb.PROFILE)))
    run.wait(60.0)
    workshop.picture(run).report
"""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path

from assistant.config import (
    ConsentAnswer,
    ProgramConsent,
    Settings,
    TrustOfThisRun,
    find_workspace,
    load_settings,
    memory_path,
    user_paths,
)
from assistant.disk.temporary import OwnFolder
from assistant.editor.guard import Guard
from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane, Work
from assistant.editor.models import ModelConsents
from assistant.editor.open_document import InnerText
from assistant.editor.parts import EditorParts
from assistant.editor.session import EditorSession
from assistant.editor.staging import Trigger
from assistant.editor.tasks import Verb
from assistant.engine import DONE, JobRequest, OptimizeOptions
from assistant.engine.pair import PairSessions
from assistant.engine.search import ModelNotice
from assistant.errors import KernelOptError
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu_users import NvmlGpuUsers
from assistant.lab.recorder import LaunchRecorder
from assistant.live.gpu_modules import GpuModules
from assistant.live.loop import BackgroundLoop
from assistant.live.sharing import SharedReader
from assistant.live.snapshot import remove_left_folders
from assistant.memory.store import open_store
from assistant.model.events import Event
from assistant.model.program import STANDS_ALONE
from assistant.model.proposal import AlreadyDecided, Decision, Proposal
from assistant.model.short_ids import with_short_ids
from assistant.model.source import Source
from assistant.model.workload import LiveWorkload
from assistant.plan.catalogue import own_catalogue
from assistant.ports.store import Store
from assistant.record import Record
from jupyter_ext.cells import Cell
from jupyter_ext.lineage import Remembered
from jupyter_ext.operator_jobs import OperatorJobs
from jupyter_ext.operator_runs import Asked, OperatorRun
from jupyter_ext.pictures import Picture, Pictures
from jupyter_ext.runs import CellRun, Run

__all__ = ["CellQuestions", "Workshop"]

_FRONT_END = "jupyter"
_OFF = {"compile": "off", "verify": "off", "profile": "off"}
_REMEMBERED_ATTEMPTS = 50
_LAST_WORDS_S = 2.0
"""Limit of runs that end with the notebook's kernel: Jupyter gives that one 5 s in all."""


class CellQuestions(Record):
    """What is to be found out of a cell."""

    kernel: str | None
    verbs: tuple[Verb, ...]
    options: OptimizeOptions
    device: str | None = None
    """None: from the configuration."""
    target: str | None = None
    cflags: tuple[str, ...] | None = None
    region: str | None = None
    """What speeds are of; None: as the settings say."""
    before: str | None = None
    """The cell's previous text, which it is judged against."""
    pair: str | None = None
    """The session that ``PAIR_SUGGEST`` is asked of."""
    hint: str = ""
    folder: Path | None = None
    """Folder of the live arrays; removed when the cell is opened again."""
    is_recorded: bool = False
    """The arrays are those of launches that a captured cell made."""


class Workshop:
    """Made when a notebook first needs it; implements the session's listener."""

    def __init__(self) -> None:
        self.loop = BackgroundLoop()
        remove_left_folders()
        self._own_folder = OwnFolder("jupyter")
        self.scratch = self._own_folder.path
        """Removed with the workshop."""
        self.who = f"{_FRONT_END} {os.getpid()}"
        """Front end and process, as decisions name them."""
        self._runs: list[Run] = []
        self._by_job: dict[str, tuple[CellRun, Verb, asyncio.Future[None]]] = {}
        self._wanted: dict[str, CellQuestions] = {}
        self._following: dict[str, asyncio.Task[None]] = {}
        self._store, self.editor, self.lab = self.loop.call(self._open)
        self._pictures = Pictures(self.editor, self._store)
        self._operators = OperatorJobs(self.editor.queues, self.lab.cache)
        self.shared = SharedReader(self.loop)
        self.modules = GpuModules()
        self.recorder = LaunchRecorder(self.scratch, user_paths().cache)

    def _open(self) -> tuple[Store, EditorSession, CpuLab]:
        settings = load_settings(None).settings
        store = open_store(memory_path(settings))
        trust = TrustOfThisRun(user_paths().trust)
        guard = Guard(trust, _consented, is_trusted=True)
        lanes = Lane(JobHost(_FRONT_END)), Lane(JobHost(_FRONT_END), NvmlGpuUsers())
        parts = EditorParts(*lanes, guard, self, self._settings_of, self.who, ModelConsents(trust, self._may_ask_model))
        self.pairs = PairSessions(store, own_catalogue(), self.who)
        return store, EditorSession(store, parts), CpuLab(self.scratch, user_paths().cache, settings.target)

    @property
    def store(self) -> Store:
        return self._store

    @property
    def runs(self) -> tuple[Run, ...]:
        """Runs of all cells, oldest first."""
        return tuple(self._runs)

    @property
    def cell_runs(self) -> tuple[CellRun, ...]:
        """Those of cells with kernels."""
        return tuple(run for run in self._runs if isinstance(run, CellRun))

    def request(self, cell: Cell, wanted: CellQuestions) -> JobRequest:
        """What the cell's text is compiled as."""
        return JobRequest(
            cell.path,
            cell.path.parent,
            texts=((cell.path, cell.text),),
            kernel=wanted.kernel,
            target=wanted.target,
            cflags=wanted.cflags,
            programs=STANDS_ALONE,
        )

    def open(self, cell: Cell, live: LiveWorkload | None, wanted: CellQuestions) -> CellRun:
        """Take up a cell that was run: what went on for its earlier text ends, the questions begin. Returns at once."""
        run = CellRun(len(self._runs) + 1, cell, wanted.kernel, wanted.verbs).held_against(live)
        self._runs.append(run)
        self.loop.call(self._begin, run, live, wanted)
        return run

    def suggest(self, earlier: CellRun, session_id: str, hint: str) -> CellRun:
        """Look for a proposal of a pair session, on the cell as it was last run. Returns at once."""
        wanted = replace(self._wanted[earlier.cell.key], pair=session_id, hint=hint, verbs=(Verb.PAIR_SUGGEST,), before=None)
        run = CellRun(len(self._runs) + 1, earlier.cell, earlier.kernel, wanted.verbs)
        self._runs.append(run)
        self.loop.call(self._take_up, run, wanted)
        return run

    def open_operator(self, name: str, notebook: Path, cell_id: str | None, asked: tuple[Asked, ...]) -> OperatorRun:
        """Take up a cell with a PyTorch task or a candidate; what went on for the same cell ends. Returns at once."""
        run = OperatorRun(len(self._runs) + 1, name, notebook, cell_id, asked)
        self._runs.append(run)
        self.loop.call(self._begin_operator, run)
        return run

    def cancel(self, run: Run) -> None:
        """End what is running for it."""
        self.loop.call(self._cancel, run)

    def picture(self, run: CellRun) -> Picture:
        """What is known of the text that a run judged."""
        return self.loop.call(self._pictures.of, run)

    def remembered(self, path: Path) -> Remembered:
        """What memory knows of the texts that went by a cell's path."""
        return self.loop.call(self._remembered, path)

    @property
    def workspace(self) -> Path:
        """That of the cell that was run last; before any, of the folder that the kernel works in, which is the notebook's at first."""
        return find_workspace(self._runs[-1].place if self._runs else Path.cwd())

    def find_proposal(self, name: str) -> Proposal:
        """By its short id in the notebook's workspace, as every front end shows it, or by the first letters of its long one.

        Raises UsageError where it names none, or several.
        """
        return self.loop.call(self._store.find_proposal, name, self.workspace)

    def for_people(self, text: str) -> str:
        """With short ids of proposals in place of long ones."""
        return self.loop.call(with_short_ids, text, self._store.short_id)

    def close(self) -> None:
        """End every job and worker, and unload what cells launched on a GPU."""
        self.modules.close()
        self.loop.close(self._end)
        for wanted in self._wanted.values():
            _remove(wanted.folder)
        self._own_folder.remove()

    # --- on the background thread ---------------------------------------------------------------------------------

    def _begin(self, run: CellRun, live: LiveWorkload | None, wanted: CellQuestions) -> None:
        key = run.cell.key
        for other in self._runs_of(key):
            if other is not run and other.cell.text != run.cell.text:
                self._pictures.leave(other)
        earlier = self._wanted.get(key)
        if earlier is not None and earlier.folder != wanted.folder:
            _remove(earlier.folder)
        self.editor.put(key, run.cell.path, run.cell.text, Trigger.SAVED, InnerText())
        self.editor.bind(key, live)
        self.editor.ask_speed_of(key, wanted.region)
        self._take_up(run, wanted)

    def _take_up(self, run: CellRun, wanted: CellQuestions) -> None:
        """Begin its questions; what went on for the cell before ends."""
        key = run.cell.key
        for other in self.cell_runs:
            is_of_cell = other.cell.key == key or (run.cell.id is not None and other.cell.id == run.cell.id)
            if other is not run and is_of_cell:
                self._cancel(other)
        self._wanted[key] = wanted
        self._following[key] = asyncio.create_task(self._follow(run, wanted))

    def _begin_operator(self, run: OperatorRun) -> None:
        for other in self._runs:
            if isinstance(other, OperatorRun) and other is not run and run.cell_id is not None and other.cell_id == run.cell_id:
                self._cancel(other)
        self._following[f"run {run.number}"] = asyncio.create_task(self._operators.answer(run))

    async def _follow(self, run: CellRun, wanted: CellQuestions) -> None:
        """One question after the other; what says no ends the run, as what comes next would rest on it."""
        try:
            for verb in wanted.verbs:
                await self._answered(run, verb, wanted)
                if run.is_cancelled or (run.step(verb).exit_code != DONE and verb is not Verb.JUDGE):
                    break
        finally:
            run.end()

    async def _answered(self, run: CellRun, verb: Verb, wanted: CellQuestions) -> None:
        try:
            job_id = self._ask(run, verb, wanted)
        except KernelOptError as error:
            run.refused(verb, error)
            return
        if job_id is None:
            run.skipped(verb)
            return
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._by_job[job_id] = (run, verb, over)
        run.begin(verb, job_id)
        await over

    def _ask(self, run: CellRun, verb: Verb, wanted: CellQuestions) -> str | None:
        """The id of the job that answers; None where there is nothing to answer."""
        key = run.cell.key
        match verb:
            case Verb.JUDGE:
                assert wanted.before is not None, "there is an earlier text to judge against"
                return self.editor.judge(key, (Source(run.cell.source.path, wanted.before),))
            case Verb.PAIR_EDIT:
                return self.editor.answer_save(key)
            case Verb.PAIR_SUGGEST:
                assert wanted.pair is not None, "a suggestion is asked of a session"
                return self.editor.suggest(key, wanted.pair, wanted.hint)
            case _:
                return self.editor.ask(key, verb, wanted.kernel, wanted.options)

    def _cancel(self, run: Run) -> None:
        if not run.state.is_over:
            run.is_cancelled = True
            if run.job_id is not None:
                self.editor.cancel(run.job_id)

    def _remembered(self, path: Path) -> Remembered:
        attempts, proposals = self._store.attempts(path=path, limit=_REMEMBERED_ATTEMPTS), self._store.proposals(path=path)
        texts = [attempt.parent_text for attempt in attempts]
        texts += [text.text for proposal in proposals for text in (*proposal.before, *proposal.after)]
        return Remembered(frozenset(item.text_sha256 for item in self._store.analyses(path)), tuple(dict.fromkeys(texts)))

    async def _end(self) -> None:
        await self._end_runs()
        for task in self._following.values():
            task.cancel()
        await self.editor.close()
        await self.recorder.close()
        await self.shared.close()
        try:
            await self.lab.close()
        finally:
            self._store.close()

    async def _end_runs(self) -> None:
        """As Cancel does, while sources are still open: what stands below the cells is true without a kernel, too."""
        for run in self._runs:
            self._cancel(run)
        if self._following:
            await asyncio.wait(self._following.values(), timeout=_LAST_WORDS_S)

    def _settings_of(self, path: Path) -> Settings:
        """The workspace's, with what the cell's magic says; nothing runs unasked."""
        settings = load_settings(find_workspace(path)).settings
        wanted = self._wanted.get(str(path))
        changed: dict[str, object] = {"background": settings.background.model_copy(update=_OFF)}
        if wanted is not None:
            changed |= {name: value for name, value in (("device", wanted.device), ("target", wanted.target)) if value is not None}
            if wanted.cflags is not None:
                changed["build"] = settings.build.model_copy(update={"flags": wanted.cflags})
        return settings.model_copy(update=changed)

    async def _may_ask_model(self, notice: ModelNotice) -> ConsentAnswer | None:
        """A planner named on the magic's line is asked for by name, and a message says what is sent where; no one else can be asked."""
        if not notice.is_named:
            return None
        for run in self.cell_runs:
            if run.cell.path == notice.file and not run.state.is_over:
                for line in notice.lines:
                    run.say(line)
        return ConsentAnswer.ONCE

    # --- what the session reports --------------------------------------------------------------------------------------

    def shown(self, key: str) -> None:
        for run in self._runs_of(key):
            if run.state.is_over:
                run.changed()

    def decided(self, key: str, decision: Decision) -> None:
        """The proposal's new state is what is shown of it."""
        for run in self._runs_of(key):
            run.changed()

    def lost(self, key: str, outcome: AlreadyDecided) -> None:
        first = outcome.decision
        for run in self._runs_of(key)[-1:]:
            run.say(f"{self.for_people(first.proposal)} was already {first.kind.value.replace('_', ' ')} by {first.decided_by}")

    def _runs_of(self, key: str) -> list[CellRun]:
        return [run for run in self.cell_runs if run.cell.key == key]

    def job_started(self, work: Work) -> None:
        """Its events say what it does."""

    def job_reported(self, work: Work, event: Event) -> None:
        found = self._by_job.get(work.id)
        if found is not None:
            found[0].follow(found[1], event)

    def job_waits(self, work: Work, reason: str) -> None:
        """Nothing that is started here is background work, which alone waits."""

    def job_ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        found = self._by_job.pop(work.id, None)
        if found is None:
            return
        run, verb, over = found
        try:
            if refusal is not None:
                run.refused(verb, refusal)
            elif is_cancelled:
                run.cancelled(verb)
        finally:  # whatever goes wrong in showing it: what waits for the run goes on
            if not over.done():
                over.set_result(None)


async def _consented(run: ProgramConsent) -> ConsentAnswer:
    """Who runs a cell asks for it by name, in a process that may do anything already."""
    del run
    return ConsentAnswer.ONCE


def _remove(folder: Path | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
