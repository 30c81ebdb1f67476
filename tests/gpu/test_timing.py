"""Timing on a real GPU, by the lab: pairs whose truth is known, and code that behaves while nothing is measured."""

from __future__ import annotations

import os
import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import usable_gpus
from assistant.measure.paired import compare_timing
from assistant.model.build import Flags
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.source import Source
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import Program, RunLimits
from assistant.workload.recordings import NewCase, blob_name, write_case

pytestmark = pytest.mark.asyncio(loop_scope="module")

COUNT = 1 << 16
WORK = "for (int r = 0; r < REPEATS; ++r) x = ((x * 0.25f - 0.5f) * x + 0.125f) * x + 0.0625f;"
MAKES = f"""
__global__ void work(float* out, const float* in, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  #pragma unroll 1
  {WORK}
  out[i] = x;
}}
"""
COMMON = """
__global__ void work(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) BODY
}
"""
ADDS = COMMON.replace("BODY", "out[i] += in[i];")
LAZY = """
__device__ unsigned calls;
__global__ void work(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned now = calls;
  if (i < n && now < 40) out[i] = in[i];
  if (i == 0) atomicAdd(&calls, 1);
}
"""
COPIES = COMMON.replace("BODY", "out[i] = in[i];")
KERNEL = "work(float*, float const*, int)"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[GpuLab]:
    found = usable_gpus(os.environ)
    assert isinstance(found, tuple), found
    folder = tmp_path_factory.mktemp("lab")
    lab = GpuLab(CpuLab(folder, tmp_path_factory.getbasetemp() / "cache", "h200"), GpuClient(found[0], folder), folder, "h200")
    yield lab
    await lab.close()


def program(folder: Path, name: str, code: str, repeats: int = 1) -> Program:
    return Program((Source(folder / name, code.replace("REPEATS", str(repeats))),), Flags(("-O3",)), kernels=(KERNEL,))


def case(folder: Path, name: str, is_poisoned: bool) -> Case:
    values = struct.pack(f"<{COUNT}f", *(0.5 + (i % 1000) / 2000 for i in range(COUNT)))
    buffers = (
        RecordedBuffer(1, len(values), 0x1000, None, "device", is_poisoned=is_poisoned),
        RecordedBuffer(2, len(values), 0x90000, None, "device"),
    )
    pointers = [RecordedArgument(8, "00" * 8, (PointerField(0, buffer.id, 0),)) for buffer in buffers]
    arguments = (*pointers, RecordedArgument(4, struct.pack("<i", COUNT).hex(), ()))
    states = tuple(BufferState(buffer.id, blob_name(values), None) for buffer in buffers)
    launch = RecordedLaunch(0, KERNEL, LaunchConfig(Dim3(COUNT // 256), Dim3(256)), arguments, states, "k.cu", 1)
    origin = CaseOrigin("recorded", "n=65536", 0, 1.0, 1.0)
    return write_case(folder / name, NewCase(Recording(buffers, (launch,), (), ()), {blob_name(values): values}, (0,), origin))


async def timed(lab: GpuLab, folder: Path, a: Program, b: Program, is_poisoned: bool = True) -> tuple[PairTiming, Comparison]:
    cases = ((case(folder, "case-a", is_poisoned), case(folder, "case-b", is_poisoned)),)
    timing = await lab.timing.time(a, b, cases, TimingOptions(seed=11), RunLimits())
    assert isinstance(timing, PairTiming), timing
    return timing, compare_timing(timing, seed=11)


async def test_a_version_against_itself_is_the_same(lab: GpuLab, tmp_path: Path) -> None:
    a = program(tmp_path, "a.cu", MAKES, 1000)
    timing, comparison = await timed(lab, tmp_path, a, a)
    assert comparison.outcome is SpeedOutcome.SAME
    assert timing.cases[0].method == "graph"
    assert timing.self_test is not None and timing.self_test.failures == ()
    assert timing.device.after.sm_clock_hz is not None


async def test_three_percent_more_work_is_slower(lab: GpuLab, tmp_path: Path) -> None:
    a, b = program(tmp_path, "a.cu", MAKES, 10_000), program(tmp_path, "b.cu", MAKES, 10_300)
    timing, comparison = await timed(lab, tmp_path, a, b)
    assert comparison.outcome is SpeedOutcome.SLOWER
    assert 0.965 < comparison.ratio < 0.975
    assert timing.cases[0].method == "events"


async def test_a_kernel_that_adds_in_place_is_timed_on_restored_buffers(lab: GpuLab, tmp_path: Path) -> None:
    a = program(tmp_path, "a.cu", ADDS)
    timing, comparison = await timed(lab, tmp_path, a, a, is_poisoned=False)
    found = timing.cases[0]
    assert found.is_restored
    assert (found.checked_count, found.odd_results) == (6, ())
    assert comparison.outcome is not SpeedOutcome.FASTER


async def test_a_version_that_stops_working_after_a_while_is_found_in_the_timed_calls(lab: GpuLab, tmp_path: Path) -> None:
    timing, _ = await timed(lab, tmp_path, program(tmp_path, "a.cu", COPIES), program(tmp_path, "b.cu", LAZY))
    assert {result.version for result in timing.cases[0].odd_results} == {"B"}


async def test_peaks_are_measured_once_and_kept(lab: GpuLab, tmp_path: Path) -> None:
    a = program(tmp_path, "a.cu", COPIES)
    first, _ = await timed(lab, tmp_path, a, a)
    again, _ = await timed(lab, tmp_path, a, a)
    assert first.peaks is not None and first.peaks == again.peaks
    assert first.peaks.l2_bytes_per_s > first.peaks.dram_bytes_per_s > 1e11
