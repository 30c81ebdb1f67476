"""What memory learnt as one SVG picture: for each state its techniques, their medians with intervals on one logarithmic axis. Pure.

No number is made here: places and words come in parts, as every front end shows them. It loads nothing, and follows the reader's choice of
light or dark. Example::

    Path("learned.svg").write_text(learned_svg(learned_page(store.what_was_learned(), ())))
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from assistant.editor.learned_page import AxisPart, LearnedPage, StatePart, TechniquePart

__all__ = ["learned_svg"]

_AXIS, _GAP, _EDGE, _LEAST_WIDTH = 340, 16, 16, 760
"""Widths of the axis, between columns, and of the edges; the least one of all."""
_ROW, _HEAD, _TOP, _FOOT = 20, 34, 62, 88
_LETTER, _MOST_LETTERS = 7.2, 44
"""Width of a letter, of wide fonts on average, and the most of these in a name."""
_CAP = 5
"""Half of the strokes at an interval's ends."""
_STYLE = (
    "svg{font:12px system-ui,sans-serif}.page{fill:#fff}text{fill:#1a1f29}.soft{fill:#525c6b}.title{font-weight:600}"
    ".grid{stroke:#d5d9e0}.one{stroke:#525c6b;stroke-dasharray:4 3}.range{stroke:#1a1f29;stroke-width:1.5;fill:none}"
    ".gain{fill:#2a7f3f;stroke:#2a7f3f}.loss{fill:#b03030;stroke:#b03030}.open{fill:#fff;stroke:#525c6b}"
    "circle{stroke-width:1.5}@media(prefers-color-scheme:dark){.page{fill:#14171c}text{fill:#e8ebf0}.soft{fill:#a7b0bd}.grid{stroke:#353d49}"
    ".one{stroke:#a7b0bd}.range{stroke:#e8ebf0}.gain{fill:#5fc77c;stroke:#5fc77c}.loss{fill:#ff8a8a;stroke:#ff8a8a}"
    ".open{fill:#14171c;stroke:#a7b0bd}}"
)
_KEY = (("gain", "faster"), ("loss", "slower"), ("open", "open: the interval holds 1.00x, or there is only one kernel"))
_NOTES = (
    "Medians over kernels of time before / time after. The interval holds the median with 95 % confidence;",
    "below six kernels it is the range. What was predicted was never timed.",
)
_TITLE = "What was learned: gains of techniques on kernels of one kind"


def learned_svg(page: LearnedPage) -> str:
    """A whole SVG document; of a memory that learnt nothing one that says so."""
    shown = [part for state in page.states for part in state.techniques]
    left = 2 * _EDGE + _GAP + _width(_short(part.technique) for part in shown)
    width = max(_LEAST_WIDTH, left + _AXIS + _GAP + _width(map(_figures, shown)) + _EDGE)
    bottom = _TOP + sum(_HEAD + _ROW * len(state.techniques) for state in page.states)
    parts = [_text(_EDGE, 24, _TITLE, "title"), _text(_EDGE, _TOP, page.nothing) if page.nothing else ""]
    parts += [] if page.axis is None else [_ticks(page.axis, left, y) for y in (_TOP - 6, bottom + 16)]
    y = float(_TOP)
    for state in page.states:
        parts.append(_state(state, page.axis, left, y))
        y += _HEAD + _ROW * len(state.techniques)
    parts += [] if page.nothing else [_foot(bottom + 38)]
    height = bottom + _FOOT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img" '
        f'aria-label="{_TITLE}"><style>{_STYLE}</style><rect class="page" width="100%" height="100%"/>{"".join(parts)}</svg>\n'
    )


def _state(state: StatePart, axis: AxisPart | None, left: float, y: float) -> str:
    title = f'<tspan class="title">{_clean(state.title)}</tspan> <tspan class="soft">({_clean(state.device)})</tspan>'
    rows = (_row(part, axis, left, y + _HEAD + _ROW * (index + 0.5)) for index, part in enumerate(state.techniques))
    grid = "" if axis is None else _grid(axis, left, y + _HEAD, y + _HEAD + _ROW * len(state.techniques))
    return f'<text x="{_EDGE}" y="{y + _HEAD - 10:.0f}">{title}</text>{grid}{"".join(rows)}'


def _row(part: TechniquePart, axis: AxisPart | None, left: float, y: float) -> str:
    """One technique: its name, its median with its interval, and both in words."""
    drawn = "" if axis is None or part.place is None else _median(part, part.place, axis, left, y)
    return f"{_text(2 * _EDGE, y + 4, _short(part.technique))}{drawn}{_text(left + _AXIS + _GAP, y + 4, _figures(part), 'soft')}"


def _figures(part: TechniquePart) -> str:
    right = f"right {part.right}" if part.right else part.kernels
    return ", ".join(word for word in (part.speed, right, part.how, part.imported, part.people) if word)


def _short(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"


def _width(texts: Iterable[str]) -> float:
    return _LETTER * max(map(len, texts), default=0)


def _median(part: TechniquePart, place: float, axis: AxisPart, left: float, y: float) -> str:
    is_interval = part.low is not None and part.high is not None
    low, high = part.low or 0.0, part.high or 0.0
    kind = "open" if not is_interval or low <= axis.one <= high else "gain" if low > axis.one else "loss"
    ends = "".join(f"M{_x(end, left)} {y - _CAP}v{2 * _CAP}" for end in (low, high))
    line = f'<path class="range" d="{ends}M{_x(low, left)} {y}H{_x(high, left)}"/>' if is_interval else ""
    hint = f"<title>{_clean(part.technique)}: {_clean(part.speed)}</title>"
    return f'{line}<circle class="{kind}" cx="{_x(place, left)}" cy="{y}" r="4.5">{hint}</circle>'


def _grid(axis: AxisPart, left: float, top: float, bottom: float) -> str:
    """A line for each tick, and 1.00x."""
    places = [(place, "grid") for place, _ in axis.ticks if place != axis.one]
    return "".join(f'<path class="{kind}" d="M{_x(place, left)} {top}V{bottom}"/>' for place, kind in (*places, (axis.one, "one")))


def _ticks(axis: AxisPart, left: float, y: float) -> str:
    return "".join(f'<text class="soft" text-anchor="middle" x="{_x(place, left)}" y="{y}">{words}</text>' for place, words in axis.ticks)


def _foot(y: float) -> str:
    """What the points mean."""
    parts: list[str] = []
    x = float(_EDGE)
    for kind, words in _KEY:
        parts.append(f'<circle class="{kind}" cx="{x + 5:.0f}" cy="{y}" r="4.5"/>{_text(x + 16, y + 4, words, "soft")}')
        x += 36 + _LETTER * len(words)
    return "".join(parts) + "".join(_text(_EDGE, y + 24 + 16 * index, line, "soft") for index, line in enumerate(_NOTES))


def _text(x: float, y: float, words: str, kind: str = "") -> str:
    look = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{look}>{_clean(words)}</text>'


def _clean(words: str) -> str:
    """Escaped, without what XML does not allow: names may come from a model or an import."""
    return escape("".join(letter for letter in words if letter.isprintable()))


def _x(place: float, left: float) -> str:
    return f"{left + place * _AXIS:.1f}"
