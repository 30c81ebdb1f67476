"""The program's timeline: what it as a whole spends its time on the GPU with. Measured on a GPU, else predicted.

Example::

    await report_timeline(job, evaluation)      # events.TimelineFound, where the program does anything on the GPU
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import Evaluation, KnownTime, KnownTimes, known_operation, known_times
from assistant.engine.job import Job, Stopwatch
from assistant.measure.calibration import START_S
from assistant.measure.span import TimedStep, placed
from assistant.model import events
from assistant.model.device import Target
from assistant.model.launch import LaunchConfig
from assistant.model.profile import LaunchProfile, Severity
from assistant.model.recording import HOST_COPIES, WORK_KINDS, DeviceStep, Recording
from assistant.model.timeline import HOLDS_MIGRATION, Timeline
from assistant.ports.lab import LabFailure, Timing
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.profile.timeline_words import headline
from assistant.record import Record
from assistant.workload.stream_order import needs_in_order
from assistant.workload.timeline import TimedWork, Work, WorkTotal, build_timeline, build_timeline_of_totals, timeline_of, work_of

__all__ = ["measured_timeline", "predicted_timeline", "report_timeline"]

_METHOD = "performance model for {}, nothing was timed"
_STARTING = "gaps: waits, and starting the next step; what the host does in that time is not predicted"
_CUT = "the program was run in part: what it does after its time was up may be missing"
_STOPPED = "the program was stopped at {}, which is not run here: what it does after is missing"
_SHARING = "steps that need not wait run at the same time where they fit into the machine (assumed)"
_LINK = "copies to and from the host are predicted as fast as a PCIe 5.0 x16 link"
_STAGED = f"{_LINK}; those of pageable memory may take several times as long"
_Shape = tuple[str, LaunchConfig]


async def report_timeline(job: Job, evaluation: Evaluation) -> Timeline | None:
    """Report the timeline of a program with ``main()``, and return it; declared workloads and notebooks' arrays have none.

    For an editor no program is run once more to measure it.
    """
    version, clock = evaluation.version, job.lab.timing
    if not version.has_main or (clock is not None and job.request.is_live):
        return None
    if clock is not None:
        timeline = await _measured(job, evaluation, clock)
        method = f"CUPTI activity records of one run on {job.lab.describe().device}"
    else:
        recording = evaluation.counted.recording
        timeline = None if recording is None else await asyncio.to_thread(predicted_timeline, evaluation, recording, job.target)
        method = _METHOD.format(job.target.name)
    if timeline is not None:
        name = None if version.found is None else version.found.name
        job.emit(events.TimelineFound(job.id, headline(timeline), timeline, method, name))
    return timeline


def measured_timeline(run: Recording, launched: Recording | None) -> Timeline | None:
    """Of a run with the GPU's own time stamps; None where nothing ran. ``launched``: another recording of the program, with its memory."""
    timeline = timeline_of(run)
    if timeline is None or launched is None or all(buffer.space != "managed" for buffer in launched.buffers):
        return timeline
    return replace(timeline, notes=(*timeline.notes, HOLDS_MIGRATION))


async def _measured(job: Job, evaluation: Evaluation, clock: Timing) -> Timeline | None:
    watch = Stopwatch(job, "profile")
    watch.begin(f"runs the program on {job.lab.describe().device} for its timeline")
    runs = await clock.timelines((evaluation.version.program,), job.limits)
    if isinstance(runs, LabFailure):
        job.say(Severity.INFORMATION, f"no timeline of the program: {runs.message}", runs.remedy)
        return None
    (run,) = runs
    watch.end("timeline")
    return None if run.recording is None else measured_timeline(run.recording, evaluation.counted.recording)


def predicted_timeline(evaluation: Evaluation, recording: Recording, target: Target) -> Timeline | None:
    """By the performance model; None where the program does nothing on the GPU of which a time is known."""
    prediction = _Prediction(known_times(evaluation.assessment, target), target, recording)
    notes = _Notes(evaluation.counted.profiles, recording)
    stopped_at = None if evaluation.counted.run is None else evaluation.counted.run.stopped_at
    stopped = () if stopped_at is None else (_STOPPED.format(stopped_at),)
    if recording.steps is None:
        totals = prediction.totals()
        assumptions = (*stopped, *prediction.notes(), _starting(totals))
        return build_timeline_of_totals(totals, is_predicted=True, row_notes=notes.of_rows(), notes=assumptions) if totals else None
    steps = [step for step in recording.steps if step.kind in WORK_KINDS]
    timed = prediction.timed(steps)
    kinds = recording.stream_kinds
    assumptions = (*stopped, *prediction.notes(), *_of_steps(steps, timed))
    return build_timeline(timed, kinds, is_predicted=True, row_notes=notes.of_rows(), notes=assumptions) if timed else None


