"""Rates of grades by arm, and figures made of them with bootstrap intervals over frozen nodes. Pure; draws with a seeded generator.

A rate is the mean over nodes of each node's share, so that a node with more draws counts no more. A resample draws nodes with replacement
and, within each, a rate for every arm (two levels: Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 3.8). All
arms of a node are drawn together, so that what makes a node easy or hard cancels out of differences between arms. A rate within a node is
drawn from Beta(hits + 1/2, misses + 1/2) (Jeffreys), as two hits of two draws do not say that the next is one; of gains, draws are drawn
with replacement. Intervals are put around the observed figure. Example::

    rates = Rates(counts, seed=0)           # counts: node -> arm -> (draws, draws that reached the grade)
    rates.figure({"profile, plan own": 1.0, "no signal, plan none": -1.0})     # Figure(value, low, high)
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.record import Record

__all__ = ["RESAMPLE_COUNT", "ArmMeans", "Counts", "Figure", "Gains", "LogGains", "Rates", "rate_interval"]

Counts = Mapping[str, Mapping[str, tuple[int, int]]]
LogGains = Mapping[str, Mapping[str, Sequence[float]]]
"""Node → arm → of each draw, the logarithm of time before / time after."""
_Resamples = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The arms' means, shape (n_arms,), and those of each resample, shape (n_resamples, n_arms)."""
RESAMPLE_COUNT = 2000
_BLOCK = 100
"""Resamples at once: bounds the memory of large studies."""
_PRIOR = 0.5
"""Hits and misses that are added to those that were seen (Jeffreys)."""
_DECIMALS = 9
"""What is left of sums that should be 0 is no effect."""
_NORMAL = 1.959964
"""Of the normal distribution: 95 % lie within so many standard deviations."""
_LEAST_NODES = 2
"""To see how they differ."""
_TAIL_RATIO = 0.025
"""On each side: the interval covers 95 %."""


class Figure(Record):
    """A number with its interval."""

    value: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def rate_interval(shares: Sequence[tuple[int, int]]) -> Figure | None:
    """Of all draws, how many reached something, with the 95 % interval of Wilson (1927); None without a draw.

    ``shares``: of each node its draws and those that reached it. Draws of one node that end alike say less than as many nodes: they count
    as so many as would leave the variance that is seen between nodes (Korn and Graubard, Survey Methodology 24, 1998), at least one a node.
    """
    known = [(draws, hits) for draws, hits in shares if draws]
    count, hits = sum(draws for draws, _ in known), sum(hits for _, hits in known)
    if not count:
        return None
    rate, square = hits / count, _NORMAL**2
    effective = _effective_count(known, rate, count)
    middle = (rate + square / (2 * effective)) / (1 + square / effective)
    half = _NORMAL / (1 + square / effective) * math.sqrt(rate * (1 - rate) / effective + square / (4 * effective**2))
    low, high = max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half))
    return Figure(rate, *(round(end, _DECIMALS) + 0.0 for end in (low, high)))


def _effective_count(shares: Sequence[tuple[int, int]], rate: float, count: int) -> float:
    """By the variance of a ratio of sums over nodes (Cochran, Sampling Techniques, 1977, section 6.3)."""
    nodes = len(shares)
    if nodes == count or nodes < _LEAST_NODES:
        return float(count)
    if rate in (0.0, 1.0):
        return float(nodes)  # nothing shows whether they agree by chance
    spread = sum((hits - rate * draws) ** 2 for draws, hits in shares)
    variance = spread * nodes / (nodes - 1) / count**2
    return min(float(count), max(float(nodes), rate * (1 - rate) / variance if variance else count))


