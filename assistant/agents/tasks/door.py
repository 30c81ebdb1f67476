"""The one way by which agents ask: ``judge``, ``profile`` and ``ask_memory``, the same answers over every front end.

A call: find the task that the folder names, wait for the task's turn, close what a killed call left, refuse what the budget does not
allow, note the call, look at the protected files, do the work, note the answer. Example::

    door = Door(session, TaskStore(user_paths().tasks), AgentFolder(Path.cwd()))
    (await door.judge(on_progress))["reward"]       # 1
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from assistant.agents.tasks.answering import bounded, by_folder_names, judge_answer, memory_answer
from assistant.agents.tasks.calls import JUDGE, Begun, CallLog, Refused, Tool, left
from assistant.agents.tasks.folder import AgentFolder
from assistant.agents.tasks.jobs import OnProgress
from assistant.agents.tasks.judging import JudgeEdit, allowed_of, judge_here
from assistant.agents.tasks.profile_answers import profile_answer
from assistant.agents.tasks.recalled import recalled
from assistant.agents.tasks.reward import PROTECTED_FILE_CHANGED, Judgement, Reason, reward_of
from assistant.agents.tasks.running import check_edit, profiled
from assistant.agents.tasks.store import KeptTask, TaskStore
from assistant.agents.tasks.task import TaskKind
from assistant.cuda.hunks import unified_diff
from assistant.engine import Session
from assistant.errors import CannotAnswerError, KernelOptError, UsageError
from assistant.record import Record

__all__ = ["Door"]

_MOST_ARGUMENT = 200
"""Characters of a call's argument that are kept."""
_POLL_S = 0.2
_BEAT_S = 1.0
_LONGEST_WAIT_S = 3600.0
"""For another call of the same task, which may take its whole wall time."""


class _Turn(Record):
    """A call that may begin."""

    kept: KeptTask
    log: CallLog
    text: str
    changed: tuple[str, ...]
    """Protected files of the folder that are not what they were."""


Work = Callable[[_Turn], Awaitable[dict[str, Any]]]


