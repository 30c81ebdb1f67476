"""What each player of a cooperative game contributes, alone and with others. Pure: a game is the value of each coalition.

With up to six players every coalition is known and all figures are exact; with more, random orders of the players are sampled, and every
estimate has its standard error. Everything is linear in the values of coalitions, so a figure is a weight for each coalition. Example::

    game = {frozenset(): 0.0, frozenset("p"): 0.0, frozenset("s"): 0.0, frozenset("ps"): 1.0}
    valued(game, derivative_weights(("p", "s"), ("p",), shapley_weight))          # 0.5
    valued(game, derivative_weights(("p", "s"), ("p", "s"), banzhaf_weight))      # 1.0: neither is worth anything alone
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from random import Random

from assistant.record import Record

__all__ = [
    "MOST_EXACT_PLAYERS",
    "Coalition",
    "Sampled",
    "banzhaf_weight",
    "coalitions_of",
    "coalitions_on",
    "derivative_weights",
    "order_weights",
    "random_orders",
    "sampled_banzhaf",
    "sampled_shapley",
    "shapley_weight",
    "valued",
]

Coalition = frozenset[str]
Weight = Callable[[int, int, int], float]
"""Given the counts of players, of those in the group, and of those that are there already: the weight of that discrete derivative."""
MOST_EXACT_PLAYERS = 6
"""Sixty-four coalitions; each further player doubles them."""


class Sampled(Record):
    """An estimate from sampled orders."""

    value: float
    standard_error: float | None
    """None of a single order."""


def coalitions_of(players: Iterable[str]) -> tuple[Coalition, ...]:
    """Every subset, the smallest first."""
    names = tuple(players)
    return tuple(frozenset(chosen) for size in range(len(names) + 1) for chosen in combinations(names, size))


def shapley_weight(player_count: int, group_count: int, there_count: int) -> float:
    """Of the Shapley value, and of the interaction index that goes with it (Grabisch and Roubens, Int. J. Game Theory 28, 1999)."""
    others = player_count - there_count - group_count
    return math.factorial(others) * math.factorial(there_count) / math.factorial(player_count - group_count + 1)


def banzhaf_weight(player_count: int, group_count: int, _there_count: int) -> float:
    """Of the Banzhaf value and interaction index: all coalitions of the others count the same."""
    return 0.5 ** (player_count - group_count)


def derivative_weights(players: Sequence[str], group: Iterable[str], weight: Weight) -> dict[Coalition, float]:
    """What ``group`` adds together beyond what its parts add, as a weight of each coalition; of one player: what it adds."""
    together = frozenset(group)
    weights: dict[Coalition, float] = {}
    for there in coalitions_of(player for player in players if player not in together):
        share = weight(len(players), len(together), len(there))
        for present in coalitions_of(sorted(together)):
            sign = -1 if (len(together) - len(present)) % 2 else 1
            weights[there | present] = weights.get(there | present, 0.0) + sign * share
    return weights


def valued(game: Mapping[Coalition, float], weights: Mapping[Coalition, float]) -> float:
    """The figure with these weights. Raises KeyError for a coalition whose value is not known."""
    return sum(weight * game[coalition] for coalition, weight in weights.items())


def random_orders(players: Sequence[str], count: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """``count`` orders of the players, each followed by its reverse: what comes early in one comes late in the other."""
    random = Random(seed)  # noqa: S311 (no secret)
    orders: list[tuple[str, ...]] = []
    while len(orders) < count:
        order = random.sample(list(players), len(players))
        orders += [tuple(order), tuple(reversed(order))]
    return tuple(orders[:count])


def coalitions_on(orders: Iterable[Sequence[str]]) -> tuple[Coalition, ...]:
    """Those that come about as players join in these orders, each once."""
    return tuple(dict.fromkeys(frozenset(order[:size]) for order in orders for size in range(len(order) + 1)))


def sampled_shapley(game: Mapping[Coalition, float], orders: Sequence[Sequence[str]], player: str) -> Sampled:
    """The mean of what the player adds in each order."""
    return _estimate([added for _, added in _joined(game, orders, player)])


def sampled_banzhaf(game: Mapping[Coalition, float], orders: Sequence[Sequence[str]], player: str) -> Sampled:
    """The same, with each order weighted by how much more often a random coalition has the size that the player met in it.

    In a random order each of the n sizes is as likely; among all coalitions of the n - 1 others the size s is C(n - 1, s) / 2^(n - 1).
    """
    weights = _banzhaf_of_sizes(len(orders[0]))
    return _estimate([weights[size] * added for size, added in _joined(game, orders, player)])


def order_weights(orders: Sequence[Sequence[str]], player: str, is_banzhaf: bool) -> dict[Coalition, float]:
    """The same estimates as weights of coalitions."""
    of_sizes = _banzhaf_of_sizes(len(orders[0])) if is_banzhaf else [1.0] * len(orders[0])
    weights: dict[Coalition, float] = {}
    for order in orders:
        size = list(order).index(player)
        share, before = of_sizes[size] / len(orders), frozenset(order[:size])
        weights[before | {player}] = weights.get(before | {player}, 0.0) + share
        weights[before] = weights.get(before, 0.0) - share
    return weights


def _banzhaf_of_sizes(count: int) -> list[float]:
    return [count * math.comb(count - 1, size) / 2 ** (count - 1) for size in range(count)]


def _joined(game: Mapping[Coalition, float], orders: Sequence[Sequence[str]], player: str) -> Iterator[tuple[int, float]]:
    """(players that were there, what the player added) of each order."""
    for order in orders:
        size = list(order).index(player)
        before = frozenset(order[:size])
        yield size, game[before | {player}] - game[before]


def _estimate(samples: Sequence[float]) -> Sampled:
    """An order and its reverse are one sample, as they depend on each other."""
    pairs = [sum(samples[index : index + 2]) / len(samples[index : index + 2]) for index in range(0, len(samples), 2)]
    mean = sum(samples) / len(samples)
    if len(pairs) < 2:
        return Sampled(mean, None)
    centre = sum(pairs) / len(pairs)
    variance = sum((value - centre) ** 2 for value in pairs) / (len(pairs) - 1)
    return Sampled(mean, math.sqrt(variance / len(pairs)))
