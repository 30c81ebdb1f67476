"""Speed of a Region: what A and B do on the device from the first step that differs to the last one, each side as one sequence.

What differs need not be one kernel: B may fuse kernels, split one, add or leave out launches, copies and fills. A Region is timed twice:
as one call that replays all of its launches in order, to which what its fills take in the programs is added, and in both programs as they
are. Without a clock it is predicted as the longest way through its steps. Copies between host and device that B leaves as they are count on
neither side of a sum. Example::

    speed = await region_speed(job, found, before, after, job.lab.timing)     # FASTER 2.4x
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.program_spans import ProgramSpans, program_spans
from assistant.engine.judge.region import ProgramRegion
from assistant.engine.judge.region_parts import RegionParts, region_parts
from assistant.engine.judge.region_prediction import further_predictions, predicted_region, predicted_times_s
from assistant.engine.judge.timed import timing_options
from assistant.engine.judge.timing_verdict import Speed, judge_timing
from assistant.measure.added_times import AddedTimes, in_parts, with_added
from assistant.measure.paired import method_of
from assistant.model.comparison import Comparison, SpeedOutcome, format_interval, format_ratio
from assistant.model.recording import STEP_WORDS, WORK_KINDS, DeviceStep, Recording
from assistant.model.timing import PairTiming
from assistant.ports.lab import LabFailure, Timing
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.record import Record
from assistant.workload.recordings import RecordingReader
from assistant.workload.regions import steps_within
from assistant.workload.upload_contents import ProgramUploads, has_other_contents

__all__ = ["region_speed"]

_SLOWEST_COPY_BYTES_PER_S = 1e9
"""Of a copy between host and device, staged through a host that is slow and busy: a sixteenth of the worst that predictions assume."""
_LEAST_GAIN_RATIO = 1.02
"""What must be left of a gain that something which is not in it takes from."""
_GAPS = "the gaps next to fills that both make"
_CLEAR = {SpeedOutcome.FASTER, SpeedOutcome.SLOWER}


async def region_speed(
    job: Job, found: ProgramRegion, before: Evaluation, after: Evaluation, clock: Timing | None, *, is_timed_later: bool = False
) -> Speed:
    """Timed where there is a clock, else predicted; no gain where something that B adds is in no ratio.

    ``is_timed_later``: a prediction only ranks, and what it leaves out speaks against no gain: the programs themselves are timed if it is
    chosen.
    """
    a, b = before.counted.recording, after.counted.recording
    assert a is not None and b is not None
    within, elsewhere = _within(found, a, b, clock), (*_outside(found, a, b), *_of_the_host(before, after))
    predicted = predicted_region(found, before, after, job.target)
    what, once = (found.what, *found.left_out), _once(found, a, b)
    link = _over_the_link(found, predicted_times_s(found, before, after, job.target))
    if clock is None:
        once, elsewhere = (*once, *link.known), (*elsewhere, *link.doubts)
        further = further_predictions(found, predicted, before, after, job.target)
        if is_timed_later:
            return Speed(_with_caveats(predicted, (*what, *further, *once, *within), elsewhere))
        return Speed(_with_caveats(predicted, (*what, *further, *once), (*within, *elsewhere)))
    replays = await _replayed(job, clock, found, before, after)
    is_split = a.are_waits_seen and b.are_waits_seen and _is_one_after_another(found, a, b) and not _added_within(found, a, b)
    is_apart = is_split and found.has_fills_alone and isinstance(replays, _Replays)
    programs = before.version.program, after.version.program
    spans = await program_spans(job, clock, found, *programs, is_split=is_split, is_apart=is_apart)
    fills = None if isinstance(spans, LabFailure) or not found.has_fills_alone else spans.fills
    if isinstance(replays, _Replays) and found.has_fills_alone and fills is None:
        replays = LabFailure("unsupported", "its fills were not timed, which only the programs show", "")
    link = link if isinstance(spans, LabFailure) else _over_the_link(found, spans.region_s)
    once, elsewhere = (*once, *link.known), (*elsewhere, *link.doubts)
    without = is_split and any(len(counted) < len(side) for counted, side in zip(found.counted, found.sides, strict=True))
    what = (*what, *(() if isinstance(spans, LabFailure) else _further_measurements(spans, without)), *once)
    if isinstance(replays, LabFailure) and isinstance(spans, LabFailure):
        caveats = (*what, f"not timed: {replays.message}; {spans.message}")
        return Speed(_with_caveats(predicted, caveats, (*within, *elsewhere)))
    if isinstance(replays, LabFailure):
        assert not isinstance(spans, LabFailure)
        return Speed(_with_caveats(_alone(spans, (f"not replayed: {replays.message}",)), what, elsewhere))
    speed = _judged(job, found, replays, fills)
    if isinstance(spans, LabFailure):
        caveats = (*what, f"not timed in the programs themselves: {spans.message}")
        return replace(speed, comparison=_with_caveats(speed.comparison, caveats, (*within, *elsewhere)))
    assert speed.comparison is not None
    return replace(speed, comparison=_with_caveats(_together(speed.comparison, spans, fills, within), what, elsewhere))


class _Replays(Record):
    """One repetition of each side as it was replayed, without its fills."""

    parts: RegionParts
    timing: PairTiming
    """A case for each of the parts."""


async def _replayed(job: Job, clock: Timing, found: ProgramRegion, before: Evaluation, after: Evaluation) -> _Replays | LabFailure:
    parts = region_parts(found, before, after)
    if isinstance(parts, LabFailure):
        return parts
    options = replace(timing_options(job, len(parts.cases), is_confirming=True), is_apart=True)
    timing = await clock.time(parts.a, parts.b, parts.cases, options, job.limits)
    return timing if isinstance(timing, LabFailure) else _Replays(parts, timing)


def _judged(job: Job, found: ProgramRegion, replays: _Replays, fills: AddedTimes | None) -> Speed:
    """The verdict on a repetition, its parts added up. ``fills``: what its fills take; None where it has none."""
    timing, count = replays.timing, replays.parts.count
    case = replace(in_parts(timing.cases, replays.parts.counts), shape=found.name, weight=float(found.region.count))
    case = case if fills is None else with_added(case, fills)
    speed = judge_timing(replace(timing, cases=(case,)), None, {}, job.seeds[-1])
    in_turn = (f"replayed in {count} parts, each on what its program had in memory before it",) if count > 1 else ()
    added = () if fills is None else (f"{_added(fills)}, by CUPTI's time stamps in the programs",)
    assert speed.comparison is not None
    comparison = replace(speed.comparison, method="; ".join((method_of(timing), *in_turn, *added)))
    return replace(speed, comparison=comparison, findings=(), advice=None, light_ratio=None)


def _added(fills: AddedTimes) -> str:
    """``fills added at their recorded times, 1.5 µs of A and none of B``."""
    a, b = (format_quantity(time_s, "s") if time_s > 0 else "none" for time_s in (fills.a_s, fills.b_s))
    return f"fills added at their recorded times, {a} of A and {b} of B"


def _further_measurements(spans: ProgramSpans, is_without_copies: bool) -> tuple[str, ...]:
    """What the Region took, and what all that main does on the GPU took in the same runs, where that is more."""
    copies = ("those copies and what the host does next to them",) if is_without_copies else ()
    gaps = (_GAPS,) if spans.is_apart else ()
    left_out = f", without {' and without '.join((*copies, *gaps))}" if copies or gaps else ""
    region = f"it took {_change(spans.region_s)} in the programs themselves{left_out}"
    if spans.whole_s == spans.region_s:
        return (region,)
    return (region, f"all that main does on the GPU, from the first step to the last: {_change(spans.whole_s)}, {_ratio(spans.whole)}")


def _change(medians_s: tuple[float, float]) -> str:
    a, b = (format_quantity(median_s, "s") for median_s in medians_s)
    return f"{a} → {b}"


def _alone(spans: ProgramSpans, further: Sequence[str]) -> Comparison:
    return replace(spans.region, caveats=(f"in the programs themselves, {_between(spans)}", *further))


def _together(replayed: Comparison, spans: ProgramSpans, fills: AddedTimes | None, within: Sequence[str]) -> Comparison:
    """FASTER needs one of the two, and neither SLOWER; where replays leave something out, the programs themselves decide.

    Where both are clear the ratio is the one nearer to 1: replays have no gaps between launches, and time stamps make those of a program
    longer.
    """
    added = "" if fills is None else f", {_added(fills)}"
    if within:
        return _alone(spans, (f"replayed {_ratio(replayed)}{added}", *within))
    own = spans.region
    how = (f"launches replayed{added}",) if added else ()
    further = (*how, f"in the programs themselves {_ratio(own)}, {_between(spans)}")
    if {replayed.outcome, own.outcome} == _CLEAR:
        return replace(replayed, outcome=SpeedOutcome.INCONCLUSIVE, caveats=(*replayed.caveats, *further))
    is_nearer = abs(math.log(own.ratio)) < abs(math.log(replayed.ratio))
    if own.outcome in _CLEAR and (is_nearer or replayed.outcome not in _CLEAR):
        return _alone(spans, (f"replayed {_ratio(replayed)}{added}",))
    return replace(replayed, caveats=(*replayed.caveats, *further))


def _between(spans: ProgramSpans) -> str:
    return "with everything between the launches" + (f" but {_GAPS.removeprefix('the ')}" if spans.is_apart else "")


def _ratio(comparison: Comparison) -> str:
    return f"{format_ratio(comparison.ratio)}x{format_interval(comparison.low, comparison.high)}"


def _with_caveats(comparison: Comparison | None, caveats: Sequence[str], doubts: Sequence[str]) -> Comparison | None:
    """The comparison with its caveats, and no gain where there are doubts."""
    if comparison is None:
        return None
    outcome = SpeedOutcome.INCONCLUSIVE if doubts and comparison.is_gain else comparison.outcome
    return replace(comparison, outcome=outcome, caveats=(*caveats, *comparison.caveats, *doubts))


def _within(found: ProgramRegion, a: Recording, b: Recording, clock: Timing | None) -> tuple[str, ...]:
    """What replays of the Region leave out, or do otherwise than the program; without a clock, what its prediction does."""
    notes = list[str]()
    if clock is not None and not _is_one_after_another(found, a, b):
        notes.append("launches of several streams are replayed one after another")
    if not (a.are_waits_seen and b.are_waits_seen):
        notes.append("waits of the host and allocations were not seen")
    added = _added_within(found, a, b)
    if clock is None and found.may_overlap:
        added.pop("wait", None)  # what waits for what is in the prediction
    if added:
        notes.append(f"replays leave out what B adds between its launches: {_listed(added)}")
    return tuple(notes)


def _is_one_after_another(found: ProgramRegion, a: Recording, b: Recording) -> bool:
    """Whether both use one stream."""
    sides = steps_within(a, found.region.before), steps_within(b, found.region.after)
    return all(len({step.stream for step in steps if step.kind in WORK_KINDS}) <= 1 for steps in sides)


def _added_within(found: ProgramRegion, a: Recording, b: Recording) -> Counter[str]:
    """Waits and allocations, by kind, that B makes more of between its steps."""
    return _counts(steps_within(b, found.region.after)) - _counts(steps_within(a, found.region.before))


def _outside(found: ProgramRegion, a: Recording, b: Recording) -> tuple[str, ...]:
    """What B adds before the Region, behind it or between its repetitions, and comes with each repetition."""
    more = {kind: number for kind, number in _added_elsewhere(found, a, b).items() if not _is_once(number, found)}
    return (f"in no ratio: outside of it B also makes {_listed(more)}",) if more else ()


def _once(found: ProgramRegion, a: Recording, b: Recording) -> tuple[str, ...]:
    """What B adds there less often than it repeats the Region, as memory that is taken once: named, and no doubt."""
    more = {kind: number for kind, number in _added_elsewhere(found, a, b).items() if _is_once(number, found)}
    return (f"elsewhere B also makes {_listed(more)}, which is not in it",) if more else ()


def _is_once(number: int, found: ProgramRegion) -> bool:
    return found.region.count == 1 or number < found.region.count


def _added_elsewhere(found: ProgramRegion, a: Recording, b: Recording) -> Counter[str]:
    of_a, of_b = _counts(steps_within(a, found.region.before)), _counts(steps_within(b, found.region.after))
    all_a, all_b = _counts(a.steps or ()), _counts(b.steps or ())
    count = found.region.count
    added = {kind: all_b[kind] - count * of_b[kind] - (all_a[kind] - count * of_a[kind]) for kind in all_b}
    return Counter({kind: number for kind, number in added.items() if number > 0})


def _listed(kinds: Mapping[str, int]) -> str:
    return ", ".join(_counted(kind, number) for kind, number in kinds.items())


def _of_the_host(before: Evaluation, after: Evaluation) -> tuple[str, ...]:
    """Whether the host may do in B what the device does in A: its time is in no ratio."""
    other = _uploads_other_contents(before, after)
    if other is None:
        return ("what both versions upload was not compared: the host may do part of the work",)
    return ("B uploads contents that A does not: the host may do part of the work, which is in no ratio",) if other else ()


def _uploads_other_contents(before: Evaluation, after: Evaluation) -> bool | None:
    """None where not all uploads were seen."""
    sides = [(evaluation.counted.recording, evaluation.counted.run) for evaluation in (before, after)]
    seen = [_uploaded(run.recording_path, recording) for recording, run in sides if recording is not None and run is not None]
    if len(seen) == len(sides) and seen[0] is not None and seen[1] is not None:
        return has_other_contents(seen[0], seen[1])
    names = [recording.uploaded_names for recording, _ in sides if recording is not None and recording.uploaded_names is not None]
    return bool(Counter(names[1]) - Counter(names[0])) if len(names) == len(sides) else None


def _uploaded(folder: Path | None, recording: Recording) -> ProgramUploads | None:
    if recording.uploads is None or folder is None:
        return None
    return ProgramUploads(recording.uploads, RecordingReader(folder, recording).blob)


class _OverTheLink(Record):
    """What B brings more over the link between host and device: named where it cannot cost the gain, else a doubt."""

    known: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def _over_the_link(found: ProgramRegion, times_s: tuple[float, float] | None) -> _OverTheLink:
    """``times_s``: of one repetition, on both sides; None where they are not known."""
    sizes = [[step.size_bytes for step in side if not step.is_of_device] for side in found.counted]
    (old, new), has_more_copies = map(sum, sizes), len(sizes[1]) > len(sizes[0])
    if new <= old:
        return _OverTheLink()
    what, most_s = f"B brings {new - old:,} bytes more over the link between host and GPU", (new - old) / _SLOWEST_COPY_BYTES_PER_S
    if not has_more_copies and times_s is not None and times_s[0] >= _LEAST_GAIN_RATIO * (times_s[1] + most_s):
        return _OverTheLink(known=(f"{what}: {format_quantity(most_s, 's')} where the host stages them slowly",))
    return _OverTheLink(doubts=(f"{what}, of which only the least time is known",))


def _counts(steps: Sequence[DeviceStep]) -> Counter[str]:
    """Counts of waits, allocations and frees: what is work is in the Region, or the same in both."""
    return Counter(step.kind for step in steps if step.kind in STEP_WORDS and step.kind not in WORK_KINDS)


def _counted(kind: str, count: int) -> str:
    return counted_noun(count, *STEP_WORDS[kind])
