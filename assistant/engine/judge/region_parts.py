"""What of a Region is replayed: the launches of one repetition, in parts where they need memory that a fill set again between them.

Replays have no fills. What these put into memory is there, as recordings hold what each launch found. Example::

    parts = region_parts(found, before, after)     # LabFailure: why nothing can be replayed
    parts.cases, parts.counts                      # each part on either side, and how often it comes
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assistant.engine.evaluate import Evaluation
from assistant.engine.judge.region import ProgramRegion
from assistant.engine.judge.replaying import startable_kernels
from assistant.model.recording import Recording
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import LabFailure, Program
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.workload.between_fills import parts_between_fills
from assistant.workload.regions import launches_of

__all__ = ["RegionParts", "region_parts"]

_MOST_LAUNCHES = 32
"""Launches of a version that are replayed together."""
_MOST_PARTS = 8
"""Different parts between fills: each is timed for two seconds at least."""

_Part = tuple[int, ...]
"""Launches (``RecordedLaunch.index``) that are replayed as one call."""


class RegionParts(Record):
    """One repetition of each side, as it is replayed on what its own program had in memory."""

    a: Program
    b: Program
    cases: tuple[tuple[Case, Case], ...]
    """What is one call on either side."""
    counts: tuple[int, ...]
    """How often each of them comes."""

    @property
    def count(self) -> int:
        """Parts in all."""
        return sum(self.counts)


def region_parts(found: ProgramRegion, before: Evaluation, after: Evaluation) -> RegionParts | LabFailure:
    """Of the last repetition that was recorded; a failure says why there is none that could be replayed."""
    a, b = before.counted.recording, after.counted.recording
    assert a is not None and b is not None
    reason = _why_not(found)
    if reason is not None:
        return LabFailure("unsupported", reason, "")
    places = _kept_repetition(found, a, b)
    if places is None:
        return LabFailure("unsupported", "not all of its launches could be recorded", "")
    parts = _parts(found, (a, b), places)
    if isinstance(parts, LabFailure):
        return parts
    a_program = _startable(before, [launch for old, _ in parts for launch in old])
    b_program = _startable(after, [launch for _, new in parts for launch in new])
    cases = tuple((_case(found.name, before, old), _case(found.name, after, new)) for old, new in parts)
    return RegionParts(a_program, b_program, cases, tuple(parts.values()))


def _why_not(found: ProgramRegion) -> str | None:
    a_count, b_count = (sum(step.is_launch for step in side) for side in found.sides)
    if not a_count or not b_count:
        return f"{'B' if a_count else 'A'} launches nothing in it"
    if max(a_count, b_count) > _MOST_LAUNCHES:
        return f"more than {_MOST_LAUNCHES} launches would have to be replayed as one"
    kinds = {step.kind for side in found.counted for step in side} - {"launch"}
    if kinds - {"fill"}:
        return "copies are not replayed"
    if kinds and found.may_overlap:
        return "fills that may overlap other work are not replayed"
    return None


def _kept_repetition(found: ProgramRegion, a: Recording, b: Recording) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Steps of the last repetition that both recordings have wholly: the first ones of a simulation may work on empty fields."""
    region, kept = found.region, [{launch.index for launch in recording.launches} for recording in (a, b)]
    for number in reversed(range(region.count)):
        before = tuple(index + number * region.step[0] for index in region.before)
        after = tuple(index + number * region.step[1] for index in region.after)
        if kept[0].issuperset(launches_of(found.before, before)) and kept[1].issuperset(launches_of(found.after, after)):
            return before, after
    return None


def _parts(
    found: ProgramRegion, recordings: tuple[Recording, Recording], places: tuple[tuple[int, ...], tuple[int, ...]]
) -> dict[tuple[_Part, _Part], int] | LabFailure:
    """What is replayed as one call on either side, and how often that comes: those that do the same on the same memory are one."""
    cut = [parts_between_fills(*each) for each in zip(recordings, (found.before, found.after), places, strict=True)]
    number, counts = max(map(len, cut)), [sum(map(len, parts)) for parts in cut]
    if min(counts) < number:
        many, few = ("A", "B") if counts[1] < number else ("B", "A")
        launches = counted_noun(min(counts), "launch", "launches")
        return LabFailure("unsupported", f"fills that launches need cut {many} into {number} parts, and {few} makes {launches}", "")
    cut = [_cut_into(parts, number) for parts in cut]
    pairs = list(zip(*cut, strict=True))
    alike = [tuple(_work(recording, part) for recording, part in zip(recordings, pair, strict=True)) for pair in pairs]
    first = dict(zip(reversed(alike), reversed(pairs), strict=True))
    if len(first) > _MOST_PARTS:
        return LabFailure("unsupported", f"more than {_MOST_PARTS} different parts between fills would have to be timed", "")
    return {first[work]: count for work, count in Counter(alike).items()}


def _cut_into(parts: Sequence[_Part], number: int) -> tuple[_Part, ...]:
    """The same launches in so many parts; there are as many launches, at least."""
    found = list(parts)
    while len(found) < number:
        place = max(range(len(found)), key=lambda each: len(found[each]))
        middle = len(found[place]) // 2
        found[place : place + 1] = [found[place][:middle], found[place][middle:]]
    return tuple(found)


def _work(recording: Recording, part: _Part) -> tuple[object, ...]:
    """What decides how long the launches take: kernels, configurations, arguments and what they find in memory."""
    launches = [recording.launch(index) for index in part]
    return tuple((each.kernel, each.config, each.arguments, tuple((one.buffer, one.before) for one in each.buffers)) for each in launches)


def _case(name: str, evaluation: Evaluation, launches: _Part) -> Case:
    run = evaluation.counted.run
    assert run is not None and run.recording_path is not None
    return Case(run.recording_path, launches, CaseOrigin("recorded", name, 0, 1.0, 1.0))


def _startable(evaluation: Evaluation, launches: Sequence[int]) -> Program:
    recording = evaluation.counted.recording
    assert recording is not None
    return startable_kernels(evaluation.version.program, {recording.launch(index).kernel for index in launches})
