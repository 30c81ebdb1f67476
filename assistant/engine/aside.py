"""Events that come up while a job waits for something: a model that answers piece by piece, a meter that moves.

Whoever learns something tells it to the job's `Aside`; whoever waits hands it on at once. Example::

    plan = Waited(aside, planner.plan(request))
    async for event in plan.events(): yield event
    plan.result
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Generic, TypeVar

from assistant.model import events

__all__ = ["Aside", "Waited"]

_T = TypeVar("_T")


class Aside:
    """What came up and is not handed on yet, in order."""

    def __init__(self) -> None:
        self._waiting: list[events.Event] = []
        self._is_there = asyncio.Event()

    def tell(self, event: events.Event) -> None:
        self._waiting.append(event)
        self._is_there.set()

    def taken(self) -> tuple[events.Event, ...]:
        """All that came up since the last call."""
        waiting, self._waiting = tuple(self._waiting), []
        self._is_there.clear()
        return waiting

    async def come_up(self) -> None:
        """Return when there is something to take."""
        await self._is_there.wait()


class Waited(Generic[_T]):
    """One thing that is waited for, and what comes up meanwhile."""

    def __init__(self, aside: Aside, awaitable: Awaitable[_T]) -> None:
        self._aside = aside
        self._awaitable = awaitable
        self._result: list[_T] = []

    @property
    def result(self) -> _T:
        """There when ``events`` came to its end."""
        return self._result[0]

    async def events(self) -> AsyncIterator[events.Event]:
        """What came up, until the result is there; whoever stops reading stops the waiting."""
        task = asyncio.ensure_future(self._awaitable)
        try:
            while not task.done():
                news = asyncio.ensure_future(self._aside.come_up())
                await asyncio.wait((task, news), return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
                for event in self._aside.taken():
                    yield event
            for event in self._aside.taken():
                yield event
            self._result.append(task.result())
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
