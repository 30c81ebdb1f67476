"""What a worker of a cluster does: one edit judged, one drawn task checked, or one program searched, as this machine's own commands do.

Only this module's name and the work itself travel. Example::

    cluster.run(judge_item(kept, text, is_isolated=False), device)
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from assistant.agents.synthesis import Drawn, checked
from assistant.agents.tasks import KeptTask, Task, TaskStore
from assistant.agents.tasks.judging import judge_here
from assistant.agents.tasks.packing import packed, portable, unpacked
from assistant.bench import BenchSettings, ProgramRunner
from assistant.bench.task import Task as Program
from assistant.cli.compose import open_session
from assistant.cluster import CPU, WorkFile, WorkItem, answered, write_files
from assistant.config import user_paths
from assistant.engine import Session, scratch_folder
from assistant.errors import UsageError
from assistant.lab.kept import KeptCompiler
from assistant.live.loop import BackgroundLoop
from assistant.record import Record
from assistant.serialize import dumps, loads

__all__ = ["SECRET", "carry_out", "check_item", "judge_item", "program_item"]

_JUDGE, _CHECK, _PROGRAM = "judge", "check", "program"
_EDITED = "edited"


SECRET = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
"""In names of variables that hold what must stay secret, as candidates are never shown them (`assistant.worker.environment`)."""


class _JudgeWork(Record):
    task: Task
    device: str
    is_isolated: bool


class _CheckWork(Record):
    drawn: Drawn
    device: str


class _ProgramWork(Record):
    folder: str
    """Name of the suite's folder."""
    settings: BenchSettings
    program: Program


def judge_item(kept: KeptTask, text: str, device: str, *, is_isolated: bool) -> WorkItem:
    """An edited text of a task. Raises OSError where the task cannot be read."""
    files = packed(kept) | {_EDITED: text.encode("utf-8", "surrogateescape")}
    work = _JudgeWork(portable(kept), _word(device), is_isolated)
    return WorkItem(_JUDGE, dumps(work), tuple(WorkFile(name, data) for name, data in files.items()))


def check_item(drawn: Drawn, device: str) -> WorkItem:
    """Whether a drawn task is one."""
    return WorkItem(_CHECK, dumps(_CheckWork(drawn, _word(device))))


def program_item(folder: Path, files: tuple[WorkFile, ...], settings: BenchSettings, program: Program, device: str) -> WorkItem:
    """A program of a suite, searched by rules; ``files``: of the suite's folder."""
    return WorkItem(_PROGRAM, dumps(_ProgramWork(folder.name, replace(settings, folder=folder.name, device=_word(device)), program)), files)


def carry_out(payload: bytes) -> bytes:
    """On a worker: what came of a piece of work."""
    worker = _this_worker()
    return answered(payload, worker.loop.submit, worker.work)


def _word(device: str) -> str:
    """As ``--device`` has it on the worker: each sees one GPU or none."""
    return "cpu" if device == CPU else "gpu"


class _Worker:
    """What a worker's process keeps between pieces of work: a loop, a compiler, and a session with a memory of its own."""

    def __init__(self) -> None:
        for name in filter(SECRET.search, tuple(os.environ)):
            del os.environ[name]  # programs that clients send must not read them
        self.loop = BackgroundLoop()
        self._session: Session | None = None

    async def work(self, item: WorkItem) -> str:
        """JSON text of what came of it; raises KernelOptError."""
        kinds: dict[str, Callable[[WorkItem, Path], Coroutine[Any, Any, object]]] = {
            _JUDGE: self._judge,
            _CHECK: self._check,
            _PROGRAM: self._search,
        }
        if item.kind not in kinds:
            raise UsageError(f"workers know no work of kind {item.kind!r}")
        with scratch_folder() as folder:
            return dumps(await kinds[item.kind](item, folder))

    def _opened(self) -> Session:
        if self._session is None:
            self._session = open_session("worker", KeptCompiler(), memory=user_paths().memory.with_name(f"worker-{os.getpid()}.sqlite3"))
        return self._session

    async def _judge(self, item: WorkItem, folder: Path) -> dict[str, Any]:
        work = loads(_JudgeWork, item.about)
        files = {file.name: file.data for file in item.files}
        text = files.pop(_EDITED).decode("utf-8", "surrogateescape")
        kept = unpacked(TaskStore(folder), work.task, files, work.device)
        return await judge_here(self._opened())(kept, text, work.is_isolated, _unheard)

    async def _check(self, item: WorkItem, folder: Path) -> object:
        work = loads(_CheckWork, item.about)
        file = folder / Path(work.drawn.file_name).name
        file.write_text(work.drawn.text, "utf-8")
        return await checked(self._opened(), work.drawn, file, _unheard, work.device)

    async def _search(self, item: WorkItem, folder: Path) -> object:
        work = loads(_ProgramWork, item.about)
        suite = folder / Path(work.folder).name
        await asyncio.to_thread(write_files, suite, item.files)
        open_own = partial(open_session, "worker", memory=folder / "memory.sqlite3")
        return await ProgramRunner(suite, work.settings, lambda _: open_own(), lambda _: None).run(work.program)


@cache
def _this_worker() -> _Worker:
    return _Worker()


async def _unheard(_: str) -> None:
    """Where it stands is for a terminal, which a worker has none of."""