class Door:
    """What an agent in a folder may ask."""

    def __init__(
        self, session: Session, store: TaskStore, folder: AgentFolder, task_id: str | None = None, judge_edit: JudgeEdit | None = None
    ) -> None:
        """``task_id``: whatever the folder says by then; None: the task that it names at each call.

        ``judge_edit``: who judges; None: this process.
        """
        self._session = session
        self._judge_edit = judge_edit or judge_here(session)
        self._task_id = task_id
        self._store = store
        self._folder = folder

    async def judge(self, on_progress: OnProgress) -> dict[str, Any]:
        """The reward of the file as it stands, with what the judge said. Raises KernelOptError for a call that may not begin."""

        async def work(turn: _Turn) -> dict[str, Any]:
            if turn.changed:
                message = f"protected files were changed: {', '.join(turn.changed)}; kernelopt task restore puts them back"
                judgement = Judgement(None, message, refusal=Reason(PROTECTED_FILE_CHANGED, message))
                return judge_answer(judgement, reward_of(judgement, allowed_of(turn.kept), is_isolated=self._is_isolated()), [])
            return await self._judge_edit(turn.kept, turn.text, self._is_isolated(), on_progress)

        return await self._call(JUDGE, "", work, on_progress)

    async def profile(self, kernel: str | None, on_progress: OnProgress) -> dict[str, Any]:
        """Where the time of the file as it stands goes. Raises KernelOptError for a call that may not begin, or a text that is not run."""

        async def work(turn: _Turn) -> dict[str, Any]:
            self._demand_runnable(turn)
            log = await profiled(self._session, turn.kept, turn.text, kernel, on_progress)
            return profile_answer(log, turn.kept.task.answer_characters)

        return await self._call("profile", kernel or "", work, on_progress)

    async def ask_memory(self, topic: str, on_progress: OnProgress) -> dict[str, Any]:
        """What earlier trials on kernels like this one came to; ``topic``: a technique whose page is wanted, empty for all."""

        async def work(turn: _Turn) -> dict[str, Any]:
            self._demand_runnable(turn)
            return memory_answer(await recalled(self._session, turn.kept, turn.text, topic, on_progress))

        return await self._call("ask_memory", topic, work, on_progress)

    async def _call(self, tool: Tool, argument: str, work: Work, on_progress: OnProgress) -> dict[str, Any]:
        kept = self._store.find(self._task_id or self._folder.task_id())
        log = CallLog(kept.calls)
        async with _turn(kept, on_progress):
            log.close_killed(kept.beat)
            budget = kept.task.budget
            before = left(budget, log.calls())
            refusal = before.refusal(tool)
            try:
                if refusal is not None:
                    raise CannotAnswerError(refusal, "kernelopt task show lists what was called and what came of it")
                text = self._folder.source(kept.task)
            except KernelOptError as error:
                log.refuse(Refused(tool, argument[:_MOST_ARGUMENT], _now_ms(), str(self._folder.path), error.message))
                raise
            number = log.begin(self._begun(kept, tool, argument, text))
            began_s = time.monotonic()
            answer: dict[str, Any] = {"answer": "the call was cancelled"}
            try:
                async with _beating(kept.beat), asyncio.timeout(before.wall_s):
                    answer = await work(_Turn(kept, log, text, self._folder.changed(kept.task)))
            except TimeoutError:
                answer = {"answer": "ended: the task's wall time is used up"} | ({"reward": None} if tool == JUDGE else {})
            except KernelOptError as error:
                answer = {"answer": error.message}
                raise
            finally:
                spent_s = round(time.monotonic() - began_s, 3)
                about = {"task": kept.task.id, "call": number, "tool": tool}
                after = left(budget, log.calls())
                said = replace(after, wall_s=max(0.0, after.wall_s - spent_s)).as_json()
                answer = bounded(about | by_folder_names(answer, kept.folder_names()) | {"left": said}, kept.task.answer_characters)
                log.end(number, spent_s, answer)
            return answer

    def _begun(self, kept: KeptTask, tool: Tool, argument: str, text: str) -> Begun:
        return Begun(
            tool=tool,
            argument=argument[:_MOST_ARGUMENT],
            at_ms=_now_ms(),
            folder=str(self._folder.path),
            source_sha256=hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest(),
            diff=unified_diff(kept.start(), text, kept.task.source),
            notes=self._folder.notes(),
        )

    def _demand_runnable(self, turn: _Turn) -> None:
        """Raises UsageError where protected files were changed, or the text is not run at all."""
        if turn.changed:
            raise UsageError(f"protected files were changed: {', '.join(turn.changed)}", "kernelopt task restore puts them back")
        refusal = None if turn.kept.task.kind is TaskKind.OPERATOR else check_edit(turn.kept, turn.text)
        if refusal is not None:
            raise UsageError(f"{turn.kept.task.source} is not run: {refusal.message}", "kernelopt judge says the same with a reward")

    def _is_isolated(self) -> bool:
        """Whether the agent's folder belongs to another user than the one that judges."""
        try:
            return self._folder.path.stat().st_uid != os.geteuid()
        except OSError:
            return False


@asynccontextmanager
async def _turn(kept: KeptTask, on_progress: OnProgress) -> AsyncGenerator[None]:
    """One call of a task at a time, whichever front end it comes by; the system frees the lock of a killed process."""
    lock = FileLock(kept.lock, thread_local=False)
    deadline_s = time.monotonic() + _LONGEST_WAIT_S
    is_announced = False
    while True:
        try:
            lock.acquire(timeout=0)
            break
        except Timeout:
            if time.monotonic() > deadline_s:
                raise CannotAnswerError("another call of this task is still running", "wait for it, or end it") from None
        if not is_announced:
            await on_progress("waiting: another call of this task is running")
            is_announced = True
        await asyncio.sleep(_POLL_S)
    try:
        yield
    finally:
        lock.release()


@asynccontextmanager
async def _beating(path: Path) -> AsyncGenerator[None]:
    """Touch the file every second, so that it is known how long a killed call ran."""

    async def beat() -> None:
        while True:
            with suppress(OSError):
                await asyncio.to_thread(path.touch)
            await asyncio.sleep(_BEAT_S)

    heart = asyncio.create_task(beat())
    try:
        yield
    finally:
        heart.cancel()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
