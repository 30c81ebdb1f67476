"""The memory file behind an event loop: every question runs on one thread of its own, so that a locked file never holds up the server.

Example::

    memory = MemoryThread(root)
    jobs = await memory.ask(lambda served: served.jobs("", now_ms))
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from assistant.config import load_settings, memory_path
from assistant.memory import MemoryStore, open_store
from jupyter_ext.served import ServedMemory

__all__ = ["MemoryThread"]

T = TypeVar("T")


class MemoryThread:
    """The memory file is opened by the first question, and again by the next one where that failed."""

    def __init__(self, root: Path) -> None:
        """``root``: the folder that the server serves."""
        self._root = root
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="kernelopt-memory")
        self._store: MemoryStore | None = None
        self._change_count = 0

    async def ask(self, question: Callable[[ServedMemory], T]) -> T:
        """The answer. Raises what the question raises, and MemoryFileError where the file cannot be used."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: question(ServedMemory(self._root, self._opened())))

    async def change(self, question: Callable[[ServedMemory], T]) -> T:
        """As `ask`, for what writes."""
        try:
            return await self.ask(question)
        finally:
            self._change_count += 1

    async def version(self) -> tuple[int, int]:
        """Changes whenever another process, or `change`, wrote."""
        data_version = await asyncio.get_running_loop().run_in_executor(self._thread, lambda: self._opened().data_version())
        return data_version, self._change_count

    def close(self) -> None:
        """Close the file once what was asked is answered."""
        self._thread.submit(self._close)
        self._thread.shutdown()

    def _opened(self) -> MemoryStore:
        if self._store is None:
            self._store = open_store(memory_path(load_settings(None).settings))
        return self._store

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None
