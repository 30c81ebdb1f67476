"""One process that drives CUPTI (``sampling``), from the outside: started, asked, read with a deadline, ended.

Example::

    process = SamplingProcess(library, os.environ)
    process.send(request)
    reply = process.receive(time.monotonic() + 60)
"""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from assistant.device.child_commands import sampling_command
from assistant.device.counters.protocol import SamplingReply, SamplingRequest
from assistant.serialize import dumps, loads

__all__ = ["SamplingProcess"]

_CHUNK_BYTES = 1 << 16


class SamplingProcess:
    """Starts with its making; ends with its owner at the latest."""

    def __init__(self, library: Path, environment: Mapping[str, str]) -> None:
        command, env = sampling_command(library), dict(environment)
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def send(self, request: SamplingRequest) -> None:
        """Need not wait until the process is ready; one that has ended is found out by `receive`."""
        stdin = self._process.stdin
        assert stdin is not None
        line = memoryview(dumps(request).encode() + b"\n")
        try:
            while line:
                line = line[stdin.write(line) or 0 :]
        except BrokenPipeError:
            return

    def receive(self, end_s: float) -> SamplingReply:
        """The reply, by the clock ``time.monotonic``; one that is lost where the process ended, or did not answer in time."""
        stdout = self._process.stdout
        assert stdout is not None
        got = b""
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while not got.endswith(b"\n"):
                if not selector.select(max(0.0, end_s - time.monotonic())):
                    return SamplingReply((), ("the launches did not end within the time given",), is_lost=True)
                chunk = os.read(stdout.fileno(), _CHUNK_BYTES)
                if not chunk:
                    return SamplingReply((), (f"its process ended with status {self._process.wait()}",), is_lost=True)
                got += chunk
        return loads(SamplingReply, got)

    def close(self) -> None:
        """End it with its context; any number of times."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
