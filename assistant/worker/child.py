"""Runs one program under limits and leaves nothing behind.

Its output is capped, its memory and its number of processes are watched. It is ended, with all that it started, when its time is over, when
this process is asked to end or dies, and when the requester goes away (standard input hangs up). Code that the user did not write also
gets the limits of ``sandbox``.

Example::

    outcome = run_child(Command(("/bin/true",), Path("/tmp"), {}), Bounds(wall_s=5), Path("out"), Path("err"))
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from assistant.record import Record
from assistant.worker.launcher import Command, Launcher, Limits, RunningProgram, Streams, launcher_or_own
from assistant.worker.sandbox import Confinement

__all__ = ["Bounds", "Command", "Interrupted", "Outcome", "Running", "cut_short", "followed", "limits_for", "run_child"]

_TICK_S = 0.05
_CHUNK_BYTES = 1 << 16
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")
_TASKS_ALLOWED = 4096
"""Threads a program may add to those the user already runs (RLIMIT_NPROC counts all of them): this only stops a fork bomb."""
_FILE_LIMIT_BYTES = 16 << 30
_NO_CORE_BYTES = 1
"""RLIMIT_CORE: too small for a file, and at 1 the kernel hands nothing to a collector of cores either, as it does at 0 (core(5))."""
_STAT_BYTES = 4096
"""More than 52 numbers and a name take."""


class Interrupted(Exception):  # noqa: N818 - an order, not an error
    """The asker went away while a child ran; the child is gone."""


class Bounds(Record):
    wall_s: float
    memory_bytes: int = 8 << 30
    output_bytes: int = 16 << 20
    task_count: int = _TASKS_ALLOWED
    """Threads of the program and of all that it started."""


class Outcome(Record):
    exit_status: int | None
    """None when a signal ended it."""
    signal: str | None
    timed_out: bool
    memory_exceeded: bool
    tasks_exceeded: bool
    output_truncated: bool


class Running(Protocol):
    """What is followed while it runs: ``RunningProgram``, or one of the tasks of a program."""

    @property
    def session(self) -> int:
        """All its processes are in it, and the guard, whose id it is."""
        ...

    def poll(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        ...

    def end(self) -> int:
        """Kill what is left of it; how it ended."""
        ...


def run_child(
    command: Command,
    bounds: Bounds,
    stdout: Path,
    stderr: Path,
    confinement: Confinement | None = None,
    launcher: Launcher | None = None,
) -> Outcome:
    """How the program ended; its output is in the two files. Raises Interrupted, OSError (not startable, or not confinable).

    ``launcher``: None for one of its own.
    """
    with (
        stdout.open("wb") as out,
        stderr.open("wb") as err,
        launcher_or_own(launcher) as starter,
        _started(starter, command, bounds, confinement) as (running, pipes),
    ):
        return followed(running, bounds, dict(zip(pipes, (out, err), strict=True)))


def followed(running: Running, bounds: Bounds, sinks: dict[int, IO[bytes]]) -> Outcome:
    """How it ended, of itself or at a bound. ``sinks``: for each end of a pipe to read from, the file that receives what comes.
    Raises Interrupted."""
    return _Watch(running, bounds, sinks).follow()


@contextmanager
def _started(
    launcher: Launcher, command: Command, bounds: Bounds, confinement: Confinement | None
) -> Generator[tuple[RunningProgram, tuple[int, int]]]:
    """The running program and the ends of its output to read from; afterwards it is gone."""
    null = os.open(os.devnull, os.O_RDONLY)
    out, programs_out = os.pipe()
    err, programs_err = os.pipe()
    try:
        try:
            running = launcher.start(command, Streams(null, programs_out, programs_err), limits_for(bounds), confinement)
        finally:
            for descriptor in (null, programs_out, programs_err):
                os.close(descriptor)
        try:
            yield running, (out, err)
        finally:
            running.end()
    finally:
        os.close(out)
        os.close(err)


def limits_for(bounds: Bounds) -> Limits:
    """What each process of a program may take."""
    resources = {
        "RLIMIT_CORE": _NO_CORE_BYTES,
        "RLIMIT_CPU": int(bounds.wall_s * (os.cpu_count() or 1)) + 10,
        "RLIMIT_FSIZE": _FILE_LIMIT_BYTES,
        "RLIMIT_NPROC": _user_task_count() + _TASKS_ALLOWED,
    }
    return Limits(resources)


class _Watch:
    """Copies output, counts time and memory until the child ends."""

    def __init__(self, running: Running, bounds: Bounds, sinks: dict[int, IO[bytes]]) -> None:
        self._running = running
        self._bounds = bounds
        self._sinks = sinks
        self._left = dict.fromkeys(sinks, bounds.output_bytes)
        self._is_truncated = False
        self._poll = select.poll()
        for descriptor in sinks:
            self._poll.register(descriptor, select.POLLIN)
        self._poll.register(0, 0)  # only hang-up is reported

    def follow(self) -> Outcome:
        deadline = time.monotonic() + self._bounds.wall_s
        next_look = time.monotonic() + _TICK_S  # looking at every process of a machine costs more than most programs do until then
        timed_out = memory_exceeded = tasks_exceeded = False
        open_count = len(self._sinks)
        while open_count or self._running.poll() is None:
            open_count -= self._copy_ready(open_count)
            if time.monotonic() > deadline:
                timed_out = True
                break
            if time.monotonic() > next_look:
                use = _use_of_session(self._running.session)
                memory_exceeded = use.resident_bytes > self._bounds.memory_bytes
                tasks_exceeded = use.task_count > self._bounds.task_count
                if memory_exceeded or tasks_exceeded:
                    break
                next_look = time.monotonic() + _TICK_S
            if open_count and self._running.poll() is not None:
                deadline = min(deadline, time.monotonic() + 1.0)  # a grandchild may hold the pipes: do not wait for it
                timed_out = False
        code = self._running.end()
        is_over = timed_out and code < 0
        name = signal.Signals(-code).name if code < 0 else None
        return Outcome(code if code >= 0 else None, name, is_over, memory_exceeded, tasks_exceeded, self._is_truncated)

    def _copy_ready(self, open_count: int) -> int:
        """Copies what has arrived; how many pipes have ended."""
        ended = 0
        for descriptor, events in self._poll.poll(_TICK_S * 1000 if open_count else 10):
            if descriptor == 0:
                if events & (select.POLLHUP | select.POLLERR):
                    raise Interrupted
                continue
            chunk = os.read(descriptor, _CHUNK_BYTES)
            if not chunk:
                self._poll.unregister(descriptor)
                ended += 1
                continue
            kept = chunk[: self._left[descriptor]]
            self._left[descriptor] -= len(kept)
            self._is_truncated |= len(kept) < len(chunk)
            self._sinks[descriptor].write(kept)
        return ended


class _Use(Record):
    resident_bytes: int
    """Pages shared by a replay's forks count once each."""
    task_count: int


