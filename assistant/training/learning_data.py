"""The rounds of all kernels as tensors, searches drawn from them at once, and how each fares against the others of its kernel.

Shapes: R rounds of all kernels, M places in a round (offers and, behind them, stopping), F inputs, S searches drawn of each kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assistant.plan.policy.features import Vocabulary, feature_rows
from assistant.training.episodes import played, reward
from assistant.training.table import KernelTable, Round

if TYPE_CHECKING:
    from assistant.training.learning import Net

__all__ = ["LearningData"]

Tensor = Any
"""PyTorch's, which is not there where types are checked."""

_NEVER = -1e9
"""Score of a place that holds nothing."""
_STOP_GAIN = math.log(1.05)
"""Below which an offer is worth less than stopping."""
_UNIT = math.log(1.3)
"""Gain that a score of 1 above stopping stands for, when values are learned (chosen)."""
_MOST_GAIN = math.log(10)
"""More is worth no more."""


class LearningData:
    """Of the kernels of a training."""

    def __init__(self, torch: Any, tables: Sequence[KernelTable], vocabulary: Vocabulary) -> None:
        self._torch = torch
        self._tables = tables
        rounds = [(table, each) for table in tables for each in table.rounds]
        rows = [feature_rows(vocabulary, each.situation, each.offers) for _, each in rounds]
        self._places = max(map(len, rows))
        inputs = len(rows[0][0])
        self.rows = torch.tensor([[*some, *([[0.0] * inputs] * (self._places - len(some)))] for some in rows])
        self._stops = [len(some) - 1 for some in rows]
        is_there = [[any(each.candidates[i : i + 1]) or i == len(each.offers) for i in range(self._places)] for _, each in rounds]
        self._is_there = torch.tensor(is_there)
        self._stop_places = torch.tensor(self._stops)[:, None]
        self._worth = torch.tensor([self._values(table, each) for table, each in rounds])

    def forgetful(self, named: list[int], chance: float) -> Tensor:
        """The inputs, some offers without the names of their technique and finding."""
        torch = self._torch
        rows = self.rows.clone()
        forgotten = torch.rand(rows.shape[:2]) < chance
        keep = torch.ones(rows.shape[-1])
        keep[named] = 0.0
        return torch.where(forgotten[..., None], rows * keep, rows)

    def value_loss(self, net: Net, named: list[int], forgetting: float) -> Tensor:
        """Mean squared error of the scores, from that of stopping on, as gains of offers; each round counts once."""
        scores = net.scores(self.forgetful(named, forgetting))
        errors = (scores - self._torch.gather(scores, 1, self._stop_places) - self._worth) ** 2 * self._is_there
        return (errors.sum(1) / self._is_there.sum(1)).mean()

    def drawn(self, scores: Tensor, count: int) -> Tensor:
        """(S, R, M): places in the order in which they are drawn, without putting back."""
        torch = self._torch
        noise = -torch.log(-torch.log(torch.rand(count, *scores.shape).clamp(1e-9, 1 - 1e-7)))
        return torch.argsort(self._masked(scores) + torch.where(self._is_there, noise, 0.0), dim=-1, descending=True)

    def log_chances(self, scores: Tensor, orders: Tensor) -> Tensor:
        """(S, R): of drawing what was drawn, up to stopping."""
        torch = self._torch
        ordered = torch.gather(self._masked(scores).expand(orders.shape), -1, orders)
        left = torch.logcumsumexp(ordered.flip(-1), dim=-1).flip(-1)
        stops = torch.tensor(self._stops)[None, :, None]
        is_drawn = (orders == stops).cumsum(-1) - (orders == stops).long() == 0
        return torch.where(is_drawn, ordered - left, 0.0).sum(-1)

    def advantages(self, orders: Tensor) -> Tensor:
        """(S, R): of each search against the others of its kernel; 0 of rounds that it did not come to."""
        torch = self._torch
        count = orders.shape[0]
        listed: Any = orders.tolist()
        found = torch.zeros(orders.shape[:2])
        first = 0
        for table in self._tables:
            rewards: list[float] = []
            visited: list[int] = []
            for search in range(count):
                places = iter(range(first, first + len(table.rounds)))
                asked: list[int] = []

                def order(_: Round, search: int = search, places: Iterator[int] = places, asked: list[int] = asked) -> Sequence[int]:
                    place = next(places)
                    asked.append(place)
                    drawn: list[int] = listed[search][place]
                    return drawn[: drawn.index(self._stops[place])]

                rewards.append(reward(table, played(table, order)))
                visited.append(len(asked))
            values = torch.tensor(rewards)
            relative = (values - values.mean()) / (values.std() + 1e-3)
            for search, rounds in enumerate(visited):
                found[search, first : first + rounds] = relative[search]
            first += len(table.rounds)
        return found

    def entropy(self, scores: Tensor) -> Tensor:
        """Mean of what is drawn first."""
        log_chances = self._torch.log_softmax(self._masked(scores), dim=1)
        return -(log_chances.exp() * log_chances).sum(1).mean()

    def _masked(self, scores: Tensor) -> Tensor:
        return self._torch.where(self._is_there, scores, _NEVER)

    def _values(self, table: KernelTable, each: Round) -> list[float]:
        """Of each place: the gain that it brings beyond what stopping is worth, in units; 0 of stopping."""
        before = math.log(_before(table, each))
        values = [0.0] * self._places
        for index, some in enumerate(each.candidates):
            if some:
                gain = max(math.log(one.reached) for one in some) - before
                values[index] = (min(_MOST_GAIN, max(0.0, gain)) - _STOP_GAIN) / _UNIT
        return values


def _before(table: KernelTable, each: Round) -> float:
    """Best ratio when the round begins."""
    best = 1.0
    for other in table.rounds:
        if other is each:
            return best
        best = max(best, *(one.reached for some in other.candidates for one in some), 1.0)
    return best
