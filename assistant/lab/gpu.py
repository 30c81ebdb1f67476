"""The lab with a GPU: it runs and records programs and their kernels; the emulator counts and checks, of what is large some blocks alone.

It holds the lab without a GPU and gives it what a GPU cannot show: races, bounds, counters, float64 references. Plain replays run on the
device: fresh addresses, guard zones, fills, repeats. Both look at the same recordings. Nothing but the GPU runs a whole launch of any size:
what the emulator is given takes a time that does not grow with it. Example::

    lab = GpuLab(CpuLab(…), GpuClient(gpu, scratch), scratch, "h200")
    await lab.replay(program, cases, ReplayOptions(), limits)
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.lab.captured import CapturedRuns, counted
from assistant.lab.cpu import CpuLab
from assistant.lab.emulated_replays import BEYOND_THE_EMULATOR, CASE_S, EmulatedReplays, not_looked_for
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_counters import GpuCounters
from assistant.lab.gpu_replays import GpuReplays
from assistant.lab.gpu_runs import GpuRuns, Look
from assistant.lab.gpu_sanitizer import GpuSanitizer
from assistant.lab.gpu_snapshots import GpuSnapshots
from assistant.lab.gpu_timing import GpuTiming
from assistant.lab.gpu_twins import GpuTwins
from assistant.lab.side_by_side import side_by_side
from assistant.lab.uncounted import reason_of, unchecked, uncounted
from assistant.lab.waited import covered_s
from assistant.model.build import BuildResult
from assistant.model.device import GpuIdentity, LabDescription
from assistant.model.preprocessed import Preprocessings
from assistant.model.profile import Correction, Problem
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, Lab, LabFailure, Program, ProgramRun, ReferenceCall, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.recordings import link_blob

__all__ = ["GpuLab"]

_SANITIZED_CASES = 6
"""Cases that the sanitizer runs: the first of those that the emulator checks. Each costs every tool a load of the program, and shapes
differ little. For the same reason cases that are derived from others (other values, other sizes) are left to the emulator, where it can run
them."""


_MOST_FURTHER = 2
"""Further workers on the GPU for replays that are asked for at the same time: each holds a context and a case's buffers. A replay takes
mostly the worker's own time, in which it reads, hashes and writes contents; kernels that run at the same time share the GPU."""


_Sanitized = tuple[tuple[Problem, ...], tuple[str, ...]] | LabFailure
"""What compute-sanitizer finds, and what it did not finish."""


