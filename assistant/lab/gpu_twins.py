"""Float64 values of cases on a lab with a GPU: the original with its floats as doubles, compiled by nvcc and run on the GPU.

What nvcc does not compile so is rebuilt by the emulator, for cases that it runs whole. Example::

    await GpuTwins(cpu, replays, case_s=5.0).run(program, widened_cases, options, limits)      # ReplayRun
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from assistant.lab.cpu import CpuLab
from assistant.lab.gpu_replays import GpuReplays
from assistant.model.workload import Case
from assistant.ports.lab import TOO_LARGE, CaseRun, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.emulated_blocks import emulated_part
from assistant.workload.recordings import read_recording

__all__ = ["GpuTwins"]


class GpuTwins:
    """Uses what the lab owns, and closes none of it."""

    def __init__(self, cpu: CpuLab, replays: GpuReplays, case_s: float) -> None:
        """``case_s``: for the emulator to run one case."""
        self._cpu = cpu
        self._replays = replays
        self._case_s = case_s

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
        promoted = await self._cpu.promoted(program)
        if isinstance(promoted, LabFailure):
            return promoted
        return await self._replays.run(promoted, cases, options, limits)


def _are_small(cases: Sequence[Case]) -> list[bool]:
    """Whether the emulator runs each of them whole."""
    found: list[bool] = []
    for case in cases:
        recording = read_recording(case.recording)
        found.append(emulated_part(recording, case.launches, is_own_size=case.origin.is_own_size) is recording)
    return found
