"""What runs of several seeds came to: means with intervals, trained against shuffled. Pure.

Example::

    interval([0.91, 0.88, 0.93])        # Interval(mean=0.907, low=0.844, high=0.969, count=3)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Interval", "Run", "first_tenth", "interval", "last_tenth", "report"]

_T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t, two-sided 95 %, for 1, 2, … degrees of freedom (NIST/SEMATECH e-Handbook, 1.3.6.7.2)."""


@dataclass(frozen=True)
class Interval:
    """A mean over seeds with its 95 % interval, by Student's t."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Run:
    """One seed of one arm."""

    seed: int
    is_control: bool
    """Trained on shuffled rewards."""
    rewards: tuple[float, ...]
    """The judge's mean reward of each step's answers."""
    held_out_before: float
    """Mean reward of the likeliest answers to held-out tasks, before GRPO."""
    held_out_after: float


def interval(values: Sequence[float]) -> Interval:
    """Of 2 to 10 values."""
    count = len(values)
    if not 2 <= count <= len(_T95) + 1:
        raise ValueError(f"an interval needs 2 to {len(_T95) + 1} values, not {count}")
    mean = math.fsum(values) / count
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    half = _T95[count - 2] * deviation / math.sqrt(count)
    return Interval(mean, mean - half, mean + half, count)


def first_tenth(rewards: Sequence[float]) -> float:
    return _mean(rewards[: _tenth(rewards)])


def last_tenth(rewards: Sequence[float]) -> float:
    return _mean(rewards[-_tenth(rewards) :])


def report(runs: Sequence[Run]) -> dict[str, Any]:
    """Each quantity over seeds, and the differences that are claimed, seed by seed: an interval above 0 shows one."""
    trained = sorted((run for run in runs if not run.is_control), key=lambda run: run.seed)
    control = sorted((run for run in runs if run.is_control), key=lambda run: run.seed)
    if [run.seed for run in trained] != [run.seed for run in control]:
        raise ValueError("trained and control runs are not of the same seeds")
    pairs = list(zip(trained, control, strict=True))
    quantities = {
        "first tenth": [first_tenth(run.rewards) for run in trained],
        "last tenth": [last_tenth(run.rewards) for run in trained],
        "last tenth - first tenth": [last_tenth(run.rewards) - first_tenth(run.rewards) for run in trained],
        "control: first tenth": [first_tenth(run.rewards) for run in control],
        "control: last tenth": [last_tenth(run.rewards) for run in control],
        "last tenth - control's": [last_tenth(one.rewards) - last_tenth(other.rewards) for one, other in pairs],
        "held out, before": [run.held_out_before for run in trained],
        "held out, after": [run.held_out_after for run in trained],
        "held out, after - before": [run.held_out_after - run.held_out_before for run in trained],
        "control: held out, after": [run.held_out_after for run in control],
        "held out, after - control's": [one.held_out_after - other.held_out_after for one, other in pairs],
    }
    return {"seeds": [run.seed for run in trained], **{name: asdict(interval(values)) for name, values in quantities.items()}}


def _tenth(rewards: Sequence[float]) -> int:
    return max(1, len(rewards) // 10)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
