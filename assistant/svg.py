"""What pictures are made of as SVG: a document that loads nothing and follows light and dark, text, scales, bars, intervals. Pure.

Knows nothing of what is drawn. Example::

    scale = LogScale(low=0.5, high=8.0, start=120.0, length=330.0)
    Interval("gain", scale.at(3.1), scale.at(2.2), scale.at(4.0), hint="warp per row: 3.10x").drawn(y=72)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from html import escape

from assistant.record import Record

__all__ = [
    "EDGE",
    "Interval",
    "LogScale",
    "bar",
    "clean",
    "document",
    "grid",
    "key",
    "text",
    "way",
    "whiskers",
    "width_of",
]

EDGE = 16
"""Width of a picture's edges."""
_LETTER = 7.2
"""Width of a letter, of wide fonts on average."""
_CAP = 4
"""Half of the strokes at an interval's ends."""
_BAR = 10
"""Height of a bar."""
_STEPS = ((4.0, (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0)), (12.0, (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)), (100.0, (1.0, 2.0, 5.0)), (math.inf, (1.0,)))
"""Ticks of a decade, of scales whose greatest value is at most so many times the least: some 40 pixels apart on one of 330."""
_STYLE = (
    "svg{font:12px system-ui,sans-serif}.page{fill:#fff}text{fill:#1a1f29}.soft{fill:#525c6b}.title{font-weight:600}"
    ".grid{stroke:#d5d9e0}.one{stroke:#525c6b;stroke-dasharray:4 3}.range{stroke:#1a1f29;stroke-width:1.5;fill:none}"
    ".way{stroke:#8a94a3;stroke-width:1.5}"
    ".gain{fill:#2a7f3f;stroke:#2a7f3f}.loss{fill:#b03030;stroke:#b03030}.open{fill:#fff;stroke:#525c6b}.warning{fill:#b03030}"
    "circle,rect{stroke-width:1.5}rect.bar{stroke:none}@media(prefers-color-scheme:dark){.page{fill:#14171c}text{fill:#e8ebf0}"
    ".soft{fill:#a7b0bd}.grid{stroke:#353d49}.one{stroke:#a7b0bd}.range{stroke:#e8ebf0}.gain{fill:#5fc77c;stroke:#5fc77c}"
    ".loss{fill:#ff8a8a;stroke:#ff8a8a}.open{fill:#14171c;stroke:#a7b0bd}.warning{fill:#ff8a8a}.way{stroke:#77818f}}"
)


class LogScale(Record):
    """Values from ``low`` to ``high``, both more than 0, on ``length`` from ``start``: pixels, or shares of a width."""

    low: float
    high: float
    start: float = 0.0
    length: float = 1.0

    def at(self, value: float) -> float:
        """The value's place; the nearest end's where it lies outside. The value is more than 0."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + self.length * min(1.0, max(0.0, share))

    def ticks(self) -> Iterator[float]:
        """1, 2, 5, 10, …; more where these are few, and the powers of ten where they are many."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        steps = next(steps for most, steps in _STEPS if self.high <= most * self.low)
        for power in range(first, last + 1):
            for step in steps:
                if self.low <= step * 10.0**power <= self.high:
                    yield step * 10.0**power


class Interval(Record):
    """A point with its interval, in pixels from the left."""

    kind: str
    """``gain``, ``loss`` or ``open``."""
    at: float
    low: float | None
    high: float | None
    hint: str
    is_square: bool = False

    def drawn(self, y: float) -> str:
        line = whiskers(self.low, self.high, y) if self.low is not None and self.high is not None else ""
        return f"{line}{_point(self.kind, self.at, y, self.is_square, f'<title>{clean(self.hint)}</title>')}"


def document(width: float, height: float, label: str, drawn: str) -> str:
    """A whole SVG document."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{clean(label)}"><style>{_STYLE}</style>'
    return f'{head}<rect class="page" width="100%" height="100%"/>{drawn}</svg>\n'


def grid(places: Iterable[float], one: float, top: float, bottom: float) -> str:
    """An upright line at each place, and a dashed one where nothing changes."""
    lines = (*((place, "grid") for place in places if place != one), (one, "one"))
    return "".join(f'<path class="{kind}" d="M{x:.1f} {top:g}V{bottom:g}"/>' for x, kind in lines)


def bar(kind: str, start: float, end: float, y: float, hint: str) -> str:
    """A level one around ``y``, from ``start`` to an end on either side."""
    place = f'x="{min(start, end):.1f}" y="{y - _BAR / 2:.1f}" width="{abs(end - start):.1f}" height="{_BAR}"'
    return f'<rect class="{kind} bar" {place}><title>{clean(hint)}</title></rect>'


def way(start: float, end: float, y: float) -> str:
    """A level line from a point to where it has moved."""
    return f'<path class="way" d="M{start:.1f} {y}H{end:.1f}"/>'


def whiskers(low: float, high: float, y: float) -> str:
    """An interval as a line with strokes at its ends."""
    ends = "".join(f"M{end:.1f} {y - _CAP}v{2 * _CAP}" for end in (low, high))
    return f'<path class="range" d="{ends}M{low:.1f} {y}H{high:.1f}"/>'


def key(entries: Iterable[tuple[str, bool, str]], y: float) -> str:
    """What points mean: kind, whether it is a square, words."""
    parts: list[str] = []
    x = float(EDGE)
    for kind, is_square, words in entries:
        parts.append(f"{_point(kind, x + 5, y, is_square)}{text(x + 16, y + 4, words, 'soft')}")
        x += 36 + width_of((words,))
    return "".join(parts)


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "") -> str:
    look = f' class="{kind}"' if kind else ""
    end = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{look}{end}>{clean(words)}</text>'


def width_of(texts: Iterable[str]) -> float:
    """Of the longest, at most, in pixels."""
    return _LETTER * max(map(len, texts), default=0)


def clean(words: str) -> str:
    """Escaped, without what XML does not allow: names may come from a model or an import."""
    return escape("".join(letter for letter in words if letter.isprintable()))


def _point(kind: str, x: float, y: float, is_square: bool, inner: str = "") -> str:
    if is_square:
        return f'<rect class="{kind}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8">{inner}</rect>'
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5">{inner}</circle>'
