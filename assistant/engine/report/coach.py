"""Every launch shape timed on the lab's clock, and how near it is to what the device can do. Only labs with a clock are asked.

Each shape is timed against itself: the same method, the same numbers next to it as in a comparison. Example::

    match await time_launches(job, evaluation, clock):
        case LaunchTimes() as times: times.of(kernel, launch)      # MeasuredLaunch(time_s=31e-6, …, advice="at 93 % of …")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.build.symbols import name_in_code
from assistant.engine.evaluate import (
    AssessedLaunch,
    Effort,
    Evaluation,
    JudgedCase,
    KernelAssessment,
    captured_cases,
    declared_cases,
    write_cases,
)
from assistant.engine.ids import new_id
from assistant.engine.job import Job, Stopwatch
from assistant.engine.judge import HOST_SPACE, spaces_of, startable
from assistant.engine.source_version import SourceVersion
from assistant.measure.bounds import with_measured
from assistant.measure.paired import method_of, time_of
from assistant.model.device import Target
from assistant.model.event_parts import MeasuredLaunch
from assistant.model.launch import LaunchConfig
from assistant.model.profile import Severity
from assistant.model.recording import Recording
from assistant.model.timing import CaseTiming, PairTiming, TimingOptions
from assistant.ports.lab import LabFailure, Timing
from assistant.profile.coach import MeasuredShape, advice
from assistant.profile.speed_of_light import SpeedOfLight, speed_of_light
from assistant.record import Record

__all__ = ["LaunchTimes", "TimedLaunch", "launch_times", "time_launches"]

_WALL_S = 1.0
"""A shape: what it takes is asked, not a difference."""
_MOST_SHAPES = 32
"""Launch shapes of a source that are timed: the first in program order."""
_OF_HOST = "page-locked host memory would be timed as if it were on the device"
_Key = tuple[str, LaunchConfig]


class TimedLaunch(Record):
    """One launch shape: its time, and the speed of light by the device's own peaks."""

    measured: MeasuredLaunch
    light: SpeedOfLight | None


class LaunchTimes(Record):
    """Times of launches, from one look at a source."""

    timings: tuple[tuple[_Key, CaseTiming], ...]
    method: str
    target: Target
    """With the peaks that were measured on this device."""
    shares: tuple[tuple[str, float], ...]
    """(kernel instance, share of the program's GPU time), largest first; empty where not all of it was timed."""
    notes: tuple[str, ...]
    """What the times do not say, or was in their way; for people."""

    def of(self, kernel: KernelAssessment, launch: AssessedLaunch) -> TimedLaunch | None:
        """None where that shape was not timed."""
        key = (kernel.instance, launch.profile.config)
        found = next((timing for known, timing in self.timings if known == key), None)
        if found is None:
            return None
        time_s = time_of(found.blocks, "A")
        light = speed_of_light(launch.profile, launch.predicted, self.target, time_s)
        share = dict(self.shares).get(kernel.instance)
        first = next(iter(self.shares), None)
        standing = MeasuredShape(
            kernel=kernel.kernel.qualified_name,
            time_s=time_s,
            light=None if light is None else light.ratio,
            limit=None if light is None else light.limit,
            share_ratio=share,
            busiest=None if first is None or first[0] == kernel.instance else (name_in_code(first[0])[0], first[1]),
        )
        return TimedLaunch(MeasuredLaunch(time_s, self.method, share, advice(standing)), light)


async def launch_times(job: Job, evaluation: Evaluation) -> LaunchTimes | None:
    """Times of each launch shape; None where nothing is, or can be, timed."""
    if job.lab.timing is None:
        return None
    watch = Stopwatch(job, "profile")
    watch.begin(f"times each launch shape on {job.lab.describe().device}")
    times = await time_launches(job, evaluation, job.lab.timing)
    if isinstance(times, LabFailure):
        job.say(Severity.WARNING, f"no launch could be timed: {times.message}", times.remedy)
    for note in times.notes if isinstance(times, LaunchTimes) else ():
        job.say(Severity.WARNING, note)
    watch.end("times by launch shape")
    return times if isinstance(times, LaunchTimes) else None


