"""How orders fare on kernels that no training has seen: candidates until 95 % of the best gain, with intervals. Pure.

Counted are kernels with something to find (1.05x or more). Intervals are percentiles of a bootstrap over programs, as kernels of one
program are alike. Example::

    report = scored(tables, arms)
    report.against["random"].saved      # 1 - geometric mean of candidates by the first arm over candidates at random
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Mapping, Sequence

from assistant.record import Record
from assistant.training.episodes import Order, candidate_count, played
from assistant.training.table import KernelTable, Round

__all__ = ["Arm", "Comparison", "Score", "arm", "compared", "least", "mean_count", "stopping"]

_RESAMPLES = 4_000
_SEED = 23


class Arm(Record):
    """A way of ordering, with as many draws of it as there are."""

    name: str
    counts: Mapping[str, tuple[int, ...]]
    """By kernel, for each draw: candidates until 95 % of the best gain."""


class Comparison(Record):
    """One arm against another on the same kernels."""

    of: str
    against: str
    kernel_count: int
    saved: float
    """1 - geometric mean of candidates over the other's."""
    low: float
    high: float
    """95 % interval."""
    fewer: int
    """Kernels on which it needs fewer, by the mean of its draws."""
    more: int


class Score(Record):
    """What stopping saves, and costs."""

    kernel_count: int
    tried: float
    """Candidates tried, as a share of all."""
    found: float
    """Mean share of log(best ratio) that was found all the same."""


def arm(name: str, tables: Sequence[KernelTable], orders: Sequence[Sequence[Order]]) -> Arm:
    """``orders``: for each kernel those of every draw."""
    return Arm(
        name,
        {
            table.name: tuple(played(table, order).candidates_to(table.best) for order in own)
            for table, own in zip(tables, orders, strict=True)
        },
    )


def least(each: Round) -> Sequence[int]:
    """The order of somebody who knows how everything ends."""

    def worth(index: int) -> tuple[float, int]:
        some = each.candidates[index]
        return (-max((one.reached for one in some), default=1.0), len(some))

    return sorted(range(len(each.offers)), key=worth)


def mean_count(one: Arm, tables: Sequence[KernelTable]) -> float:
    """Of kernels, each by the mean of its draws."""
    return statistics.fmean(statistics.fmean(one.counts[table.name]) for table in tables)


def compared(one: Arm, other: Arm, tables: Sequence[KernelTable]) -> Comparison:
    """``one`` against ``other``."""
    by_program: dict[str, list[float]] = {}
    fewer = more = 0
    for table in tables:
        own, others = one.counts[table.name], other.counts[table.name]
        by_program.setdefault(table.program, []).append(_mean_log(own) - _mean_log(others))
        difference = statistics.fmean(own) - statistics.fmean(others)
        fewer, more = fewer + (difference < -_EQUAL), more + (difference > _EQUAL)
    values = list(by_program.values())
    drawn = random.Random(_SEED)  # noqa: S311 - a draw that can be repeated
    means = sorted(_mean_of(drawn.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    low, high = means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]
    saved = _mean_of(values)
    return Comparison(one.name, other.name, len(tables), _saved(saved), _saved(high), _saved(low), fewer, more)


def stopping(tables: Sequence[KernelTable], orders: Sequence[Order]) -> Score:
    """``orders``: one for each kernel, which may leave something out. Of kernels with nothing to find, all that is tried is in vain."""
    tried = found = 0.0
    total = 0
    with_gain = [table for table in tables if table.has_something]
    for table, order in zip(tables, orders, strict=True):
        search = played(table, order)
        tried += len(search.reached)
        total += candidate_count(table)
        if table.has_something:
            found += math.log(max(search.reached, default=1.0)) / table.best_gain
    return Score(len(tables), tried / total if total else 0.0, found / len(with_gain) if with_gain else 0.0)


_EQUAL = 1e-9


def _mean_log(counts: Sequence[int]) -> float:
    return statistics.fmean(math.log(count) for count in counts)


def _mean_of(values: Sequence[Sequence[float]]) -> float:
    """Over kernels."""
    return statistics.fmean(value for some in values for value in some)


def _saved(log_ratio: float) -> float:
    return 1 - math.exp(log_ratio)
