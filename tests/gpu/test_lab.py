"""The lab on a real GPU: replays, and kernels that trap, hang, corrupt or exhaust memory, after which the next request works."""

from __future__ import annotations

import os
import struct
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_replays import GpuReplays
from assistant.lab.gpus import Gpu, usable_gpus
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import CaseRun, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.recordings import NewCase, blob_name, write_case

CODE = """
__device__ unsigned calls;
__constant__ float table[2];
template <int step> __global__ void scale(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = step * in[i] * table[i % 2];
}
template __global__ void scale<3>(float*, const float*, int);
__global__ void trap(float*, const float*, int) { __trap(); }
__global__ void hang(float* out, const float*, int) { volatile float* v = out; while (v[0] != 7.0f) v[1] = v[0]; }
__global__ void stray(float* out, const float*, int n) { out[1ll << 40] = n; }
__global__ void beyond(float* out, const float*, int n) { out[n] = n; }
__global__ void before(float* out, const float*, int n) { out[-1] = n; }
__global__ void counts(float* out, const float*, int) { if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = ++calls; }
__global__ void stale(float* out, const float*, int) { __shared__ float old[64]; out[threadIdx.x] = old[threadIdx.x]; }
__global__ void partly(float* out, const float* in, int n) { if (threadIdx.x < n / 2) out[threadIdx.x] = in[threadIdx.x]; }
__global__ void wide(float* out, const float* in, int) {
  extern __shared__ float room[];
  room[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = room[threadIdx.x];
}
"""
COUNT = 64
PARAMETERS = "(float*, float const*, int)"
VALUES = struct.pack(f"<{COUNT}f", *range(COUNT))
TABLE = struct.pack("<2f", 2.0, 0.5)


@pytest.fixture(scope="module")
def gpu() -> Gpu:
    found = usable_gpus(os.environ)
    assert isinstance(found, tuple), found
    return found[0]


