"""Count a version a second time, with what its machine code taught: corrected accesses, and races looked for.

A line that threads race on is no exact count, and a count run looks for no races; nvcc may do accesses otherwise than g++. Both
take another run of the same workload, so it is made for workloads of moderate size only; in larger ones no line is exact.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.build.corrections import apart
from assistant.build.grading import corrections
from assistant.cuda.loops import source_loops
from assistant.engine.evaluate.assessment import Assessment, CountedKernel, CountedRun
from assistant.engine.evaluate.grades import grading_input
from assistant.engine.source_version import SourceVersion
from assistant.model.profile import Correction, LaunchProfile

__all__ = ["is_moderate", "proposed_corrections", "with_second_run"]

_RACE_CHECK = "race check of global memory"
"""How the emulator names the check it left out (runtime/launch.cpp)."""
_MOST_REQUESTS = 10_000_000
"""Warp-level requests of all launches: some 3 s with every check on two cores (benchmarks/emulator_speed.py)."""


def is_moderate(counted: CountedRun) -> bool:
    """Whether a second run, with all checks, is quick; what a GPU counted leaves nothing to correct."""
    if any(profile.is_of_hardware for profile in counted.profiles):
        return False
    return sum(profile.total("", "requests") for profile in counted.profiles) <= _MOST_REQUESTS


def proposed_corrections(version: SourceVersion, assessment: Assessment) -> tuple[Correction, ...]:
    """What to count otherwise than the source says; no correction twice."""
    loops = source_loops(version.source)
    return apart(
        correction
        for item in assessment.kernels
        for launch in item.launches
        for correction in corrections(
            grading_input(launch.profile, item.code, item.kernel, loops, version.source.line_of(item.kernel.span.end))
        )
    )


def with_second_run(first: CountedRun, second: CountedRun, used: tuple[Correction, ...]) -> CountedRun:
    """The first run with the second's counters; the first as it is where the two launched different things."""
    shapes = [[(p.kernel, p.config) for p in counted.profiles] for counted in (first, second)]
    if shapes[0] != shapes[1]:
        return first
    by_identity = {id(old): new for old, new in zip(first.profiles, second.profiles, strict=True)}
    kernels = tuple(_with_profiles(kernel, by_identity) for kernel in first.kernels)
    return replace(first, kernels=kernels, profiles=second.profiles, corrections=used, is_order_checked=_looked_for_races(second))


def _looked_for_races(counted: CountedRun) -> bool:
    """False where the program's arrays were too large for the global race check, which the run then says."""
    return counted.run is None or not any(text.startswith(_RACE_CHECK) for text in counted.run.unsupported)


def _with_profiles(kernel: CountedKernel, new: dict[int, LaunchProfile]) -> CountedKernel:
    return replace(kernel, groups=tuple(replace(group, profile=new[id(group.profile)]) for group in kernel.groups))
