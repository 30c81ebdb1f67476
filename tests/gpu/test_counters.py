"""Hardware counters and compute-sanitizer on a real GPU: lines, stalls, and defects at their places; the emulator counts the same."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.device.counters.ncu import find_cuda_tool
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import usable_gpus
from assistant.model.build import Flags
from assistant.model.profile import LaunchProfile, Method, Problem
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import HardwareCounts, LabFailure, Program, ProgramRun, RunLimits

EXAMPLES = Path(__file__).parents[1] / "data" / "h200" / "examples"
DEFECTS = """
__global__ void beyond(float* out, int n) { out[blockIdx.x * blockDim.x + threadIdx.x] = n; }
__global__ void races(float* out, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = n;
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void diverges(float* out, int n) {
  if (threadIdx.x < 16) __syncthreads();
  out[threadIdx.x] = n;
}
__global__ void fine(float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = n; }
int main() {
  float* out;
  cudaMalloc(&out, 64 * sizeof(float));
  KERNEL<<<1, 64>>>(out, COUNT);
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""

pytestmark = [
    pytest.mark.skipif(find_cuda_tool("ncu", os.environ) is None, reason="Nsight Compute and compute-sanitizer are not installed"),
    pytest.mark.asyncio(loop_scope="module"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[GpuLab]:
    found = usable_gpus(os.environ)
    tmp_path = tmp_path_factory.mktemp("lab")
    assert isinstance(found, tuple), found
    made = GpuLab(CpuLab(tmp_path, tmp_path / "cache", "h200"), GpuClient(found[0], tmp_path), tmp_path, "h200")
    yield made
    await made.close()


def program(text: str) -> Program:
    return Program((Source(Path("/src/program.cu"), text),), Flags(("-O3",)))


async def recorded(lab: GpuLab, one: Program) -> tuple[ProgramRun, tuple[Case, ...]]:
    run = await lab.run(one, "count", RunLimits(), record=True)
    assert isinstance(run, ProgramRun) and run.recording_path is not None and run.recording is not None, run
    origin = CaseOrigin("recorded", "", 0, 1.0, 1.0)
    return run, tuple(Case(run.recording_path, (launch.index,), origin) for launch in run.recording.launches)


def by_line(profile: LaunchProfile) -> dict[tuple[int, str], tuple[int | None, ...]]:
    return {(a.line, a.op): (a.requests, a.active_threads, a.sectors, a.ideal_sectors, a.wavefronts) for a in profile.accesses}


@pytest.mark.parametrize("method", [Method.NCU, Method.CUPTI])
@pytest.mark.parametrize("name", ["transpose", "bank_conflicts", "row_walk"])
async def test_the_hardware_counts_what_the_emulator_counts_and_samples_stalls(lab: GpuLab, name: str, method: Method) -> None:
    one = program((EXAMPLES / f"{name}.cu").read_text("utf-8"))
    run, cases = await recorded(lab, one)
    kernels = tuple(dict.fromkeys(profile.kernel for profile in run.profiles))
    measured = await lab.counters.count(one, cases, kernels, RunLimits(), method)
    assert isinstance(measured, HardwareCounts) and measured.shortfalls == (), measured
    assert [by_line(profile) for profile in measured.launches] == [by_line(profile) for profile in run.profiles]
    for profile in measured.launches:
        assert profile.method is method and profile.stalls
        assert 0 < (profile.measurement("achieved_occupancy") or 0) <= 1 and profile.measurement("l1_utilisation")
        assert {access.file for access in profile.accesses} == {"/src/program.cu"}


async def counted_beside(ncu_says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HardwareCounts | LabFailure:
    """Counters of a transpose where the first ncu that is found prints only this."""
    broken = tmp_path / "toolkit" / "bin" / "ncu"
    broken.parent.mkdir(parents=True)
    broken.write_text(f"#!/bin/sh\necho '==ERROR== {ncu_says}'\nexit 1\n", "utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    found = usable_gpus(os.environ)
    assert isinstance(found, tuple), found
    made = GpuLab(CpuLab(tmp_path, tmp_path / "cache", "h200"), GpuClient(found[0], tmp_path), tmp_path, "h200")
    try:
        one = program((EXAMPLES / "transpose.cu").read_text("utf-8"))
        run, cases = await recorded(made, one)
        return await made.counters.count(one, cases, (run.profiles[0].kernel,), RunLimits())
    finally:
        await made.close()


async def test_where_ncu_cannot_cupti_counts_and_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = await counted_beside("Cuda driver is not compatible with Nsight Compute", tmp_path, monkeypatch)
    assert isinstance(counts, HardwareCounts) and {profile.method for profile in counts.launches} == {Method.CUPTI}
    assert ["too old for this ncu" in shortfall.message for shortfall in counts.shortfalls] == [True]


async def test_counters_that_are_forbidden_are_not_read_in_another_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = await counted_beside("ERR_NVGPUCTRPERM", tmp_path, monkeypatch)
    assert (
        isinstance(counts, LabFailure) and "ERR_NVGPUCTRPERM" in counts.message and "NVreg_RestrictProfilingToAdminUsers=0" in counts.remedy
    )


@pytest.mark.parametrize(
    ("kernel", "kind", "line"), [("beyond", "out_of_bounds", 2), ("races", "shared_race", 5), ("diverges", "barrier_divergence", 9)]
)
async def test_the_sanitizer_finds_each_defect_at_its_line(lab: GpuLab, kernel: str, kind: str, line: int) -> None:
    problems = await sanitized(lab, kernel)
    assert (kind, line) in {(problem.kind, problem.line) for problem in problems if "compute-sanitizer" in problem.message}
    assert "unsupported" not in {problem.kind for problem in problems}


async def test_the_sanitizer_finds_nothing_in_a_sound_kernel(lab: GpuLab) -> None:
    assert await sanitized(lab, "fine") == ()


async def sanitized(lab: GpuLab, kernel: str) -> tuple[Problem, ...]:
    """What compute-sanitizer finds in a recorded launch of the kernel; a second block is too much for the buffer of ``beyond``."""
    blocks = 2 if kernel == "beyond" else 1
    one = program(DEFECTS.replace("KERNEL<<<1", f"{kernel}<<<{blocks}").replace("COUNT", "64"))
    run = await lab.run(one, "plain", RunLimits(), record=True)
    assert isinstance(run, ProgramRun) and run.recording_path is not None, run
    case = Case(run.recording_path, (0,), CaseOrigin("recorded", "", 0, 1.0, 1.0))
    found = await lab.sanitizer.problems(one, [case], RunLimits())
    assert not isinstance(found, LabFailure), found
    assert found[1] == ()
    return found[0]
