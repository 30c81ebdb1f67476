"""A drawing of a run of PyTorch tasks as SVG: each one's verdict, and with a GPU its speed-up over each baseline. Pure.

Example::

    (out / "results.svg").write_text(plot_svg(rows, settings))
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assistant.bench.drawing import AFTER, BEFORE, FOOT, GAP, PANEL, ROW, TOP, WORSE, Scale, bar, document, dot, label, line, scale_of
from assistant.bench.drawing import panel as panel_of
from assistant.bench.operators.page import NO_GPU_NOTE
from assistant.bench.operators.row import OperatorOutcome, OperatorRow, OperatorSettings
from assistant.model.comparison import format_ratio
from assistant.profile.quantity import counted_noun

__all__ = ["plot_svg"]

_COLOURS = {OperatorOutcome.PASS: AFTER, OperatorOutcome.NEEDS_DECISION: BEFORE}
_LEFT, _VERDICTS, _RATIO = 300, 130, 56
"""Widths of names, of verdicts, and of a number behind its bar."""
_LETTER = 7.0
"""Width of a letter, or somewhat more."""
_MOST_LETTERS = int(_LEFT / _LETTER)


def plot_svg(rows: Sequence[OperatorRow], settings: OperatorSettings) -> str:
    """A whole SVG document that loads nothing."""
    height = TOP + ROW * len(rows) + FOOT
    correct = sum(row.is_correct for row in rows)
    drawn = f'<text x="8" y="{TOP - 16}" font-weight="bold">{correct} of {counted_noun(len(rows), "task")} correct</text>'
    drawn += "".join(_verdict(row, _level(place)) for place, row in enumerate(rows))
    width = float(_LEFT + _VERDICTS)
    if not settings.has_gpu:
        note = f'<text x="8" y="{height - 6}" fill="{WORSE}">{escape(NO_GPU_NOTE)}</text>'
        return document(max(width, 16 + _LETTER * len(NO_GPU_NOTE)), height, drawn + note)
    for baseline in settings.baselines:
        speeds = [(place, row, speed) for place, row in enumerate(rows) if row.is_correct and (speed := row.speed(baseline)) is not None]
        known = [value for _, _, speed in speeds for value in (speed.ratio, speed.low, speed.high) if value is not None]
        scale = scale_of(known, width)
        drawn += panel_of(scale, f"correct ones: speed-up over {baseline} by call", height)
        for place, row, speed in speeds:
            drawn += bar(scale, speed.ratio, _level(place), f"{row.title}: {format_ratio(speed.ratio)}x over {baseline}")
            drawn += _interval(scale, speed.low, speed.high, _level(place))
            end = max(scale.at(value) for value in (1.0, speed.ratio, speed.high or speed.ratio))
            drawn += f'<text x="{end + 6:.1f}" y="{_level(place) + 4:.1f}">{format_ratio(speed.ratio)}x</text>'
        width += PANEL + _RATIO + GAP
    return document(width, height, drawn)


def _level(place: int) -> float:
    return TOP + ROW * (place + 0.5)


def _verdict(row: OperatorRow, y: float) -> str:
    words = f'<text x="{_LEFT + 12}" y="{y + 4:.1f}">{escape(row.outcome.value)}</text>'
    name = row.title if len(row.title) <= _MOST_LETTERS else f"{row.title[: _MOST_LETTERS - 1]}…"
    return f"<g><title>{escape(row.title)}</title>{label(name, y, _LEFT)}</g>" + dot(_LEFT, y, _COLOURS.get(row.outcome, WORSE)) + words


def _interval(scale: Scale, low: float | None, high: float | None, y: float) -> str:
    """A whisker with ends, where it is wide enough to be seen."""
    if low is None or high is None:
        return ""
    ends = "".join(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 3:.1f}" y2="{y + 3:.1f}" stroke="black"/>' for x in map(scale.at, (low, high))
    )
    return line(scale.at(low), scale.at(high), y, "black") + ends
