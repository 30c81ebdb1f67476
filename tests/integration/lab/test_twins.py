"""Float64 values on a GPU: the program with its floats as doubles is rebuilt and compiled while the program itself is replayed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu_twins import GpuTwins
from assistant.model.source import Source
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.caches import link_kept_emulator

KERNEL = "__global__ void k(float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] *= 2.0f; }\nint main() { return 0; }\n"
TWIN = "k(double*, int)"


class Replays:
    """Stands for the GPU: knows what it was asked to run, and whether that was compiled already."""

    def __init__(self, lab: CpuLab) -> None:
        self._cache = lab.cache
        self.programs: list[Program] = []
        self.compiled: list[int] = []

    async def run(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        self.programs.append(program)
        self.compiled.append(len(cubins(self._cache)))
        return ReplayRun((), Path("/blobs"))


def cubins(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*.cubin") if path.is_file()]


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[CpuLab]:
    lab = CpuLab(tmp_path, link_kept_emulator(tmp_path / "cache"), "h200")
    yield lab
    await lab.close()


def program(folder: Path, text: str = KERNEL, kernels: tuple[str, ...] = ()) -> Program:
    return Program((Source(folder / "k.cu", text),), DEFAULT_FLAGS, working_directory=folder, kernels=kernels)


async def ran(twins: GpuTwins, program: Program) -> ReplayRun | LabFailure:
    return await twins.run(program, [], ReplayOptions(), RunLimits())


@pytest.mark.parametrize("is_begun", [True, False])
async def test_what_runs_is_in_double_with_the_kernels_asked_for(tmp_path: Path, lab: CpuLab, is_begun: bool) -> None:
    replays = Replays(lab)
    twins = GpuTwins(lab, replays, "sm_90", case_s=5.0)
    if is_begun:
        twins.begin(program(tmp_path, kernels=("k(float*, int)",)))
        twins.begin(program(tmp_path, kernels=("k(float*, int)",)))
    assert isinstance(await ran(twins, program(tmp_path, kernels=(TWIN,))), ReplayRun)
    (asked,) = replays.programs
    assert asked.kernels == (TWIN,) and "double *y" in asked.sources[0].text
    assert replays.compiled == [1 if is_begun else 0], "compiled before the run asks for it, and once"
    await twins.close()


async def test_one_that_was_begun_and_never_asked_for_ends_with_the_lab(tmp_path: Path, lab: CpuLab) -> None:
    twins = GpuTwins(lab, Replays(lab), "sm_90", case_s=5.0)
    twins.begin(program(tmp_path))
    await twins.close()
    assert isinstance(await ran(twins, program(tmp_path)), ReplayRun), "it can be asked for all the same"


async def test_of_a_program_without_floats_none_is_made(tmp_path: Path, lab: CpuLab) -> None:
    replays = Replays(lab)
    twins = GpuTwins(lab, replays, "sm_90", case_s=5.0)
    twins.begin(program(tmp_path, KERNEL.replace("float", "double")))
    await ran(twins, program(tmp_path, KERNEL.replace("float", "double")))
    assert replays.compiled == [0]
    await twins.close()
