"""All tasks of a suite, one or several at a time, each kept as soon as it is found.

It does not know what a task is run with: ``run_one`` may be of programs or of anything else that ends in a row. Example::

    async for row in run_suite(left_of(tasks, journal, lambda _: sha256), journal, runner.run, most_at_once=4): ...
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from assistant.bench.journal import Journal, RowT, SettingsT

__all__ = ["left_of", "run_suite"]


class _Titled(Protocol):
    @property
    def title(self) -> str: ...


TaskT = TypeVar("TaskT", bound=_Titled)


def left_of(tasks: Sequence[TaskT], journal: Journal[SettingsT, RowT], sources_sha256: Callable[[TaskT], str]) -> tuple[TaskT, ...]:
    """Those without a row of the present texts, whose hash ``sources_sha256`` gives."""
    done = {(row.title, row.sources_sha256) for row in journal.rows}
    return tuple(task for task in tasks if (task.title, sources_sha256(task)) not in done)


async def run_suite(
    tasks: Sequence[TaskT], journal: Journal[SettingsT, RowT], run_one: Callable[[TaskT], Coroutine[Any, Any, RowT]], most_at_once: int = 1
) -> AsyncGenerator[RowT]:
    """The rows of these tasks, as they are found; tasks begin in order, and those that are under way end with the generator."""
    waiting, running = deque(tasks), set[asyncio.Task[RowT]]()
    try:
        while waiting or running:
            while waiting and len(running) < most_at_once:
                running.add(asyncio.create_task(run_one(waiting.popleft())))
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            rows = sorted((each.result() for each in done), key=lambda row: row.title)
            for row in rows:
                journal.add(row)
            for row in rows:
                yield row
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
