"""The parts of a drawing as SVG: logarithmic scales, panels with their ticks, bars, lines and dots. Pure.

Example::

    scale = scale_of([0.5, 4.0], left=NAMES)
    document(width, height, panel(scale, "speed-up", height) + bar(scale, 2.0, y, "matmul: 2.00x"))
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from assistant.record import Record

__all__ = [
    "AFTER",
    "BEFORE",
    "FOOT",
    "GAP",
    "NAMES",
    "PANEL",
    "ROW",
    "TOP",
    "WORSE",
    "Scale",
    "bar",
    "document",
    "dot",
    "label",
    "line",
    "panel",
    "scale_of",
]

ROW, TOP, NAMES, PANEL, GAP, FOOT = 18, 44, 190, 330, 40, 34
BEFORE, AFTER, WORSE = "#8a8a8a", "#2a7f3f", "#b03030"
_GRID = "#dddddd"
_STEPS = (1, 2, 5)
_ROOM = 1.15
_MOST_STEPS = 100.0
"""From the least value to the most, as far as each decade has three ticks."""


class Scale(Record):
    """Values from ``low`` to ``high`` on pixels from ``left``."""

    low: float
    high: float
    left: float

    def at(self, value: float) -> float:
        share = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return self.left + PANEL * min(1.0, max(0.0, share))

    def ticks(self) -> Iterator[float]:
        """1, 2, 5, 10, … or the powers of ten where these are many."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        steps = _STEPS if self.high <= _MOST_STEPS * self.low else (1,)
        for power in range(first, last + 1):
            for step in steps:
                if self.low <= step * 10.0**power <= self.high:
                    yield step * 10.0**power


def document(width: float, height: float, drawn: str) -> str:
    """A whole SVG document that loads nothing."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>{drawn}</svg>\n'
    )


def scale_of(values: Sequence[float], left: float) -> Scale:
    """With 1 on it, and room at both ends."""
    return Scale(min((1.0, *values)) / _ROOM, max((1.0, *values)) * _ROOM, left)


def panel(scale: Scale, title: str, height: float) -> str:
    """Title, grid and ticks; black at 1."""
    bottom = height - FOOT
    ticks = "".join(
        f'<line x1="{scale.at(tick):.1f}" x2="{scale.at(tick):.1f}" y1="{TOP}" y2="{bottom}" '
        f'stroke="{"black" if tick == 1 else _GRID}"/><text x="{scale.at(tick):.1f}" y="{bottom + 13}" text-anchor="middle">{tick:g}</text>'
        for tick in scale.ticks()
    )
    return f'<text x="{scale.left}" y="{TOP - 16}" font-weight="bold">{escape(title)}</text>{ticks}'


def label(words: str, y: float, right: float = NAMES) -> str:
    """A row's name, which ends left of ``right``."""
    return f'<text x="{right - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(words)}</text>'


def bar(scale: Scale, ratio: float, y: float, hint: str) -> str:
    """From 1 to the ratio: red where it is less."""
    one, to = scale.at(1.0), scale.at(ratio)
    return (
        f'<rect x="{min(one, to):.1f}" y="{y - 5:.1f}" width="{abs(to - one):.1f}" height="10" fill="{AFTER if ratio >= 1 else WORSE}">'
        f"<title>{escape(hint)}</title></rect>"
    )


def line(x1: float, x2: float, y: float, colour: str) -> str:
    """A level one."""
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"/>'


def dot(x: float, y: float, colour: str) -> str:
    """A filled one."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
