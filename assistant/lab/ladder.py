"""Which rung of the ladder a machine stands on: what is used, the true reason that it is no better, and the exact fix. Pure.

Example::

    rung_of((gpu,), survey, "13.0.88")      # Rung(Level.COUNTERS, "…", reason=None, remedy=None)
"""

from __future__ import annotations

from enum import StrEnum

from assistant.lab.gpus import Gpu, GpuSearch, NoGpu
from assistant.model.survey import GpuSurvey
from assistant.record import Record

__all__ = ["INSTALL_NCU", "Level", "Rung", "rung_of"]

INSTALL_NCU = (
    "install Nsight Compute; it comes with the CUDA toolkit (Debian, Ubuntu: apt-get install nsight-compute from NVIDIA's repository)"
)
_PERMIT = (
    "ask who runs this machine to put 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into /etc/modprobe.d/nvidia.conf and "
    "to restart it (developer.nvidia.com/ERR_NVGPUCTRPERM); for a container, on its host"
)
_PERMIT_WSL = (
    "in Windows: NVIDIA Control Panel, Desktop, Enable Developer Settings, Manage GPU Performance Counters, allow access to all users"
)
_CUDA = "pip install 'kernelopt[cuda]'"


class Level(StrEnum):
    """Best first."""

    COUNTERS = "GPU with ncu"
    SAMPLED = "GPU with CUPTI"
    TIMED = "GPU without its counters"
    EMULATED = "no GPU"
    ESTIMATED = "no GPU, no CUDA compiler"


_USED = {
    Level.COUNTERS: "kernels run and are timed on the GPU; ncu counts by line and samples stalls; the emulator and compute-sanitizer check",
    Level.SAMPLED: "kernels run and are timed on the GPU; CUPTI counts and samples by line; the emulator and compute-sanitizer check",
    Level.TIMED: "kernels run and are timed on the GPU; the emulator counts by line, on the same recordings, and checks",
    Level.EMULATED: "the emulator runs, counts and checks; ptxas and the machine code grade its counters; speed is PREDICTED",
    Level.ESTIMATED: "the emulator runs, counts (estimated) and checks; speed is PREDICTED",
}


class Rung(Record):
    """Where the machine stands."""

    level: Level
    reason: str | None
    """Why no better one can be had, or what this one does not say; None on the best."""
    remedy: str | None

    @property
    def used(self) -> str:
        """What every answer rests on, in words."""
        return _USED[self.level]


def rung_of(gpus: GpuSearch, survey: GpuSurvey, nvcc_version: str | None) -> Rung:
    """The best rung that holds. ``gpus``: what kernels can be run on from here."""
    lowest = Level.ESTIMATED if nvcc_version is None else Level.EMULATED
    if isinstance(gpus, NoGpu):
        reason, remedy = (gpus.reason, gpus.remedy) if not survey.is_wsl else _without_gpu_in_wsl(gpus)
        return Rung(lowest, reason, remedy)
    if nvcc_version is None:
        return Rung(lowest, f"{gpus[0].name} is there, but no nvcc, which compiles what runs on it", _CUDA)
    mismatch = _mismatch(survey, nvcc_version)
    if mismatch is not None:
        return Rung(lowest, *mismatch)
    level, missing = _counting(survey)
    if gpus[0].is_slice and level is not Level.TIMED:
        reasons, fixes = ([text for text in pair if text] for pair in zip(missing or ("", ""), _slice(gpus[0]), strict=True))
        return Rung(level, "; ".join(reasons), "; ".join(fixes))
    return Rung(level, *(missing or (None, None)))


def _slice(gpu: Gpu) -> tuple[str, str]:
    """What a part of a GPU does not say (Nsight Compute, "Multi Instance GPU"; CUPTI, "Special Configurations")."""
    reason = f"{gpu.name} is a MIG slice: counters of what it shares with other slices, L2 and device memory, may be absent"
    return reason, "for those use a whole GPU: ask who runs this machine to switch MIG off (nvidia-smi -mig 0)"


def _without_gpu_in_wsl(gpus: NoGpu) -> tuple[str, str]:
    return (
        f"{gpus.reason}; this is WSL, whose driver is that of Windows",
        "install NVIDIA's driver in Windows, never one inside WSL; then: wsl --update",
    )


def _mismatch(survey: GpuSurvey, nvcc_version: str) -> tuple[str, str] | None:
    """A driver runs what compilers of its own major version make, and of older ones (CUDA Compatibility, "Minor Version Compatibility")."""
    if survey.driver_cuda is None:
        return None
    major, minor = survey.driver_cuda
    if int(nvcc_version.split(".")[0]) <= major:
        return None
    reason = f"nvcc {nvcc_version} makes code that this driver (CUDA {major}.{minor}) does not run"
    fix = "pip install 'kernelopt[cuda12]' and take nvcc 13 off PATH" if major == 12 else f"use a toolkit of CUDA {major}"
    return reason, f"install a newer driver, or {fix}"


def _counting(survey: GpuSurvey) -> tuple[Level, tuple[str, str] | None]:
    """The best way to count, and why there is no better one with its fix; CUPTI needs the same rights as ncu."""
    if survey.is_restricted and not survey.is_administrator:
        reason = "the driver lets only administrators read the GPU's counters (ERR_NVGPUCTRPERM)"
        return Level.TIMED, (reason, _PERMIT_WSL if survey.is_wsl else _PERMIT)
    if survey.ncu is not None and survey.has_report_reader:
        return Level.COUNTERS, None
    if survey.ncu is None:
        missing = ("Nsight Compute's ncu is not installed", INSTALL_NCU)
    else:
        missing = ("ncu is there, but not the package that reads its reports", "pip install ncu-report")
    if survey.cupti is not None and survey.has_gxx:
        return Level.SAMPLED, missing
    other = "CUPTI" if survey.cupti is None else "g++, which builds what drives CUPTI"
    return Level.TIMED, (f"{missing[0]}, nor is {other}", missing[1])
