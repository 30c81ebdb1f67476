"""Whose programs compute on a GPU right now, as its driver tells (NVML), so that background work can give way to them.

Only processes of this user count, and none that this front end or another kernelopt started. NVML makes no CUDA context and touches no
device memory. Where there is no driver, or no ``nvidia-ml-py``, nobody uses anything. Example::

    await NvmlGpuUsers().of(0)      # (GpuProcess(4242, "python train.py", 0.97),)
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

__all__ = ["GpuProcess", "GpuUsers", "NvmlGpuUsers"]

_WINDOW_S = 10.0
"""A program whose kernels did not run for so long does not use the GPU, though it keeps its context (an idle notebook)."""
_SHOWN_CHARACTERS = 60
_OWN_WORKERS = frozenset({"assistant.device", "assistant.emulator"})
"""Modules that kernelopt's workers are started as: two front ends do not wait for each other."""


@dataclass(frozen=True)
class GpuProcess:
    """A program of this user that computes on a GPU."""

    process_id: int
    command: str
    """As it was started, cut to be shown."""
    busy_ratio: float | None
    """Highest share of time with a kernel running on the SMs in the last seconds (NVML's ``smUtil``); None: this GPU does not tell."""


class GpuUsers(Protocol):
    """What lanes ask."""

    async def of(self, gpu_index: int) -> tuple[GpuProcess, ...]:
        """Programs of this user that use the GPU with that index, as ``nvidia-smi`` counts; empty where nobody can tell."""
        ...


class NvmlGpuUsers:
    """Asks the driver; its library is loaded by the first question."""

    def __init__(self) -> None:
        self._nvml: ModuleType | None = None
        self._is_missing = False

    async def of(self, gpu_index: int) -> tuple[GpuProcess, ...]:
        return await asyncio.to_thread(self._look, gpu_index)

    def _look(self, gpu_index: int) -> tuple[GpuProcess, ...]:
        nvml = self._library()
        if nvml is None:
            return ()
        try:
            device = nvml.nvmlDeviceGetHandleByIndex(gpu_index)
            found = [process.pid for process in nvml.nvmlDeviceGetComputeRunningProcesses(device)]
            theirs = [pid for pid in found if _is_foreign(pid)]
            busy = _busy_ratios(nvml, device) if theirs else {}
        except nvml.NVMLError:
            return ()  # no such GPU, or one that does not tell
        shares = ((pid, None if busy is None else busy.get(pid, 0.0)) for pid in theirs)
        return tuple(GpuProcess(pid, _shown(pid), share) for pid, share in shares if share is None or share > 0)

    def _library(self) -> ModuleType | None:
        """NVML, initialised; None where it is not. Asked once: a driver does not come while an editor runs."""
        if self._nvml is None and not self._is_missing:
            try:
                import pynvml
            except ImportError:
                self._is_missing = True
                return None
            try:
                pynvml.nvmlInit()
            except pynvml.NVMLError:
                self._is_missing = True
                return None
            self._nvml = pynvml
        return self._nvml


def _busy_ratios(nvml: Any, device: Any) -> dict[int, float] | None:
    """Highest share of each process since ``_WINDOW_S`` ago; None where the GPU does not tell (before Maxwell, or cut by MIG)."""
    since_us = int((time.time() - _WINDOW_S) * 1e6)
    try:
        samples = nvml.nvmlDeviceGetProcessUtilization(device, since_us)
    except nvml.NVMLError_NotFound:
        return {}  # nothing ran since
    except nvml.NVMLError:
        return None
    ratios: dict[int, float] = {}
    for sample in samples:
        ratios[sample.pid] = max(ratios.get(sample.pid, 0.0), sample.smUtil / 100)
    return ratios


def _is_foreign(process_id: int) -> bool:
    """Whether a process is this user's and neither ours nor below us. One that is not seen here (another container's) is nobody's."""
    try:
        if Path(f"/proc/{process_id}").stat().st_uid != os.getuid():
            return False
        return not any(other == os.getpid() or _OWN_WORKERS & set(_command(other)) for other in _lineage(process_id))
    except OSError:
        return False  # it ended meanwhile


def _lineage(process_id: int) -> Iterator[int]:
    """The process, its parent and so on."""
    while process_id > 1:
        yield process_id
        # the name, in parentheses, may hold anything (proc_pid_stat(5)); behind it: state, parent
        process_id = int(Path(f"/proc/{process_id}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])


def _command(process_id: int) -> list[str]:
    return [word.decode("utf-8", "replace") for word in Path(f"/proc/{process_id}/cmdline").read_bytes().split(b"\0") if word]


def _shown(process_id: int) -> str:
    """``python train.py``: the program by its file's name, and what it was given."""
    try:
        program, *arguments = _command(process_id)
    except (OSError, ValueError):
        return "a program that has ended"
    told = " ".join((Path(program).name, *arguments))
    return told if len(told) <= _SHOWN_CHARACTERS else f"{told[: _SHOWN_CHARACTERS - 1]}…"
