"""Each rung of the ladder, forced: what is used, the true reason that it is no better, and the fix."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.lab.gpus import Gpu, NoGpu
from assistant.lab.ladder import Level, rung_of
from assistant.model.survey import GpuSurvey

GPU = Gpu(0, "NVIDIA Test", "GPU-1", 8 << 30, (9, 0), "580.95.05")
WHOLE = GpuSurvey(
    is_wsl=False,
    driver_cuda=(13, 0),
    ncu="/usr/local/cuda/bin/ncu",
    sanitizer="/usr/local/cuda/bin/compute-sanitizer",
    has_report_reader=True,
    is_restricted=False,
    is_administrator=False,
    cupti="/usr/local/cuda/lib64/libcupti.so.13",
    has_gxx=True,
)
SLICE = replace(GPU, name="NVIDIA Test MIG 1g.1gb", uuid="MIG-1")
NO_DRIVER = NoGpu("there is no NVIDIA driver here", "install NVIDIA's driver")
NVCC = "13.0.88"


def test_with_everything_nothing_is_left_to_fix() -> None:
    rung = rung_of((GPU,), WHOLE, NVCC)
    assert (rung.level, rung.reason, rung.remedy) == (Level.COUNTERS, None, None)


@pytest.mark.parametrize(
    ("gpus", "survey", "nvcc", "level", "reason", "remedy"),
    [
        ((GPU,), replace(WHOLE, ncu=None), NVCC, Level.SAMPLED, "ncu is not installed", "Nsight Compute"),
        ((GPU,), replace(WHOLE, has_report_reader=False), NVCC, Level.SAMPLED, "reads its reports", "pip install ncu-report"),
        ((GPU,), replace(WHOLE, ncu=None, cupti=None), NVCC, Level.TIMED, "nor is CUPTI", "Nsight Compute"),
        ((GPU,), replace(WHOLE, ncu=None, has_gxx=False), NVCC, Level.TIMED, "nor is g++", "Nsight Compute"),
        ((SLICE,), WHOLE, NVCC, Level.COUNTERS, "is a MIG slice", "nvidia-smi -mig 0"),
        (
            (SLICE,),
            replace(WHOLE, ncu=None),
            NVCC,
            Level.SAMPLED,
            "not installed; NVIDIA Test MIG 1g.1gb is a MIG slice",
            "whole GPU",
        ),
        ((SLICE,), replace(WHOLE, is_restricted=True), NVCC, Level.TIMED, "ERR_NVGPUCTRPERM", "NVreg_RestrictProfilingToAdminUsers=0"),
        ((GPU,), replace(WHOLE, is_restricted=True), NVCC, Level.TIMED, "ERR_NVGPUCTRPERM", "NVreg_RestrictProfilingToAdminUsers=0"),
        ((GPU,), replace(WHOLE, is_restricted=True, is_wsl=True), NVCC, Level.TIMED, "ERR_NVGPUCTRPERM", "NVIDIA Control Panel"),
        ((GPU,), replace(WHOLE, driver_cuda=(12, 4)), NVCC, Level.EMULATED, "nvcc 13.0.88", "kernelopt[cuda12]"),
        ((GPU,), WHOLE, None, Level.ESTIMATED, "no nvcc", "pip install 'kernelopt[cuda]'"),
        (NO_DRIVER, WHOLE, NVCC, Level.EMULATED, "no NVIDIA driver", "install NVIDIA's driver"),
        (NO_DRIVER, replace(WHOLE, is_wsl=True), NVCC, Level.EMULATED, "this is WSL", "in Windows, never one inside WSL"),
        (NO_DRIVER, WHOLE, None, Level.ESTIMATED, "no NVIDIA driver", "install NVIDIA's driver"),
    ],
)
def test_what_is_missing_decides_and_is_named_with_its_fix(
    gpus: tuple[Gpu, ...] | NoGpu, survey: GpuSurvey, nvcc: str | None, level: Level, reason: str, remedy: str
) -> None:
    rung = rung_of(gpus, survey, nvcc)
    assert rung.level is level and reason in (rung.reason or "") and remedy in (rung.remedy or "")
    assert "sudo" not in (rung.remedy or "") and rung.used


def test_administrators_may_read_restricted_counters() -> None:
    assert rung_of((GPU,), replace(WHOLE, is_restricted=True, is_administrator=True), NVCC).level is Level.COUNTERS


def test_a_newer_driver_runs_what_older_compilers_make() -> None:
    assert rung_of((GPU,), WHOLE, "12.9.86").level is Level.COUNTERS
