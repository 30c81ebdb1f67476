"""A limit on how long the user's own Python may take, where it runs: on the main thread.

It is the kernel's alarm signal that ends it, at the next bytecode: a call into a library that takes longer is let finish. Example::

    with deadline(10.0):
        reference(x)                 # raises Overdue after 10 s
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Overdue", "deadline"]


class Overdue(BaseException):
    """The time is over. Like an interrupt, no error that the user's own code may take for one of its own."""


@contextmanager
def deadline(seconds: float) -> Generator[None]:
    """Raises Overdue inside once ``seconds`` (> 0) are over. No limit on other threads, which get no signals, nor under another alarm."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise Overdue

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
