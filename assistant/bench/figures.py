"""A run's rows summed up: means of speed-ups with failures as 1.0x, and how far programs are from their bounds. Pure.

Example::

    figures_of(rows).all.geometric_mean     # 1.84
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from assistant.bench.row import Row, RowOutcome
from assistant.record import Record

__all__ = ["FAR_RATIO", "NEAR_RATIO", "Figures", "Mean", "figures_of"]

FAR_RATIO = 1.3
"""A program that takes more than this multiple of its bound starts far from it; less than that is within the bound's own optimism."""
NEAR_RATIO = 2.0
"""A program that takes at most this multiple of its bound is near it."""


class Mean(Record):
    """The mean of the counted ratios of some rows."""

    count: int
    geometric_mean: float | None
    """None of no rows."""


class Figures(Record):
    """The figures of a whole run."""

    all: Mean
    """The mean of every row that was searched."""
    far: Mean
    """Those that start far from their bound."""
    outcomes: dict[str, int]
    """How many rows ended in each way."""
    bounded_count: int
    """Rows whose distance to their bound is known."""
    near_before_count: int
    near_after_count: int
    """Rows that are near their bound as they stood, and with what was kept."""
    token_count: int
    money_usd: float | None
    """None: a model without a known price took part."""
    wall_s: float
    is_predicted: bool
    """Whether any time is a prediction."""


def figures_of(rows: Sequence[Row]) -> Figures:
    bounded = [(row, before, after) for row in rows if (before := row.distance) is not None and (after := row.best_distance) is not None]
    money = [row.cost.money_usd for row in rows]
    known = [each for each in money if each is not None]
    return Figures(
        all=_mean(rows),
        far=_mean([row for row, before, _ in bounded if before > FAR_RATIO]),
        outcomes=dict(Counter(row.outcome.value for row in rows)),
        bounded_count=len(bounded),
        near_before_count=sum(before <= NEAR_RATIO for _, before, _ in bounded),
        near_after_count=sum(after <= NEAR_RATIO for _, _, after in bounded),
        token_count=sum(row.cost.token_count for row in rows),
        money_usd=sum(known) if len(known) == len(money) else None,
        wall_s=sum(row.cost.wall_s for row in rows),
        is_predicted=any(row.times is not None and row.times.is_predicted for row in rows),
    )


def _mean(rows: Sequence[Row]) -> Mean:
    searched = [row for row in rows if row.outcome is not RowOutcome.NOT_SEARCHED]
    if not searched:
        return Mean(0, None)
    return Mean(len(searched), math.exp(sum(math.log(row.counted_ratio) for row in searched) / len(searched)))
