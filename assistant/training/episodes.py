"""Searches played from kept outcomes: what an order of offers comes to. Pure, and quick: nothing is built or run.

A search tries what is offered on a version in an order, and then goes on from the best that it kept. Example::

    played(table, lambda each: each.promise)       # Played(reached=(1.0, 2.4, 2.4), …): after each candidate
    played(table, by_promise).candidates_to(goal)
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from assistant.record import Record
from assistant.training.table import KernelTable, Round

__all__ = ["Order", "Played", "by_catalogue", "by_chance", "by_promise", "candidate_count", "played", "reward"]

_SHARE = 0.95
"""Of log(best ratio) that counts as having found it."""
_DISCOUNT = 0.85
"""Of a gain for each candidate that was tried before it (chosen)."""
_COST = 0.01
"""Of each candidate, as a share of the best gain (chosen: a search of 16 candidates costs a sixth of what it finds)."""

Order = Callable[[Round], Sequence[int]]
"""Indices of a round's offers as they are to be tried; fewer than there are: the round stops then."""


class Played(Record):
    """A search in one order."""

    reached: tuple[float, ...]
    """Best ratio so far after each candidate."""

    def candidates_to(self, best: float) -> int:
        """Until 95 % of the gain of ``best``; one more than were tried where it does not come there."""
        goal = best**_SHARE
        return next((count for count, ratio in enumerate(self.reached, 1) if ratio >= goal), len(self.reached) + 1)


def played(table: KernelTable, order: Order) -> Played:
    """Rounds in which nothing is left out lead to the next one; a round that stopped before its best ends the search."""
    reached: list[float] = []
    best = 1.0
    for each in table.rounds:
        most = max((one.reached for some in each.candidates for one in some), default=1.0)
        in_round = 1.0
        for index in order(each):
            for candidate in each.candidates[index]:
                in_round = max(in_round, candidate.reached)
                best = max(best, candidate.reached)
                reached.append(best)
        if in_round < most:
            break
    return Played(tuple(reached))


def reward(table: KernelTable, searched: Played) -> float:
    """Share of the best gain, each part less the later it comes, minus what was tried; 1 at most."""
    gain, before = 0.0, 0.0
    for count, ratio in enumerate(searched.reached):
        gain += _DISCOUNT**count * (math.log(ratio) - before)
        before = math.log(ratio)
    share = gain / table.best_gain if table.has_something else 0.0
    return share - _COST * len(searched.reached)


def candidate_count(table: KernelTable) -> int:
    """Of the whole search."""
    return sum(len(some) for each in table.rounds for some in each.candidates)


def by_promise(each: Round) -> Sequence[int]:
    """As rules order what memory knows nothing of."""
    offers = each.offers
    return sorted(range(len(offers)), key=lambda i: (-offers[i].promise, offers[i].line, offers[i].technique))


def by_catalogue(each: Round) -> Sequence[int]:
    """As the catalogue names techniques: by their ids."""
    return sorted(range(len(each.offers)), key=lambda i: (each.offers[i].technique, each.offers[i].line))


def by_chance(seed: int) -> Order:
    """Another order for each round."""
    drawn = random.Random(seed)  # noqa: S311 - a draw that can be repeated

    def order(each: Round) -> Sequence[int]:
        return drawn.sample(range(len(each.offers)), len(each.offers))

    return order
