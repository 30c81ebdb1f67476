"""compute-sanitizer is asked about launches once, whatever recording they stand in and wherever their buffers lay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.compiler import Compiler, Image
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_sanitizer import GpuSanitizer
from assistant.lab.gpus import Gpu
from assistant.lab.process import WorkerProcess
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, RunLimits
from assistant.workload.recordings import NewCase, write_case
from tests.unit.workload.launches import launched

PROGRAM = Program((), DEFAULT_FLAGS)
MISSING = "compute-sanitizer's memcheck did not end within 4 s"


class Asked(GpuClient):
    """Counts requests; the first ``failures`` of them find the GPU busy."""

    def __init__(self, failures: int = 0) -> None:
        super().__init__(Gpu(0, "NVIDIA Test", "GPU-0", 1, (9, 0), "580"), None)
        self.count = 0
        self._failures = failures

    async def ask(self, op: str, message: dict[str, Any], deadline_s: float, is_fresh: bool = False) -> dict[str, Any] | LabFailure:
        self.count += 1
        if self.count <= self._failures:
            return LabFailure("busy", "another kernelopt measures", "try again")
        return {"problems": [], "missing": [MISSING]}


class Compiled(Compiler):
    """Everything is compiled already, to ``cubin``."""

    cubin = "/a.cubin"

    async def image(self, program: Program, architecture: str) -> Image | LabFailure:
        return Image(self.cubin, ())

    async def code(self, program: Program, architecture: str) -> Any:
        return ()


def launch(values: list[float], n: int = 4) -> NewCase:
    new, _ = launched(LaunchConfig(Dim3(1), Dim3(32)), {"n": n}, np.array(values, np.float32))
    return new


def elsewhere(new: NewCase) -> NewCase:
    """The same launch, recorded in another run of the program, whose buffers lay elsewhere."""
    buffers = tuple(replace(buffer, address=buffer.address + 4096) for buffer in new.recording.buffers)
    return replace(new, recording=replace(new.recording, buffers=buffers), origin=replace(new.origin, shape="n=4"))


def sanitizer(client: Asked, folder: Path) -> tuple[GpuSanitizer, Compiled]:
    compiler = Compiled(WorkerProcess("none"), folder, folder)
    return GpuSanitizer(client, compiler), compiler


def written(folder: Path, new: NewCase) -> list[Case]:
    return [write_case(folder, new)]


async def test_the_same_launch_of_another_recording_is_not_asked_about_again(tmp_path: Path) -> None:
    client = Asked()
    asked, _ = sanitizer(client, tmp_path)
    first = await asked.problems(PROGRAM, written(tmp_path / "a", launch([1, 2, 3, 4])), RunLimits())
    second = await asked.problems(PROGRAM, written(tmp_path / "b", elsewhere(launch([1, 2, 3, 4]))), RunLimits())
    assert client.count == 1 and first == second == ((), (MISSING,))


@pytest.mark.parametrize("other", [launch([1, 2, 3, 5]), launch([1, 2, 3, 4], n=3)], ids=["contents", "argument"])
async def test_another_launch_is_asked_about(tmp_path: Path, other: NewCase) -> None:
    client = Asked()
    asked, compiler = sanitizer(client, tmp_path)
    await asked.problems(PROGRAM, written(tmp_path / "a", launch([1, 2, 3, 4])), RunLimits())
    await asked.problems(PROGRAM, written(tmp_path / "b", other), RunLimits())
    compiler.cubin = "/b.cubin"
    await asked.problems(PROGRAM, written(tmp_path / "c", other), RunLimits())
    assert client.count == 3


async def test_what_could_not_be_asked_is_asked_again(tmp_path: Path) -> None:
    client = Asked(failures=1)
    asked, _ = sanitizer(client, tmp_path)
    cases = written(tmp_path / "a", launch([1, 2, 3, 4]))
    assert isinstance(await asked.problems(PROGRAM, cases, RunLimits()), LabFailure)
    assert await asked.problems(PROGRAM, cases, RunLimits()) == ((), (MISSING,))
