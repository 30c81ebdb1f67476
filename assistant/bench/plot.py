"""A drawing of a run's rows as SVG: each program's speed-up with its interval, and its distance to the bound before and after. Pure.

Both scales are logarithmic. Example::

    (out / "results.svg").write_text(plot_svg(rows))
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.bench.drawing import (
    AFTER,
    FOOT,
    GAP,
    PANEL,
    SpeedBar,
    bottom_of,
    level,
    name,
    names_width,
    panel,
    scale_of,
    warning,
)
from assistant.bench.row import Row
from assistant.bench.words import PREDICTED_NOTE
from assistant.model.comparison import format_ratio
from assistant.profile.quantity import counted_noun
from assistant.svg import EDGE, Interval, LogScale, document, key, way, width_of

__all__ = ["plot_svg"]

_SPEEDS, _DISTANCES = "speed-up, what failed or was not proved as 1.0x", "time / bound"
_STOOD = ("open", False, "time / bound as it stood")
_KEPT = (("gain", False, "with what was kept"), ("loss", False, "with what was kept, and slower"))
_LINE = 24
"""Height of the key, and of a warning."""


def plot_svg(rows: Sequence[Row]) -> str:
    """A whole SVG document that loads nothing."""
    bars, bottom = tuple(map(_bar, rows)), bottom_of(len(rows))
    left = names_width(row.title for row in rows)
    speeds = scale_of([value for each in bars for value in (each.ratio, each.low, each.high) if value is not None], left + AFTER)
    parts = [panel(speeds, _SPEEDS, len(rows))]
    for index, (row, each) in enumerate(zip(rows, bars, strict=True)):
        parts.append(f"{name(row.title, level(index), left)}{each.drawn(speeds, level(index))}")
    width = GAP + max(speeds.start + max(PANEL, width_of((_SPEEDS,))), *(each.right(speeds) for each in bars), 0.0)
    height = bottom + FOOT
    distances = [value for row in rows for value in (row.distance, row.best_distance) if value is not None]
    if distances:
        bounds = scale_of(distances, width)
        width += PANEL + GAP
        kept = {kind for row in rows for kind in _kinds(row)}
        parts += [panel(bounds, _DISTANCES, len(rows)), *(_moved(row, bounds, level(index)) for index, row in enumerate(rows))]
        parts.append(key((_STOOD, *(each for each in _KEPT if each[0] in kept)), height + 4))
        height += _LINE
    if any(row.times is not None and row.times.is_predicted for row in rows):
        parts.append(warning(PREDICTED_NOTE, height + 8))
        width, height = max(width, 2 * EDGE + width_of((PREDICTED_NOTE,))), height + _LINE
    return document(width, height, f"Speed-ups of {counted_noun(len(rows), 'run')}", "".join(parts))


def _bar(row: Row) -> SpeedBar:
    """With its number, or why there is none."""
    number = f"{format_ratio(row.counted_ratio)}x"
    words, kind = (row.outcome.value, "soft") if row.counted_ratio == 1.0 else (number, "")
    return SpeedBar(row.counted_ratio, row.low, row.high, words, f"{row.title}: {row.outcome.value}, {number}", kind)


def _moved(row: Row, bounds: LogScale, y: float) -> str:
    """From where a program stood to where it is with what was kept."""
    if row.distance is None or row.best_distance is None:
        return ""
    before, after = bounds.at(row.distance), bounds.at(row.best_distance)
    stood = Interval("open", before, None, None, f"{row.title}: {row.distance:.3g}x its bound").drawn(y)
    hint = f"{row.title}: {row.best_distance:.3g}x its bound with what was kept"
    kept = (Interval(kind, after, None, None, hint).drawn(y) for kind in _kinds(row))
    return f"{way(before, after, y)}{stood}{''.join(kept)}"


def _kinds(row: Row) -> tuple[str, ...]:
    """Of the point of what was kept; none where nothing was, or its bound is not known."""
    if row.distance is None or row.counted_ratio == 1.0:
        return ()
    return ("gain",) if row.counted_ratio > 1.0 else ("loss",)
