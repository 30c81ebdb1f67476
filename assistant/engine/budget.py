"""What judging one kernel may cost: which launches are judged at a smaller size, how many further cases, how many repeats.

Decided from the threads and bytes of a launch and from the seconds that the original's first run of it takes with checks on, in steps of
four, so that a busy machine decides as an idle one does, nearly always. Example::

    cost = Cost(threads=4 << 20, size_bytes=128 << 20, checked_s=None)
    is_large(cost), shrink_ratio(cost)        # True, 1/256
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

__all__ = ["CHECKED_THREADS", "Cost", "can_grow", "case_count", "is_large", "repeat_count", "shrink_ratio", "trial_count"]

CHECKED_THREADS = 1 << 20
"""Launches above this run without race and bounds checks in a replay: the program-wide check run covers what it can."""
_BASE_THREADS = 1 << 14
_BASE_BYTES = 1 << 20
_BASE_S = 0.06
"""Threads, bytes and seconds (checked) of a launch that some forty further cases can be made of."""
_STEP = 4.0
_CHECKED_PER_PLAIN = 12.0
"""Time with checks over time without: 8 to 20 on the launches of benchmarks/emulator_speed.py."""
_REPEATS_S = 0.5
"""For all bitwise repeats of one case."""
_CASES_S = 6.0
"""For further cases at the program's own size, where a launch cannot be made smaller."""
_RUNS_PER_CASE = 6.0
"""Checked runs that one further case costs: both versions, both fill patterns, the float64 twin, eight perturbed inputs."""
_BYTES_PER_S = 40e6
"""Of a case's buffers: drawn, hashed, written, read and compared."""
_FEWEST_CASES = 3
_GROWN_S = 1.0
_GROWN_BYTES = 64 << 20
_MOST_TRIALS = 8


@dataclass(frozen=True)
class Cost:
    """Of one launch of the original."""

    threads: int
    size_bytes: int
    checked_s: float | None
    """Seconds of one run with every check; None where it was not run so."""


def is_large(cost: Cost) -> bool:
    """Whether further cases are made at a smaller size, where the launch's sizes can be varied."""
    return _excess(cost) > _STEP


def shrink_ratio(cost: Cost) -> float:
    """Share of the work that a launch of the smaller size should have: a power of 1/4."""
    return _STEP ** -ceil(log(max(1.0, _excess(cost)), _STEP))


def case_count(cost: Cost, wanted: int) -> int:
    """Of ``wanted`` further cases at the launch's own size, how many time allows; the first ones tell the most."""
    per_case_s = _RUNS_PER_CASE * (cost.checked_s or 0.0) + cost.size_bytes / _BYTES_PER_S
    return wanted if per_case_s * wanted <= _CASES_S else min(wanted, max(_FEWEST_CASES, int(_CASES_S / per_case_s)))


def repeat_count(cost: Cost, wanted: int) -> int:
    """Bitwise repeats of a case; one run at least."""
    checked_s = cost.size_bytes / _BYTES_PER_S if cost.checked_s is None else cost.checked_s
    plain_s = checked_s / _CHECKED_PER_PLAIN
    return wanted if plain_s * wanted <= _REPEATS_S else max(1, int(_REPEATS_S / plain_s))


def can_grow(cost: Cost, work_ratio: float) -> bool:
    """Whether a launch of ``work_ratio`` times the work is tried."""
    return (
        cost.checked_s is not None
        and cost.checked_s * work_ratio <= _GROWN_S
        and cost.size_bytes * work_ratio <= _GROWN_BYTES
        and cost.threads * work_ratio <= CHECKED_THREADS
    )


def trial_count(cost: Cost) -> int:
    """Ways to launch at one size that are tried together."""
    return _MOST_TRIALS if (cost.checked_s or 0.0) <= _BASE_S else 2


def _excess(cost: Cost) -> float:
    """How many times more than a small launch."""
    return max(cost.threads / _BASE_THREADS, cost.size_bytes / _BASE_BYTES, (cost.checked_s or 0.0) / _BASE_S)