async def time_launches(job: Job, evaluation: Evaluation, clock: Timing) -> LaunchTimes | LabFailure | None:
    """Every recorded or declared launch shape of the kernels in question; None where there is none that could be timed."""
    found = _cases(evaluation, job.seeds[0])
    cases = [case for case in found if HOST_SPACE not in spaces_of(case.new)][:_MOST_SHAPES]
    if not cases:
        return LabFailure("unsupported", _OF_HOST, "time it in your program: a profiler's timeline shows its transfers") if found else None
    cases = [case for of_file in _by_file(evaluation.version, cases) for case in of_file]
    timing: PairTiming | None = None
    for of_file in _by_file(evaluation.version, cases):
        part = await _timed(job, clock, evaluation.version, of_file)
        if isinstance(part, LabFailure):
            return part
        timing = part if timing is None else replace(part, cases=timing.cases + part.cases)
    assert timing is not None
    timings = tuple(zip((_key(case) for case in cases), timing.cases, strict=True))
    target = job.target if timing.peaks is None else with_measured(job.target, timing.peaks)
    is_left_out = any(HOST_SPACE in spaces_of(case.new) for case in found)
    notes = (*_notes(timing), *((f"not all launches are timed: {_OF_HOST}",) if is_left_out else ()))
    return LaunchTimes(timings, method_of(timing), target, _shares(evaluation, timings), notes)


def _by_file(version: SourceVersion, cases: Sequence[JudgedCase]) -> list[list[JudgedCase]]:
    """The cases of kernels of the same source: a source is compiled with its own kernels alone."""
    holders = {kernel.key: version.about(kernel).source.path for kernel in version.kernels}
    groups: dict[Path, list[JudgedCase]] = {}
    for case in cases:
        groups.setdefault(holders.get(case.kernel, version.source.path), []).append(case)
    return list(groups.values())


async def _timed(job: Job, clock: Timing, version: SourceVersion, cases: Sequence[JudgedCase]) -> PairTiming | LabFailure:
    """Each case timed against itself; all kernels are of the same source."""
    new_cases = [case.new for case in cases]
    kernel = next((kernel for kernel in version.kernels if kernel.key == cases[0].kernel), None)
    program = startable((version if kernel is None else version.about(kernel)).program, new_cases)
    written = write_cases(job.scratch / new_id("K"), new_cases)
    return await clock.time(program, program, [(case, case) for case in written], TimingOptions(job.seeds[0], wall_s=_WALL_S), job.limits)


def _notes(timing: PairTiming) -> tuple[str, ...]:
    failures = () if timing.self_test is None else timing.self_test.failures
    failed = (f"times are not to be relied on, as this GPU's timing failed its self-test: {'; '.join(failures)}",) if failures else ()
    return (*failed, *dict.fromkeys(note for case in timing.cases for note in case.notes))


def _cases(evaluation: Evaluation, seed: int) -> list[JudgedCase]:
    """One of each shape with a single launch: what several launches take together is no kernel's own time."""
    version = evaluation.version
    keys = frozenset(kernel.key for kernel in evaluation.launched_kernels)
    captured = captured_cases(version, evaluation.counted, keys)
    declared = [case for workload in version.declared for case in declared_cases(version, workload, _effort((seed,)))]
    found: dict[_Key, JudgedCase] = {}
    for case in (*captured, *declared):
        if len(case.new.launches) == 1 and case.new.origin.weight > 0:
            found.setdefault(_key(case), case)
    return list(found.values())


def _effort(seeds: tuple[int, ...]) -> Effort:
    return Effort(seeds, 1, "plain", with_boundary=False, is_confirming=False)


def _key(case: JudgedCase) -> _Key:
    launch = next(launch for launch in case.new.recording.launches if launch.index == case.new.launches[0])
    return launch.kernel, launch.config


def _shares(evaluation: Evaluation, timings: Sequence[tuple[_Key, CaseTiming]]) -> tuple[tuple[str, float], ...]:
    """By the recording's own time stamps where it has them, else by how often each shape was launched and what it takes alone."""
    recording = evaluation.counted.recording
    if recording is None or not recording.shape_counts:
        return ()
    seconds = _stamped(recording) or _added(recording, {key: time_of(timing.blocks, "A") for key, timing in timings})
    total_s = sum(seconds.values())
    if total_s <= 0:
        return ()
    return tuple(sorted(((name, time_s / total_s) for name, time_s in seconds.items()), key=lambda item: -item[1]))


def _stamped(recording: Recording) -> dict[str, float]:
    seconds: dict[str, float] = {}
    for shape in recording.shape_counts:
        if shape.time_ns is None:
            return {}
        seconds[shape.kernel] = seconds.get(shape.kernel, 0.0) + shape.time_ns * 1e-9
    return seconds


def _added(recording: Recording, known: dict[_Key, float]) -> dict[str, float]:
    """Empty where a shape of the program was not timed: a share of only a part would be too large."""
    seconds: dict[str, float] = {}
    for shape in recording.shape_counts:
        time_s = known.get((shape.kernel, shape.config))
        if time_s is None:
            return {}
        seconds[shape.kernel] = seconds.get(shape.kernel, 0.0) + shape.count * time_s
    return seconds
