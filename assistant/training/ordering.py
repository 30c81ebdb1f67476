"""Orders of offers by a policy, by memory, and by both as the expert puts them together.

Example::

    played(table, by_policy(policy))
    played(table, by_memory(table, store, Choice("thompson", seed=0)))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.memory import MemoryStore
from assistant.model.experience import Choice, RecallQuery, TechniqueEvidence
from assistant.plan.choosing import chosen, evidence_on
from assistant.plan.policy.ordering import shared_ranks
from assistant.plan.policy.situation import StepPolicy
from assistant.training.episodes import Order, by_promise
from assistant.training.table import KernelTable, Round

__all__ = ["Remembered", "by_memory", "by_policy"]

_NOWHERE = Path("/")
"""Workspace of a kernel that memory is asked about: none that it knows."""


def by_policy(policy: StepPolicy, may_stop: bool = False) -> Order:
    """Best first; with ``may_stop`` without those that it thinks less of than of stopping."""

    def order(each: Round) -> Sequence[int]:
        found = policy.preferences(each.situation, each.offers)
        if found is None:
            return by_promise(each)
        indices = sorted(by_promise(each), key=lambda i: -found.scores[i])
        return [i for i in indices if found.scores[i] >= found.stop] if may_stop else indices

    return order


class Remembered:
    """What memory knows of the techniques of each round, asked once."""

    def __init__(self, store: MemoryStore, now_ms: int) -> None:
        self._store = store
        self._now_ms = now_ms
        self._known: dict[tuple[int, str, int], tuple[TechniqueEvidence, ...]] = {}

    def evidence(self, table: KernelTable, each: Round, choice: Choice) -> tuple[TechniqueEvidence, ...]:
        key = (id(each), choice.rule, choice.seed)
        if key not in self._known:
            query = RecallQuery(
                workspace=_NOWHERE,
                kernel=table.name,
                state=each.situation.state,
                techniques=tuple(dict.fromkeys(offer.technique for offer in each.offers)),
                now_ms=self._now_ms,
                choice=replace(choice, key=f"{table.name}/{table.rounds.index(each)}"),
            )
            self._known[key] = self._store.recall(query)
        return self._known[key]


def by_memory(table: KernelTable, remembered: Remembered, choice: Choice, policy: StepPolicy | None = None) -> Order:
    """As the expert ranks steps with that memory; ``policy`` orders what memory knows nothing of."""

    def order(each: Round) -> Sequence[int]:
        known = remembered.evidence(table, each, choice)
        evidence = [evidence_on(known, offer.technique) for offer in each.offers]
        ranks: Sequence[float] = [
            chosen(offer.promise, one, choice, offer.is_modelled).rank for offer, one in zip(each.offers, evidence, strict=True)
        ]
        found = None if policy is None else policy.preferences(each.situation, each.offers)
        if found is not None:
            ranks = shared_ranks(ranks, [i for i, one in enumerate(evidence) if one is None], found.scores)
        return sorted(range(len(ranks)), key=lambda i: (-ranks[i], each.offers[i].line, each.offers[i].technique))

    return order
