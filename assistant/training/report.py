"""A trained policy against the orders that there are without it, on kernels of families that it never saw. Pure but for memory.

Example::

    report = reported(tables, [policy0, policy1, policy2], store, now_ms)
    report.comparisons[0]       # the policy against an order by chance
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.memory import MemoryStore
from assistant.model.experience import Choice
from assistant.plan.policy.network import NetworkPolicy
from assistant.record import Record
from assistant.training.episodes import by_catalogue, by_chance, by_promise
from assistant.training.ordering import Remembered, by_memory, by_policy
from assistant.training.scoring import Arm, Comparison, Score, arm, compared, least, mean_count, stopping
from assistant.training.table import KernelTable

__all__ = ["BASELINES", "Group", "PolicyReport", "reported"]

POLICY, BEHIND = "policy", "policy behind memory"
PROMISE, CATALOGUE, MEMORY, CHANCE, LEAST = "findings' promise", "catalogue order", "memory alone", "at random", "best order"
BASELINES = (PROMISE, CATALOGUE, MEMORY, CHANCE)
_DRAWS = 100
"""Orders at random of each kernel."""


class Group(Record):
    """Some of the kernels."""

    name: str
    kernel_count: int
    program_count: int
    means: tuple[tuple[str, float], ...]
    """(arm, mean candidates until 95 % of the best gain)."""
    comparisons: tuple[Comparison, ...]
    """The policy of all seeds against each baseline, and memory with it against memory alone."""
    by_seed: tuple[tuple[int, tuple[Comparison, ...]], ...]
    """(seed's place, against each baseline)."""


class PolicyReport(Record):
    """How it fared."""

    groups: tuple[Group, ...]
    """All kernels with something to find; those of them with more than one thing to try."""
    stops: tuple[Score, ...]
    """By seed, of a search that stops where the policy would."""

    @property
    def is_better(self) -> bool:
        """Whether it needs fewer candidates than each baseline on kernels with a choice, all intervals without 0."""
        group = self.groups[-1]
        return group.kernel_count > 0 and all(one.low > 0 for one in group.comparisons if one.of == POLICY)


def reported(tables: Sequence[KernelTable], policies: Sequence[NetworkPolicy], store: MemoryStore, now_ms: int) -> PolicyReport:
    """``tables``: of the trial; ``store``: what memory learned from the training's searches."""
    with_gain = [table for table in tables if table.has_something]
    with_choice = [table for table in with_gain if table.has_choice]
    arms = _arms(with_gain, policies, Remembered(store, now_ms))
    groups = [_group(name, some, arms, policies) for name, some in (("something to find", with_gain), ("a choice", with_choice)) if some]
    stops = tuple(stopping(tables, [by_policy(policy, may_stop=True)] * len(tables)) for policy in policies)
    return PolicyReport(tuple(groups), stops)


def _arms(tables: Sequence[KernelTable], policies: Sequence[NetworkPolicy], remembered: Remembered) -> dict[str, Arm]:
    choices = [Choice("thompson", seed) for seed in range(len(policies))]
    found = (
        arm(POLICY, tables, [[by_policy(policy) for policy in policies]] * len(tables)),
        arm(
            BEHIND,
            tables,
            [[by_memory(table, remembered, choice, policy) for choice, policy in zip(choices, policies, strict=True)] for table in tables],
        ),
        arm(PROMISE, tables, [[by_promise]] * len(tables)),
        arm(CATALOGUE, tables, [[by_catalogue]] * len(tables)),
        arm(MEMORY, tables, [[by_memory(table, remembered, choice) for choice in choices] for table in tables]),
        arm(CHANCE, tables, [[by_chance(seed) for seed in range(_DRAWS)]] * len(tables)),
        arm(LEAST, tables, [[least]] * len(tables)),
    )
    return {one.name: one for one in found}


def _group(name: str, tables: Sequence[KernelTable], arms: dict[str, Arm], policies: Sequence[NetworkPolicy]) -> Group:
    against = tuple(compared(arms[POLICY], arms[other], tables) for other in BASELINES)
    behind = compared(arms[BEHIND], arms[MEMORY], tables)
    by_seed = tuple(
        (seed, tuple(compared(_one_draw(arms[POLICY], seed), arms[other], tables) for other in BASELINES)) for seed in range(len(policies))
    )
    means = tuple((one.name, mean_count(one, tables)) for one in arms.values())
    return Group(name, len(tables), len({table.program for table in tables}), means, (*against, behind), by_seed)


def _one_draw(one: Arm, draw: int) -> Arm:
    return Arm(one.name, {kernel: (counts[draw],) for kernel, counts in one.counts.items()})
