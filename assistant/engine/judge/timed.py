"""Times two versions on the lab's clock: which launches, whether these are what came back, whether a profiler agrees.

A timing is only handed on when it is of the very kernels, launches and shapes that are in question. Example::

    chosen = timed_pairs(baseline, before_cases, after_cases, pairs)
    timing = await time_pairs(job, clock, (before, after), chosen, is_confirming=True)
    mismatch(chosen, timing)      # None, or what was timed in place of what
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import Evaluation, JudgedCase
from assistant.engine.job import Job
from assistant.engine.judge.baseline import Baseline, PreparedCase
from assistant.engine.judge.case_files import written_cases
from assistant.engine.judge.predicting import KernelPair
from assistant.engine.judge.replaying import startable
from assistant.measure.paired import time_of
from assistant.model.launch import LaunchConfig
from assistant.model.timing import CaseTiming, LaunchIdentity, PairTiming, TimingOptions
from assistant.ports.lab import LabFailure, Timing
from assistant.record import Record
from assistant.workload.recordings import NewCase

__all__ = ["TimedPair", "mismatch", "time_pairs", "timed_pairs", "timing_options"]

_SCREEN_WALL_S, _SCREEN_BLOCKS = 2.0, 5
"""A shape while candidates are ranked. So many blocks of kernels whose times are so steady that A against A is known by then; else more, as
many as the time allows."""
_CONFIRM_WALL_S, _CONFIRM_BLOCKS = 6.0, 8
"""All shapes of a confirmation; each gets as long as while ranking, and so many blocks, at least."""
_FAR_RATIO = 0.5
_FAR_S = 3e-6
"""A time of ours that is further from a profiler's than the larger of these is not believed: starting a kernel costs up to 3 µs, which one
of both may hold; and kernels are queued by us and started one by one by a profiler."""


RunnableCase = tuple[PreparedCase, NewCase]
"""A judged case, and what one version is started on for it."""


class TimedPair(Record):
    """One case of the judged ones, as either version is started on it."""

    case: JudgedCase
    old: NewCase
    new: NewCase
    name: str
    """For people, and unlike that of every other case that is timed with it: ``n=4096``, ``blur, n=4096`` of several kernels."""


def timed_pairs(
    baseline: Baseline, before: Sequence[RunnableCase], after: Sequence[RunnableCase], pairs: Sequence[KernelPair]
) -> tuple[TimedPair, ...]:
    """Every case that both sides run, has weight and launches one of the pairs' kernels. ``before``, ``after``: what each side runs."""
    names = {item.kernel.qualified_name for pair in pairs for item in pair.before}
    wanted = {kernel.key for kernel in baseline.version.parsed.kernels if kernel.qualified_name in names}
    if len(baseline.version.parsed.kernels) == 1:
        wanted = {kernel.key for kernel in baseline.version.parsed.kernels}  # the only kernels of both versions are a pair
    new_cases = {id(item): new for item, new in after}
    chosen = [
        TimedPair(item.case, old, new_cases[id(item)], old.origin.shape)
        for item, old in before
        if old.origin.weight > 0 and id(item) in new_cases and wanted.intersection((item.case.kernel, *item.case.further_kernels))
    ]
    return _named_apart(chosen)


async def time_pairs(
    job: Job, clock: Timing, sides: tuple[Evaluation, Evaluation], chosen: Sequence[TimedPair], is_confirming: bool
) -> PairTiming | LabFailure:
    """Timings of the chosen cases, in order, each under its name."""
    by_side = ([pair.old for pair in chosen], [pair.new for pair in chosen])
    a, b = (startable(side.version.program, cases) for side, cases in zip(sides, by_side, strict=True))
    options = timing_options(job, len(chosen), is_confirming)
    written = zip(*[await written_cases(job.scratch, cases) for cases in by_side], strict=True)
    timing = await clock.time(a, b, tuple(written), options, job.limits)
    if isinstance(timing, LabFailure):
        return timing
    return replace(timing, cases=tuple(replace(case, shape=pair.name) for pair, case in zip(chosen, timing.cases, strict=False)))


def timing_options(job: Job, shape_count: int, is_confirming: bool) -> TimingOptions:
    """How long so many shapes are timed: what a verdict on speed costs depends on the time of a launch alone."""
    if not is_confirming:
        return TimingOptions(seed=job.seeds[0], wall_s=_SCREEN_WALL_S, least_block_count=_SCREEN_BLOCKS, fewest_block_count=_SCREEN_BLOCKS)
    wall_s = max(_SCREEN_WALL_S, _CONFIRM_WALL_S / max(1, shape_count))
    return TimingOptions(seed=job.seeds[-1], is_fresh=True, wall_s=wall_s, fewest_block_count=_CONFIRM_BLOCKS)


def mismatch(chosen: Sequence[TimedPair], timing: PairTiming) -> str | None:
    """Why a timing is none of what was asked for: other launches, or a time that a profiler contradicts. None where it is.

    This is a defect of ours, never a verdict.
    """
    if len(timing.cases) != len(chosen):
        return f"{len(timing.cases)} launches were timed instead of {len(chosen)}"
    for pair, case in zip(chosen, timing.cases, strict=True):
        for letter, new, started in (("A", pair.old, case.a_launches), ("B", pair.new, case.b_launches)):
            asked = _identities(new)
            if started != asked:
                return f"{pair.name}: in place of {letter}'s {_shown(asked)}, {_shown(started)} was timed"
        contradiction = _contradiction(case)
        if contradiction is not None:
            return f"{pair.name}: {contradiction}"
    return None


def _contradiction(case: CaseTiming) -> str | None:
    """A profiler's time of A that is far from ours, at any state of the caches between emptied and left as they were."""
    if case.profiled is None or not case.blocks:
        return None
    profiled, time_s = case.profiled, time_of(case.blocks, "A")
    least_s, most_s = profiled.least_s, profiled.most_s
    if least_s - max(_FAR_RATIO * least_s, _FAR_S) <= time_s <= most_s + max(_FAR_RATIO * most_s, _FAR_S):
        return None
    span = f"{least_s * 1e6:.3g} µs" if least_s == most_s else f"{least_s * 1e6:.3g} to {most_s * 1e6:.3g} µs"
    return f"A was timed at {time_s * 1e6:.3g} µs, but {profiled.method} measured {span}"


def _named_apart(chosen: Sequence[TimedPair]) -> tuple[TimedPair, ...]:
    """With the kernel in the names where several are timed, and the launch where names would still be equal."""
    if len({pair.case.kernel for pair in chosen}) > 1:
        chosen = [replace(pair, name=f"{pair.case.kernel.partition('(')[0]}, {pair.name}".rstrip(", ")) for pair in chosen]
    counts = Counter(pair.name for pair in chosen)
    return tuple(pair if counts[pair.name] == 1 else replace(pair, name=_with_launch(pair, index)) for index, pair in enumerate(chosen))


def _with_launch(pair: TimedPair, index: int) -> str:
    launch = _identities(pair.old)[0]
    return f"{pair.name}, grid {launch.config.grid}, block {launch.config.block} ({index + 1})"


def _identities(case: NewCase) -> tuple[LaunchIdentity, ...]:
    by_index = {launch.index: launch for launch in case.recording.launches}
    return tuple(LaunchIdentity(by_index[index].kernel, by_index[index].config) for index in case.launches)


def _shown(launches: Sequence[LaunchIdentity]) -> str:
    return " and ".join(f"{launch.kernel} ({_configuration(launch.config)})" for launch in launches) or "nothing"


def _configuration(config: LaunchConfig) -> str:
    return f"grid {config.grid}, block {config.block}"
