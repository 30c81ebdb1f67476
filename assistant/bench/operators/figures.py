"""A run's rows summed up as KernelBench does: how many are correct, and fast_p over each baseline. Pure.

fast_p is the share of all tasks whose candidate is correct and whose speed-up is more than p, fast_p = 1/N sum of [correct_i and
speedup_i > p] (Ouyang et al., KernelBench: Can LLMs Write Efficient GPU Kernels?, 2025, arXiv:2502.10517, section 3.3). fast_0 is the share
of correct ones: whatever is correct is faster than nothing, timed or not. A speed-up is a baseline's time by call over the candidate's, and
correct is PASS alone. Example::

    figures_of(rows, settings)[-1].speeds[0].fast[1].ratio     # fast_1 over eager, of all levels
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from assistant.bench.operators.row import ANSWER, RULES, OperatorOutcome, OperatorRow, OperatorSettings
from assistant.record import Record

__all__ = ["ALL", "ANSWERS_ALONE", "THRESHOLDS", "Fast", "Figures", "Speeds", "figures_of"]

THRESHOLDS = (0.0, 1.0, 1.5, 2.0)
"""Values of p."""
ALL = "all"
ANSWERS_ALONE = "answers alone"
"""All tasks, those without a given answer as not correct."""


class Fast(Record):
    """fast_p of some tasks."""

    p: float
    count: int
    ratio: float
    """Of all tasks (0..1)."""


class Speeds(Record):
    """Candidates over one baseline, by call."""

    baseline: str
    timed_count: int
    """Correct ones whose speed-up over it is known."""
    fast: tuple[Fast, ...]
    geometric_mean: float
    """Of all tasks; what is not correct or was not timed as 1.0x."""
    correct_geometric_mean: float | None
    """Of those that are correct and timed alone; None: there are none."""


class Figures(Record):
    """The figures of a level, or of all."""

    name: str
    task_count: int
    correct_count: int
    by_rules_count: int
    """Correct ones that rules wrote."""
    decision_count: int
    """A person has to decide on them: not correct, and not wrong."""
    outcomes: dict[str, int]
    speeds: tuple[Speeds, ...]
    """Empty without a GPU."""


def figures_of(rows: Sequence[OperatorRow], settings: OperatorSettings) -> tuple[Figures, ...]:
    """Of each level, then of all; then of the answers alone where rules wrote some of the kernels."""
    levels = sorted({row.level for row in rows if row.level is not None})
    groups = [(f"level {level}", [row for row in rows if row.level == level]) for level in levels]
    groups.append((ALL, list(rows)))
    if {ANSWER, RULES} <= {row.origin for row in rows}:
        groups.append((ANSWERS_ALONE, [_without_rules(row) for row in rows]))
    return tuple(_figures(name, group, settings) for name, group in groups)


def _figures(name: str, rows: Sequence[OperatorRow], settings: OperatorSettings) -> Figures:
    correct = [row for row in rows if row.is_correct]
    return Figures(
        name=name,
        task_count=len(rows),
        correct_count=len(correct),
        by_rules_count=sum(row.origin == RULES for row in correct),
        decision_count=sum(row.outcome is OperatorOutcome.NEEDS_DECISION for row in rows),
        outcomes=dict(Counter(row.outcome.value for row in rows)),
        speeds=tuple(_speeds(baseline, rows) for baseline in settings.baselines) if settings.has_gpu and rows else (),
    )


def _speeds(baseline: str, rows: Sequence[OperatorRow]) -> Speeds:
    correct = [row for row in rows if row.is_correct]
    ratios = [speed.ratio for row in correct if (speed := row.speed(baseline)) is not None]
    counts = [(p, sum(ratio > p for ratio in ratios) if p else len(correct)) for p in THRESHOLDS]
    logarithms = sum(map(math.log, ratios))
    return Speeds(
        baseline=baseline,
        timed_count=len(ratios),
        fast=tuple(Fast(p, count, count / len(rows)) for p, count in counts),
        geometric_mean=math.exp(logarithms / len(rows)),
        correct_geometric_mean=math.exp(logarithms / len(ratios)) if ratios else None,
    )


def _without_rules(row: OperatorRow) -> OperatorRow:
    return replace(row, outcome=OperatorOutcome.NO_KERNEL, origin=None) if row.origin == RULES else row
