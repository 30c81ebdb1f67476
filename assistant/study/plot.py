"""A study's results as one SVG picture: what each signal, and two or three together, add, with intervals; controls. Pure.

The numbers are those of the page. Example::

    (folder / "report.svg").write_text(results_svg(results))
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from assistant.record import Record
from assistant.study.markdown import attribution_title, figure_words
from assistant.study.results import Attribution, StudyResults
from assistant.study.statistics import Figure
from assistant.svg import EDGE, Interval, document, grid, key, text, width_of

__all__ = ["results_svg"]

_AXIS, _GAP, _LEAST_WIDTH = 360, 16, 800
"""Widths of the axis, between columns, and the least one of all."""
_ROW, _HEAD, _TOP, _FOOT = 32, 46, 40, 92
_APART = 7
"""A Shapley value stands so far above the middle of its row, a Banzhaf value below it."""
_REACHES = (0.1, 0.2, 0.4, 0.6, 1.0, 1.5, 2.0)
"""Of an axis of rates, on both sides of 0."""
_FACTORS = (1.25, 1.5, 2.0, 4.0, 10.0, 25.0, 100.0, 1000.0)
"""Likewise of gains."""
_KEY = (
    ("open", False, "Shapley"),
    ("open", True, "Banzhaf"),
    ("gain", False, "more: the interval excludes no effect"),
    ("loss", False, "less: likewise"),
)
_NOTES = (
    "Intervals: 95 %, bootstrapped over frozen nodes and answers within each. One in twenty excludes 0 by chance where there is nothing.",
    "A × B: what they add together beyond what each adds alone. Numbers: Shapley values, and differences of controls; all: report.md.",
)
_NOTHING = "No frozen node has draws of every combination yet."


class _Shown(Record):
    """One row: a name, and its figures by their kinds."""

    name: str
    shapley: Figure | None
    """The only one of a control."""
    banzhaf: Figure | None = None


class _Scale(Record):
    """From ``-reach`` to ``reach`` on pixels from ``left``."""

    reach: float
    left: float
    is_gain: bool

    def at(self, value: float) -> float:
        share = (max(-self.reach, min(self.reach, value)) + self.reach) / (2 * self.reach)
        return self.left + _AXIS * share

    def ticks(self) -> Iterator[tuple[float, str]]:
        for share in (-1.0, -0.5, 0.0, 0.5, 1.0):
            value = share * self.reach
            yield value, f"{math.exp(value):.3g}x" if self.is_gain else f"{value:+.2g}" if value else "0"


def results_svg(results: StudyResults) -> str:
    """A whole SVG document."""
    sections = [(one, rows) for one in results.attributions if (rows := _rows(one))]
    left = 2 * EDGE + _GAP + width_of(row.name for _, rows in sections for row in rows)
    words = width_of(figure_words(one, row.shapley) for one, rows in sections for row in rows if row.shapley)
    width = max(_LEAST_WIDTH, left + _AXIS + 2 * _GAP + words + EDGE)
    title = f"Study of {len(results.nodes)} frozen nodes: what each signal adds"
    parts, y = [text(EDGE, 24, title, "title")], float(_TOP)
    for one, rows in sections:
        parts.append(_section(one, rows, left, y))
        y += _HEAD + _ROW * len(rows) + _GAP
    if not sections:
        parts.append(text(EDGE, y + 16, _NOTHING))
    else:
        parts += [key(_KEY, y + 16), *(text(EDGE, y + 40 + 16 * index, line, "soft") for index, line in enumerate(_NOTES))]
    return document(width, y + _FOOT, title, "".join(parts))


def _rows(one: Attribution) -> list[_Shown]:
    together = [_Shown(" × ".join(row.group), row.shapley, row.banzhaf) for row in (*one.values, *one.pairs, *one.triples)]
    others = [_Shown(row.name, row.figure) for row in (*one.controls, *one.transfers)]
    return [row for row in (*together, *others) if row.shapley is not None or row.banzhaf is not None]


def _section(one: Attribution, rows: list[_Shown], left: float, y: float) -> str:
    scale, top, bottom = _scale(one, rows, left), y + _HEAD, y + _HEAD + _ROW * len(rows)
    parts = [text(EDGE, y + 20, attribution_title(one), "title")]
    parts.append(grid((scale.at(value) for value, _ in scale.ticks()), scale.at(0.0), top, bottom))
    parts += [text(scale.at(value), top - 6, words, "soft", "middle") for value, words in scale.ticks()]
    for index, row in enumerate(rows):
        parts.append(_row(one, row, scale, top + _ROW * (index + 0.5)))
    return "".join(parts)


def _row(one: Attribution, row: _Shown, scale: _Scale, y: float) -> str:
    parts = [text(2 * EDGE, y + 4, row.name)]
    apart = _APART if row.banzhaf is not None else 0
    for figure, is_square, place in ((row.shapley, False, y - apart), (row.banzhaf, True, y + apart)):
        if figure is not None:
            kind = "open" if not figure.excludes_zero else "gain" if figure.value > 0 else "loss"
            hint = f"{row.name}: {figure_words(one, figure)}"
            ends = scale.at(figure.low), scale.at(figure.high)
            parts.append(Interval(kind, scale.at(figure.value), *ends, hint, is_square).drawn(place))
    if row.shapley is not None:
        parts.append(text(scale.left + _AXIS + 2 * _GAP, y + 4, figure_words(one, row.shapley), "soft"))
    return "".join(parts)


def _scale(one: Attribution, rows: list[_Shown], left: float) -> _Scale:
    ends = [abs(end) for row in rows for figure in (row.shapley, row.banzhaf) if figure for end in (figure.value, figure.low, figure.high)]
    reaches = tuple(map(math.log, _FACTORS)) if one.grade is None else _REACHES
    most = max(ends, default=0.0)
    return _Scale(next((reach for reach in reaches if most <= reach), most), left, one.grade is None)
