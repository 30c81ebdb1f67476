"""A drawing of a run of PyTorch tasks as SVG: each one's verdict, and with a GPU its speed-up over each baseline. Pure.

Example::

    (out / "results.svg").write_text(plot_svg(rows, settings))
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.bench.drawing import AFTER, FOOT, GAP, PANEL, SpeedBar, bottom_of, level, name, names_width, panel, scale_of, title, warning
from assistant.bench.operators.page import NO_GPU_NOTE
from assistant.bench.operators.row import OperatorOutcome, OperatorRow, OperatorSettings
from assistant.model.comparison import format_ratio
from assistant.profile.quantity import counted_noun
from assistant.svg import EDGE, Interval, document, text, width_of

__all__ = ["plot_svg"]

_KINDS = {OperatorOutcome.PASS: "gain", OperatorOutcome.NEEDS_DECISION: "open"}
_POINT = 16
"""From a point to its words."""


def plot_svg(rows: Sequence[OperatorRow], settings: OperatorSettings) -> str:
    """A whole SVG document that loads nothing."""
    heading = f"{sum(row.is_correct for row in rows)} of {counted_noun(len(rows), 'task')} correct"
    left = names_width(row.title for row in rows) + AFTER
    width = left + _POINT + width_of(outcome.value for outcome in OperatorOutcome) + GAP
    height = bottom_of(len(rows)) + FOOT
    drawn = [title(EDGE, heading), *(_verdict(row, level(index), left) for index, row in enumerate(rows))]
    if not settings.has_gpu:
        drawn.append(warning(NO_GPU_NOTE, height - 12))
        width = max(width, 2 * EDGE + width_of((NO_GPU_NOTE,)))
    else:
        for baseline in settings.baselines:
            speeds, width = _speeds(rows, baseline, width)
            drawn.append(speeds)
    return document(width, height, heading, "".join(drawn))


def _speeds(rows: Sequence[OperatorRow], baseline: str, left: float) -> tuple[str, float]:
    """A baseline's panel, and where the next begins."""
    bars: dict[int, SpeedBar] = {}
    for index, row in enumerate(rows):
        if row.is_correct and (speed := row.speed(baseline)) is not None:
            words = f"{format_ratio(speed.ratio)}x"
            bars[index] = SpeedBar(speed.ratio, speed.low, speed.high, words, f"{row.title}: {words} over {baseline}")
    scale = scale_of([end for each in bars.values() for end in (each.ratio, each.low, each.high) if end is not None], left)
    heading = f"correct ones: speed-up over {baseline} by call"
    drawn = (each.drawn(scale, level(index)) for index, each in bars.items())
    right = max(left + max(PANEL, width_of((heading,))), *(each.right(scale) for each in bars.values()), left)
    return panel(scale, heading, len(rows)) + "".join(drawn), right + GAP


def _verdict(row: OperatorRow, y: float, x: float) -> str:
    point = Interval(_KINDS.get(row.outcome, "loss"), x + AFTER, None, None, row.reason or row.outcome.value).drawn(y)
    return f"{name(row.title, y, x - AFTER)}{point}{text(x + AFTER + _POINT, y + 4, row.outcome.value)}"
