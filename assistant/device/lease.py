"""One user of a GPU at a time, on the whole machine: a file lock by the device's UUID.

The lock goes with the process that holds it. The file is only ever read, so that users may share it in a sticky folder. Example::

    with held(facts.uuid, Path("/tmp"), wait_s=60):
        ...
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from assistant.errors import CannotAnswerError

__all__ = ["GpuBusyError", "held", "lock_folder"]

_POLL_S = 0.02
_FOR_ALL = 0o444
"""Anybody may lock it, nobody may write it."""


class GpuBusyError(CannotAnswerError):
    """Somebody else on this machine keeps the GPU."""


def lock_folder() -> Path:
    """Where all users of this machine meet; not ``TMPDIR``, which each of them may set."""
    return Path("/tmp")  # noqa: S108 - a lock file that holds nothing and is never written


@contextmanager
def held(uuid: str, folder: Path, wait_s: float) -> Generator[None]:
    """Hold the GPU; raises GpuBusyError where somebody else keeps it for longer than ``wait_s``."""
    path = folder / f"kernelopt-{uuid}.lock"
    descriptor = _opened(path)
    try:
        end_s = time.monotonic() + wait_s
        while not _is_locked(descriptor):
            if time.monotonic() > end_s:
                raise GpuBusyError(f"another kernelopt measures on {uuid} for more than {wait_s:g} s")
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _FOR_ALL)
    with suppress(PermissionError):  # somebody else was quicker: the file is theirs
        os.fchmod(descriptor, _FOR_ALL)  # whatever this user's umask says
    return descriptor


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
