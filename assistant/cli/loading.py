"""Import what only one command needs, when it runs: ``--help``, completion and the other commands start faster without.

Example::

    with loading():
        from assistant.cli import ledger_answers as answers
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["loading"]

_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""Read by numpy's OpenBLAS when it is loaded (OpenBLAS, README, "Setting the number of threads using environment variables")."""


@contextmanager
def loading() -> Generator[None]:
    """While modules load, Ctrl-C ends the process as the system does it, without a traceback; ignored stays ignored."""
    handler = signal.getsignal(signal.SIGINT)
    is_default = handler is signal.default_int_handler
    if is_default:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with _kept_for_good(), _without_blas_threads():
        yield
    if is_default:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def _kept_for_good() -> Generator[None]:
    """What is loaded stays: the garbage collector looks through it neither now nor when the process ends (a quarter of a short command)."""
    was_enabled = gc.isenabled()
    gc.disable()
    yield
    gc.freeze()
    if was_enabled:
        gc.enable()


@contextmanager
def _without_blas_threads() -> Generator[None]:
    """One thread a core would be started, each busy with waiting at first, for products that nothing here computes.

    The variable is taken back: programs that are run inherit the environment.
    """
    if _BLAS_THREADS in os.environ:
        yield
        return
    os.environ[_BLAS_THREADS] = "1"
    yield
    del os.environ[_BLAS_THREADS]
