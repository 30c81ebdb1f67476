"""A row and the figures of a run of PyTorch tasks in words, for terminals and pages. Pure.

Example::

    row_line(row, settings)     # 'level1/3_Softmax: PASS, 2.31x over eager, 1.12x over compile; answer 3_Softmax.py; 14 s'
"""

from __future__ import annotations

from assistant.bench.operators.figures import Figures, Speeds
from assistant.bench.operators.row import RULES, OperatorOutcome, OperatorRow, OperatorSettings
from assistant.model.comparison import format_ratio
from assistant.model.event_parts import SpeedReport
from assistant.model.verification import verdict_in_words

__all__ = ["NO_GPU", "figures_line", "origin_words", "row_line", "speed_words", "speeds_line", "verdict_words"]

NO_GPU = "no GPU"


def row_line(row: OperatorRow, settings: OperatorSettings) -> str:
    """All of it in one line."""
    reason = f": {row.reason}" if row.reason else ""
    speeds = ""
    if row.outcome in (OperatorOutcome.PASS, OperatorOutcome.NEEDS_DECISION):
        speeds = f", {_speeds(row, settings)}"
    origin = f"; {origin_words(row)}" if row.origin is not None else ""
    return f"{row.title}: {verdict_words(row)}{reason}{speeds}{origin}; {row.wall_s:.0f} s"


def verdict_words(row: OperatorRow) -> str:
    """The outcome with what it rests on, and its labels."""
    if row.verification is None:
        return row.outcome.value
    labels = f" [{', '.join(row.verification.labels)}]" if row.verification.labels else ""
    return f"{verdict_in_words(row.verification.outcome, row.verification.caveats)}{labels}"


def origin_words(row: OperatorRow) -> str:
    """Whose kernel it is."""
    return "kernel by rules" if row.origin == RULES else f"answer {row.candidate}" if row.candidate else ""


def speed_words(row: OperatorRow, baseline: str, settings: OperatorSettings) -> str:
    """``2.31x (2.20 to 2.40)``; without a GPU that there is none, and nothing where nothing was timed."""
    if not settings.has_gpu:
        return NO_GPU
    speed = row.speed(baseline)
    return "" if speed is None else _ratio(speed)


def figures_line(figures: Figures) -> str:
    """``level 1: 3 of 6 correct (1 by rules), 1 for a person to decide``."""
    by_rules = f" ({figures.by_rules_count} by rules)" if figures.by_rules_count else ""
    decide = f", {figures.decision_count} for a person to decide" if figures.decision_count else ""
    return f"{figures.name}: {figures.correct_count} of {figures.task_count} correct{by_rules}{decide}"


def speeds_line(figures: Figures, speeds: Speeds) -> str:
    """Every fast_p and both means over one baseline."""
    fast = ", ".join(f"fast_{each.p:g} {each.ratio:.0%}" for each in speeds.fast)
    correct = (
        "none" if speeds.correct_geometric_mean is None else f"{format_ratio(speeds.correct_geometric_mean)}x over {speeds.timed_count}"
    )
    mean = f"{format_ratio(speeds.geometric_mean)}x with failures as 1.0x, {correct} without them"
    return f"{figures.name} over {speeds.baseline}: {fast}; geometric mean by call {mean}"


def _speeds(row: OperatorRow, settings: OperatorSettings) -> str:
    if not settings.has_gpu:
        return NO_GPU
    known = [(baseline, speed) for baseline in settings.baselines if (speed := row.speed(baseline)) is not None]
    return ", ".join(f"{_ratio(speed)} over {baseline}" for baseline, speed in known) or "not timed"


def _ratio(speed: SpeedReport) -> str:
    interval = "" if speed.low is None or speed.high is None else f" ({format_ratio(speed.low)} to {format_ratio(speed.high)})"
    return f"{format_ratio(speed.ratio)}x{interval}"
