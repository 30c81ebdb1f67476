"""Import what only one command needs, when it runs: ``--help``, completion and the other commands start faster without.

Example::

    with loading():
        from assistant.cli import ledger_answers as answers
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["loading"]


@contextmanager
def loading() -> Generator[None]:
    """While modules load, Ctrl-C ends the process as the system does it, without a traceback; ignored stays ignored."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, handler)
