"""A program's timeline in words, and each stream as a bar of characters. Pure; the same for every front end.

Example::

    headline(timeline)                        # '62 % of GPU time is in 2 kernels (relax, norm); 21 % are gaps'
    stream_bar(timeline, timeline.streams[0], 12)     # '▒▒██·██·██▒▒'
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.model.recording import STEP_WORDS
from assistant.model.timeline import COPY, FILL, KERNEL, Timeline, TimelineRow, TimelineSpan, TimelineStream
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.record import Record

__all__ = [
    "BAR_LEGEND",
    "TimelineLine",
    "headline",
    "program_span",
    "span_in_words",
    "stream_bar",
    "stream_name",
    "timeline_lines",
]

_MARKS = {KERNEL: "█", COPY: "▒", FILL: "░"}
_THIN = "▄"
_NOTHING = "·"
BAR_LEGEND = "█ kernel (▄ less than half of the time)  ▒ copy  ░ fill  · nothing"
_FAINTEST = 0.005
"""Shares below this are rounded to nothing, and are shown as less than 1 %."""
_STREAM_KINDS = {"legacy": "default", "per_thread": "per thread", "non_blocking": "non-blocking"}


class TimelineLine(Record):
    """One line of the table."""

    ratio: float
    """Share of the whole span."""
    time_s: float
    count: int
    what: str
    note: str = ""


def headline(timeline: Timeline) -> str:
    """One sentence: where the time goes, and how much of it nothing runs."""
    start = "predicted: " if timeline.is_predicted else ""
    parts = [_in_kernels(timeline)]
    if timeline.kernel_count and timeline.transfer_ratio >= _FAINTEST:
        parts.append(f"in {_percent(timeline.transfer_ratio)} only copies or fills run")
    parts.append(_gaps(timeline))
    return start + "; ".join(parts)


def program_span(timeline: Timeline) -> str:
    """``633 µs from first start to last end``."""
    span = format_quantity(timeline.span_s, "s")
    return f"{span} in all, added up" if timeline.gap_s is None else f"{span} from first start to last end"


def timeline_lines(timeline: Timeline, most: int) -> tuple[TimelineLine, ...]:
    """Kernels, copies, fills and gaps by their share, the largest first; what goes beyond ``most`` lines as one."""
    lines = [TimelineLine(row.ratio, row.time_s, row.count, _what(row), row.note or "") for row in timeline.rows]
    if timeline.gap_s and timeline.gap_ratio is not None:
        lines.append(TimelineLine(timeline.gap_ratio, timeline.gap_s, timeline.gap_count, "gaps", _longest_gap(timeline)))
    lines.sort(key=lambda line: -line.ratio)
    left_out = lines[most - 1 :] if len(lines) + bool(timeline.other_row_count) > most else []
    shown = lines[: len(lines) - len(left_out)]
    others = len(left_out) + timeline.other_row_count
    if others:
        time_s = timeline.other_time_s + sum(line.time_s for line in left_out)
        count = sum(line.count for line in left_out)
        ratio = time_s / timeline.span_s if timeline.span_s > 0 else 0.0
        shown.append(TimelineLine(ratio, time_s, count, counted_noun(others, "other")))
    return tuple(shown)


def span_in_words(span: TimelineSpan) -> str:
    """``3 relax: 856 ns, from 2.7 µs``; what is shown as one is counted."""
    what = span.name if span.kind == KERNEL else STEP_WORDS["fill" if span.direction is None else f"copy_{span.direction}"][span.count > 1]
    if span.other_count:
        what = f"steps, mostly {what}"
    count = f"{span.count:,} " if span.count > 1 else ""
    return f"{count}{what}: {format_quantity(span.busy_s, 's')}, from {format_quantity(span.start_s, 's')}"


def stream_name(stream: TimelineStream) -> str:
    """``stream 1 (non-blocking)``."""
    kind = _STREAM_KINDS.get(stream.kind or "")
    return f"stream {stream.stream}" + (f" ({kind})" if kind else "")


def stream_bar(timeline: Timeline, stream: TimelineStream, width: int) -> str:
    """One character for each slice of the time: what takes most of it. Slices that only short work falls into show that work."""
    slice_s = timeline.span_s / width if timeline.span_s > 0 else 1.0
    taken = [dict[str, float]() for _ in range(width)]
    for span in stream.spans:
        busy_ratio = span.busy_s / span.duration_s if span.duration_s > 0 else 1.0
        for place, share_s in _slices(span, slice_s, width):
            taken[place][span.kind] = taken[place].get(span.kind, 0.0) + share_s * busy_ratio
    return "".join(_mark(one, slice_s) for one in taken)


def _mark(taken: Mapping[str, float], slice_s: float) -> str:
    if not taken:
        return _NOTHING
    kind = max(taken, key=lambda each: taken[each])
    return _THIN if kind == KERNEL and taken[kind] < slice_s / 2 else _MARKS[kind]


def _slices(span: TimelineSpan, slice_s: float, width: int) -> list[tuple[int, float]]:
    first = min(width - 1, int(span.start_s / slice_s))
    end_s = span.start_s + span.duration_s
    last = min(width - 1, max(first, int(end_s / slice_s - 1e-9)))
    return [(place, min(end_s, (place + 1) * slice_s) - max(span.start_s, place * slice_s)) for place in range(first, last + 1)]


def _in_kernels(timeline: Timeline) -> str:
    leading = timeline.leading_kernels
    if not leading:
        return f"{_percent(timeline.transfer_ratio)} of GPU time is in copies and fills, and no kernel runs"
    of_all = f" of {timeline.kernel_count}" if timeline.kernel_count > len(leading) else ""
    noun = "kernel" if len(leading) == timeline.kernel_count == 1 else "kernels"
    return f"{_percent(timeline.leading_ratio)} of GPU time is in {len(leading)}{of_all} {noun} ({', '.join(leading)})"


def _gaps(timeline: Timeline) -> str:
    if timeline.gap_ratio is None:
        return "gaps are not known"
    return f"{_percent(timeline.gap_ratio)} are gaps" if timeline.gap_ratio >= _FAINTEST else "there are next to no gaps"


def _what(row: TimelineRow) -> str:
    if row.kind == KERNEL:
        return row.name
    kind = "fill" if row.direction is None else f"copy_{row.direction}"
    return f"{STEP_WORDS[kind][row.count > 1]}, {row.size_bytes:,} bytes"


def _longest_gap(timeline: Timeline) -> str:
    if not timeline.gaps:
        return ""
    gap = timeline.gaps[0]
    return f"the longest {format_quantity(gap.duration_s, 's')}, between {gap.after} and {gap.before}"


def _percent(ratio: float) -> str:
    return "less than 1 %" if ratio < _FAINTEST else f"{ratio * 100:.0f} %"
