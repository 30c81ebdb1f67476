"""NVRTC from the outside: its process (``nvrtc_server``) started limited, asked with a deadline, ended where that passes.

Example::

    nvrtc = NvrtcProcess(launcher, environment)
    nvrtc.compile(NvrtcRequest(…), timeout_s=20)     # NvrtcOutput; None where NVRTC is missing or took too much
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from assistant.device.nvrtc import NvrtcOutput
from assistant.device.nvrtc_server import NvrtcRequest
from assistant.record import Record
from assistant.serialize import encode, loads
from assistant.worker.compiler_limits import compiler_limits
from assistant.worker.landlock import FileAccess, everything_but_devices
from assistant.worker.launcher import Command, Launcher, RunningProgram, Streams
from assistant.worker.sandbox import confine_compiler

__all__ = ["NvrtcProcess"]

_CHUNK_BYTES = 1 << 16
_CANNOT_LOAD = b"null\n"
_MOST_BYTES = 256 << 20
"""Upper bound for one answer."""


class _Server(Record):
    running: RunningProgram
    requests: int
    replies: int

    def end(self) -> None:
        os.close(self.requests)
        os.close(self.replies)
        self.running.end()


class NvrtcProcess:
    """Started by the first request, and again after one that it did not survive. One request at a time."""

    def __init__(self, launcher: Launcher, environment: Mapping[str, str]) -> None:
        self._launcher = launcher
        self._environment = {**environment, "PYTHONDONTWRITEBYTECODE": "1"}
        self._lock = threading.Lock()
        self._server: _Server | None = None

    def warm_up(self) -> None:
        """Start it, without waiting until it is ready. Raises OSError."""
        if self._server is None:
            self._server = self._started()

    def compile(self, request: NvrtcRequest, timeout_s: float) -> NvrtcOutput | None:
        """None where NVRTC cannot be loaded, or did not come to an end within its limits. Raises OSError."""
        self.warm_up()
        assert self._server is not None
        line = json.dumps(encode(request)).encode() + b"\n"
        answer = _exchanged(self._server, line, time.monotonic() + timeout_s)
        if answer is None:
            self._end()
            return None
        return None if answer == _CANNOT_LOAD else loads(NvrtcOutput, answer)

    def hang_up(self) -> None:
        """Have it killed, from any thread: a request under way is answered at once, with None."""
        with self._lock:
            if self._server is not None:
                self._server.running.hang_up()

    def _started(self) -> _Server:
        command = Command((sys.executable, "-P", "-m", "assistant.device.nvrtc_server"), Path("/"), self._environment)
        requests_end, requests = os.pipe()
        replies, replies_end = os.pipe()
        null = os.open(os.devnull, os.O_WRONLY)
        try:
            with confine_compiler(FileAccess(run=everything_but_devices())) as confinement:
                streams = Streams(requests_end, replies_end, null)
                running = self._launcher.start(command, streams, compiler_limits(), confinement)
        except BaseException:
            os.close(requests)
            os.close(replies)
            raise
        finally:
            for descriptor in (requests_end, replies_end, null):
                os.close(descriptor)
        return _Server(running, requests, replies)

    def _end(self) -> None:
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.end()


def _exchanged(server: _Server, line: bytes, end_s: float) -> bytes | None:
    """The answer to one line; None where there is none until ``end_s`` by the clock ``time.monotonic``."""
    os.set_blocking(server.requests, False)
    unsent, answer = memoryview(line), bytearray()
    poll = select.poll()
    poll.register(server.replies, select.POLLIN)
    poll.register(server.requests, select.POLLOUT)
    while not answer.endswith(b"\n") and len(answer) < _MOST_BYTES:
        ready = dict(poll.poll(max(0.0, end_s - time.monotonic()) * 1000))
        if not ready:
            return None
        if server.requests in ready:
            with suppress(BrokenPipeError):
                unsent = unsent[os.write(server.requests, unsent[:_CHUNK_BYTES]) :]
            if not unsent or ready[server.requests] & select.POLLERR:
                poll.unregister(server.requests)
        if server.replies in ready:
            chunk = os.read(server.replies, _CHUNK_BYTES)
            if not chunk:
                return None
            answer.extend(chunk)
    return bytes(answer) if answer.endswith(b"\n") else None
