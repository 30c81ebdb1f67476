"""All tasks of a suite, one or several at a time, each kept as soon as it is found.

It does not know what a task is run with: ``run_one`` may be of programs or of anything else that ends in a row. Example::

    async for row in run_suite(left_of(tasks, journal, sha256), journal, runner.run, most_at_once=4): ...
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from typing import Any

from assistant.bench.journal import Journal
from assistant.bench.row import Row
from assistant.bench.task import Task

__all__ = ["left_of", "run_suite"]


def left_of(tasks: Sequence[Task], journal: Journal, sources_sha256: str) -> tuple[Task, ...]:
    """Those without a row of the present texts."""
    done = {row.title for row in journal.rows if row.sources_sha256 == sources_sha256}
    return tuple(task for task in tasks if task.title not in done)


async def run_suite(
    tasks: Sequence[Task], journal: Journal, run_one: Callable[[Task], Coroutine[Any, Any, Row]], most_at_once: int = 1
) -> AsyncGenerator[Row]:
    """The rows of these tasks, as they are found; tasks begin in order, and those that are under way end with the generator."""
    waiting, running = deque(tasks), set[asyncio.Task[Row]]()
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
