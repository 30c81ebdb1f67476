"""Whose programs compute on a GPU right now, as its driver reports (NVML), so that background work can give way to them.

Only processes of this user count, and none that this front end or another kernelopt started. NVML makes no CUDA context and touches no
device memory. Where there is no driver, or no ``nvidia-ml-py``, no user is found. Example::

    await NvmlGpuUsers().of("auto")     # (GpuProcess(0, 4242, "python train.py", 0.97),)
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from assistant.lab.gpus import Gpu, GpuSearch, NoGpu, meant_gpus, usable_gpus
from assistant.record import Record

__all__ = ["GpuProcess", "GpuUsers", "NvmlGpuUsers"]

_WINDOW_S = 10.0
"""A program whose kernels did not run for so long does not use the GPU, though it keeps its context (an idle notebook)."""
_SHOWN_CHARACTERS = 60
_OWN_WORKERS = frozenset({"assistant.device", "assistant.emulator"})
"""Modules that kernelopt's workers are started as: two front ends do not wait for each other."""


class GpuProcess(Record):
    """A program of this user that computes on a GPU."""

    gpu_index: int
    """N of ``gpu:N``."""
    process_id: int
    command: str
    """As it was started, cut to be shown."""
    busy_ratio: float | None
    """Highest share of time with a kernel running on the SMs in the last seconds (NVML's ``smUtil``); None: this GPU does not say."""


class GpuUsers(Protocol):
    """What lanes ask."""

    async def of(self, device: str) -> tuple[GpuProcess, ...]:
        """Programs of this user on the GPUs that ``--device`` means (``auto``, ``gpu``, ``gpu:1``); empty where that is not known."""
        ...


class NvmlGpuUsers:
    """Asks the driver; its library is loaded by the first question."""

    def __init__(self, find: Callable[[], GpuSearch] = lambda: usable_gpus(os.environ)) -> None:
        """``find``: the GPUs that jobs choose from; asked until there are some."""
        self._find = find
        self._gpus: tuple[Gpu, ...] = ()
        self._nvml: ModuleType | None = None
        self._is_missing = False

    async def of(self, device: str) -> tuple[GpuProcess, ...]:
        return await asyncio.to_thread(self._look, device)

    def _look(self, device: str) -> tuple[GpuProcess, ...]:
        nvml = self._library()
        if nvml is None:
            return ()
        if not self._gpus:
            found = self._find()
            self._gpus = () if isinstance(found, NoGpu) else found
        return tuple(process for gpu in meant_gpus(device, self._gpus) for process in _computing(nvml, gpu))

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


def _computing(nvml: Any, gpu: Gpu) -> Iterator[GpuProcess]:
    try:
        device = nvml.nvmlDeviceGetHandleByUUID(gpu.uuid)
        found = [process.pid for process in nvml.nvmlDeviceGetComputeRunningProcesses(device)]
        theirs = [pid for pid in found if _is_foreign(pid)]
        busy = _busy_ratios(nvml, device) if theirs else {}
    except nvml.NVMLError:
        return  # it is gone, or does not say
    for pid in theirs:
        share = None if busy is None else busy.get(pid, 0.0)
        if share is None or share > 0:
            yield GpuProcess(gpu.index, pid, _shown(pid), share)


def _busy_ratios(nvml: Any, device: Any) -> dict[int, float] | None:
    """Highest share of each process since ``_WINDOW_S`` ago; None where the GPU does not say (before Maxwell, or cut by MIG)."""
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
    """Whether a process is this user's and neither ours nor below us; false where it is not seen here (another container's)."""
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
    command = " ".join((Path(program).name, *arguments))
    return command if len(command) <= _SHOWN_CHARACTERS else f"{command[: _SHOWN_CHARACTERS - 1]}…"
