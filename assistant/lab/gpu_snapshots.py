"""Snapshots of what large launches leave on a GPU, the parent's end: one worker of its own holds them for as long as they are compared.

Example::

    snapshots = GpuSnapshots(gpu, captured, helper_code, scratch)
    a, b = [await snapshots.take(program, ["soften"], limits) for program in (original, candidate)]
    await snapshots.compare([SnapshotPair(a.taken[0], b.taken[0], "float")])
"""

from __future__ import annotations

import asyncio
import os
import select
import tempfile
import threading
from collections.abc import Awaitable, Callable, Collection, Sequence
from pathlib import Path

from assistant.lab.captured import CapturedRuns
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import Gpu
from assistant.model.snapshot import NO_MEMORY, Piece, Snapshot, SnapshotDifference, SnapshotPair, Snapshots
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from assistant.serialize import decode, encode

__all__ = ["GpuSnapshots"]

_PIPES = ("asked", "given")
_END = b"end\n"
_NO_QUESTIONS = (b"taken", b"failed", b"end")
"""Lines that the program's recorder waits for no answer to."""
_LINE_BYTES = 1 << 16
_POLL_S = 0.1
_ANSWER_S = 60.0
"""Comparing and reading what lies on the device."""
_BUILD_AND_WAIT_S = 1200.0
"""Beyond the program's own time: it may be built first, and wait for the GPU (``captured``)."""


class GpuSnapshots:
    """Implements ``ports.lab.LargeLaunches``."""

    def __init__(self, gpu: Gpu, captured: CapturedRuns, helper_code: Callable[[], Awaitable[str | LabFailure]], scratch: Path) -> None:
        self._client = GpuClient(gpu, scratch)
        self._captured = captured
        self._helper_code = helper_code
        self._scratch = scratch

    async def take(self, program: Program, kernels: Collection[str], limits: RunLimits) -> Snapshots | LabFailure:
        pipes = await asyncio.to_thread(_pipes_in, self._scratch)
        wall_s = limits.wall_s + _BUILD_AND_WAIT_S
        opened = await asyncio.to_thread(os.open, pipes / _PIPES[0], os.O_RDWR | os.O_CLOEXEC)  # so that the worker need not be there yet
        try:
            message = {"pipes": str(pipes), "kernels": sorted(kernels), "wall_s": wall_s}
            asked = asyncio.create_task(self._client.ask("take_snapshots", message, wall_s))
            has_ended = threading.Event()
            refusing = asyncio.create_task(_refuse_after(asked, pipes / _PIPES[1], opened, has_ended))
            try:
                run = await self._captured.run(program, limits, snapshots=pipes)
            finally:
                has_ended.set()
                os.write(opened, _END)
                await refusing
            reply = await asked
        finally:
            os.close(opened)
        if isinstance(reply, LabFailure):
            return run if isinstance(run, LabFailure) else reply
        found = Snapshots(*decode(_TAKEN, [reply["snapshots"], reply["left_out"]]))
        if isinstance(run, ProgramRun) and run.exit_status == 0:
            return found
        await self.free(found.taken)
        return run if isinstance(run, LabFailure) else LabFailure("bad_status", f"the program ended with status {run.exit_status}", "")

    async def compare(self, pairs: Sequence[SnapshotPair]) -> tuple[SnapshotDifference, ...] | LabFailure:
        helpers = await self._helper_code()
        if isinstance(helpers, LabFailure):
            return helpers
        message = {"pairs": [{"a": pair.a.id, "b": pair.b.id, "kind": pair.kind} for pair in pairs], "helpers": helpers}
        reply = await self._client.ask("compare_snapshots", message, _ANSWER_S)
        return reply if isinstance(reply, LabFailure) else decode(tuple[SnapshotDifference, ...], reply["differences"])

    async def read(self, pieces: Sequence[Piece]) -> tuple[bytes, ...] | LabFailure:
        out = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="snapshots-", dir=self._scratch))
        reply = await self._client.ask("read_snapshots", {"pieces": encode(tuple(pieces)), "out": str(out)}, _ANSWER_S)
        if isinstance(reply, LabFailure):
            return reply
        return await asyncio.to_thread(lambda: tuple((out / name).read_bytes() for name in reply["blobs"]))

    async def free(self, snapshots: Sequence[Snapshot]) -> None:
        if snapshots:
            await self._client.ask("free_snapshots", {"ids": [one.id for one in snapshots]}, _ANSWER_S)

    async def close(self) -> None:
        await self._client.close()


_TAKEN = tuple[tuple[Snapshot, ...], tuple[str, ...]]


async def _refuse_after(asked: asyncio.Task[object], given: Path, opened: int, has_ended: threading.Event) -> None:
    """Say that there is no memory, once the worker that would give some has gone: the program would wait for it until its time is over."""
    await asyncio.wait([asked])
    if not has_ended.is_set():
        await asyncio.to_thread(_refuse, given, opened, has_ended)


def _refuse(given: Path, opened: int, has_ended: threading.Event) -> None:
    answer = f"{NO_MEMORY}\n".encode()
    pipe = os.open(given, os.O_RDWR | os.O_CLOEXEC)  # so that the program need not wait for it yet
    try:
        os.write(pipe, answer)  # to what the worker had read last; a further answer says the same
        while not has_ended.is_set():
            if select.select([opened], [], [], _POLL_S)[0]:
                questions = [line for line in os.read(opened, _LINE_BYTES).splitlines() if line not in _NO_QUESTIONS]
                os.write(pipe, answer * len(questions))
    finally:
        os.close(pipe)


def _pipes_in(scratch: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="pipes-", dir=scratch))
    for name in _PIPES:
        os.mkfifo(folder / name)
    return folder