def _starting(totals: Sequence[WorkTotal]) -> str:
    count = sum(total.count for total in totals)
    takes = format_quantity(count * START_S, "s")
    return f"starting {count:,} steps takes {takes} in all, which are gaps where nothing else runs at the time"


class _Prediction:
    """Predicts one program's timeline by what was counted of its launches."""

    def __init__(self, known: KnownTimes, target: Target, recording: Recording) -> None:
        self._known = known
        self._target = target
        self._recording = recording
        self._shapes: list[_Shape] = [(shape.kernel, shape.config) for shape in recording.shape_counts]

    def timed(self, steps: Sequence[DeviceStep]) -> list[TimedWork]:
        """Those of which a time is known, where streams, events and waits of the host let them begin."""
        order = needs_in_order(self._recording) or tuple((place - 1,) if place else () for place in range(len(steps)))
        known = [self._time(step) for step in steps]
        spans = placed([_step(step, time, needs) for step, time, needs in zip(steps, known, order, strict=True)])
        return [
            TimedWork(self._work(step), step.stream or 0, *span, step.size_bytes)
            for step, time, span in zip(steps, known, spans, strict=True)
            if time is not None
        ]

    def totals(self) -> list[WorkTotal]:
        """Totals of a program whose order is not kept."""
        shapes = self._recording.shape_counts
        launches = [
            WorkTotal(work_of("launch", shape.kernel), shape.count, shape.count * time.body_s)
            for shape in shapes
            if (time := self._known.get((shape.kernel, shape.config))) is not None
        ]
        operations = [
            WorkTotal(work_of(each.kind), each.count, known_operation(each.kind, each.size_bytes, self._target).body_s, each.size_bytes)
            for each in self._recording.operations or ()
        ]
        return [*launches, *operations]

    def notes(self) -> tuple[str, ...]:
        """What has no time, or is missing."""
        unknown = Counter[str]()
        for shape in self._recording.shape_counts:
            if (shape.kernel, shape.config) not in self._known:
                unknown[work_of("launch", shape.kernel).name] += shape.count
        cut = (_CUT,) if self._recording.first_partial is not None else ()
        return cut + tuple(
            f"left out, as nothing of it was counted: {counted_noun(count, 'launch', 'launches')} of {name}"
            for name, count in unknown.items()
        )

    def _time(self, step: DeviceStep) -> KnownTime | None:
        if step.kind == "launch":
            return self._known.get(self._shapes[step.shape])
        return known_operation(step.kind, step.size_bytes, self._target)

    def _work(self, step: DeviceStep) -> Work:
        return work_of(step.kind, self._shapes[step.shape][0] if step.kind == "launch" else "")


def _step(step: DeviceStep, time: KnownTime | None, needs: tuple[int, ...]) -> TimedStep:
    """A step without a time takes none, and what waits for it waits for what it waits for."""
    if time is None:
        return TimedStep(0.0, 0.0, needs, None, 0.0)
    return TimedStep(time.body_s, time.launch_s, needs, step.kind if step.kind in HOST_COPIES else None, time.room_ratio)


def _of_steps(steps: Sequence[DeviceStep], timed: Sequence[TimedWork]) -> tuple[str, ...]:
    """What predictions of these steps rest on."""
    copies = [step for step in steps if step.kind in HOST_COPIES]
    is_staged = any(step.is_pinned is False for step in copies)
    has_streams = len({one.stream for one in timed}) > 1
    return (_STARTING, *((_SHARING,) if has_streams else ()), *((_STAGED if is_staged else _LINK,) if copies else ()))


class _Notes(Record):
    """How much of what a program launched was counted."""

    profiles: tuple[LaunchProfile, ...]
    recording: Recording

    def of_rows(self) -> dict[Work, str]:
        """Notes on each kernel of which not all was counted."""
        counted = defaultdict[_Shape, list[LaunchProfile]](list)
        for profile in self.profiles:
            if profile.blocks_counted:
                counted[profile.kernel, profile.config].append(profile)
        launches, made = Counter[Work](), Counter[Work]()
        blocks, every = Counter[Work](), Counter[Work]()
        for shape in self.recording.shape_counts:
            work, found = work_of("launch", shape.kernel), counted[shape.kernel, shape.config]
            launches[work] += len(found)
            made[work] += shape.count if found else 0
            blocks[work] += sum(profile.blocks_counted for profile in found)
            every[work] += sum(profile.config.grid.count for profile in found)
        notes = dict[Work, str]()
        for work in made:
            parts = [f"{blocks[work]:,} of {every[work]:,} blocks"] if 0 < blocks[work] < every[work] else []
            parts += [f"{launches[work]:,} of {made[work]:,} launches"] if 0 < launches[work] < made[work] else []
            if parts:
                notes[work] = f"counted on {' in '.join(parts)}, scaled"
        return notes
