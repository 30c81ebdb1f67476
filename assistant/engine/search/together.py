"""Coroutines that go on at once: the first that fails ends all, and none outlives the block.

Example::

    async with gathered() as works:
        for step in steps:
            works.begin(carried_out(step))      # which may begin others in a block of its own
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager

__all__ = ["OpenTasks", "gathered"]


class OpenTasks:
    """What goes on in one block."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[object]] = []

    def begin(self, work: Coroutine[object, object, object]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def ended(self) -> None:
        """Return when all have; raises what the first that fails raises."""
        await asyncio.gather(*self._tasks)

    async def called_off(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def gathered() -> AsyncGenerator[OpenTasks]:
    """The block is left when all that was begun in it has ended."""
    works = OpenTasks()
    try:
        yield works
        await works.ended()
    finally:
        await works.called_off()
