"""Replays that are asked for at the same time have workers of their own on one GPU; the cases of one replay stay together there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.compiler import Compiler, Image
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_replays import GpuReplays
from assistant.lab.gpus import Gpu
from assistant.lab.process import WorkerProcess
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import LabFailure, Program, ReplayOptions, ReplayRun, RunLimits

PROGRAM = Program((), DEFAULT_FLAGS)
LEFT: dict[str, Any] = {"error": None, "after": [], "guards_intact": True, "repeat_difference": None, "varied": []}


class Held(GpuClient):
    """Answers when it is let; until then it is busy."""

    def __init__(self) -> None:
        super().__init__(Gpu(0, "NVIDIA Test", "GPU-0", 1, (9, 0), "580"), None)
        self.let = asyncio.Event()
        self.asked: list[tuple[int, bool]] = []
        """Cases of each request, and whether by a fresh worker."""
        self._is_asked = asyncio.Condition()

    async def until(self, count: int) -> None:
        """So many requests have come."""
        async with self._is_asked:
            await self._is_asked.wait_for(lambda: len(self.asked) >= count)

    @property
    def is_busy(self) -> bool:
        return bool(self.asked) and not self.let.is_set()

    async def ask(self, op: str, message: dict[str, Any], deadline_s: float, is_fresh: bool = False) -> dict[str, Any] | LabFailure:
        async with self._is_asked:
            self.asked.append((len(message["cases"]), is_fresh))
            self._is_asked.notify_all()
        await self.let.wait()
        return {"cases": [LEFT] * len(message["cases"])}


class Compiled(Compiler):
    """Everything is compiled already."""

    async def image(self, program: Program, architecture: str) -> Image | LabFailure:
        return Image("/a.cubin", ())

    async def helpers(self, architecture: str) -> str | LabFailure:
        return __file__


def cases(folder: Path, count: int) -> list[Case]:
    return [Case(folder, (index,), CaseOrigin("recorded", "", 0, 1.0, 1.0)) for index in range(count)]


async def test_replays_at_the_same_time_have_a_worker_each_as_far_as_there_are_some(tmp_path: Path) -> None:
    own, further = Held(), Held()
    replays = GpuReplays((own,), Compiled(WorkerProcess("none"), tmp_path, tmp_path), tmp_path, (further,))
    counts = (3, 5, 2)
    options = (ReplayOptions(is_fresh=True), ReplayOptions(), ReplayOptions())
    works = [
        asyncio.create_task(replays.run(PROGRAM, cases(tmp_path, count), how, RunLimits()))
        for count, how in zip(counts, options, strict=True)
    ]
    await asyncio.gather(own.until(1), further.until(1))
    twice = [asyncio.create_task(client.until(2)) for client in (own, further)]
    await asyncio.wait(twice, return_when=asyncio.FIRST_COMPLETED)
    assert sorted((*own.asked, *further.asked)) == [(2, False), (3, True), (5, False)]
    assert own.asked and further.asked, "the third waits for one of both"
    for waiting in twice:
        waiting.cancel()
    own.let.set()
    further.let.set()
    found = await asyncio.gather(*works)
    assert [len(run.cases) for run in found if isinstance(run, ReplayRun)] == list(counts)


async def test_a_replay_alone_is_the_first_workers(tmp_path: Path) -> None:
    own, further = Held(), Held()
    own.let.set()
    replays = GpuReplays((own,), Compiled(WorkerProcess("none"), tmp_path, tmp_path), tmp_path, (further,))
    for _ in range(2):
        await replays.run(PROGRAM, cases(tmp_path, 4), ReplayOptions(), RunLimits())
    assert own.asked == [(4, False), (4, False)] and not further.asked