class GpuLab:
    """Implements ``ports.lab.Lab``."""

    def __init__(
        self,
        cpu: CpuLab,
        client: GpuClient,
        scratch: Path,
        target: str,
        is_client_kept: bool = False,
        others: tuple[GpuClient, ...] = (),
        parallel_labs: tuple[GpuLab, ...] = (),
    ) -> None:
        """``cpu`` is closed with the lab, and so are the GPUs' workers unless they are kept for later jobs.

        ``others``: of GPUs of the same kind, which take their share of the cases while they have nothing else to do; what is timed and
        counted stays on ``client``'s. ``parallel_labs``: labs on these GPUs, for other candidates.

        Where there are cores for it, replays and the sanitizer have workers of their own on ``client``'s GPU, closed with the lab.
        """
        self._is_client_kept = is_client_kept
        self.cpu = cpu
        """The lab without the GPU."""
        self.client = client
        """The GPU's worker."""
        self._compiler = cpu.compiler
        self._scratch = scratch
        self._target = target
        self._others = others
        self._parallel_labs = parallel_labs
        further = tuple(GpuClient(client.gpu, scratch) for _ in range(min(_MOST_FURTHER, cpu.at_once - 1)))
        self._replays = GpuReplays((client, *others), cpu.compiler, scratch, further)
        self._twins = GpuTwins(cpu, self._replays, client.gpu.architecture, CASE_S)
        self._captured = CapturedRuns(scratch, cpu.cache, client.gpu, cpu.at_once)
        self._runs = GpuRuns(cpu, self._captured, self._count_recorded, client.gpu.memory_bytes)
        self._emulated = EmulatedReplays(cpu, scratch)
        self._counters = GpuCounters(client, cpu.compiler, cpu.cache)
        sanitizing = GpuClient(client.gpu, scratch) if further else client
        self.sanitizer = GpuSanitizer(sanitizing, cpu.compiler, is_gpu_shared=bool(further))
        self._own_clients = (*further, *((sanitizing,) if further else ()))
        self._snapshots = GpuSnapshots(client.gpu, self._captured, self._replays.helper_code, scratch)
        self._timing = GpuTiming(client, cpu.compiler, self._replays.helper_code, self._captured, scratch, cpu.cache)

    @property
    def timing(self) -> GpuTiming:
        return self._timing

    @property
    def large_launches(self) -> GpuSnapshots:
        return self._snapshots

    def describe(self) -> LabDescription:
        gpu = self.client.gpu
        rung = f"GPU (driver {gpu.driver_version}); checks by the emulator and compute-sanitizer; ncu or CUPTI count where they may"
        identity = GpuIdentity(gpu.uuid, gpu.name, gpu.compute_capability, gpu.driver_version)
        return LabDescription(f"gpu:{gpu.index}", gpu.name, self._target, rung, self.cpu.describe().missing, identity)

    @property
    def counters(self) -> GpuCounters:
        return self._counters

    @property
    def emulated(self) -> Lab:
        return self.cpu

    @property
    def at_once(self) -> int:
        return self.cpu.at_once

    @property
    def waited_s(self) -> float:
        waits = [wait for client in (self.client, *self._own_clients) for wait in client.waits]
        return covered_s([*waits, *self._captured.waits])

    @property
    def parallel_labs(self) -> tuple[Lab, ...]:
        return self._parallel_labs

    async def build(self, program: Program, architecture: str) -> BuildResult:
        """As the emulator's lab does, with the machine code kept for the replays to come."""
        return await self._compiler.built_for_device(program, architecture)

    async def build_ahead(self, program: Program, architecture: str) -> None:
        if self.cpu.at_once > 1:
            emulated = () if program.run_command is not None else (self.cpu.prepare(program, "count"),)
            await asyncio.gather(self._captured.build_ahead(program, RunLimits()), self.build(program, architecture), *emulated)

    async def accepts(self, program: Program, architecture: str) -> bool:
        return await self.cpu.accepts(program, architecture)

    async def inspect(self, program: Program, architecture: str) -> BuildResult:
        return await self.cpu.inspect(program, architecture)

    async def preprocessed(self, program: Program, architecture: str) -> Preprocessings:
        return await self.cpu.preprocessed(program, architecture)

    async def run(
        self,
        program: Program,
        mode: str,
        limits: RunLimits,
        record: bool,
        sample_blocks: int = 0,
        corrections: tuple[Correction, ...] = (),
        order_seed: int = 0,
        uploads: Path | None = None,
    ) -> ProgramRun | LabFailure:
        """On the GPU, with what the emulator sees of it in its time; ``fused`` on the GPU alone, uploads under the emulator alone."""
        if mode == "fused":
            return await self._runs.run_fused(program, limits)
        look = Look(mode, sample_blocks, corrections, order_seed)
        if uploads is not None:
            return await self._runs.run_uploads(program, look, limits, uploads)
        return await self._runs.run(program, look, limits)

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        """Under the emulator alone, where it ends in its time."""
        return await self._runs.run_streams(program, is_late, limits)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        """On the GPU what is ``plain``; under the emulator what counts or checks, of large launches some blocks alone.

        Its results are no results of the GPU's, so that those of checks are kept only for who asks for any.
        """
        if options.mode == "plain":
            if not program.is_candidate and self.cpu.at_once > 1:
                self._twins.begin(program)
            return await self._replays.run(program, cases, options, limits)
        if options.mode != "check":
            return await self._counted_cases(program, cases, options, limits)
        own = [case for case in cases if not case.origin.is_derived][:_SANITIZED_CASES]
        kept = "any" if options.kept == "any" else "none"
        emulated = self._counted_cases(program, cases, replace(options, kept=kept), limits)
        replayed, found = await side_by_side(emulated, self._sanitized(program, own, limits))
        if isinstance(replayed, LabFailure):
            return replayed
        is_unchecked = 0 < len(own) < _SANITIZED_CASES and all(map(_is_unchecked, replayed.cases))
        if is_unchecked:  # by the emulator: then other values and sizes are the sanitizer's, too
            found = await self._sanitized(program, [*own, *(case for case in cases if case not in own)][:_SANITIZED_CASES], limits)
        return _with_sanitized(replayed, found)

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        """On the GPU, else under the emulator what that runs whole."""
        return await self._twins.run(program, cases, options, limits)

    async def reference(self, call: ReferenceCall, limits: RunLimits) -> tuple[tuple[str, bytes], ...] | LabFailure:
        return await self.cpu.reference(call, limits)

    async def close(self) -> None:
        clients = (*self._own_clients, *(() if self._is_client_kept else (self.client, *self._others)))
        labs = (*self._parallel_labs, self.cpu)
        await asyncio.gather(*(one.close() for one in (*labs, self._captured, self._snapshots, self._twins, *clients)))

    async def _sanitized(self, program: Program, cases: Sequence[Case], limits: RunLimits) -> _Sanitized:
        return await self.sanitizer.problems(program, cases, limits) if cases else ((), ())

    async def _counted_cases(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        """Under the emulator, those that it can run; of the others what can be had."""
        found = await self._emulated.run(program, cases, options, limits)
        if isinstance(found, LabFailure):
            return await self._without_emulator(program, cases, options, limits, found)
        reason = next((run for run in found.runs if isinstance(run, str)), None)
        if reason is None:
            return ReplayRun(tuple(run for run in found.runs if isinstance(run, CaseRun)), found.blobs)
        refused = [case for case, run in zip(cases, found.runs, strict=True) if isinstance(run, str)]
        others = await self._without_emulator(program, refused, options, limits, LabFailure("unsupported", reason, ""))
        if isinstance(others, LabFailure):
            return others
        left = iter(others.cases)
        runs = tuple(next(left) if isinstance(run, str) else run for run in found.runs)
        if not any(run.after for run in others.cases):
            return ReplayRun(runs, found.blobs)
        return ReplayRun(runs, await asyncio.to_thread(_gathered, found.blobs, others))

    async def _count_recorded(self, program: Program, recorded: ProgramRun, look: Look, limits: RunLimits) -> ProgramRun:
        return await counted(self, program, recorded, look.mode, limits, look.sample_blocks, look.corrections)

    async def _without_emulator(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits, failure: LabFailure
    ) -> ReplayRun | LabFailure:
        """What can be had of launches that the emulator cannot build or run; the failure itself where that is not why it failed."""
        if failure.kind not in BEYOND_THE_EMULATOR:
            return failure
        reason = reason_of(failure)
        if options.mode == "check":
            return unchecked(cases, reason, self._scratch)
        replayed = await self._replays.run(program, cases, replace(options, mode="plain"), limits)
        return replayed if isinstance(replayed, LabFailure) else uncounted(cases, replayed, reason, self.client.gpu.name)


def _is_unchecked(run: CaseRun) -> bool:
    return any(problem.kind == "unsupported" for problem in run.problems)


def _with_sanitized(replayed: ReplayRun, found: _Sanitized) -> ReplayRun:
    """The emulator's checks with what compute-sanitizer finds on the GPU, with the first case: the tools do not say where they find."""
    if isinstance(found, LabFailure):
        found = ((), (f"compute-sanitizer did not run: {found.message}",))
    problems = (*found[0], *(not_looked_for(sentence) for sentence in found[1]))
    checked = [replace(case, is_comparable=False) for case in replayed.cases]
    if checked:
        checked[0] = replace(checked[0], problems=(*checked[0].problems, *problems))
    return replace(replayed, cases=tuple(checked))


def _gathered(blobs: Path, others: ReplayRun) -> Path:
    """A folder with the contents that both name."""
    if not blobs.is_dir():
        return others.blobs
    left = (contents for case in others.cases for contents in (case.after, *case.varied))
    for name in {name for contents in left for _, name in contents}:
        link_blob(others.blobs / name, blobs)
    return blobs
