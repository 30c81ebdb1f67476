"""Replays under the emulator on a lab with a GPU: of what is large some blocks, of what takes too long a few, each case in a bounded time.

Example::

    found = await EmulatedReplays(cpu, scratch).run(program, cases, ReplayOptions("check"), limits)
    found.runs          # a CaseRun each, or why the emulator ran none of it
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from assistant.lab.device_text import without_host_code
from assistant.lab.emulated_cases import fewest_blocks, most_bytes, shown_cases
from assistant.model.profile import Problem
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.workload.emulated_blocks import FEWEST_BLOCKS

__all__ = ["BEYOND_THE_EMULATOR", "CASE_S", "LATE", "EmulatedCases", "EmulatedReplays", "EmulatorReplays", "not_looked_for"]

CASE_S = 5.0
"""For the emulator to run one case, or one recorded launch: what it does not come to the end of in that is said."""
_BYTES_PER_S = 400e6
"""Rate at which a case's contents are read, watched, compared and kept, on top of that time (measured: 2 GiB take 5 to 7 s)."""
LATE = frozenset({"timed out", "cudaErrorLaunchTimeout"})
"""Errors of a case that was stopped, and of a launch in it, which is stopped a little before."""
_FEW = "races, bounds and uninitialised reads: the emulator came to"
_FEWER = {"check": (FEWEST_BLOCKS,), "count": (FEWEST_BLOCKS, 1)}
"""Blocks that run of a launch where more do not end in its time. One block alone has counters, but checks nothing between blocks; who tries
cases (``grade``) asks for fewer blocks as well, and must know of it."""
BEYOND_THE_EMULATOR = frozenset({"unsupported", "not_built"})
"""Kinds of failure that a program may meet under the emulator and not on a GPU."""


class EmulatorReplays(Protocol):
    """The part of a lab without a GPU that replays cases."""

    async def replay(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure: ...


class EmulatedCases(Record):
    """What came of some cases."""

    runs: tuple[CaseRun | str, ...]
    """In order; a sentence where the emulator can run no part of a case."""
    blobs: Path
    """Folder with the contents that the runs name."""


class EmulatedReplays:
    """Uses what the lab owns, and closes none of it."""

    def __init__(self, cpu: EmulatorReplays, scratch: Path) -> None:
        """``scratch`` receives recordings of launches with blocks chosen."""
        self._cpu = cpu
        self._scratch = scratch
        self._count = 0

    async def run(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> EmulatedCases | LabFailure:
        """A failure where the emulator runs none of the program's kernels."""
        self._count += 1
        folder = self._scratch / f"in-part-{self._count}"
        size_bytes = await asyncio.to_thread(most_bytes, cases)
        limits = replace(limits, wall_s=min(limits.wall_s, CASE_S + size_bytes / _BYTES_PER_S))
        shown = await asyncio.to_thread(shown_cases, cases, folder)
        runnable = [case for case in shown if isinstance(case, Case)]
        if not runnable:
            return EmulatedCases(tuple(case for case in shown if isinstance(case, str)), folder)
        replayed = await self._replayed(program, runnable, options, limits)
        if isinstance(replayed, LabFailure):
            return replayed
        runs = list(replayed.cases)
        for count in _FEWER.get(options.mode, ()):
            late = [at for at, run in enumerate(runs) if run.error in LATE and runnable[at].origin.is_own_size]
            for at, run in (await self._with_fewest(program, late, count, runnable, options, limits, folder)).items():
                runs[at] = run
        found = iter(runs)
        return EmulatedCases(tuple(case if isinstance(case, str) else next(found) for case in shown), replayed.blobs)

    async def _with_fewest(
        self,
        program: Program,
        late: Sequence[int],
        count: int,
        cases: Sequence[Case],
        options: ReplayOptions,
        limits: RunLimits,
        folder: Path,
    ) -> dict[int, CaseRun]:
        """Of the cases that did not come to their end, by their place, those of which a few blocks do: their counters and problems."""
        fewer = await asyncio.to_thread(fewest_blocks, [cases[at] for at in late], count, folder)
        wanted = {at: case for at, case in zip(late, fewer, strict=True) if case is not None}
        if not wanted:
            return {}
        again = await self._replayed(program, list(wanted.values()), options, limits)
        if isinstance(again, LabFailure):
            return {}
        few = not_looked_for(f"{_FEW} {counted_noun(count, 'block')} of a launch in its time")
        return {at: replace(run, after=(), problems=(*run.problems, few)) for at, run in zip(wanted, again.cases, strict=True)}

    async def _replayed(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        """A replay of the kernels alone where the emulator cannot build the host code around them."""
        replayed = _refused(await self._cpu.replay(program, cases, options, limits))
        kernels_alone = without_host_code(program)
        if not isinstance(replayed, LabFailure) or replayed.kind not in BEYOND_THE_EMULATOR or kernels_alone is None:
            return replayed
        again = _refused(await self._cpu.replay(kernels_alone, cases, options, limits))
        return replayed if isinstance(again, LabFailure) else again


def not_looked_for(sentence: str) -> Problem:
    """No defect: what the lab could not do."""
    return Problem("unsupported", sentence, "", 0, None, None, None, None, None, 1)


def _refused(replayed: ReplayRun | LabFailure) -> ReplayRun | LabFailure:
    """A failure where the emulator did not run one of the kernels."""
    if isinstance(replayed, LabFailure):
        return replayed
    problems = (problem for case in replayed.cases if case.error is not None for problem in case.problems)
    reason = next((problem.message for problem in problems if problem.kind == "unsupported"), None)
    return replayed if reason is None else LabFailure("unsupported", reason, "")