class ArmMeans(ABC):
    """What the draws of arms come to on average, over those nodes that have draws of every arm that is asked for."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._resampled: dict[tuple[str, ...], _Resamples | None] = {}

    @abstractmethod
    def mean(self, arm: str) -> float | None:
        """None where no node has draws of it."""

    def figure(self, weights: Mapping[str, float], among: tuple[str, ...] = ()) -> Figure | None:
        """The weighted sum of arms' means; None where no node has draws of all of them.

        ``among``: arms that nodes must have, too: figures of the same arms are from the same nodes and resamples.
        """
        arms = among or tuple(sorted(weights))
        known = self._resamples(arms)
        if known is None:
            return None
        means, resamples = known
        vector = np.array([weights.get(arm, 0.0) for arm in arms])
        sums, value = resamples @ vector, float(means @ vector)
        low, high = np.quantile(sums - sums.mean() + value, [_TAIL_RATIO, 1 - _TAIL_RATIO])
        return Figure(*(round(number, _DECIMALS) + 0.0 for number in (value, float(low), float(high))))

    def _resamples(self, arms: tuple[str, ...]) -> _Resamples | None:
        if arms not in self._resampled:
            self._resampled[arms] = self._drawn(arms)
        return self._resampled[arms]

    @abstractmethod
    def _drawn(self, arms: tuple[str, ...]) -> _Resamples | None:
        """None where no node has draws of all of them."""


class Rates(ArmMeans):
    """Of draws that reached a grade."""

    def __init__(self, counts: Counts, seed: int) -> None:
        super().__init__(seed)
        self._counts = counts

    def mean(self, arm: str) -> float | None:
        shares = [share[1] / share[0] for arms in self._counts.values() if (share := arms.get(arm)) and share[0]]
        return sum(shares) / len(shares) if shares else None

    def _drawn(self, arms: tuple[str, ...]) -> _Resamples | None:
        whole = [[counts[arm] for arm in arms] for counts in self._counts.values() if all(counts.get(arm, (0, 0))[0] for arm in arms)]
        if not whole:
            return None
        table = np.array(whole, dtype=np.int64)  # (n_nodes, n_arms, 2)
        draws, hits = table[:, :, 0], table[:, :, 1]
        generator = np.random.default_rng(self._seed)
        blocks = [_resampled(hits, draws, generator) for _ in range(RESAMPLE_COUNT // _BLOCK)]
        resamples = np.concatenate(blocks)
        return (hits / draws).mean(axis=0), resamples


def _resampled(hits: NDArray[np.int64], draws: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
    """Arms' rates of a block of resamples, shape (n_block, n_arms); hits and draws: (n_nodes, n_arms)."""
    nodes = generator.integers(0, len(hits), size=(_BLOCK, len(hits)))
    return generator.beta(hits[nodes] + _PRIOR, draws[nodes] - hits[nodes] + _PRIOR).mean(axis=1)


class Gains(ArmMeans):
    """Logarithms of gains: of what is not faster, 0."""

    def __init__(self, gains: LogGains, seed: int) -> None:
        super().__init__(seed)
        self._gains = gains

    def mean(self, arm: str) -> float | None:
        means = [float(np.mean(draws)) for arms in self._gains.values() if (draws := arms.get(arm))]
        return sum(means) / len(means) if means else None

    def _drawn(self, arms: tuple[str, ...]) -> _Resamples | None:
        whole = [[np.array(gains[arm]) for arm in arms] for gains in self._gains.values() if all(gains.get(arm) for arm in arms)]
        if not whole:
            return None
        generator = np.random.default_rng(self._seed)
        nodes = generator.integers(0, len(whole), size=(RESAMPLE_COUNT, len(whole)))
        within = np.array([[generator.choice(draws, (RESAMPLE_COUNT, len(draws))).mean(axis=1) for draws in node] for node in whole])
        resamples = within[nodes, :, np.arange(RESAMPLE_COUNT)[:, None]].mean(axis=1)  # within: (n_nodes, n_arms, n_resamples)
        return np.array([[draws.mean() for draws in node] for node in whole]).mean(axis=0), resamples
