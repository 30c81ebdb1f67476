"""Compiler processes: several at once, limited, and none that outlives the call, however it ends.

Everything happens on the thread that calls, so that a signal which makes it leave (the worker is asked to end) is not kept waiting by
another. Example::

    with closing(run_tools((("g++", "-c", "a.cpp"), ("g++", "-c", "b.cpp")))) as ended:
        for index, run in ended: ...
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from assistant.build.full_disk import says_disk_is_full
from assistant.record import Record
from assistant.worker.compiler_limits import OUTPUT_BYTES, limit_met
from assistant.worker.landlock import FileAccess
from assistant.worker.launcher import Command, Launcher, launcher_or_own
from assistant.worker.sandbox import confine_compiler
from assistant.worker.tool_process import ToolInput, ToolProcess, read_ready, start_tool

__all__ = ["COMPILE_TIMEOUT_S", "LIMIT_TEXT", "TIMEOUT_TEXT", "Run", "ToolSetting", "run_tool", "run_tools"]

COMPILE_TIMEOUT_S = 90.0
"""For each compiler process of a user's program."""
TIMEOUT_TEXT = "did not end within"
LIMIT_TEXT = "and was stopped"
_ENVIRONMENT = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")
_OWN_ENVIRONMENT = {"LC_ALL": "C", "CCACHE_DISABLE": "1"}
"""A compiler that is a front of ccache would keep what it makes in the user's home, which is not its to write."""


class Run(Record):
    """What one compiler process said."""

    is_ok: bool
    output: str


class ToolSetting(Record):
    """How compilers are run."""

    launcher: Launcher | None = None
    """None: one for this call alone."""
    access: FileAccess | None = None
    """The only files that they use; None where they are given nothing of a program: not confined."""
    temporary: Path | None = None
    """A folder of ``access.write`` for their temporary files."""
    stdin: str = ""
    output_bytes: int = OUTPUT_BYTES
    has_errors_in_output: bool = True
    """Standard error is read together with standard output; else it is dropped."""


_PLAIN = ToolSetting()


def run_tool(command: tuple[str, ...], timeout_s: float = COMPILE_TIMEOUT_S, setting: ToolSetting = _PLAIN) -> Run:
    """Runs a compiler process; what it takes too much of reads as a failure with its own text.

    Raises OSError when it cannot be started or the disk is full, Interrupted when the requester has gone.
    """
    with closing(run_tools((command,), timeout_s, setting)) as ended:
        return next(ended)[1]


def run_tools(
    commands: Sequence[tuple[str, ...]], timeout_s: float = COMPILE_TIMEOUT_S, setting: ToolSetting = _PLAIN
) -> Generator[tuple[int, Run]]:
    """As `run_tool`, as many at once as there are cores: (index into ``commands``, its run), as they end. Close it to end what runs."""
    waiting = list(range(len(commands)))
    running: dict[int, ToolProcess] = {}
    reading = ToolInput(timeout_s, setting.stdin, setting.output_bytes, setting.has_errors_in_output)
    confining = nullcontext() if setting.access is None else confine_compiler(setting.access)
    with launcher_or_own(setting.launcher) as launcher, confining as confinement:
        try:
            while waiting or running:
                while waiting and len(running) < (os.cpu_count() or 1):
                    index = waiting.pop(0)
                    running[index] = start_tool(launcher, _command(commands[index], setting), confinement, reading)
                over = read_ready(tuple(running.values()), ends_with_input=True)
                for index in [index for index, tool in running.items() if tool in over]:
                    run = _run(commands[index][0], running[index], timeout_s)
                    del running[index]
                    yield index, run
        finally:
            for tool in running.values():
                tool.end()


def _command(arguments: tuple[str, ...], setting: ToolSetting) -> Command:
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | _OWN_ENVIRONMENT
    if setting.temporary is not None:
        environment["TMPDIR"] = str(setting.temporary)
    return Command(arguments, _folder(), environment)


def _folder() -> Path:
    """Relative include folders are relative to where the worker runs; its folder may be gone."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def _run(tool: str, process: ToolProcess, timeout_s: float) -> Run:
    """The output of a tool that has ended."""
    code = process.wait()
    name = Path(tool).name
    if code is None:
        return Run(False, f"{name} {TIMEOUT_TEXT} {timeout_s:.0f} s")
    output = process.output.decode("utf-8", "replace")
    limit = limit_met(code, output)
    if limit is not None:
        return Run(False, f"{name} {limit} {LIMIT_TEXT}")
    if says_disk_is_full(code, output):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return Run(code == 0, output)
