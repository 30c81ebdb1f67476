"""Runs on a lab with a GPU, with the emulator in the recorder's place as well: what real recordings of one program have in common."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab import gpu_runs
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu_runs import GpuRuns, Look
from assistant.model.source import Source
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from tests.caches import link_kept_emulator

TEXT = """\
#include <cstdio>
__global__ void first(float *y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = i * 0.5f;
}
__global__ void then(float *z, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = y[i] + 1.0f;
}
int main() {
    const int n = 1 << 19;
    float *y, *z, last = 0;
    cudaMalloc(&y, n * 4);
    cudaMalloc(&z, n * 4);
    first<<<64, 64>>>(y, n);
    then<<<n / 64, 64>>>(z, y, n);
    cudaDeviceSynchronize();
    cudaMemcpy(&last, z + n - 1, 4, cudaMemcpyDeviceToHost);
    printf("%f\\n", last);
}
"""


class Recorder:
    """Runs programs whole, as a GPU does, and sees no more than its recorder does."""

    def __init__(self, lab: CpuLab) -> None:
        self._lab = lab

    async def run(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        run = await self._lab.run(program, "plain", limits, record=True)
        if isinstance(run, LabFailure) or run.recording is None:
            return run
        launches = tuple(replace(launch, file="", line=0) for launch in run.recording.launches)
        steps = tuple(step for step in run.recording.steps or () if step.kind in ("launch", "copy_to_host"))
        return replace(run, profiles=(), recording=replace(run.recording, launches=launches, steps=steps, are_waits_seen=False))


async def nothing_more(program: Program, run: ProgramRun, look: Look, limits: RunLimits) -> ProgramRun:
    return run


@pytest.fixture
async def runs(tmp_path: Path) -> AsyncIterator[GpuRuns]:
    lab = CpuLab(tmp_path, link_kept_emulator(tmp_path / "cache"), "h200")
    yield GpuRuns(lab, Recorder(lab), nothing_more, 1 << 37)
    await lab.close()


def program(folder: Path) -> Program:
    return Program((Source(folder / "two.cu", TEXT),), DEFAULT_FLAGS, working_directory=folder)


async def test_contents_are_whole_and_counters_in_part_and_waits_and_unwritten_memory_are_known(
    runs: GpuRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_runs, "EMULATED_S", 0.02)
    run = await runs.run(program(tmp_path), Look("check", sample_blocks=4096), RunLimits())
    assert isinstance(run, ProgramRun) and run.recording is not None
    assert run.stdout == b"262144.500000\n" and run.exit_status == 0
    assert not run.is_partial and run.is_counted_in_part
    first, then = run.recording.launches
    assert (first.line, then.line) == (14, 15)
    assert all(state.after is not None for launch in (first, then) for state in launch.buffers)
    assert first.buffers[0].is_poisoned, "nothing has written it before"
    assert [step.kind for step in run.recording.steps or () if step.kind in ("launch", "wait")] == ["launch", "launch", "wait"]
    assert {profile.kernel.partition("(")[0] for profile in run.profiles} == {"first", "then"}
    assert min(profile.blocks_counted / profile.config.grid.count for profile in run.profiles) < 1
    assert any("the emulator ran" in note and "blocks" in note for note in run.recording.not_captured)


async def test_a_program_that_the_emulator_ends_in_its_time_is_seen_whole(runs: GpuRuns, tmp_path: Path) -> None:
    run = await runs.run(program(tmp_path), Look("count", sample_blocks=1 << 20), RunLimits())
    assert isinstance(run, ProgramRun) and not run.is_counted_in_part and run.under_emulator is not None
    assert [profile.blocks_counted for profile in run.profiles] == [64, 8192]
