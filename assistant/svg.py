"""What pictures are made of as SVG: a document that loads nothing and follows light and dark, text, points with intervals. Pure.

Knows nothing of what is drawn. Example::

    Interval("gain", at=210.0, low=180.0, high=240.0, hint="warp per row: 3.10x").drawn(y=72)
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from assistant.record import Record

__all__ = ["EDGE", "Interval", "clean", "document", "key", "text", "width_of"]

EDGE = 16
"""Width of a picture's edges."""
_LETTER = 7.2
"""Width of a letter, of wide fonts on average."""
_CAP = 4
"""Half of the strokes at an interval's ends."""
_STYLE = (
    "svg{font:12px system-ui,sans-serif}.page{fill:#fff}text{fill:#1a1f29}.soft{fill:#525c6b}.title{font-weight:600}"
    ".grid{stroke:#d5d9e0}.one{stroke:#525c6b;stroke-dasharray:4 3}.range{stroke:#1a1f29;stroke-width:1.5;fill:none}"
    ".gain{fill:#2a7f3f;stroke:#2a7f3f}.loss{fill:#b03030;stroke:#b03030}.open{fill:#fff;stroke:#525c6b}"
    "circle,rect{stroke-width:1.5}@media(prefers-color-scheme:dark){.page{fill:#14171c}text{fill:#e8ebf0}.soft{fill:#a7b0bd}"
    ".grid{stroke:#353d49}.one{stroke:#a7b0bd}.range{stroke:#e8ebf0}.gain{fill:#5fc77c;stroke:#5fc77c}.loss{fill:#ff8a8a;stroke:#ff8a8a}"
    ".open{fill:#14171c;stroke:#a7b0bd}}"
)


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
        line = ""
        if self.low is not None and self.high is not None:
            ends = "".join(f"M{end:.1f} {y - _CAP}v{2 * _CAP}" for end in (self.low, self.high))
            line = f'<path class="range" d="{ends}M{self.low:.1f} {y}H{self.high:.1f}"/>'
        return f"{line}{_point(self.kind, self.at, y, self.is_square, f'<title>{clean(self.hint)}</title>')}"


def document(width: float, height: float, label: str, drawn: str) -> str:
    """A whole SVG document."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{clean(label)}"><style>{_STYLE}</style>'
    return f'{head}<rect class="page" width="100%" height="100%"/>{drawn}</svg>\n'


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
