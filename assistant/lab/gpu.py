"""The lab with a GPU: it runs and records programs and their kernels; the emulator counts and checks, of what is large some blocks alone.

It holds the lab without a GPU and gives it what a GPU cannot show: races, bounds, counters, float64 references. Plain replays run on the
device: fresh addresses, guard zones, fills, repeats. Both look at the same recordings. Nothing but the GPU runs a whole launch of any size:
what the emulator is given takes a time that does not grow with it. Example::

    lab = GpuLab(CpuLab(…), GpuClient(gpu, scratch), scratch, "h200")
    await lab.replay(program, cases, ReplayOptions(), limits)
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.lab.captured import CapturedRuns, counted
from assistant.lab.cpu import CpuLab
from assistant.lab.device_text import without_host_code
from assistant.lab.emulated_cases import fewest_blocks, shown_cases
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_counters import GpuCounters
from assistant.lab.gpu_replays import GpuReplays
from assistant.lab.gpu_runs import GpuRuns, Look
from assistant.lab.gpu_sanitizer import GpuSanitizer
from assistant.lab.gpu_timing import GpuTiming
from assistant.lab.gpu_twins import GpuTwins
from assistant.lab.side_by_side import side_by_side
from assistant.lab.uncounted import reason_of, unchecked, uncounted
from assistant.model.build import BuildResult
from assistant.model.device import LabDescription
from assistant.model.preprocessed import Preprocessings
from assistant.model.profile import Correction, Problem
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, Lab, LabFailure, Program, ProgramRun, ReferenceCall, ReplayOptions, ReplayRun, RunLimits

__all__ = ["GpuLab"]

_SANITIZED_CASES = 6
"""Of those that the emulator checks, the first: each costs every tool a load of the program, and shapes differ little. For the same
reason cases that are derived from others (other values, other sizes) are left to the emulator, where it can run them."""
_BEYOND_THE_EMULATOR = frozenset({"unsupported", "not_built"})
"""Kinds of failure that a program may meet under the emulator and not on a GPU."""
_CASE_S = 5.0
"""For the emulator to run one case, or one recorded launch: what it does not come to the end of in that is said."""


_TIMED_OUT = "timed out"
_Sanitized = tuple[tuple[Problem, ...], tuple[str, ...]] | LabFailure
"""What compute-sanitizer finds, and what it did not come to the end of."""


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
        self._twins = GpuTwins(cpu, self._replays, _CASE_S)
        self._captured = CapturedRuns(scratch, cpu.cache, client.gpu)
        self._runs = GpuRuns(cpu, self._captured, self._count_recorded)
        self._shown_count = 0
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

        Its results are no results of the GPU's.
        """
        if options.mode == "plain":
            return await self._replays.run(program, cases, options, limits)
        if options.mode != "check":
            return await self._counted_cases(program, cases, options, limits)
        own = [case for case in cases if not case.origin.is_derived][:_SANITIZED_CASES]
        emulated = self._counted_cases(program, cases, options, limits)
        replayed, found = await side_by_side(emulated, self._sanitized(program, own, limits))
        if isinstance(replayed, LabFailure):
            return replayed
        is_unchecked = len(own) < _SANITIZED_CASES and all(map(_is_unchecked, replayed.cases))
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
        for lab in self._parallel_labs:
            await lab.close()
        await self._captured.close()
        if not self._is_client_kept:
            for client in (self.client, *self._others):
                await client.close()
        await self.cpu.close()

    async def _sanitized(self, program: Program, cases: Sequence[Case], limits: RunLimits) -> _Sanitized:
        return await self.sanitizer.problems(program, cases, limits) if cases else ((), ())

    async def _counted_cases(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        """Under the emulator, those that it can run; of the others what can be had."""
        self._shown_count += 1
        shown = await asyncio.to_thread(shown_cases, cases, self._scratch / f"in-part-{self._shown_count}")
        runnable = [case for case in shown if isinstance(case, Case)]
        refused = [(case, reason) for case, reason in zip(cases, shown, strict=True) if isinstance(reason, str)]
        if not runnable:
            return await self._without_emulator(program, cases, options, limits, LabFailure("unsupported", refused[0][1], ""))
        replayed = await self._emulated(program, runnable, options, limits)
        if isinstance(replayed, LabFailure):
            return await self._without_emulator(program, cases, options, limits, replayed)
        if options.mode != "grade":  # whoever tries cases asks for fewer blocks by themselves
            replayed = await self._with_late_ones(program, runnable, replayed, options, limits)
        if not refused:
            return replayed
        failure = LabFailure("unsupported", refused[0][1], "")
        others = await self._without_emulator(program, [case for case, _ in refused], options, limits, failure)
        return others if isinstance(others, LabFailure) else await asyncio.to_thread(_in_order, shown, replayed, others)

    async def _with_late_ones(
        self, program: Program, cases: Sequence[Case], replayed: ReplayRun, options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun:
        """With a few blocks of each case that the emulator did not come to the end of."""
        late = [case.error == _TIMED_OUT and origin.origin.is_own_size for case, origin in zip(replayed.cases, cases, strict=True)]
        asked = [case for case, is_late in zip(cases, late, strict=True) if is_late]
        fewer = await asyncio.to_thread(fewest_blocks, asked, self._scratch / f"in-part-{self._shown_count}")
        wanted = [case for case in fewer if case is not None]
        again = await self._emulated(program, wanted, options, limits) if wanted else None
        if again is None or isinstance(again, LabFailure):
            return replayed
        runs = iter(again.cases)
        by_case = {id(case): next(runs) for case in fewer if case is not None}
        made = iter(None if case is None else by_case[id(case)] for case in fewer)
        found = [next(made) if is_late else None for is_late in late]
        few = _not_looked_for("races, bounds and uninitialised reads: the emulator came to four blocks of a launch in its time")
        return _joined(
            replayed,
            again,
            [run if new is None else replace(new, problems=(*new.problems, few)) for run, new in zip(replayed.cases, found, strict=True)],
        )

    async def _count_recorded(self, program: Program, recorded: ProgramRun, look: Look, limits: RunLimits) -> ProgramRun:
        return await counted(self, program, recorded, look.mode, limits, look.sample_blocks, look.corrections)

    async def _emulated(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        """A replay of the kernels alone where the emulator cannot build the host code around them."""
        limits = replace(limits, wall_s=min(limits.wall_s, _CASE_S))
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


def _is_unchecked(run: CaseRun) -> bool:
    return any(problem.kind == "unsupported" for problem in run.problems)


def _with_sanitized(replayed: ReplayRun, found: _Sanitized) -> ReplayRun:
    """The emulator's checks with what compute-sanitizer finds on the GPU, with the first case: the tools do not say where they find."""
    if isinstance(found, LabFailure):
        found = ((), (f"compute-sanitizer did not run: {found.message}",))
    problems = (*found[0], *(_not_looked_for(sentence) for sentence in found[1]))
    checked = [replace(case, is_comparable=False) for case in replayed.cases]
    if checked:
        checked[0] = replace(checked[0], problems=(*checked[0].problems, *problems))
    return replace(replayed, cases=tuple(checked))


def _in_order(shown: Sequence[Case | str], replayed: ReplayRun, others: ReplayRun) -> ReplayRun:
    """One replay of two; contents of the second are put with those of the first."""
    runs = {True: iter(replayed.cases), False: iter(others.cases)}
    return _joined(replayed, others, [next(runs[isinstance(case, Case)]) for case in shown])


def _joined(replayed: ReplayRun, others: ReplayRun, cases: Sequence[CaseRun]) -> ReplayRun:
    """``cases`` of both, with the contents of both in one folder."""
    for blob in others.blobs.iterdir() if others.blobs.is_dir() and others.blobs != replayed.blobs else ():
        if not (replayed.blobs / blob.name).exists():
            shutil.copyfile(blob, replayed.blobs / blob.name)
    return replace(replayed, cases=tuple(cases))


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
