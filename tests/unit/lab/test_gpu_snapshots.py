"""A program goes on without snapshots where the worker that would hold them has ended."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.captured import CapturedRuns
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_snapshots import GpuSnapshots
from assistant.lab.gpus import Gpu
from assistant.model.snapshot import NO_MEMORY
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits

GPU = Gpu(0, "NVIDIA Test", "GPU-0", 1, (9, 0), "580")
ENDED = LabFailure("bad_status", "the program ended with status 1", "")


class Gone(GpuClient):
    """Its worker ends while the program runs: before the first question, or after it has read ``read_count`` of them."""

    def __init__(self, read_count: int) -> None:
        super().__init__(GPU, None)
        self._read_count = read_count

    async def ask(self, op: str, message: dict[str, Any], deadline_s: float, is_fresh: bool = False) -> dict[str, Any] | LabFailure:
        if self._read_count:
            await asyncio.to_thread(self._read, Path(message["pipes"]))
        return LabFailure("crashed", "the worker ended", "kernelopt doctor")

    def _read(self, pipes: Path) -> None:
        given = os.open(pipes / "given", os.O_RDWR)  # as the worker does, so that the program begins to ask
        with (pipes / "asked").open() as asked:
            for _ in range(self._read_count):
                asked.readline()
        os.close(given)


class Asking(CapturedRuns):
    """A program whose recorder asks three times, as `inject/snapshots.cpp` does, and waits for each answer."""

    answers: list[str]

    async def run(self, program: Program, limits: RunLimits, snapshots: Path | None = None) -> ProgramRun | LabFailure:
        assert snapshots is not None
        self.answers = await asyncio.to_thread(self._asked, snapshots)
        return ENDED

    @staticmethod
    def _asked(pipes: Path) -> list[str]:
        answers = list[str]()
        with (pipes / "asked").open("w", buffering=1) as asked, (pipes / "given").open() as given:
            for number in range(3):
                asked.write(f"4096 0 {number} 0 0 _Z1kPf\n")
                answers.append(given.readline().rstrip())
        return answers


async def taken(folder: Path, read_count: int) -> tuple[object, list[str]]:
    async def helpers() -> str | LabFailure:
        return "/own.cubin"

    captured = Asking(folder, folder, GPU)
    snapshots = GpuSnapshots(GPU, captured, helpers, folder)
    snapshots._client = Gone(read_count)  # pyright: ignore[reportPrivateUsage] - it starts its own otherwise
    return await asyncio.wait_for(snapshots.take(Program((), DEFAULT_FLAGS), ["k"], RunLimits()), 20), captured.answers


async def test_what_is_asked_after_the_worker_has_gone_is_refused(tmp_path: Path) -> None:
    found, answers = await taken(tmp_path, read_count=0)
    assert found == ENDED and answers == [NO_MEMORY] * 3


async def test_what_the_worker_had_read_when_it_ended_is_refused_too(tmp_path: Path) -> None:
    found, answers = await taken(tmp_path, read_count=1)
    assert found == ENDED and set(answers) <= {NO_MEMORY, ""}, "the end of the pipe is a refusal, too"
