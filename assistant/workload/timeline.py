"""A program's time on the GPU: which kernels, copies and fills take it, and how much of it nothing runs.

Example::

    timeline = timeline_of(recording)      # of a run that was only timed; None: nothing ran
    timeline.gap_ratio, timeline.rows[0].name     # 0.21, 'relax'
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from assistant.model.recording import STEP_WORDS, DeviceStep, Recording
from assistant.model.timeline import COPY, FILL, KERNEL, Timeline, TimelineGap, TimelineRow, TimelineSpan, TimelineStream
from assistant.record import Record
from assistant.workload.select import kernel_name

__all__ = ["Work", "WorkTotal", "build_timeline", "build_timeline_of_totals", "timeline_of", "work_of"]

_NS = 1e-9
_MOST_ROWS = 32
_MOST_GAPS = 5
_MOST_STREAMS = 16
_MOST_SPANS = 128
"""Spans of all streams together, so that the longest program's timeline stays small."""
_LEAST_SLICES = 16
"""Slices of a stream that has more spans than are kept."""
_LEADING_RATIO = 0.8
_MOST_LEADING = 3
"""The leading kernels are the fewest that take this share of the time of all kernels, and no more than these."""
_NAMES = {"copy_to_device": "to_device", "copy_to_host": "to_host", "copy_on_device": "on_device"}
_UNORDERED = (
    "the order of its steps is not seen, or they are too many to keep: times are added up, neither gaps nor what overlaps are known"
)


class Work(Record):
    """What a kernel, copy or fill is, apart from when it runs."""

    kind: str
    name: str
    direction: str | None

    @property
    def words(self) -> str:
        """``relax``, ``copy to the GPU``."""
        if self.kind == KERNEL:
            return self.name
        return STEP_WORDS["fill" if self.direction is None else f"copy_{self.direction}"][0]


class TimedWork(Record):
    """One kernel, copy or fill, as it ran."""

    work: Work
    stream: int
    start_s: float
    end_s: float
    size_bytes: int = 0


class WorkTotal(Record):
    """Kernels, copies or fills of a kind, of which only the sum is known."""

    work: Work
    count: int
    time_s: float
    size_bytes: int = 0


_Span = tuple[float, float]


def work_of(kind: str, kernel: str = "") -> Work:
    """``kind`` as of ``DeviceStep``, ``kernel`` the demangled instance of a launch."""
    if kind == "launch":
        return Work(KERNEL, kernel_name(kernel), None)
    return Work(FILL, "", None) if kind == "fill" else Work(COPY, "", _NAMES[kind])


def timeline_of(recording: Recording) -> Timeline | None:
    """By the GPU's time stamps; None where nothing has any."""
    steps = [step for step in recording.steps or () if step.start_ns is not None and step.end_ns is not None]
    if steps:
        return build_timeline([_timed(recording, step) for step in steps])  # a GPU's records do not say of what kind streams are
    totals = [
        *(
            WorkTotal(work_of("launch", shape.kernel), shape.count, shape.time_ns * _NS)
            for shape in recording.shape_counts
            if shape.time_ns is not None
        ),
        *(
            WorkTotal(work_of(each.kind), each.count, each.time_ns * _NS, each.size_bytes)
            for each in recording.operations or ()
            if each.time_ns is not None
        ),
    ]
    return build_timeline_of_totals(totals) if totals else None


def _timed(recording: Recording, step: DeviceStep) -> TimedWork:
    assert step.start_ns is not None and step.end_ns is not None
    work = work_of(step.kind, recording.shape_counts[step.shape].kernel if step.kind == "launch" else "")
    return TimedWork(work, step.stream or 0, step.start_ns * _NS, step.end_ns * _NS, step.size_bytes)


