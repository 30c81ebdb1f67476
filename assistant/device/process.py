"""Runs one tool at a time: deadline, captured output; it ends with the worker, and so does all that it started.

Example::

    ToolRunner(environment).run(("/usr/local/cuda/bin/nvcc", "--version"), cwd=None, timeout_s=10)
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from assistant.device.nvrtc_process import NvrtcProcess
from assistant.record import Record
from assistant.worker.compiler_limits import OUTPUT_BYTES, limit_met
from assistant.worker.landlock import FileAccess
from assistant.worker.launcher import Command, Launcher, RunningProgram
from assistant.worker.sandbox import confine_compiler
from assistant.worker.tool_process import ToolInput, ToolProcess, read_ready, start_tool

__all__ = ["ToolOutput", "ToolRunner", "tool_environment"]

_PASSED_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
    *("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CUDA_HOME", "CUDA_PATH"),
)
"""What a compile may depend on; nothing else of the environment reaches a compiler."""
_OWN_VARIABLES = {"LC_ALL": "C", "CCACHE_DISABLE": "1"}
"""Messages in English; and a compiler that is a front of ccache keeps nothing in the user's home, which is not its to write."""
_KILLED = re.compile(r"died due to signal|Killed signal terminated program|out of memory allocating|virtual memory exhausted")
"""How nvcc and g++ say that one of their own processes was killed or found no memory."""


class ToolOutput(Record):
    """What a tool left behind; ``status`` is None where it ran past its deadline or was stopped."""

    status: int | None
    text: str
    """Standard output and error together, in order."""
    limit: str | None = None
    """What a compiler took too much of, as the end of a sentence about it."""

    @property
    def is_cut_short(self) -> bool:
        """Ended by the machine (deadline, signal, memory) and not by its input: the next run may end otherwise."""
        return self.status is None or self.status < 0 or self.limit is not None or _KILLED.search(self.text) is not None


def tool_environment(environment: Mapping[str, str], first_directories: tuple[str, ...] = ()) -> dict[str, str]:
    """The allowed part of ``environment``, with messages in English and ``first_directories`` ahead on PATH."""
    passed = {name: environment[name] for name in _PASSED_VARIABLES if name in environment}
    path = (*first_directories, passed.get("PATH", "/usr/local/bin:/usr/bin:/bin"))
    return {**passed, "PATH": ":".join(path), **_OWN_VARIABLES}


class ToolRunner:
    """Starts tools and can stop the one that runs, from any thread."""

    def __init__(self, environment: Mapping[str, str], *, ends_with_input: bool = False) -> None:
        """``ends_with_input``: where the requester goes away (standard input hangs up), ``run`` raises Interrupted."""
        self.environment = dict(environment)
        self.launcher = Launcher()
        self.nvrtc = NvrtcProcess(self.launcher, os.environ)
        """Ends with the tools."""
        self._ends_with_input = ends_with_input
        self._lock = threading.Lock()
        self._running: RunningProgram | None = None
        self._is_stopped = False
        self._is_called_off = False
        self._cut_short_count = 0

    @property
    def cut_short_count(self) -> int:
        """How many runs so far did not end by themselves."""
        return self._cut_short_count

    def run(
        self,
        command: tuple[str, ...],
        *,
        cwd: Path | None,
        timeout_s: float,
        temporary: Path | None = None,
        access: FileAccess | None = None,
        output_bytes: int = OUTPUT_BYTES,
    ) -> ToolOutput:
        """Run to the end or the deadline, with its own files below ``temporary``; raises OSError where the tool cannot be started.

        ``access``: the only files that it uses, for a compiler; None for what is given nothing of a program, and for what needs a GPU.
        """
        environment = self.environment if temporary is None else {**self.environment, "TMPDIR": str(temporary)}
        called = Command(command, cwd or Path("/"), environment)
        reading = ToolInput(timeout_s, output_bytes=output_bytes)
        with nullcontext() if access is None else confine_compiler(access) as confinement:
            output = self._run(lambda: start_tool(self.launcher, called, confinement, reading))
        if access is not None and output.status is not None:
            output = replace(output, limit=limit_met(output.status, output.text))
        self._cut_short_count += output.is_cut_short
        return output

    def stop(self) -> None:
        """Kill the running tool with everything it started; later runs do nothing."""
        with self._lock:
            self._is_stopped = True
            self.nvrtc.hang_up()
            if self._running is not None:
                self._running.hang_up()

    def call_off(self) -> None:
        """Kill the running tool with everything it started; runs until ``resume`` do nothing."""
        with self._lock:
            self._is_called_off = True
            self.nvrtc.hang_up()
            if self._running is not None:
                self._running.hang_up()

    def resume(self) -> None:
        """Run again what is asked for."""
        with self._lock:
            self._is_called_off = False

    def _run(self, start: Callable[[], ToolProcess]) -> ToolOutput:
        with self._lock:
            if self._is_stopped or self._is_called_off:
                return ToolOutput(None, "")
            tool = start()
            self._running = tool.running
        try:
            while not read_ready((tool,), ends_with_input=self._ends_with_input):
                pass
            status = tool.wait()
        finally:
            with self._lock:
                self._running = None
                is_called_off = self._is_stopped or self._is_called_off  # nvcc may say 1 where a compiler that it started was killed
            tool.end()
        text = tool.output.decode("utf-8", "replace")
        return ToolOutput(None, "") if status is None or is_called_off else ToolOutput(status, text)
