"""An event loop on a thread of its own, so that background work never waits for the notebook's main thread, nor that for it.

Example::

    loop = BackgroundLoop()
    loop.call(editor.view, key)            # runs there, the answer comes back
    loop.submit(work())                  # a future
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

__all__ = ["BackgroundLoop", "Waits"]

T = TypeVar("T")
P = ParamSpec("P")

_END_S = 10.0
"""What ends with the loop, worker processes, is given so long."""


class Waits:
    """What `BackgroundLoop.wait` waits for in a context, so that somebody else can end it."""

    def __init__(self) -> None:
        self._is_cancelled = False
        self._futures: list[concurrent.futures.Future[Any]] = []

    @classmethod
    def of_this_context(cls) -> Waits:
        """From now on of everything that this context waits for."""
        made = cls()
        _WAITS.set(made)
        return made

    def add(self, future: concurrent.futures.Future[Any]) -> None:
        self._futures.append(future)
        if self._is_cancelled:
            future.cancel()

    def cancel(self) -> None:
        """End what is waited for, and whatever will be."""
        self._is_cancelled = True
        for future in self._futures:
            future.cancel()


_WAITS: ContextVar[Waits | None] = ContextVar("waits", default=None)


class BackgroundLoop:
    """Started with its first work; a daemon, as a kernel that ends does not wait for threads."""

    def __init__(self, end_s: float = _END_S) -> None:
        """``end_s``: seconds that ``close`` waits at most."""
        self._end_s = end_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start a coroutine there."""
        return asyncio.run_coroutine_threadsafe(work, self._started())

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine returns or raises there; an interrupt of this thread ends it."""
        future = self.submit(work)
        waits = _WAITS.get()
        if waits is not None:
            waits.add(future)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What ``function`` returns or raises there, from whichever thread; for what takes no time."""
        if threading.current_thread() is self._thread:
            return function(*args, **kwargs)

        async def answer() -> T:
            return function(*args, **kwargs)

        return self.submit(answer()).result()

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do ``last`` there, then end. What takes longer is left alone: workers end with this process."""
        loop, self._loop = self._loop, None
        if loop is None:
            return

        async def ending() -> None:
            async with asyncio.timeout(self._end_s):
                await last()

        try:
            with contextlib.suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(ending(), loop).result(2 * self._end_s)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            if self._thread is not None:
                self._thread.join(self._end_s)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_run, args=(self._loop,), name="kernelopt", daemon=True)
            self._thread.start()
        return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
