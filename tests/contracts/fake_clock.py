"""A clock of the tests' own: every kernel takes as long as a comment in it says, ``// takes 43 us``.

So a test knows the truth of each kernel, and whether the right one was timed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assistant.cuda.match import kernel_of_instance
from assistant.cuda.parse import parse
from assistant.model.timing import Block, CaseTiming, LaunchIdentity, PairTiming, ProfiledTime, TimedDevice, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from assistant.workload.recordings import RecordingReader

__all__ = ["Clock"]

_TAKES = re.compile(r"takes (\d+(?:\.\d+)?) us")


class Clock:
    """Implements ``ports.lab.Timing``."""

    def __init__(self) -> None:
        self.timed: list[str] = []
        """Names of the kernels that were timed, in order."""
        self.failure: LabFailure | None = None
        self.stray: str | None = None
        """A kernel that is timed in the place of whatever is asked for."""
        self.usual_us: float | None = None
        """What a kernel takes that does not say so; None: every one that is timed says it."""
        self.profiled_s: float | None = None
        """What a profiler says of everything; None: it agrees."""
        self.ran: Callable[[Program], ProgramRun] | None = None
        """One run of a whole program; None: the clock runs none."""

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        if self.failure is not None:
            return self.failure
        timings = tuple(self._case(a, b, *pair) for pair in cases)
        return PairTiming(timings, TimedDevice("a clock of the tests", "GPU-T", "1", "nvcc"))

    async def timelines(self, programs: Sequence[Program], limits: RunLimits) -> tuple[ProgramRun, ...] | LabFailure:
        runs = list[ProgramRun]()
        for program in programs:
            run = await self.timeline(program, limits)
            if isinstance(run, LabFailure):
                return run
            runs.append(run)
        return tuple(runs)

    async def timeline(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        return LabFailure("unsupported", "this clock runs no programs", "") if self.ran is None else self.ran(program)

    def _case(self, a: Program, b: Program, a_case: Case, b_case: Case) -> CaseTiming:
        a_s, a_launches = self._side(a, a_case)
        b_s, b_launches = self._side(b, b_case)
        blocks = tuple(Block(order, tuple(a_s if letter == "A" else b_s for letter in order)) for order in ("ABBA", "BAAB") * 10)
        shape, weight = a_case.origin.shape, a_case.origin.weight
        profiled_s = a_s if self.profiled_s is None else self.profiled_s
        return CaseTiming(
            shape,
            weight,
            blocks,
            "events",
            1,
            len(a_launches),
            0.0,
            1,
            is_restored=False,
            stop="width",
            seconds=0.0,
            a_launches=a_launches,
            b_launches=b_launches,
            profiled=ProfiledTime(profiled_s, profiled_s, 7, "the tests' profiler"),
        )

    def _side(self, program: Program, case: Case) -> tuple[float, tuple[LaunchIdentity, ...]]:
        """Seconds of all launches of the case, and which they are."""
        parsed = parse(program.sources[0])
        by_index = {launch.index: launch for launch in RecordingReader(case.recording).recording.launches}
        total_s, started = 0.0, list[LaunchIdentity]()
        for index in case.launches:
            launch = by_index[index]
            name = self.stray or launch.kernel
            kernel = kernel_of_instance(parsed, name)
            assert kernel is not None, name
            takes = _TAKES.search(parsed.source.text[kernel.body.start : kernel.body.end])
            took_us = self.usual_us if takes is None else float(takes[1])
            assert took_us is not None, f"{kernel.name} does not say how long it takes"
            self.timed.append(kernel.name)
            total_s += took_us * 1e-6
            started.append(LaunchIdentity(name, launch.config))
        return total_s, tuple(started)
