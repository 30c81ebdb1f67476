"""The lab with a GPU: programs are counted and checked by the emulator, what their kernels compute is looked at on the GPU.

It holds the lab without a GPU and gives it whatever a GPU cannot do or tell: host code, race and bounds checks, counters, float64
references. Plain replays run on the device: fresh addresses, guard zones, fills, repeats. Both look at the same recordings. Example::

    lab = GpuLab(CpuLab(…), GpuClient(gpu, scratch), scratch, "h200")
    await lab.replay(program, cases, ReplayOptions(), limits)
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.lab.compiler import Image
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_timing import GpuTiming
from assistant.model.build import BuildResult
from assistant.model.device import LabDescription
from assistant.model.profile import Correction
from assistant.model.workload import Case
from assistant.ports import CaseRun, LabFailure, Program, ProgramRun, ReferenceCall, ReplayOptions, ReplayRun, RunLimits
from assistant.serialize import encode

__all__ = ["GpuLab"]


class GpuLab:
    """Implements ``ports.Lab``."""

    def __init__(self, cpu: CpuLab, client: GpuClient, scratch: Path, target: str) -> None:
        """``cpu`` and ``client`` are closed with the lab."""
        self.cpu = cpu
        """The lab without the GPU."""
        self.client = client
        """The GPU's worker."""
        self._compiler = cpu.compiler
        self._scratch = scratch
        self._target = target
        self._helpers: str | None = None
        self._run_count = 0
        self._timing = GpuTiming(client, cpu.compiler, self._helper_code)

    @property
    def timing(self) -> GpuTiming:
        return self._timing

    def describe(self) -> LabDescription:
        gpu = self.client.gpu
        rung = f"GPU (driver {gpu.driver_version}) + the emulator's checks and counters"
        return LabDescription(f"gpu:{gpu.index}", gpu.name, self._target, rung, self.cpu.describe().missing)

    async def build(self, program: Program, architecture: str) -> BuildResult:
        """As the emulator's lab does, with the machine code kept for the replays to come."""
        return await self._compiler.built(program, architecture, "resources", "sass", "cubin")

    async def accepts(self, program: Program, architecture: str) -> bool:
        return await self.cpu.accepts(program, architecture)

    async def inspect(self, program: Program, architecture: str) -> BuildResult:
        return await self.cpu.inspect(program, architecture)

    async def run(
        self,
        program: Program,
        mode: str,
        limits: RunLimits,
        record: bool,
        sample_blocks: int = 0,
        corrections: tuple[Correction, ...] = (),
    ) -> ProgramRun | LabFailure:
        return await self.cpu.run(program, mode, limits, record, sample_blocks, corrections)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        """On the GPU what is ``plain``; under the emulator what counts or checks, whose results are no results of the GPU's."""
        if options.mode == "plain":
            return await self._on_device(program, cases, options, limits)
        replayed = await self.cpu.replay(program, cases, options, limits)
        if isinstance(replayed, LabFailure) or options.mode != "check":
            return replayed
        return replace(replayed, cases=tuple(replace(case, is_comparable=False) for case in replayed.cases))

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        return await self.cpu.replay_promoted(program, cases, options, limits)

    async def reference(self, call: ReferenceCall, limits: RunLimits) -> tuple[tuple[str, bytes], ...] | LabFailure:
        return await self.cpu.reference(call, limits)

    async def close(self) -> None:
        await self.client.close()
        await self.cpu.close()

    async def _on_device(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        image = await self._compiler.image(program, self.client.gpu.architecture)
        if isinstance(image, LabFailure):
            return image
        helpers = await self._helper_code()
        if isinstance(helpers, LabFailure):
            return helpers
        self._run_count += 1
        out = self._scratch / f"gpu-replay-{self._run_count}"
        await asyncio.to_thread(out.mkdir, parents=True)
        runs = await self._every_case(image, helpers, cases, options, limits, out)
        return runs if isinstance(runs, LabFailure) else ReplayRun(runs, out / "blobs")

    async def _helper_code(self) -> str | LabFailure:
        if self._helpers is None:
            found = await self._compiler.helpers(self.client.gpu.architecture)
            if isinstance(found, LabFailure):
                return found
            self._helpers = found
        return self._helpers

    async def _every_case(
        self, image: Image, helpers: str, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits, out: Path
    ) -> tuple[CaseRun, ...] | LabFailure:
        """All cases, by as many workers as it takes: a case that costs its worker's context does not concern the next."""
        done: list[CaseRun] = []
        batch = max(1, len(cases))
        while len(done) < len(cases):
            wanted = cases[len(done) : len(done) + batch]
            message = _message(image, helpers, wanted, options, limits, out)
            reply = await self.client.ask("replay", message, limits.wall_s * len(wanted))
            if not isinstance(reply, LabFailure):
                done.extend(_case_run(case) for case in reply["cases"])
            elif reply.kind not in ("crashed", "timed_out"):
                return reply
            elif batch > 1:
                batch = 1  # one of them ended the worker: which?
            else:
                done.append(_failed("timed out" if reply.kind == "timed_out" else "crashed"))
        return tuple(done)


def _message(image: Image, helpers: str, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits, out: Path) -> dict[str, Any]:
    return {
        "image": encode(image),
        "helpers": helpers,
        "cases": [{"recording": str(case.recording), "launches": list(case.launches)} for case in cases],
        "out": str(out),
        "fill": options.fill,
        "shared_fill": options.shared_fill,
        "repeats": max(1, options.repeats),
        "seed": options.seed,
        "wall_s": limits.wall_s,
    }


def _case_run(reply: dict[str, Any]) -> CaseRun:
    return CaseRun(
        ok=reply["error"] is None,
        error=reply["error"],
        after=tuple(sorted((int(buffer), str(blob)) for buffer, blob in reply["after"])),
        guards_intact=reply["guards_intact"],
        repeat_difference=reply["repeat_difference"],
        problems=(),
        profiles=(),
    )


def _failed(error: str) -> CaseRun:
    return CaseRun(False, error, (), guards_intact=True, repeat_difference=None, problems=(), profiles=())
