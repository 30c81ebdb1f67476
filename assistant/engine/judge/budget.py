"""What judging one kernel may cost: which launches are judged at a smaller size, how many further cases, how many repeats.

Decided from the threads and bytes of a launch and from the work that the original's first run with checks counts, so that neither a busy
nor a slow machine changes what a verdict rests on; smaller sizes go in steps of four. Example::

    cost = Cost(threads=4 << 20, size_bytes=128 << 20, checked_s=None)
    is_large(cost), shrink_ratio(cost)        # True, 1/1024
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log

from assistant.model.profile import LaunchProfile
from assistant.record import Record

__all__ = [
    "CHECKED_THREADS",
    "Cost",
    "affordable",
    "case_count",
    "is_large",
    "keeps_own_values",
    "own_size_count",
    "repeat_count",
    "shrink_ratio",
    "trial_count",
    "work_s",
]

CHECKED_THREADS = 1 << 20
"""Launches above this run without race and bounds checks in a replay: the program-wide check run covers what it can."""
_LARGE = (1 << 17, 8 << 20, 0.04)
"""Threads, bytes and seconds (checked) above which further cases are made at a smaller size: below, time allows all of them."""
_SMALL = (1 << 13, 1 << 19, 0.02)
"""Limits of the smaller size: some forty cases are made of it."""
_STEP = 4.0
_CHECKED_PER_PLAIN = 12.0
"""Time with checks over time without: 8 to 20 on the launches of benchmarks/emulator_speed.py."""
_REPEATS_S = 0.5
"""For all bitwise repeats of a case."""
_CASES_S = 6.0
"""For further cases at the program's own size, where a launch cannot be made smaller."""
_RUNS_PER_CASE = 6.0
"""Checked runs that one further case costs: both versions, both fill patterns, the float64 twin, eight perturbed inputs."""
_BYTES_PER_S = 40e6
"""Rate at which a case's buffers are drawn, hashed, written, read and compared."""
_FEWEST_CASES = 3
_OWN_SIZE_BYTES = 16 << 20
"""A case of more at the program's own size is the recorded one only, where all others can be smaller."""
_OWN_SIZE_COUNT = 2
_OWN_VALUES_BYTES = 64 << 20
"""A case of more is not drawn again at all, where another size is to be had: at the rate above one draw would take seconds."""
_GROWN_S = 1.0
"""For one run each of all larger sizes."""
_GROWN_BYTES = 64 << 20
_MOST_TRIALS = 6
_RUN_S, _PER_THREAD_S, _PER_BYTE_S, _PER_ACCESS_S, _PER_EXECUTION_S = 0.012, 8e-8, 5e-9, 7e-9, 9e-9


class Cost(Record):
    """The cost of a launch of the original."""

    threads: int
    size_bytes: int
    checked_s: float | None
    """What one run with every check takes, by ``work_s``; None where it was not run so."""
    emulated_ratio: float = 1.0
    """Of that, what is run: less where a GPU runs the launch, and the emulator some of its blocks."""


def work_s(threads: int, size_bytes: int, profiles: Sequence[LaunchProfile]) -> float:
    """Processor time of a run with every check, from what it counted: accesses and executions of lines by threads.

    Coefficients: least relative squares over 49 launches of 22 programs, on two cores of an x86 machine: right within 1.5 times for two in
    three, 2.7 at most.
    """
    accesses = sum(access.active_threads for profile in profiles for access in profile.accesses)
    executions = sum(line.thread_executions for profile in profiles for line in profile.executions)
    return _RUN_S + _PER_THREAD_S * threads + _PER_BYTE_S * size_bytes + _PER_ACCESS_S * accesses + _PER_EXECUTION_S * executions


def is_large(cost: Cost) -> bool:
    """Whether further cases are made at a smaller size, where the launch's sizes can be varied."""
    return _excess(cost, _LARGE) > 1.0


def shrink_ratio(cost: Cost) -> float:
    """Share of the work that a launch of the smaller size should have: a power of 1/4."""
    return _STEP ** -ceil(log(max(1.0, _excess(cost, _SMALL)), _STEP))


def case_count(cost: Cost, wanted: int) -> int:
    """How many of ``wanted`` further cases at the launch's own size time allows; the first ones show the most."""
    per_case_s = _RUNS_PER_CASE * (cost.checked_s or 0.0) * cost.emulated_ratio + cost.size_bytes / _BYTES_PER_S
    return wanted if per_case_s * wanted <= _CASES_S else min(wanted, max(_FEWEST_CASES, int(_CASES_S / per_case_s)))


def own_size_count(cost: Cost) -> int:
    """Fresh draws at the program's own size of a launch whose other cases run at a smaller one."""
    return _OWN_SIZE_COUNT if cost.size_bytes <= _OWN_SIZE_BYTES else 0


def keeps_own_values(cost: Cost) -> bool:
    """Whether a launch runs at its own size on the program's values alone, where all others can be smaller."""
    return cost.size_bytes > _OWN_VALUES_BYTES


def repeat_count(cost: Cost, wanted: int) -> int:
    """Bitwise repeats of a case; one run at least."""
    is_of_gpu = cost.emulated_ratio < 1.0  # which takes no time to speak of: then contents do
    checked_s = cost.size_bytes / _BYTES_PER_S if cost.checked_s is None or is_of_gpu else cost.checked_s
    plain_s = checked_s / _CHECKED_PER_PLAIN
    return wanted if plain_s * wanted <= _REPEATS_S else max(1, int(_REPEATS_S / plain_s))


def affordable(cost: Cost, work_ratios: Mapping[str, float]) -> tuple[str, ...]:
    """The larger sizes, by name in order of preference with their share of the launch's work, that time allows together."""
    chosen: list[str] = []
    left_s = _GROWN_S
    for name, ratio in work_ratios.items():
        needed_s = ratio * (_GROWN_S if cost.checked_s is None else cost.checked_s)
        if needed_s <= left_s and cost.size_bytes * ratio <= _GROWN_BYTES and cost.threads * ratio <= CHECKED_THREADS:
            chosen.append(name)
            left_s -= needed_s
    return tuple(chosen)


def trial_count(cost: Cost, *, is_smaller: bool) -> int:
    """Further ways to launch at one size that are tried together; ``is_smaller``: only sizes far below the launch's own."""
    return _MOST_TRIALS if is_smaller or not is_large(cost) else 1


def _excess(cost: Cost, limits: tuple[int, int, float]) -> float:
    """How many times more than the limits."""
    threads, size_bytes, checked_s = limits
    return max(cost.threads / threads, cost.size_bytes / size_bytes, (cost.checked_s or 0.0) / checked_s)