def build_timeline(
    timed: Sequence[TimedWork],
    stream_kinds: Sequence[str] = (),
    *,
    is_predicted: bool = False,
    row_notes: Mapping[Work, str] | None = None,
    notes: tuple[str, ...] = (),
) -> Timeline:
    """Timeline of everything that ran, at least one; ``stream_kinds`` by a stream's number, ``row_notes`` what is to be noted on a row."""
    first_s = min(one.start_s for one in timed)
    span_s = max(one.end_s for one in timed) - first_s
    every = sorted(timed, key=lambda one: (one.start_s, one.end_s))
    totals = [WorkTotal(one.work, 1, one.end_s - one.start_s, one.size_bytes) for one in every]
    rows = _rows(totals, span_s, row_notes or {})
    busy_s = _busy_s(_spans(every))
    leading = _leading(rows)
    gaps = sorted(_gaps(every, first_s), key=lambda gap: -gap.duration_s)
    streams = _streams(every, first_s, span_s, stream_kinds)
    kernels_s = _busy_s(_spans(one for one in every if one.work.kind == KERNEL))
    leading_s = _busy_s(_spans(one for one in every if one.work.kind == KERNEL and one.work.name in leading))
    gap_s = max(0.0, span_s - busy_s)
    return Timeline(
        is_predicted=is_predicted,
        span_s=span_s,
        busy_s=busy_s,
        gap_s=gap_s,
        gap_ratio=_ratio(gap_s, span_s),
        kernel_count=sum(row.kind == KERNEL for row in rows),
        leading_kernels=leading,
        leading_ratio=_ratio(leading_s, span_s),
        transfer_ratio=_ratio(busy_s - kernels_s, span_s),
        rows=rows[:_MOST_ROWS],
        other_row_count=len(rows[_MOST_ROWS:]),
        other_time_s=sum((row.time_s for row in rows[_MOST_ROWS:]), 0.0),
        gaps=tuple(gaps[:_MOST_GAPS]),
        gap_count=len(gaps),
        streams=streams[:_MOST_STREAMS],
        other_stream_count=len(streams[_MOST_STREAMS:]),
        notes=notes,
    )


def build_timeline_of_totals(
    totals: Sequence[WorkTotal],
    *,
    is_predicted: bool = False,
    row_notes: Mapping[Work, str] | None = None,
    notes: tuple[str, ...] = (),
) -> Timeline:
    """Timeline of a program that does too much for its order to be kept: as if all of it ran one after the other."""
    span_s = sum(total.time_s for total in totals)
    rows = _rows(totals, span_s, row_notes or {})
    leading = _leading(rows)
    return Timeline(
        is_predicted=is_predicted,
        span_s=span_s,
        busy_s=span_s,
        gap_s=None,
        gap_ratio=None,
        kernel_count=sum(row.kind == KERNEL for row in rows),
        leading_kernels=leading,
        leading_ratio=_ratio(sum(row.time_s for row in rows if row.kind == KERNEL and row.name in leading), span_s),
        transfer_ratio=_ratio(sum(row.time_s for row in rows if row.kind != KERNEL), span_s),
        rows=rows[:_MOST_ROWS],
        other_row_count=len(rows[_MOST_ROWS:]),
        other_time_s=sum((row.time_s for row in rows[_MOST_ROWS:]), 0.0),
        gaps=(),
        gap_count=0,
        streams=(),
        other_stream_count=0,
        notes=(*notes, _UNORDERED),
    )


def _rows(totals: Iterable[WorkTotal], span_s: float, notes: Mapping[Work, str]) -> tuple[TimelineRow, ...]:
    counts, times_s, sizes = Counter[Work](), defaultdict[Work, float](float), Counter[Work]()
    for total in totals:
        counts[total.work] += total.count
        times_s[total.work] += total.time_s
        sizes[total.work] += total.size_bytes
    rows = (
        TimelineRow(work.kind, work.name, work.direction, count, times_s[work], _ratio(times_s[work], span_s), sizes[work], notes.get(work))
        for work, count in counts.items()
    )
    return tuple(sorted(rows, key=lambda row: -row.time_s))


