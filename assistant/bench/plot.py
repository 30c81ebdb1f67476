"""A drawing of a run's rows as SVG: each program's speed-up with its interval, and its distance to the bound before and after. Pure.

Both scales are logarithmic. Example::

    (out / "results.svg").write_text(plot_svg(rows))
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assistant.bench.drawing import (
    AFTER,
    BEFORE,
    FOOT,
    GAP,
    NAMES,
    PANEL,
    ROW,
    TOP,
    WORSE,
    Scale,
    bar,
    document,
    dot,
    label,
    line,
    panel,
    scale_of,
)
from assistant.bench.row import Row
from assistant.bench.words import PREDICTED_NOTE
from assistant.model.comparison import format_ratio

__all__ = ["plot_svg"]


def plot_svg(rows: Sequence[Row]) -> str:
    """A whole SVG document that loads nothing."""
    height = TOP + ROW * len(rows) + FOOT
    speeds = scale_of([value for row in rows for value in (row.counted_ratio, row.low, row.high) if value is not None], NAMES)
    distances = [value for row in rows for value in (row.distance, row.best_distance) if value is not None]
    panels = [panel(speeds, "speed-up, what failed or was not proved as 1.0x", height)]
    width = NAMES + PANEL + GAP
    bounds = None
    if distances:
        bounds = scale_of(distances, width)
        panels.append(panel(bounds, "time / bound: grey as it stood, green with what was kept", height))
        width += PANEL + GAP
    drawn = "".join(_drawn(row, TOP + ROW * (place + 0.5), speeds, bounds) for place, row in enumerate(rows))
    is_predicted = any(row.times is not None and row.times.is_predicted for row in rows)
    note = f'<text x="8" y="{height - 6}" fill="{WORSE}">{escape(PREDICTED_NOTE)}</text>' if is_predicted else ""
    return document(width, height, f"{''.join(panels)}{drawn}{note}")


def _drawn(row: Row, y: float, speeds: Scale, bounds: Scale | None) -> str:
    """One program's line."""
    hint = f"{row.title}: {row.outcome.value}, {format_ratio(row.counted_ratio)}x"
    parts = [label(row.title, y), bar(speeds, row.counted_ratio, y, hint)]
    if row.low is not None and row.high is not None:
        parts.append(line(speeds.at(row.low), speeds.at(row.high), y, "black"))
    if bounds is not None and row.distance is not None and row.best_distance is not None:
        before, after = bounds.at(row.distance), bounds.at(row.best_distance)
        parts += [line(before, after, y, BEFORE), dot(before, y, BEFORE), dot(after, y, AFTER)]
    return "".join(parts)
