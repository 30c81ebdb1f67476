"""From plain async functions that send events to the async iterator that a front end reads: the one place where the two meet.

Example::

    async def work(listener: Listener) -> None:
        listener.emit(event)

    async for event in streamed(work): ...
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Protocol

from assistant.model import events

__all__ = ["UNHEARD", "Listener", "streamed"]


class Listener(Protocol):
    """Receives a job's events, in order."""

    def emit(self, event: events.Event) -> None:
        """Take one event; returns at once."""
        ...

    async def delivered(self) -> None:
        """Return when every event so far was read: before a person is asked about one, say."""
        ...


class _Unheard:
    def emit(self, event: events.Event) -> None:
        pass

    async def delivered(self) -> None:
        pass


UNHEARD: Listener = _Unheard()
"""Drops all events."""


class _Queue:
    """Holds events until the reader takes them."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[events.Event | None] = asyncio.Queue()

    def emit(self, event: events.Event) -> None:
        self._queue.put_nowait(event)

    async def delivered(self) -> None:
        await self._queue.join()

    def end(self) -> None:
        """Nothing more comes."""
        self._queue.put_nowait(None)

    async def next(self) -> events.Event | None:
        """The next event; None at the end."""
        return await self._queue.get()

    def was_read(self) -> None:
        """The reader has done what it does with an event."""
        self._queue.task_done()


async def streamed(work: Callable[[Listener], Coroutine[object, object, object]]) -> AsyncGenerator[events.Event]:
    """The events of ``work``, as it sends them. Raises what it raises, after all its events; to stop reading stops the work."""
    queue = _Queue()
    task = asyncio.create_task(work(queue))
    task.add_done_callback(lambda _: queue.end())
    try:
        while (event := await queue.next()) is not None:
            yield event
            queue.was_read()
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
