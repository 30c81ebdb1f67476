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

__all__ = ["plot_svg"]

_COLOURS = {OperatorOutcome.PASS: AFTER, OperatorOutcome.NEEDS_DECISION: BEFORE}
_LEFT, _VERDICTS, _NOTE = 300, 150, 620
"""Widths of names, verdicts and the note without a GPU."""


def plot_svg(rows: Sequence[OperatorRow], settings: OperatorSettings) -> str:
    """A whole SVG document that loads nothing."""
    height = TOP + ROW * len(rows) + FOOT
    drawn = "".join(_verdict(row, _level(place)) for place, row in enumerate(rows))
    width = float(_LEFT + _VERDICTS)
    if not settings.has_gpu:
        note = f'<text x="8" y="{height - 6}" fill="{WORSE}">{escape(NO_GPU_NOTE)}</text>'
        return document(max(width, _NOTE), height, drawn + note)
    for baseline in settings.baselines:
        speeds = [(place, row, speed) for place, row in enumerate(rows) if row.is_correct and (speed := row.speed(baseline)) is not None]
        known = [value for _, _, speed in speeds for value in (speed.ratio, speed.low, speed.high) if value is not None]
        scale = scale_of(known, width)
        drawn += panel_of(scale, f"correct ones: speed-up over {baseline} by call", height)
        for place, row, speed in speeds:
            drawn += bar(scale, speed.ratio, _level(place), f"{row.title}: {format_ratio(speed.ratio)}x over {baseline}")
            drawn += _interval(scale, speed.low, speed.high, _level(place))
        width += PANEL + GAP
    return document(width, height, drawn)


def _level(place: int) -> float:
    return TOP + ROW * (place + 0.5)


def _verdict(row: OperatorRow, y: float) -> str:
    words = f'<text x="{_LEFT + 12}" y="{y + 4:.1f}">{escape(row.outcome.value)}</text>'
    return label(row.title, y, _LEFT) + dot(_LEFT, y, _COLOURS.get(row.outcome, WORSE)) + words


def _interval(scale: Scale, low: float | None, high: float | None, y: float) -> str:
    return "" if low is None or high is None else line(scale.at(low), scale.at(high), y, "black")
