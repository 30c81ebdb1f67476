"""A program's time on the GPU: which kernels, copies and fills take it, and how much of it nothing runs.

Example::

    timeline = timeline_of(recording)      # of a run that was only timed; None: nothing ran
    timeline.gap_ratio, timeline.rows[0]   # 0.21, TimelineRow("launch", "relax", 12, 1.4e-3, 0.41)
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.model.recording import DeviceStep, Recording
from assistant.model.timing import Timeline, TimelineRow
from assistant.workload.select import kernel_name

__all__ = ["timeline_of"]

_NS = 1e-9


def timeline_of(recording: Recording) -> Timeline | None:
    """From the start of the first step to the end of the last one; None where no step has times."""
    steps = [step for step in recording.steps or () if step.start_ns is not None and step.end_ns is not None]
    if not steps:
        return None
    spans = sorted(_span(step) for step in steps)
    span_ns = max(end for _, end in spans) - spans[0][0]
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for step in steps:
        name = kernel_name(recording.shape_counts[step.shape].kernel) if step.kind == "launch" else ""
        count, time_ns = found.get((step.kind, name), (0, 0))
        start_ns, end_ns = _span(step)
        found[step.kind, name] = count + 1, time_ns + end_ns - start_ns
    rows = [TimelineRow(kind, name, count, time_ns * _NS, time_ns / max(1, span_ns)) for (kind, name), (count, time_ns) in found.items()]
    gap_ns = span_ns - _busy_ns(spans)
    return Timeline(span_ns * _NS, tuple(sorted(rows, key=lambda row: -row.time_s)), gap_ns * _NS, gap_ns / max(1, span_ns))


def _span(step: DeviceStep) -> tuple[int, int]:
    assert step.start_ns is not None and step.end_ns is not None
    return step.start_ns, step.end_ns


def _busy_ns(spans: Iterable[tuple[int, int]]) -> int:
    """Of spans by their start: how long at least one of them lasts."""
    busy_ns, until = 0, 0
    for start, end in spans:
        busy_ns += max(0, end - max(start, until))
        until = max(until, end)
    return busy_ns
