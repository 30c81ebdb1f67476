"""A drawing of a run's rows as SVG: each program's speed-up with its interval, and its distance to the bound before and after. Pure.

Both scales are logarithmic. Example::

    (out / "results.svg").write_text(plot_svg(rows))
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from assistant.bench.row import Row
from assistant.bench.words import PREDICTED_NOTE
from assistant.record import Record

__all__ = ["plot_svg"]

_ROW, _TOP, _NAMES, _PANEL, _GAP, _FOOT = 18, 44, 190, 330, 40, 34
_STEPS = (1, 2, 5)
_BEFORE, _AFTER, _WORSE, _GRID = "#8a8a8a", "#2a7f3f", "#b03030", "#dddddd"
_ROOM = 1.15


class _Scale(Record):
    """Values from ``low`` to ``high`` on pixels from ``left``."""

    low: float
    high: float
    left: float

    def at(self, value: float) -> float:
        share = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return self.left + _PANEL * min(1.0, max(0.0, share))

    def ticks(self) -> Iterator[float]:
        """1, 2, 5, 10, … or the powers of ten where these are many."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        steps = _STEPS if last - first <= 2 else (1,)
        for power in range(first, last + 1):
            for step in steps:
                if self.low <= step * 10.0**power <= self.high:
                    yield step * 10.0**power


def plot_svg(rows: Sequence[Row]) -> str:
    """A whole SVG document that loads nothing."""
    height = _TOP + _ROW * len(rows) + _FOOT
    speeds = _scale([value for row in rows for value in (row.counted_ratio, row.low, row.high) if value is not None], _NAMES)
    distances = [value for row in rows for value in (row.distance, row.best_distance) if value is not None]
    panels = [_panel(speeds, "speed-up, what failed or was not proved as 1.0x", height)]
    width = _NAMES + _PANEL + _GAP
    bounds = None
    if distances:
        bounds = _scale(distances, width)
        panels.append(_panel(bounds, "time / bound: grey as it stood, green with what was kept", height))
        width += _PANEL + _GAP
    drawn = "".join(_drawn(row, _TOP + _ROW * (place + 0.5), speeds, bounds) for place, row in enumerate(rows))
    is_predicted = any(row.times is not None and row.times.is_predicted for row in rows)
    note = f'<text x="8" y="{height - 6}" fill="{_WORSE}">{escape(PREDICTED_NOTE)}</text>' if is_predicted else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>{"".join(panels)}{drawn}{note}</svg>\n'
    )


def _scale(values: Sequence[float], left: float) -> _Scale:
    """With 1 on it, and room at both ends."""
    return _Scale(min((1.0, *values)) / _ROOM, max((1.0, *values)) * _ROOM, left)


def _panel(scale: _Scale, title: str, height: float) -> str:
    bottom = height - _FOOT
    ticks = "".join(
        f'<line x1="{scale.at(tick):.1f}" x2="{scale.at(tick):.1f}" y1="{_TOP}" y2="{bottom}" '
        f'stroke="{"black" if tick == 1 else _GRID}"/><text x="{scale.at(tick):.1f}" y="{bottom + 13}" text-anchor="middle">{tick:g}</text>'
        for tick in scale.ticks()
    )
    return f'<text x="{scale.left}" y="{_TOP - 16}" font-weight="bold">{escape(title)}</text>{ticks}'


def _drawn(row: Row, y: float, speeds: _Scale, bounds: _Scale | None) -> str:
    """One program's line."""
    one, to = speeds.at(1.0), speeds.at(row.counted_ratio)
    colour = _AFTER if row.counted_ratio >= 1 else _WORSE
    parts = [
        f'<text x="{_NAMES - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(row.title)}</text>',
        f'<rect x="{min(one, to):.1f}" y="{y - 5:.1f}" width="{abs(to - one):.1f}" height="10" fill="{colour}">'
        f"<title>{escape(f'{row.title}: {row.outcome.value}, {row.counted_ratio:.2f}x')}</title></rect>",
    ]
    if row.low is not None and row.high is not None:
        parts.append(_line(speeds.at(row.low), speeds.at(row.high), y, "black"))
    if bounds is not None and row.distance is not None and row.best_distance is not None:
        before, after = bounds.at(row.distance), bounds.at(row.best_distance)
        parts += [_line(before, after, y, _BEFORE), _dot(before, y, _BEFORE), _dot(after, y, _AFTER)]
    return "".join(parts)


def _line(x1: float, x2: float, y: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"/>'


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
