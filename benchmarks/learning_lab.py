"""Searches on the CPU lab of which each candidate's outcome is kept on disk, and shared by all orders of programs.

A search is first gone through with kept outcomes alone; where one is missing, a lab is opened and the search goes through it again.
Example::

    lab = LearningLab(Path("results/learning"), timeout_s=900)
    asyncio.run(lab.searched(task, store, choice="thompson", seed=0, most_candidates=24))
"""

from __future__ import annotations

import asyncio
import pickle
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from assistant.bench.suite_file import SUITE_NAME, SuiteProgram, read_suite
from assistant.cli.compose import open_session
from assistant.engine import DONE, UNHEARD, Ending, Job, JobRequest, OptimizeOptions, Session, SourceVersion, new_id
from assistant.engine.evaluate import evaluate, repeat_limited
from assistant.engine.search import OutcomeKey, RoundsAlone, SearchNode, Trial, UnknownOutcomeError, starts_of
from assistant.errors import CannotAnswerError
from assistant.memory import MemoryStore
from assistant.model.attempt import Attempt
from assistant.ports.lab import LabFailure
from assistant.ports.store import Store
from assistant.record import Record

__all__ = ["LearningLab", "Task", "tasks_of"]


class Task(Record):
    """One program at its smallest size."""

    suite: Path
    program: SuiteProgram

    @property
    def name(self) -> str:
        return f"{self.suite.name}/{self.program.name}"


class _Kept(Record):
    """What is kept of a program."""

    job: Job
    """Whose lab is closed."""
    starts: dict[str, SearchNode]
    """By kernel, the costliest first."""
    trials: dict[OutcomeKey, Trial]


def tasks_of(suites: Iterable[Path], only: list[str] | None) -> tuple[Task, ...]:
    """Every program of the suites, or those that are named."""
    found = (Task(suite, program) for suite in suites for program in read_suite(suite / SUITE_NAME))
    return tuple(task for task in found if only is None or task.name in only)


class LearningLab:
    """Searches with what is kept of earlier ones."""

    def __init__(self, out: Path, timeout_s: float) -> None:
        self._out = out
        self._timeout_s = timeout_s
        self._known: dict[str, _Kept] = {}

    def is_kept(self, task: Task) -> bool:
        """Whether outcomes of an earlier run are here."""
        return self._file(task).exists()

    async def searched(self, task: Task, store: MemoryStore, choice: str, seed: int, most_candidates: int) -> tuple[Attempt, ...]:
        """Candidates in the order that they were tried, which ``store`` then knows. Raises KernelOptError where there can be none,
        TimeoutError where there is no end."""
        options = OptimizeOptions(planner="expert", max_candidates=most_candidates, choice=choice, choice_seed=seed)
        session = open_session("bench", memory=self._out / "jobs.sqlite3")
        held = _HeldStore(store)
        kept = self._kept(task)
        try:
            if kept is None or not await _from_kept(kept, options, held, session):
                held = _HeldStore(store)
                async with asyncio.timeout(self._timeout_s):
                    await self._live(task, kept, options, held, session)
        finally:
            session.close()
        for attempt in held.attempts:
            store.add_attempt(attempt)
        return tuple(held.attempts)

    async def _live(self, task: Task, kept: _Kept | None, options: OptimizeOptions, held: _HeldStore, session: Session) -> None:
        """The search with a lab; what it judged is kept."""

        async def body(job: Job, version: SourceVersion) -> Ending:
            evaluation = await evaluate(job, version)
            if isinstance(evaluation, LabFailure):
                return job.failed(evaluation)
            again = await repeat_limited(job, version, evaluation.counted)
            if isinstance(again, LabFailure):
                return job.failed(again)
            now = _Kept(replace(job, listener=UNHEARD), starts_of(evaluation), {} if kept is None else kept.trials)
            rounds = RoundsAlone(job, options, held.as_store, session.planner, session.catalogue, now.trials, True, again)
            try:
                for name, start in now.starts.items():
                    await rounds.run(name, start)
            finally:
                self._keep(task, now)
            return Ending(DONE, "")

        ending = await session.run("optimize", self._request(task), body, UNHEARD)
        if ending.exit_code != DONE:
            raise CannotAnswerError(ending.reason)

    def _request(self, task: Task) -> JobRequest:
        folder = self._out / "programs" / task.suite.name
        if not folder.exists():
            shutil.copytree(task.suite, folder)
            (folder / ".git").mkdir(exist_ok=True)  # ends the workspace here
        first, *others = ((folder / file).resolve() for file in task.program.files)
        return JobRequest(
            file=first,
            working_directory=first.parent,
            extra_sources=tuple(others),
            arguments=tuple(map(str, task.program.sizes[0])),
            device="cpu",
        )

    def _file(self, task: Task) -> Path:
        return self._out / "outcomes" / f"{task.name.replace('/', '-')}.pickle"

    def _kept(self, task: Task) -> _Kept | None:
        if task.name not in self._known and self.is_kept(task):
            self._known[task.name] = pickle.loads(self._file(task).read_bytes())
        return self._known.get(task.name)

    def _keep(self, task: Task, kept: _Kept) -> None:
        closed = replace(kept, job=replace(kept.job, lab=_ClosedLab(kept.job.lab)))
        self._known[task.name] = closed
        file = self._file(task)
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial")
        partial.write_bytes(pickle.dumps(closed))
        partial.replace(file)


async def _from_kept(kept: _Kept, options: OptimizeOptions, held: _HeldStore, session: Session) -> bool:
    """The search with kept outcomes alone; False where one is missing."""
    job = replace(kept.job, id=new_id("J"))
    rounds = RoundsAlone(job, options, held.as_store, session.planner, session.catalogue, kept.trials, has_lab=False)
    try:
        for name, start in kept.starts.items():
            await rounds.run(name, start)
    except UnknownOutcomeError:
        return False
    return True


class _ClosedLab:
    """What is still asked of a lab where all outcomes are kept."""

    timing = None
    parallel_labs = ()

    def __init__(self, lab: Any) -> None:
        self._described = lab.describe()

    def describe(self) -> Any:
        return self._described


class _HeldStore:
    """Recalls from memory; what is tried comes to it after the search, which does not quote itself anyway."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.attempts: list[Attempt] = []

    @property
    def as_store(self) -> Store:
        return cast("Store", self)  # all else is the store's own

    def add_attempt(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
