"""The process behind ``launcher``: it forks a guard for every program, and a guard leaves nothing behind of what it started.

A guard holds one end of a connection, the requester the other. It starts the program, says how it ended, and stays until the other end is
closed: by the one who asked, or by the system when that process ends, however it ends. Then it kills everything that is left of the
program, wherever that went: as a subreaper it gets what lost its own parent. Knows the standard library and ``sandbox`` only.

Example (the process itself)::

    python -m assistant.worker.guard 5        # orders come over descriptor 5, a connected pair's end
"""

from __future__ import annotations

import base64
import errno
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from assistant.worker.linux import PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG, prctl
from assistant.worker.sandbox import Confinement, Layers, apply

__all__ = ["ENDED", "FAILED", "LENGTH", "LIMITS_STAGE", "MESSAGE", "STARTED"]

LENGTH = struct.Struct("=I")
"""Before an order: its length in bytes."""
MESSAGE = struct.Struct("=iii")
"""From a guard: what happened and two numbers about it."""
STARTED, FAILED, ENDED = 1, 2, 3
"""(session id), (error number, stage), (status as of wait(2))."""
LIMITS_STAGE = 1
"""The program was not started as its limits could not be put in force; 0: its folder or file is not fit."""
_STREAM_COUNT = 3
_MOST_DESCRIPTORS = 8
_LOOK_AGAIN_MS = 20
"""Between two looks at what is left of a program; and at a program, where the kernel has no descriptors of processes (before Linux 5.3)."""


def _serve(orders: socket.socket) -> None:
    """Until the other end is closed."""
    gc.disable()  # every fork would be followed by copies of what a collection touches
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # guards are not waited for
    while True:
        try:
            _, descriptors, _, _ = socket.recv_fds(orders, 1, _MOST_DESCRIPTORS)
        except ConnectionError:
            return
        if not descriptors:
            return
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # ``recv_fds`` drops its flags (Python 3.11)
        if os.fork() == 0:
            orders.close()
            try:
                _guard(socket.socket(fileno=descriptors[0]), descriptors[1:])
            finally:
                os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def _guard(asker: socket.socket, descriptors: Sequence[int]) -> None:
    """``descriptors``: of the program's three streams, and of Landlock's rules where it has some."""
    os.setsid()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    order = _received(asker)
    if order is None:
        return
    program, failure = _started(order, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    if failure is not None:
        os.waitpid(program, 0)
        _send(asker, FAILED, *failure)
        return
    _send(asker, STARTED, os.getpid())
    ended = _waited(program, asker)
    if ended is not None:
        _send(asker, ENDED, ended)
        select.select([asker], [], [])
    _end_all(program, asker)


def _received(asker: socket.socket) -> dict[str, Any] | None:
    """None: the requester is gone."""
    head = asker.recv(LENGTH.size, socket.MSG_WAITALL)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = asker.recv(length, socket.MSG_WAITALL)
    return json.loads(body) if len(body) == length else None


def _send(asker: socket.socket, what: int, first: int, second: int = 0) -> None:
    with suppress(OSError):
        asker.send(MESSAGE.pack(what, first, second), socket.MSG_NOSIGNAL)


def _started(order: dict[str, Any], descriptors: Sequence[int]) -> tuple[int, tuple[int, int] | None]:
    """The program's process, and (error number, stage) where it was not started."""
    own, childs = os.pipe()
    parent, program = os.getpid(), os.fork()
    if program == 0:
        try:
            _become(order, descriptors, parent, childs)
        finally:
            os._exit(1)
    os.close(childs)
    said = os.read(own, 8)
    os.close(own)
    return program, struct.unpack("=ii", said) if said else None


def _become(order: dict[str, Any], descriptors: Sequence[int], parent: int, report: int) -> None:
    """Turn this process into the program; what fails is written to ``report``."""
    stage = 0
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            return
        os.setpgid(0, 0)
        os.chdir(order["cwd"])
        for number in range(_STREAM_COUNT):
            os.dup2(descriptors[number], number)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores both
        if not order["is_file_limit_an_error"]:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        confinement = _confinement(order, descriptors)
        _lower_limits(order["limits"], is_for_good=confinement is not None)
        stage = LIMITS_STAGE
        if confinement is not None:
            apply(confinement)
        stage = 0
        os.execvpe(order["arguments"][0], order["arguments"], order["environment"])  # noqa: S606 - no shell is meant
    except OSError as error:
        os.write(report, struct.pack("=ii", error.errno or errno.EIO, stage))
    except ValueError:  # a zero byte in a word
        os.write(report, struct.pack("=ii", errno.EINVAL, stage))


def _confinement(order: dict[str, Any], descriptors: Sequence[int]) -> Confinement | None:
    if order["filter"] is None:
        return None
    ruleset = descriptors[_STREAM_COUNT] if len(descriptors) > _STREAM_COUNT else None
    return Confinement(ruleset, base64.b64decode(order["filter"]) or None, Layers((), ()), order["names_own_threads"])


def _lower_limits(limits: dict[str, int], *, is_for_good: bool) -> None:
    """``limits`` by the names of ``resource``; none is raised."""
    for name, limit in limits.items():
        kind = getattr(resource, name)
        soft, hard = resource.getrlimit(kind)
        allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        soft = allowed if soft == resource.RLIM_INFINITY else min(allowed, soft)
        resource.setrlimit(kind, (soft, soft if is_for_good else hard))


def _waited(program: int, asker: socket.socket) -> int | None:
    """The program's status; None where the requester goes away before it ends."""
    poll = select.poll()
    poll.register(asker, select.POLLIN)
    try:
        poll.register(os.pidfd_open(program), select.POLLIN)
        timeout_ms = None
    except OSError:
        timeout_ms = _LOOK_AGAIN_MS
    while True:
        ready = poll.poll(timeout_ms)
        ended, status = os.waitpid(program, os.WNOHANG)
        if ended:
            return status
        if any(descriptor == asker.fileno() for descriptor, _ in ready):
            return None


def _end_all(program: int, asker: socket.socket) -> None:
    """Kill every descendant until there is none; says how the program ended if it still ran."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == program:
                _send(asker, ENDED, status)
            if ended == 0:
                for child in _children():
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                time.sleep(_LOOK_AGAIN_MS / 1000)  # not a wait for the next to end: the system's list may miss one while others end


def _children() -> list[int]:
    """Children of this process, those that it got as a subreaper among them."""
    own = os.getpid()
    try:
        with open(f"/proc/self/task/{own}/children", "rb") as listed:  # noqa: PTH123 - one module less to load
            return [int(word) for word in listed.read().split()]
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and _parent(name) == own]  # noqa: PTH208


def _parent(name: str) -> int | None:
    """Parent of a process, by its fourth field in ``/proc/PID/stat``."""
    try:
        with open(f"/proc/{name}/stat", "rb") as status:  # noqa: PTH123
            return int(status.read().rpartition(b")")[2].split()[1])
    except OSError:
        return None


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
