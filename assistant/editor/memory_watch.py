"""Sees that another process wrote to the memory file, and calls for a new look at it.

Example::

    watch = MemoryWatch(store, offers_changed)
    watch.start()
    await watch.stop()
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from assistant.ports.store import Store

__all__ = ["MemoryWatch"]

_POLL_S = 0.5
"""How soon decisions of other processes are seen (within a second)."""


class MemoryWatch:
    """Polls one memory file."""

    def __init__(self, store: Store, changed: Callable[[], None]) -> None:
        self._store = store
        self._changed = changed
        self._poll: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Does nothing where it was started before."""
        if self._poll is None:
            self._poll = asyncio.create_task(self._look())

    async def stop(self) -> None:
        if self._poll is not None:
            self._poll.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._poll

    async def _look(self) -> None:
        seen = self._store.data_version()
        while True:
            await asyncio.sleep(_POLL_S)
            version = self._store.data_version()
            if version != seen:
                seen = version
                self._changed()