@pytest.fixture
async def lab(gpu: Gpu, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[GpuLab]:
    cache = tmp_path_factory.getbasetemp() / "cache"
    lab = GpuLab(CpuLab(tmp_path, cache, "h200"), GpuClient(gpu, tmp_path), tmp_path, "h200")
    yield lab
    await lab.close()


def program(folder: Path) -> Program:
    return Program((Source(folder / "k.cu", CODE),), Flags(("-O3",)))


def case(folder: Path, kernel: str, shared_bytes: int = 0, out_bytes: int = 4 * COUNT) -> Case:
    """One launch of ``kernel`` on a poisoned output and ``COUNT`` numbers."""
    buffers = (
        RecordedBuffer(1, out_bytes, 0x1000, None, "device", is_poisoned=True),
        RecordedBuffer(2, len(VALUES), 0x9000, None, "device"),
        RecordedBuffer(3, len(TABLE), 0xF000, "table", "constant"),
    )
    arguments = (
        RecordedArgument(8, "00" * 8, (PointerField(0, 1, 0),)),
        RecordedArgument(8, "00" * 8, (PointerField(0, 2, 0),)),
        RecordedArgument(4, struct.pack("<i", COUNT).hex(), ()),
    )
    states = tuple(BufferState(buffer.id, blob_name(data), None) for buffer, data in zip(buffers, (b"", VALUES, TABLE), strict=True))
    launch = RecordedLaunch(0, kernel + PARAMETERS, LaunchConfig(Dim3(1), Dim3(COUNT), shared_bytes), arguments, states, "k.cu", 1)
    blobs = {blob_name(data): data for data in (b"", VALUES, TABLE)}
    return write_case(folder / kernel, NewCase(Recording(buffers, (launch,), (), ()), blobs, (0,), CaseOrigin("recorded", "", 0, 1.0, 1.0)))


async def replayed(lab: GpuLab, folder: Path, *cases: Case, wall_s: float = 20.0, repeats: int = 1, fill: int = 0xAB) -> ReplayRun:
    run = await lab.replay(program(folder), cases, ReplayOptions(repeats=repeats, fill=fill), RunLimits(wall_s=wall_s))
    assert isinstance(run, ReplayRun), run
    return run


def left(run: ReplayRun, found: CaseRun, buffer: int = 1) -> bytes:
    return (run.blobs / dict(found.after)[buffer]).read_bytes()


async def test_a_template_instance_reads_its_buffers_and_constants(lab: GpuLab, tmp_path: Path) -> None:
    run = await replayed(lab, tmp_path, case(tmp_path, "scale<3>"), repeats=20)
    (found,) = run.cases
    assert (found.error, found.guards_intact, found.repeat_difference) == (None, True, None)
    assert left(run, found) == struct.pack(f"<{COUNT}f", *(3 * value * (2.0, 0.5)[value % 2] for value in range(COUNT)))
    assert left(run, found, 2) == VALUES


@pytest.mark.parametrize("kernel", ["beyond", "before"])
async def test_a_write_just_outside_a_buffer_is_seen(lab: GpuLab, tmp_path: Path, kernel: str) -> None:
    assert not (await replayed(lab, tmp_path, case(tmp_path, kernel))).cases[0].guards_intact


async def test_untouched_poison_holds_its_pattern(lab: GpuLab, tmp_path: Path) -> None:
    run = await replayed(lab, tmp_path, case(tmp_path, "partly"), fill=0x54)
    assert left(run, run.cases[0]) == VALUES[: 2 * COUNT] + b"\x54" * 2 * COUNT


async def test_state_that_survives_a_call_differs_between_repeats(lab: GpuLab, tmp_path: Path) -> None:
    found = await replayed(lab, tmp_path, case(tmp_path, "counts"), repeats=2)
    assert found.cases[0].repeat_difference is not None


async def test_shared_memory_that_was_not_written_differs_between_repeats(lab: GpuLab, tmp_path: Path) -> None:
    found = await replayed(lab, tmp_path, case(tmp_path, "stale"), repeats=2)
    assert found.cases[0].repeat_difference is not None


async def test_a_kernel_gets_the_dynamic_shared_memory_of_its_launch(lab: GpuLab, tmp_path: Path) -> None:
    run = await replayed(lab, tmp_path, case(tmp_path, "wide", shared_bytes=100 << 10))
    assert left(run, run.cases[0]) == VALUES


async def test_the_next_case_runs_after_a_trap_a_hang_and_a_stray_write(lab: GpuLab, tmp_path: Path) -> None:
    cases = [case(tmp_path, name) for name in ("trap", "hang", "stray", "scale<3>")]
    found = (await replayed(lab, tmp_path, *cases, wall_s=1.0)).cases
    assert found[0].error in ("cudaErrorLaunchFailure", "cudaErrorIllegalInstruction")
    assert found[1].error == "timed out"
    assert found[2].error == "cudaErrorIllegalAddress"
    assert found[3].ok


async def test_memory_that_is_not_there_is_reported_and_the_next_case_runs(lab: GpuLab, tmp_path: Path, gpu: Gpu) -> None:
    greedy = case(tmp_path, "partly", out_bytes=2 * gpu.memory_bytes)
    found = (await replayed(lab, tmp_path, greedy, case(tmp_path, "scale<3>"))).cases
    assert found[0].error == "cudaErrorMemoryAllocation"
    assert found[1].ok


async def test_a_launch_that_cuda_refuses_concerns_one_case(lab: GpuLab, tmp_path: Path) -> None:
    found = (await replayed(lab, tmp_path, case(tmp_path, "wide", shared_bytes=1 << 20), case(tmp_path, "scale<3>"))).cases
    assert found[0].error == "cudaErrorInvalidValue"
    assert found[1].ok


async def test_a_worker_that_is_killed_is_replaced(lab: GpuLab, tmp_path: Path) -> None:
    one = case(tmp_path, "scale<3>")
    before = await replayed(lab, tmp_path, one)
    await lab.client.restart()
    assert (await replayed(lab, tmp_path, one)).cases == before.cases


async def test_what_the_emulator_checks_is_not_compared_with_the_gpus_values(lab: GpuLab, tmp_path: Path) -> None:
    source = program(tmp_path)
    run = await lab.replay(source, [case(tmp_path, "partly")], ReplayOptions(mode="check"), RunLimits())
    assert isinstance(run, ReplayRun), run
    assert [found.is_comparable for found in run.cases] == [False]


async def test_cases_are_spread_over_workers_and_come_back_in_order(lab: GpuLab, tmp_path: Path, gpu: Gpu) -> None:
    cases = [case(tmp_path, name) for name in ("scale<3>", "stray", "partly", "beyond", "wide")]
    clients = (GpuClient(gpu, tmp_path), GpuClient(gpu, tmp_path))
    spread = GpuReplays(clients, lab.cpu.compiler, tmp_path / "spread")
    try:
        found = await spread.run(program(tmp_path), cases, ReplayOptions(), RunLimits(wall_s=20.0))
    finally:
        for client in clients:
            await client.close()
    assert isinstance(found, ReplayRun), found
    assert found.cases == (await replayed(lab, tmp_path, *cases)).cases


async def test_a_kernel_that_the_emulator_cannot_run_is_replayed_without_its_checks(lab: GpuLab, tmp_path: Path) -> None:
    text = CODE.replace("if (threadIdx.x < n / 2)", 'asm("bmsk.clamp.b32 %0, %0, %0;" : "+r"(n)); if (threadIdx.x < n / 2)')
    source = replace(program(tmp_path), sources=(Source(tmp_path / "k.cu", text),), kernels=("partly" + PARAMETERS,))
    for mode in ("count", "check"):
        run = await lab.replay(source, [case(tmp_path, "partly")], ReplayOptions(mode=mode), RunLimits())
        assert isinstance(run, ReplayRun), run
        assert [problem.kind for problem in run.cases[0].problems][:1] == ["unsupported"]
        assert [profile.blocks_counted for profile in run.cases[0].profiles] == ([0] if mode == "count" else [])


async def test_both_labs_compute_the_same_from_one_recording(lab: GpuLab, tmp_path: Path) -> None:
    one = case(tmp_path, "scale<3>")
    source = replace(program(tmp_path), kernels=("scale<3>" + PARAMETERS,))
    on_cpu = await lab.cpu.replay(source, [one], ReplayOptions(), RunLimits())
    assert isinstance(on_cpu, ReplayRun), on_cpu
    assert on_cpu.cases[0].after == (await replayed(lab, tmp_path, one)).cases[0].after
