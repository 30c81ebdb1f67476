"""Orders one after the other, each in a child of this process, which has prepared itself (imported PyTorch) before the first of them.

The program's end of ``assistant.worker.fork_server``, which describes what is said over standard input. Example::

    sys.exit(serve(lambda order: import_torch(), run))
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["serve"]

_STATUS = struct.Struct("=i")
_MOST_BYTES = 1 << 16
"""Of an order's path."""
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36  # linux/prctl.h
_LOOK_AGAIN_S = 0.005
"""Between two looks at what is left of a child."""


def serve(prepare: Callable[[Path], None], run: Callable[[Path, float], int]) -> int:
    """0 when there are no more orders. A child ends with what ``run`` returns for the order's path and the time (``time.monotonic``) at
    which it came. ``prepare`` is called before every fork; where it leaves threads, which a fork would cut off, nothing is forked, and this
    process ends with the order."""
    connection, null = socket.socket(fileno=os.dup(0)), os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # so that no child reads or writes the memory of this process
    while True:
        order, descriptors, _, _ = socket.recv_fds(connection, _MOST_BYTES, 2)
        begun_s = time.monotonic()
        if not order:
            return 0
        prepare(Path(order.decode()))
        _use((null, null))
        gc.freeze()  # a collection in a child would copy what it touches
        child = 0 if len(list(Path("/proc/self/task").iterdir())) > 1 else os.fork()
        if child == 0:
            connection.close()
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
            _use(descriptors)
            status = run(Path(order.decode()), begun_s)
            _flush()
            os._exit(status)  # what Python and PyTorch put in order at their end takes a second, and nothing rests on it
        for descriptor in descriptors:
            os.close(descriptor)
        os.write(connection.fileno(), _STATUS.pack(_status(child)))


def _use(streams: tuple[int, int] | list[int]) -> None:
    """As standard output and error."""
    _flush()
    for number, descriptor in enumerate(streams, 1):
        os.dup2(descriptor, number)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):  # what runs here may have put anything in their place
            stream.flush()


def _status(child: int) -> int:
    """How it ended, as of wait(2), once nothing is left of all that it started."""
    _, status = os.waitpid(child, 0)
    with suppress(ChildProcessError):
        while True:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            for left in _children():
                with suppress(ProcessLookupError):
                    os.kill(left, signal.SIGKILL)
            time.sleep(_LOOK_AGAIN_S)
    return status


def _children() -> list[int]:
    own = os.getpid()
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _parent(entry) == own]


def _parent(process: Path) -> int | None:
    try:
        return int((process / "stat").read_bytes().rpartition(b")")[2].split()[1])
    except OSError:
        return None
