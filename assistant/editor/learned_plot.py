"""What memory learnt as one SVG picture: for each state its techniques, their medians with intervals on one logarithmic axis. Pure.

No number is made here: places and words come in parts, as every front end shows them. Example::

    Path("learned.svg").write_text(learned_svg(learned_page(store.what_was_learned(), ())))
"""

from __future__ import annotations

from assistant.editor.learned_page import AxisPart, LearnedPage, StatePart, TechniquePart
from assistant.svg import EDGE, Interval, clean, document, grid, key, text, width_of

__all__ = ["learned_svg"]

_AXIS, _GAP, _LEAST_WIDTH = 340, 16, 760
"""Widths of the axis, between columns, and the least one of all."""
_ROW, _HEAD, _TOP, _FOOT = 20, 34, 62, 88
_MOST_LETTERS = 44
"""Of a name."""
_KEY = (
    ("gain", False, "faster"),
    ("loss", False, "slower"),
    ("open", False, "open: the interval holds 1.00x, or there is only one kernel"),
)
_NOTES = (
    "Medians over kernels of time before / time after. The interval holds the median with 95 % confidence;",
    "below six kernels it is the range. What was predicted was never timed.",
)
_TITLE = "What was learned: gains of techniques on kernels of one kind"


def learned_svg(page: LearnedPage) -> str:
    """A whole SVG document; of a memory that learnt nothing one that says so."""
    shown = [part for state in page.states for part in state.techniques]
    left = 2 * EDGE + _GAP + width_of(_short(part.technique) for part in shown)
    width = max(_LEAST_WIDTH, left + _AXIS + _GAP + width_of(map(_figures, shown)) + EDGE)
    bottom = _TOP + sum(_HEAD + _ROW * len(state.techniques) for state in page.states)
    parts = [text(EDGE, 24, _TITLE, "title"), text(EDGE, _TOP, page.nothing) if page.nothing else ""]
    parts += [] if page.axis is None else [_ticks(page.axis, left, y) for y in (_TOP - 6, bottom + 16)]
    y = float(_TOP)
    for state in page.states:
        parts.append(_state(state, page.axis, left, y))
        y += _HEAD + _ROW * len(state.techniques)
    parts += (
        [] if page.nothing else [key(_KEY, bottom + 38), *(text(EDGE, bottom + 62 + 16 * n, line, "soft") for n, line in enumerate(_NOTES))]
    )
    return document(width, bottom + _FOOT, _TITLE, "".join(parts))


def _state(state: StatePart, axis: AxisPart | None, left: float, y: float) -> str:
    title = f'<tspan class="title">{clean(state.title)}</tspan> <tspan class="soft">({clean(state.device)})</tspan>'
    rows = (_row(part, axis, left, y + _HEAD + _ROW * (index + 0.5)) for index, part in enumerate(state.techniques))
    lines = "" if axis is None else _lines(axis, left, y + _HEAD, y + _HEAD + _ROW * len(state.techniques))
    return f'<text x="{EDGE}" y="{y + _HEAD - 10:.0f}">{title}</text>{lines}{"".join(rows)}'


def _row(part: TechniquePart, axis: AxisPart | None, left: float, y: float) -> str:
    """One technique: its name, its median with its interval, and both in words."""
    drawn = "" if axis is None or part.place is None else _median(part, part.place, axis, left).drawn(y)
    return f"{text(2 * EDGE, y + 4, _short(part.technique))}{drawn}{text(left + _AXIS + _GAP, y + 4, _figures(part), 'soft')}"


def _median(part: TechniquePart, place: float, axis: AxisPart, left: float) -> Interval:
    low, high = (None if end is None else left + end * _AXIS for end in (part.low, part.high))
    kind = "open"
    if part.low is not None and part.high is not None:
        kind = "gain" if part.low > axis.one else "loss" if part.high < axis.one else "open"
    return Interval(kind, left + place * _AXIS, low, high, f"{part.technique}: {part.speed}")


def _figures(part: TechniquePart) -> str:
    right = f"right {part.right}" if part.right else part.kernels
    return ", ".join(word for word in (part.speed, right, part.how, part.imported, part.people) if word)


def _short(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"


def _lines(axis: AxisPart, left: float, top: float, bottom: float) -> str:
    return grid((left + place * _AXIS for place, _ in axis.ticks), left + axis.one * _AXIS, top, bottom)


def _ticks(axis: AxisPart, left: float, y: float) -> str:
    return "".join(text(left + place * _AXIS, y, words, "soft", "middle") for place, words in axis.ticks)