def _use_of_session(session: int) -> _Use:
    """What the processes of a session take now, but for the one that leads it: the guard."""
    members = [_process_fields(name) for name in _process_names() if int(name) != session and _session_of(name) == session]
    resident_pages = sum(int(fields[21]) for fields in members if fields)
    return _Use(resident_pages * _PAGE_BYTES, sum(int(fields[17]) for fields in members if fields))


def _session_of(name: str) -> int | None:
    """Asked for without opening a file: a look at a session goes through every process of the machine."""
    try:
        return os.getsid(int(name))
    except OSError:
        return None


def _user_task_count() -> int:
    """Threads of this user; 0 for those of processes that end meanwhile."""
    user = os.getuid()
    own = [_process_fields(name) for name in _process_names() if _user_of(name) == user]
    return sum(int(fields[17]) for fields in own if fields)


def _user_of(name: str) -> int | None:
    try:
        return os.stat(f"/proc/{name}").st_uid  # noqa: PTH116 - no Path for each process of the machine
    except OSError:
        return None


def _process_names() -> Iterator[str]:
    return filter(str.isdigit, os.listdir("/proc"))  # noqa: PTH208 - likewise


def _process_fields(name: str) -> list[bytes]:
    """Fields of ``/proc/PID/stat`` after the name (proc(5): field 3, the state, is item 0); none where it ended meanwhile."""
    try:
        descriptor = os.open(f"/proc/{name}/stat", os.O_RDONLY)
    except OSError:
        return []
    try:
        return os.read(descriptor, _STAT_BYTES).rpartition(b")")[2].split()
    except OSError:
        return []
    finally:
        os.close(descriptor)


def cut_short(outcome: Outcome) -> tuple[str, ...]:
    """What is missing in the recording of a program that was ended, in words."""
    if outcome.timed_out:
        return ("the program was stopped at its time limit; later launches and transfers are missing",)
    if outcome.memory_exceeded:
        return ("the program was stopped at its memory limit; later launches and transfers are missing",)
    return () if outcome.signal is None else (f"the program ended by {outcome.signal}; later launches and transfers are missing",)
