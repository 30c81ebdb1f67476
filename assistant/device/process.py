"""Runs one tool at a time: own session, deadline, captured output; ends with the worker.

Example::

    ToolRunner(environment).run(("/usr/local/cuda/bin/nvcc", "--version"), cwd=None, timeout_s=10)
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ToolOutput", "ToolRunner", "tool_environment"]

_PR_SET_PDEATHSIG = 1
"""prctl(2): signal for a child whose parent dies."""
_PASSED_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
    *("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CUDA_HOME", "CUDA_PATH"),
)
"""What a compile may depend on; nothing else of the environment reaches a compiler."""
_KILLED = re.compile(r"died due to signal|Killed signal terminated program|out of memory allocating|virtual memory exhausted")
"""How nvcc and g++ say that one of their own processes was killed or found no memory."""


@dataclass(frozen=True)
class ToolOutput:
    """What a tool left behind; ``status`` is None where it ran past its deadline or was stopped."""

    status: int | None
    text: str
    """Standard output and error together, in order."""

    @property
    def is_cut_short(self) -> bool:
        """Ended by the machine (deadline, signal, memory) and not by its input: the next run may end otherwise."""
        return self.status is None or self.status < 0 or _KILLED.search(self.text) is not None


def tool_environment(environment: Mapping[str, str], first_directories: tuple[str, ...] = ()) -> dict[str, str]:
    """The allowed part of ``environment``, with messages in English and ``first_directories`` ahead on PATH."""
    passed = {name: environment[name] for name in _PASSED_VARIABLES if name in environment}
    path = (*first_directories, passed.get("PATH", "/usr/local/bin:/usr/bin:/bin"))
    return {**passed, "PATH": ":".join(path), "LC_ALL": "C"}


class ToolRunner:
    """Starts tools and can stop the one that runs, from any thread."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._libc = ctypes.CDLL(None)
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._is_called_off = False
        self._cut_short_count = 0

    @property
    def cut_short_count(self) -> int:
        """How many runs so far did not end by themselves."""
        return self._cut_short_count

    def run(self, command: tuple[str, ...], *, cwd: Path | None, timeout_s: float, temporary: Path | None = None) -> ToolOutput:
        """Run to the end or the deadline, with its own files below ``temporary``; raises OSError where the tool cannot be started."""
        environment = self._environment if temporary is None else {**self._environment, "TMPDIR": str(temporary)}
        output = self._run(command, cwd, timeout_s, environment)
        self._cut_short_count += output.is_cut_short
        return output

    def _run(self, command: tuple[str, ...], cwd: Path | None, timeout_s: float, environment: dict[str, str]) -> ToolOutput:
        with self._lock:
            if self._is_stopped or self._is_called_off:
                return ToolOutput(None, "")
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=self._die_with_parent,
            )
            self._running = process
        try:
            output, _ = process.communicate(timeout=timeout_s)
            return ToolOutput(process.returncode, output.decode("utf-8", "replace"))
        except subprocess.TimeoutExpired:
            return ToolOutput(None, "")
        finally:
            self._end(process)

    def stop(self) -> None:
        """Kill the running tool with everything it started; later runs do nothing."""
        with self._lock:
            self._is_stopped = True
            if self._running is not None:
                _kill_group(self._running.pid)

    def call_off(self) -> None:
        """Kill the running tool with everything it started; runs until ``resume`` do nothing."""
        with self._lock:
            self._is_called_off = True
            if self._running is not None:
                _kill_group(self._running.pid)

    def resume(self) -> None:
        """Run again what is asked for."""
        with self._lock:
            self._is_called_off = False

    def _die_with_parent(self) -> None:
        """Runs in the child between fork and exec: nothing here may take a lock."""
        self._libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._running = None
        if process.poll() is None:
            _kill_group(process.pid)
            process.communicate()


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
