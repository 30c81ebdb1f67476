"""An event loop on a thread of its own, so that background work never waits for the notebook's main thread, nor that for it.

Example::

    loop = BackgroundLoop()
    loop.call(editor.view, key)            # runs there, the answer comes back
    loop.submit(work())                  # a future
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

__all__ = ["BackgroundLoop"]

T = TypeVar("T")
P = ParamSpec("P")

_END_S = 10.0
"""What ends with the loop, worker processes, is given so long."""


class BackgroundLoop:
    """Started with its first work; a daemon, as a kernel that ends does not wait for threads."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start a coroutine there."""
        return asyncio.run_coroutine_threadsafe(work, self._started())

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine returns or raises there; an interrupt of this thread ends it."""
        future = self.submit(work)
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
        """Do ``last`` there, then end."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(last(), loop).result(_END_S)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            if self._thread is not None:
                self._thread.join(_END_S)

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
