"""Starts programs so that none of them, nor anything that they start, outlives the process that asked: not when it is killed, either.

Another process (``guard``) does the starting: it is small, so that a fork costs little, and has one thread. Example::

    launcher = Launcher()
    with devnull_streams(out) as streams:
        running = launcher.start(Command(("g++", "--version"), Path("/"), {}), streams)
    running.wait(10.0)      # 0
    running.end()
"""

from __future__ import annotations

import base64
import errno
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path

from assistant.record import Record
from assistant.worker.guard import ENDED, LENGTH, LIMITS_STAGE, MESSAGE, STARTED
from assistant.worker.sandbox import Confinement

__all__ = ["Command", "Launcher", "Limits", "RunningProgram", "Streams", "launcher_or_own"]

_ROOT = Path(__file__).parents[2]
_END_TIMEOUT_S = 2.0


class Command(Record):
    arguments: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]


class Limits(Record):
    """What one process may take."""

    resources: Mapping[str, int] = field(default_factory=dict[str, int])
    """By the names of ``resource``; none of the process's own limits is raised."""
    is_file_limit_an_error: bool = False
    """A write beyond the limit on the size of files fails; else it ends the program by a signal, as is usual."""


class Streams(Record):
    """Open descriptors that the program gets; the caller closes its own."""

    stdin: int
    stdout: int
    stderr: int


class Launcher:
    """One process that starts programs, until it is closed or the process that made it ends. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: _Server | None = None
        """None until something is started."""
        self._finalizer: weakref.finalize[[_Server], Launcher] | None = None

    def close(self) -> None:
        """What runs goes on until those who asked for it end it."""
        with self._lock:
            if self._finalizer is not None:
                self._finalizer()

    def start(
        self, command: Command, streams: Streams, limits: Limits | None = None, confinement: Confinement | None = None
    ) -> RunningProgram:
        """Raises OSError where the program, or its limits, cannot be had."""
        order = json.dumps(_order(command, limits or Limits(), confinement)).encode()
        ruleset = () if confinement is None or confinement.ruleset is None else (confinement.ruleset,)
        descriptors = (streams.stdin, streams.stdout, streams.stderr, *ruleset)
        guard, message = self._asked(order, descriptors) or self._asked_of_another(order, descriptors)
        what, first, second = message
        if what != STARTED:
            guard.close()
            raise _not_started(command, first, second)
        return RunningProgram(guard, first)

    def _asked(self, order: bytes, descriptors: Sequence[int]) -> tuple[socket.socket, tuple[int, int, int]] | None:
        """The connection to a new guard, and what it says; None where there is none, as its process was killed."""
        own, guards = socket.socketpair()
        try:
            with guards, self._lock:
                server = self._server or self._new_server()
                socket.send_fds(server.orders, [b"x"], [guards.fileno(), *descriptors])
            own.sendall(LENGTH.pack(len(order)) + order)
            message = _message(own)
        except ConnectionError:
            message = None
        except BaseException:
            own.close()
            raise
        if message is None:
            own.close()
            return None
        return own, message

    def _asked_of_another(self, order: bytes, descriptors: Sequence[int]) -> tuple[socket.socket, tuple[int, int, int]]:
        with self._lock:
            self._new_server()
        asked = self._asked(order, descriptors)
        if asked is None:
            raise OSError(errno.ECHILD, "the process that starts programs does not stay alive")
        return asked

    def _new_server(self) -> _Server:
        """In place of the one before; called with the lock held."""
        if self._finalizer is not None:
            self._finalizer()
        self._server = server = _Server()
        self._finalizer = weakref.finalize(self, _Server.close, server)
        return server


@contextmanager
def launcher_or_own(launcher: Launcher | None) -> Generator[Launcher]:
    """``launcher``, or one for this context alone."""
    if launcher is not None:
        yield launcher
        return
    own = Launcher()
    try:
        yield own
    finally:
        own.close()


class RunningProgram:
    """A started program. Its owner calls ``end``, after which nothing of it is left."""

    def __init__(self, guard: socket.socket, session: int) -> None:
        self._guard = guard
        self._code: int | None = None
        self.session = session
        """All processes of the program are in it (unless they left it), and the guard, whose id it is."""

    def fileno(self) -> int:
        """Readable once the program has ended."""
        return self._guard.fileno()

    def poll(self) -> int | None:
        """Its exit status, negative for a signal (as ``subprocess`` has it); None while it runs."""
        return self.wait(0.0)

    def wait(self, timeout_s: float | None = None) -> int | None:
        """As ``poll``, when it has ended or the time is over."""
        if self._code is None:
            poll = select.poll()
            poll.register(self._guard, select.POLLIN)
            if poll.poll(None if timeout_s is None else max(0.0, timeout_s) * 1000):
                self._hear()
        return self._code

    def hang_up(self) -> None:
        """Have everything of it killed, from any thread; ``end`` is still to be called."""
        with suppress(OSError):
            self._guard.shutdown(socket.SHUT_WR)

    def end(self) -> int:
        """Kill what is left, wait until it is gone; how the program ended. May be called again."""
        self.hang_up()
        while self._guard.fileno() >= 0:
            self._hear()
        assert self._code is not None, "the guard reports it, or has ended"
        return self._code

    def _hear(self) -> None:
        message = _message(self._guard)
        if message is not None:
            if message[0] == ENDED:
                self._code = os.waitstatus_to_exitcode(message[1])
            return
        self._guard.close()
        if self._code is None:  # the guard was killed
            self._code = -signal.SIGKILL
            _kill_session(self.session)


class _Server:
    """The process of ``guard``."""

    def __init__(self) -> None:
        self.orders, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                (sys.executable, "-S", "-P", "-m", "assistant.worker.guard", str(theirs.fileno())),
                env={"PYTHONPATH": str(_ROOT), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def close(self) -> None:
        self.orders.close()
        try:
            self._process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _order(command: Command, limits: Limits, confinement: Confinement | None) -> dict[str, object]:
    return {
        "arguments": command.arguments,
        "cwd": str(command.cwd),
        "environment": dict(command.environment),
        "limits": dict(limits.resources),
        "is_file_limit_an_error": limits.is_file_limit_an_error,
        "filter": None if confinement is None else base64.b64encode(confinement.filter or b"").decode(),
        "names_own_threads": confinement is not None and confinement.names_own_threads,
    }


def _message(guard: socket.socket) -> tuple[int, int, int] | None:
    """None: the guard has ended."""
    try:
        said = guard.recv(MESSAGE.size, socket.MSG_WAITALL)
    except ConnectionError:
        return None
    return MESSAGE.unpack(said) if len(said) == MESSAGE.size else None


def _not_started(command: Command, number: int, stage: int) -> OSError:
    if stage == LIMITS_STAGE:
        return OSError(errno.EPERM, f"the limits of {command.arguments[0]} could not be put in force, so it was not started")
    named = command.arguments[0] if command.cwd.is_dir() else str(command.cwd)
    return OSError(number, os.strerror(number), named)


def _kill_session(session: int) -> None:
    """What a guard left that was killed itself; all that it started bears its session."""
    deadline = time.monotonic() + _END_TIMEOUT_S
    while time.monotonic() < deadline:
        left = [int(name) for name in os.listdir("/proc") if name.isdigit() and _session_of(int(name)) == session]  # noqa: PTH208
        if not left:
            return
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.01)


def _session_of(process: int) -> int | None:
    try:
        return os.getsid(process)
    except OSError:
        return None