def _leading(rows: Sequence[TimelineRow]) -> tuple[str, ...]:
    kernels = [row for row in rows if row.kind == KERNEL]
    wanted_s, found = _LEADING_RATIO * sum(row.time_s for row in kernels), list[str]()
    for row in kernels[:_MOST_LEADING]:
        found.append(row.name)
        wanted_s -= row.time_s
        if wanted_s <= 0:
            break
    return tuple(found)


def _gaps(every: Sequence[TimedWork], first_s: float) -> list[TimelineGap]:
    """Between what ran, sorted by its start."""
    found, last = list[TimelineGap](), every[0]
    for one in every[1:]:
        if one.start_s > last.end_s:
            found.append(TimelineGap(last.end_s - first_s, one.start_s - last.end_s, last.work.words, one.work.words))
        last = one if one.end_s > last.end_s else last
    return found


def _streams(every: Sequence[TimedWork], first_s: float, span_s: float, kinds: Sequence[str]) -> tuple[TimelineStream, ...]:
    of_stream = defaultdict[int, list[TimedWork]](list)
    for one in every:
        of_stream[one.stream].append(one)
    shown = min(len(of_stream), _MOST_STREAMS)
    found = list[TimelineStream]()
    for stream, members in sorted(of_stream.items()):
        busy_s = _busy_s(_spans(members))
        spans = tuple(_merged(group, first_s) for group in _groups(members, first_s, span_s, _MOST_SPANS // shown))
        kind = kinds[stream] if stream < len(kinds) else None
        found.append(TimelineStream(stream, kind, len(members), busy_s, _ratio(busy_s, span_s), spans))
    return tuple(found)


def _groups(members: Sequence[TimedWork], first_s: float, span_s: float, most: int) -> list[list[TimedWork]]:
    """What is shown as one span: each by itself, else repetitions of the same work, else all that begins in one slice of the time."""
    joined = _joined([[one] for one in members])
    if len(joined) <= most:
        return joined
    repeated = _joined([list(group) for _, group in groupby(members, key=lambda one: one.work)])
    if len(repeated) <= most:
        return repeated
    slices = max(_LEAST_SLICES, most)
    sliced = groupby(members, key=lambda one: min(slices - 1, int(slices * _ratio(one.start_s - first_s, span_s))))
    return _joined([list(group) for _, group in sliced])


def _joined(groups: Sequence[list[TimedWork]]) -> list[list[TimedWork]]:
    """Groups that overlap, as one: the branches of a graph share a stream."""
    found, until_s = list[list[TimedWork]](), 0.0
    for group in groups:
        if found and group[0].start_s < until_s:
            found[-1].extend(group)
        else:
            found.append(list(group))
            until_s = group[0].start_s
        until_s = max(until_s, *(one.end_s for one in group))
    return found


def _merged(group: Sequence[TimedWork], first_s: float) -> TimelineSpan:
    times_s = defaultdict[Work, float](float)
    for one in group:
        times_s[one.work] += one.end_s - one.start_s
    main = max(times_s, key=lambda work: times_s[work])
    return TimelineSpan(
        kind=main.kind,
        name=main.name,
        direction=main.direction,
        start_s=group[0].start_s - first_s,
        duration_s=max(one.end_s for one in group) - group[0].start_s,
        busy_s=_busy_s(_spans(group)),
        count=len(group),
        other_count=sum(one.work != main for one in group),
        size_bytes=sum(one.size_bytes for one in group),
    )


def _spans(timed: Iterable[TimedWork]) -> list[_Span]:
    return [(one.start_s, one.end_s) for one in timed]


def _busy_s(spans: Iterable[_Span]) -> float:
    """How long at least one of the spans, given by their start, lasts."""
    busy_s, until_s = 0.0, float("-inf")
    for start_s, end_s in spans:
        busy_s += max(0.0, end_s - max(start_s, until_s))
        until_s = max(until_s, end_s)
    return busy_s


def _ratio(part_s: float, whole_s: float) -> float:
    """At most all: sums of floats are not exact."""
    return min(1.0, max(0.0, part_s / whole_s)) if whole_s > 0 else 0.0
