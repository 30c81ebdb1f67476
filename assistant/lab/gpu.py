"""The lab with a GPU: programs are counted and checked by the emulator, what their kernels compute is looked at on the GPU.

It holds the lab without a GPU and gives it whatever a GPU cannot do or show: host code, race and bounds checks, counters, float64
references. Plain replays run on the device: fresh addresses, guard zones, fills, repeats. Both look at the same recordings. Example::

    lab = GpuLab(CpuLab(…), GpuClient(gpu, scratch), scratch, "h200")
    await lab.replay(program, cases, ReplayOptions(), limits)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.lab.captured import CapturedRuns, counted
from assistant.lab.cpu import CpuLab
from assistant.lab.device_text import without_host_code
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_counters import GpuCounters
from assistant.lab.gpu_replays import GpuReplays
from assistant.lab.gpu_sanitizer import GpuSanitizer
from assistant.lab.gpu_timing import GpuTiming
from assistant.lab.uncounted import reason_of, unchecked, uncounted
from assistant.model.build import BuildResult
from assistant.model.device import LabDescription
from assistant.model.preprocessed import Preprocessings
from assistant.model.profile import Correction, Problem
from assistant.model.workload import Case
from assistant.ports.lab import Lab, LabFailure, Program, ProgramRun, ReferenceCall, ReplayOptions, ReplayRun, RunLimits

__all__ = ["GpuLab"]

_SANITIZED_CASES = 6
"""Cases that the sanitizer runs: the first of those that the emulator checks. Each costs every tool a load of the program, and shapes
differ little. For the same reason cases that are derived from others (other values, other sizes) are left to the emulator, where it can run
them."""
_BEYOND_THE_EMULATOR = frozenset({"unsupported", "not_built"})
"""Kinds of failure that a program may meet under the emulator and not on a GPU."""
_COUNTED_SHARE = 0.25
"""Share of a run's wall limit that the emulator has to count one recorded launch: there may be many, and what it does not count is
reported."""


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
        self._replays = GpuReplays((client, *others), cpu.compiler, scratch)
        self._captured = CapturedRuns(scratch, cpu.cache, client.gpu)
        self._counters = GpuCounters(client, cpu.compiler, cpu.cache)
        self.sanitizer = GpuSanitizer(client, cpu.compiler)
        self._timing = GpuTiming(client, cpu.compiler, self._replays.helper_code, self._captured, scratch, cpu.cache)

    @property
    def timing(self) -> GpuTiming:
        return self._timing

    def describe(self) -> LabDescription:
        gpu = self.client.gpu
        rung = f"GPU (driver {gpu.driver_version}); checks by the emulator and compute-sanitizer; ncu or CUPTI count where they may"
        return LabDescription(f"gpu:{gpu.index}", gpu.name, self._target, rung, self.cpu.describe().missing)

    @property
    def counters(self) -> GpuCounters:
        return self._counters

    @property
    def parallel_labs(self) -> tuple[Lab, ...]:
        return self._parallel_labs

    async def build(self, program: Program, architecture: str) -> BuildResult:
        """As the emulator's lab does, with the machine code kept for the replays to come."""
        return await self._compiler.built_for_device(program, architecture)

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
        """Under the emulator; on the GPU what it cannot run, with its launches recorded there: counts come from replaying them."""
        if program.run_command is None:
            ran = await self.cpu.run(program, mode, limits, record, sample_blocks, corrections, order_seed, uploads)
            if uploads is not None or not _is_beyond_the_emulator(ran):
                return ran
        if uploads is not None:
            return LabFailure("unsupported", "only the emulator can upload other contents", "")
        captured = await self._captured.run(program, limits)
        if isinstance(captured, LabFailure):
            return captured
        each = replace(limits, wall_s=limits.wall_s * _COUNTED_SHARE)
        return await counted(self, program, captured, mode, each, sample_blocks, corrections)

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        """Under the emulator alone: no run on a GPU is late on purpose."""
        if program.run_command is not None:
            return LabFailure("unsupported", "only the emulator can run streams late, and the program is run by a command of its own", "")
        return await self.cpu.run_streams(program, is_late, limits)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        """On the GPU what is ``plain``; under the emulator what counts or checks, whose results are no results of the GPU's."""
        if options.mode == "plain":
            return await self._replays.run(program, cases, options, limits)
        replayed = await self._emulated(program, cases, options, limits)
        sanitized = [case for case in cases if not case.origin.is_derived]
        if isinstance(replayed, LabFailure):
            replayed, sanitized = await self._without_emulator(program, cases, options, limits, replayed), list(cases)
        if isinstance(replayed, LabFailure) or options.mode != "check":
            return replayed
        return await self._sanitized(program, sanitized[:_SANITIZED_CASES], replayed, limits)

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        return await self.cpu.replay_promoted(program, cases, options, limits)

    async def reference(self, call: ReferenceCall, limits: RunLimits) -> tuple[tuple[str, bytes], ...] | LabFailure:
        return await self.cpu.reference(call, limits)

    async def close(self) -> None:
        for lab in self._parallel_labs:
            await lab.close()
        await self._captured.close()
        if not self._is_client_kept:
            for client in (self.client, *self._others):
                await client.close()
        await self.cpu.close()

    async def _sanitized(self, program: Program, cases: Sequence[Case], replayed: ReplayRun, limits: RunLimits) -> ReplayRun:
        """The emulator's checks with what compute-sanitizer finds in ``cases`` on the GPU; where it finds, the tools do not say."""
        found = await self.sanitizer.problems(program, cases, limits) if cases else ((), ())
        if isinstance(found, LabFailure):
            found = ((), (f"compute-sanitizer did not run: {found.message}",))
        problems = (*found[0], *(_not_looked_for(sentence) for sentence in found[1]))
        checked = [replace(case, is_comparable=False) for case in replayed.cases]
        if checked:
            checked[0] = replace(checked[0], problems=(*checked[0].problems, *problems))
        return replace(replayed, cases=tuple(checked))

    async def _emulated(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        """A replay of the kernels alone where the emulator cannot build the host code around them."""
        replayed = _refused(await self.cpu.replay(program, cases, options, limits))
        kernels_alone = without_host_code(program)
        if not isinstance(replayed, LabFailure) or replayed.kind not in _BEYOND_THE_EMULATOR or kernels_alone is None:
            return replayed
        again = _refused(await self.cpu.replay(kernels_alone, cases, options, limits))
        return replayed if isinstance(again, LabFailure) else again

    async def _without_emulator(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits, failure: LabFailure
    ) -> ReplayRun | LabFailure:
        """What can be had of launches that the emulator cannot run; the failure itself where that is not why it failed."""
        if failure.kind != "unsupported":
            return failure
        reason = reason_of(failure)
        if options.mode == "check":
            return unchecked(cases, reason, self._scratch)
        replayed = await self._replays.run(program, cases, replace(options, mode="plain"), limits)
        return replayed if isinstance(replayed, LabFailure) else uncounted(cases, replayed, reason, self.client.gpu.name)


def _is_beyond_the_emulator(ran: ProgramRun | LabFailure) -> bool:
    """Whether the GPU may run what the emulator did not, or not in time."""
    if isinstance(ran, LabFailure):
        return ran.kind in _BEYOND_THE_EMULATOR
    return ran.timed_out or bool(ran.left_out)


def _refused(replayed: ReplayRun | LabFailure) -> ReplayRun | LabFailure:
    """A failure where the emulator did not run one of the kernels."""
    if isinstance(replayed, LabFailure):
        return replayed
    problems = (problem for case in replayed.cases if case.error is not None for problem in case.problems)
    reason = next((problem.message for problem in problems if problem.kind == "unsupported"), None)
    return replayed if reason is None else LabFailure("unsupported", reason, "")


def _not_looked_for(sentence: str) -> Problem:
    """No defect: what the lab could not do."""
    return Problem("unsupported", sentence, "", 0, None, None, None, None, None, 1)
