"""One compiler process: started, its output read up to a bound, ended with all that it started.

Example::

    tool = start_tool(launcher, Command(("g++", "-c", "a.cpp"), folder, environment), confinement, ToolInput(timeout_s=60))
    while not read_ready((tool,), ends_with_input=True): ...
    code = tool.end()
"""

from __future__ import annotations

import os
import select
import tempfile
import time
from collections.abc import Sequence
from dataclasses import field
from io import FileIO

from assistant.record import Record
from assistant.worker.child import Interrupted
from assistant.worker.compiler_limits import OUTPUT_BYTES, compiler_limits
from assistant.worker.launcher import Command, Launcher, Limits, RunningProgram, Streams
from assistant.worker.sandbox import Confinement

__all__ = ["ToolInput", "ToolProcess", "read_ready", "start_tool"]

_CHUNK_BYTES = 1 << 16


class ToolInput(Record):
    """What a tool is given to read, and what is read of it."""

    timeout_s: float
    stdin: str = ""
    output_bytes: int = OUTPUT_BYTES
    """What follows is read and dropped."""
    has_errors: bool = True
    """Standard error is read together with standard output; else it is dropped."""


class ToolProcess(Record):
    """A running tool."""

    running: RunningProgram
    pipe: FileIO
    deadline: float
    """By the clock ``time.monotonic``."""
    output_bytes: int
    output: bytearray = field(default_factory=bytearray)

    @property
    def left_s(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def wait(self) -> int | None:
        """Its exit code; None where its time is over. Nothing of it is left in either case."""
        code = self.running.wait(self.left_s)
        self.end()
        return code

    def end(self) -> int:
        """Nothing of it goes on: a compiler driver has children. May be called again."""
        try:
            return self.running.end()
        finally:
            self.pipe.close()


def start_tool(launcher: Launcher, command: Command, confinement: Confinement | None, reading: ToolInput) -> ToolProcess:
    """A confined tool is a compiler, and limited as those are. Raises OSError where it cannot be started."""
    limits = Limits() if confinement is None else compiler_limits()
    pipe, tools_end = os.pipe()
    try:
        with tempfile.TemporaryFile() as given, open(os.devnull, "wb") as dropped:  # noqa: PTH123 - a device
            given.write(reading.stdin.encode())
            given.seek(0)
            streams = Streams(given.fileno(), tools_end, tools_end if reading.has_errors else dropped.fileno())
            running = launcher.start(command, streams, limits, confinement)
    except BaseException:
        os.close(pipe)
        raise
    finally:
        os.close(tools_end)
    return ToolProcess(running, FileIO(pipe), time.monotonic() + reading.timeout_s, reading.output_bytes)


def read_ready(tools: Sequence[ToolProcess], *, ends_with_input: bool) -> list[ToolProcess]:
    """Wait for output and read it; the tools that closed theirs or ran out of time.

    Raises Interrupted where the requester goes away (standard input hangs up), if ``ends_with_input``.
    """
    poll = select.poll()
    if ends_with_input:
        poll.register(0, 0)  # only hang-up is reported
    by_pipe = {tool.pipe.fileno(): tool for tool in tools}
    for pipe in by_pipe:
        poll.register(pipe, select.POLLIN)
    over: list[ToolProcess] = []
    for descriptor, _ in poll.poll(min(tool.left_s for tool in tools) * 1000):
        tool = by_pipe.get(descriptor)
        if tool is None:
            raise Interrupted
        chunk = os.read(descriptor, _CHUNK_BYTES)
        tool.output.extend(chunk[: max(0, tool.output_bytes - len(tool.output))])
        if not chunk:
            over.append(tool)
    return over + [tool for tool in tools if tool not in over and tool.left_s == 0]
