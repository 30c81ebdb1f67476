"""A request that measures has a GPU alone, on the whole machine: a file lock by the device's UUID, in turns where several want it.

A request that only asks for results shares the GPU with others like it: it takes no time, and GPU processes cannot see each other's memory.
A process that waits holds a second lock, the *turn*, so that the holder sees that somebody waits. Processes that wait to measure also share
a third lock, and for some time go before those that would share the GPU: each change from sharing to measuring waits for the slowest
request that shares. A lock ends with the process that holds it. The files are never written, so that users may share them in a sticky
folder. Example::

    lease = Lease(facts.uuid, lock_folder(), wait_s=60)
    with lease.held(alone=True):
        for case in cases:
            measure(case)
            lease.offer()           # True: somebody else has had the GPU meanwhile
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from assistant.errors import CannotAnswerError

__all__ = ["WAIT_S", "GpuBusyError", "Lease", "NoRoomError", "all_held", "lock_folder", "waits_since_last"]

WAIT_S = 120.0
"""As long as one measurement of another front end's may take, between two of which it lets others in (15 s a shape and its set-up), and a
program that runs under capture for its usual limit."""
_POLL_S = 0.02
_LEAST_NOTED_S = 2 * _POLL_S
"""Shorter waits are none."""
_LET_BY_S = 20.0
"""For so long, requests that share the GPU let requests that measure go first."""
_FOR_ALL = 0o444
"""Every user may lock it, none may write it."""
_AS_IT_IS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""What somebody else put in its place is neither followed nor waited for."""


class GpuBusyError(CannotAnswerError):
    """Somebody else on this machine keeps the GPU."""


class NoRoomError(GpuBusyError):
    """Other programs hold the GPU's memory; those of ours that share it leave once it is wanted alone."""


_waits: list[tuple[float, float]] = []
"""Of this process, which answers one request after the other."""


def waits_since_last() -> list[tuple[float, float]]:
    """When this process has waited for GPUs since this was last asked: begin and end of each wait by `time.monotonic`, seconds."""
    waits = _waits.copy()
    _waits.clear()
    return waits


def lock_folder() -> Path:
    """Where all users of this machine meet; not ``TMPDIR``, which each of them may set."""
    return Path("/tmp")  # noqa: S108 - lock files that hold nothing and are never written


class Lease:
    """One process's claim to one GPU."""

    def __init__(self, uuid: str, folder: Path, wait_s: float = WAIT_S) -> None:
        self._uuid = uuid
        self._wait_s = wait_s
        self._lock = folder / f"kernelopt-{uuid}.lock"
        self._turn = folder / f"kernelopt-{uuid}.turn"
        self._measuring = folder / f"kernelopt-{uuid}.measuring"
        self._held: int | None = None
        self._mode = fcntl.LOCK_EX

    @contextmanager
    def held(self, *, alone: bool) -> Generator[None]:
        """Hold the GPU, or share it with others who do not want it alone; raises GpuBusyError where it does not come free in time."""
        self._mode = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        self._take()
        try:
            yield
        finally:
            self._release()

    def offer(self) -> bool:
        """Let waiting processes have the GPU first, and take it again; whether somebody did. Nothing where it is not held.

        Raises GpuBusyError where it does not come back in time.
        """
        if self._held is None or not _is_held(self._turn):
            return False
        self._release()
        self._take()
        return True

    def _take(self) -> None:
        start_s = time.monotonic()
        try:
            self._wait(start_s)
        finally:
            if (end_s := time.monotonic()) - start_s > _LEAST_NOTED_S:
                _waits.append((start_s, end_s))

    def _wait(self, start_s: float) -> None:
        end_s = start_s + self._wait_s
        if self._mode == fcntl.LOCK_SH:

            def gives_way() -> bool:
                return time.monotonic() < start_s + _LET_BY_S and _is_held(self._measuring)

            while not self._take_in_turn(end_s, gives_way):
                time.sleep(_POLL_S)
            return
        measuring = self._locked(self._measuring, end_s, fcntl.LOCK_SH)
        try:
            self._take_in_turn(end_s, lambda: False)
        finally:
            os.close(measuring)

    def _take_in_turn(self, end_s: float, gives_way: Callable[[], bool]) -> bool:
        """Whether the GPU was taken; False: ``gives_way`` became true meanwhile."""
        turn = self._locked(self._turn, end_s, fcntl.LOCK_EX)
        try:
            while not gives_way():
                self._held = self._locked_now(self._lock, self._mode)
                if self._held is not None:
                    return True
                self._pause(end_s)
        finally:
            os.close(turn)
        return False

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            os.close(held)

    def _locked(self, path: Path, end_s: float, mode: int) -> int:
        """A descriptor that holds the lock until it is closed."""
        while (descriptor := self._locked_now(path, mode)) is None:
            self._pause(end_s)
        return descriptor

    def _locked_now(self, path: Path, mode: int) -> int | None:
        """As ``_locked``; None where others hold it."""
        descriptor = _opened(path)
        if _is_locked(descriptor, mode):
            return descriptor
        os.close(descriptor)
        return None

    def _pause(self, end_s: float) -> None:
        if time.monotonic() > end_s:
            raise GpuBusyError(f"another kernelopt measures on {self._uuid} for more than {self._wait_s:.3g} s")
        time.sleep(_POLL_S)


@contextmanager
def all_held(uuids: Iterable[str], folder: Path, wait_s: float = WAIT_S, *, alone: bool = True) -> Generator[None]:
    """Hold or share all of these GPUs, which everybody takes in the same order, so that no two processes wait for each other.

    Raises GpuBusyError where one does not come free within ``wait_s``.
    """
    with ExitStack() as owned:
        for uuid in sorted(set(uuids)):
            owned.enter_context(Lease(uuid, folder, wait_s).held(alone=alone))
        yield


def _is_held(path: Path) -> bool:
    """Whether some process holds the lock now."""
    descriptor = _opened(path)
    try:
        return not _is_locked(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        return os.open(path, _AS_IT_IS)
    except FileNotFoundError:
        descriptor = os.open(path, _AS_IT_IS | os.O_CREAT, _FOR_ALL)
    with suppress(PermissionError):  # somebody else was quicker: the file is theirs
        os.fchmod(descriptor, _FOR_ALL)  # whatever this user's umask says
    return descriptor


def _is_locked(descriptor: int, mode: int) -> bool:
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
