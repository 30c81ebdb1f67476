"""Compiler processes: several at once, and none that outlives the call, however it ends.

Everything happens on the thread that calls, so that a signal which makes it leave (the worker is told to end) is not kept waiting by
another. Example::

    with closing(run_tools((("g++", "-c", "a.cpp"), ("g++", "-c", "b.cpp")))) as ended:
        for index, run in ended: ...
"""

from __future__ import annotations

import errno
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from assistant.build.full_disk import says_disk_is_full

__all__ = ["COMPILE_TIMEOUT_S", "TIMEOUT_TEXT", "Run", "run_tool", "run_tools"]

COMPILE_TIMEOUT_S = 300.0
TIMEOUT_TEXT = "did not end within"
_ENVIRONMENT = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")
_CHUNK_BYTES = 1 << 16


@dataclass(frozen=True)
class Run:
    """What one compiler process said."""

    is_ok: bool
    output: str


def run_tool(command: tuple[str, ...], timeout_s: float = COMPILE_TIMEOUT_S) -> Run:
    """Runs a compiler process; a time-out reads as a failure with its own text. Raises OSError when the disk is full."""
    with closing(run_tools((command,), timeout_s)) as ended:
        return next(ended)[1]


def run_tools(commands: Sequence[tuple[str, ...]], timeout_s: float = COMPILE_TIMEOUT_S) -> Generator[tuple[int, Run]]:
    """As `run_tool`, as many at once as there are cores: (index into ``commands``, its run), as they end. Close it to end what runs."""
    waiting = list(enumerate(commands))
    running: dict[int, _Tool] = {}
    with selectors.DefaultSelector() as ready:
        try:
            while waiting or running:
                while waiting and len(running) < (os.cpu_count() or 1):
                    index, command = waiting.pop(0)
                    tool = running[index] = _Tool(index, command, _started(command), time.monotonic() + timeout_s)
                    ready.register(tool.pipe, selectors.EVENT_READ, tool)
                for tool in _advance(ready):
                    run = _run(tool, timeout_s)
                    del running[tool.index]
                    yield tool.index, run
        finally:
            for tool in running.values():
                _kill(tool)


@dataclass(frozen=True)
class _Tool:
    index: int
    command: tuple[str, ...]
    process: subprocess.Popen[bytes]
    deadline: float
    output: bytearray = field(default_factory=bytearray)

    @property
    def pipe(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()


def _started(command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | {"LC_ALL": "C"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment, start_new_session=True
    )


def _advance(ready: selectors.BaseSelector) -> list[_Tool]:
    """Read what has arrived; the tools that closed their output or ran out of time, taken from ``ready``."""
    tools: list[_Tool] = [key.data for key in ready.get_map().values()]
    arrived = ready.select(max(0.0, min(tool.deadline for tool in tools) - time.monotonic()))
    over: list[_Tool] = []
    for key, _ in arrived:
        chunk = os.read(key.fd, _CHUNK_BYTES)
        key.data.output.extend(chunk)
        if not chunk:
            over.append(key.data)
    over += [tool for tool in tools if tool not in over and tool.deadline <= time.monotonic()]
    for tool in over:
        ready.unregister(tool.pipe)
    return over


def _run(tool: _Tool, timeout_s: float) -> Run:
    """What a tool said that is over."""
    try:
        code = tool.process.wait(max(0.0, tool.deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        _kill(tool)
        return Run(False, f"{Path(tool.command[0]).name} {TIMEOUT_TEXT} {timeout_s:.0f} s")
    _close(tool)
    output = tool.output.decode("utf-8", "replace")
    if says_disk_is_full(code, output):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return Run(code == 0, output)


def _kill(tool: _Tool) -> None:
    """Nothing of it goes on: a compiler driver has children."""
    if tool.process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(tool.process.pid, signal.SIGKILL)
        tool.process.wait()
    _close(tool)


def _close(tool: _Tool) -> None:
    assert tool.process.stdout is not None
    tool.process.stdout.close()
