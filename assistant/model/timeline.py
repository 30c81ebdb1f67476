"""What a program as a whole spends its time on the GPU with: kernels, copies, fills and gaps, stream by stream.

Seconds are counted from the start of the first kernel, copy or fill. Of a GPU they are measured, of the emulator predicted. Example::

    timeline.gap_ratio, timeline.rows[0].name     # 0.21, 'relax'
    timeline.streams[1].spans[0].start_s          # 1.4e-5
"""

from __future__ import annotations

from assistant.record import Record

KERNEL, COPY, FILL = "kernel", "copy", "fill"
"""Kinds of work."""
HOLDS_MIGRATION = (
    "kernels' times hold bringing managed memory to the GPU, page by page where the host wrote it last; where kernels are timed alone it is"
    " there already"
)
"""A note of a `Timeline`."""


class TimelineSpan(Record):
    """One kernel, copy or fill in its stream; or several that follow each other there, as one."""

    kind: str
    """``kernel``, ``copy`` or ``fill``."""
    name: str
    """The kernel's, without template arguments; empty for copies and fills."""
    direction: str | None
    """Direction of a copy: ``to_device``, ``to_host`` or ``on_device``."""
    start_s: float
    duration_s: float
    """From the start of the first to the end of the last."""
    busy_s: float
    """In which one of them runs."""
    count: int
    """How many are shown as one."""
    other_count: int
    """Those of them that are other work than the span is named after, which is what takes most of its time."""
    size_bytes: int
    """That copies and fills move."""


class TimelineStream(Record):
    """What one stream does."""

    stream: int
    """Numbered by first use."""
    kind: str | None
    """``legacy`` (the default stream), ``per_thread``, ``blocking`` or ``non_blocking``; null where it is not seen."""
    count: int
    """Kernels, copies and fills."""
    busy_s: float
    busy_ratio: float
    """Share of the whole span."""
    spans: tuple[TimelineSpan, ...]
    """In order, and no two at the same time."""


class TimelineRow(Record):
    """Total time of a kernel, of all copies in the same direction, or of all fills."""

    kind: str
    name: str
    """As of `TimelineSpan`."""
    direction: str | None
    count: int
    time_s: float
    """All of them added up."""
    ratio: float
    """Share of the whole span. Rows add up to more than their share of it where they overlap."""
    size_bytes: int
    note: str | None = None
    """How much of it was counted, where that was not all: ``64 of 65,536 blocks counted, scaled``."""


class TimelineGap(Record):
    """A time in which nothing runs on the GPU."""

    start_s: float
    duration_s: float
    after: str
    """What ended before it: a kernel's name, or a kind of copy or fill in words."""
    before: str
    """What begins after it."""


class Timeline(Record):
    """One run of a whole program."""

    is_predicted: bool
    """By the performance model; else by the GPU's own time stamps."""
    span_s: float
    """From the start of the first kernel, copy or fill to the end of the last one; all of them added up where ``gap_s`` is null."""
    busy_s: float
    """In which at least one of them runs."""
    gap_s: float | None
    """In which none of them runs; null where there are too many for their order to be kept."""
    gap_ratio: float | None
    """Share of the span."""
    kernel_count: int
    """Kernels of different names."""
    leading_kernels: tuple[str, ...]
    """Those few that take most of the time of all kernels, the costliest first."""
    leading_ratio: float
    """Share of the span in which at least one of them runs."""
    transfer_ratio: float
    """Share of the span in which copies or fills run, and no kernel."""
    rows: tuple[TimelineRow, ...]
    """The longest first."""
    other_row_count: int
    """Further rows, which are left out."""
    other_time_s: float
    """Time of those, added up."""
    gaps: tuple[TimelineGap, ...]
    """The longest ones, the longest first."""
    gap_count: int
    """All of them."""
    streams: tuple[TimelineStream, ...]
    """By number; empty where ``gap_s`` is null."""
    other_stream_count: int
    """Further streams, which are left out."""
    notes: tuple[str, ...]
    """What the times rest on, and what is missing from them, in sentences."""
