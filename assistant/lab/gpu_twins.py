"""Float64 values of cases on a lab with a GPU: the original with its floats as doubles, compiled by nvcc and run on the GPU.

What nvcc does not compile so is rebuilt by the emulator, for cases that it runs whole. Example::

    twins = GpuTwins(cpu, replays, "sm_90", case_s=5.0)
    twins.begin(program)                                                  # while the program itself is replayed
    await twins.run(program, widened_cases, options, limits)              # ReplayRun
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from assistant.lab.cpu import CpuLab
from assistant.model.workload import Case
from assistant.ports.lab import TOO_LARGE, CaseRun, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.emulated_blocks import emulated_part
from assistant.workload.recordings import read_recording

__all__ = ["GpuTwins", "Replays"]

_FLOAT = "float"
"""Of a source without it there is no other."""


class Replays(Protocol):
    """What replays cases on the GPU, as ``GpuReplays`` does."""

    async def run(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure: ...


class GpuTwins:
    """Uses what the lab owns, and closes none of it."""

    def __init__(self, cpu: CpuLab, replays: Replays, architecture: str, case_s: float) -> None:
        """``architecture``: the GPU's; ``case_s``: for the emulator to run one case."""
        self._cpu = cpu
        self._replays = replays
        self._architecture = architecture
        self._case_s = case_s
        self._begun: dict[Program, asyncio.Task[Program | LabFailure]] = {}

    def begin(self, program: Program) -> None:
        """Rebuild and compile it next to what else is done, for the ``run`` that may follow."""
        whole = replace(program, kernels=())
        if whole not in self._begun and any(_FLOAT in source.text for source in program.sources):
            self._begun[whole] = asyncio.create_task(self._compiled(whole))

    async def close(self) -> None:
        """Call off what was begun."""
        begun = list(self._begun.values())
        self._begun.clear()
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)

    async def run(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        """On the GPU; cases that neither can run have an error that says why."""
        on_gpu = await self._on_gpu(program, cases, options, limits)
        if isinstance(on_gpu, ReplayRun):
            return on_gpu
        is_small = await asyncio.to_thread(_are_small, cases)
        small = [case for case, is_one in zip(cases, is_small, strict=True) if is_one]
        if not small:
            return on_gpu
        bounded = replace(limits, wall_s=min(limits.wall_s, self._case_s))
        replayed = await self._cpu.replay_promoted(program, small, options, bounded)
        if isinstance(replayed, LabFailure) or len(small) == len(cases):
            return replayed
        runs, left_out = iter(replayed.cases), CaseRun(False, f"{TOO_LARGE}: {on_gpu.message}", (), True, None, (), ())
        return replace(replayed, cases=tuple(next(runs) if is_one else left_out for is_one in is_small))

    async def _on_gpu(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        begun = self._begun.get(replace(program, kernels=()))
        promoted = await (self._cpu.promoted(program) if begun is None else asyncio.shield(begun))
        if isinstance(promoted, LabFailure):
            return promoted
        return await self._replays.run(replace(promoted, kernels=program.kernels), cases, options, limits)

    async def _compiled(self, program: Program) -> Program | LabFailure:
        """As doubles; what nvcc makes of it lies in the compiler's cache then."""
        promoted = await self._cpu.promoted(program)
        if not isinstance(promoted, LabFailure):
            await self._cpu.compiler.image(promoted, self._architecture)
        return promoted


def _are_small(cases: Sequence[Case]) -> list[bool]:
    """Whether the emulator runs each of them whole."""
    found: list[bool] = []
    for case in cases:
        recording = read_recording(case.recording)
        found.append(emulated_part(recording, case.launches, is_own_size=case.origin.is_own_size) is recording)
    return found
