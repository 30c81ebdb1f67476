"""Contributions against games whose values are known, and what must hold of every game."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.study.games import (
    Coalition,
    banzhaf_weight,
    coalitions_of,
    coalitions_on,
    derivative_weights,
    random_orders,
    sampled_banzhaf,
    sampled_shapley,
    shapley_weight,
    valued,
)

PLAYERS = ("a", "b", "c", "d")
WEIGHTS = (shapley_weight, banzhaf_weight)
GAMES = st.lists(st.integers(-100, 100), min_size=16, max_size=16).map(
    lambda values: dict(zip(coalitions_of(PLAYERS), map(float, values), strict=True))
)


def shapley(game: dict[Coalition, float], *group: str, players: tuple[str, ...] = PLAYERS) -> float:
    return valued(game, derivative_weights(players, group, shapley_weight))


def banzhaf(game: dict[Coalition, float], *group: str, players: tuple[str, ...] = PLAYERS) -> float:
    return valued(game, derivative_weights(players, group, banzhaf_weight))


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-9)


def test_the_owner_of_one_glove_of_each_pair_gets_most_of_it() -> None:
    """One left glove, two right ones: a known game (Shapley: 2/3, 1/6, 1/6; Banzhaf: 3/4, 1/4, 1/4)."""
    players = ("left", "right", "other")
    game = {c: float("left" in c and len(c) > 1) for c in coalitions_of(players)}
    assert [shapley(game, player, players=players) for player in players] == near([2 / 3, 1 / 6, 1 / 6])  # type: ignore[arg-type]
    assert [banzhaf(game, player, players=players) for player in players] == near([3 / 4, 1 / 4, 1 / 4])  # type: ignore[arg-type]


def test_power_in_a_weighted_vote() -> None:
    """Quota 51 of 50, 49 and 1: the last two are worth the same, whatever they weigh (Banzhaf 3/4, 1/4, 1/4)."""
    votes = {"fifty": 50, "nearly": 49, "one": 1}
    game = {c: float(sum(votes[p] for p in c) >= 51) for c in coalitions_of(votes)}
    assert [banzhaf(game, player, players=tuple(votes)) for player in votes] == near([3 / 4, 1 / 4, 1 / 4])  # type: ignore[arg-type]


@given(GAMES)
def test_shapley_values_share_out_what_all_gain(game: dict[Coalition, float]) -> None:
    total = game[frozenset(PLAYERS)] - game[frozenset()]
    assert sum(shapley(game, player) for player in PLAYERS) == near(total)


@given(GAMES)
def test_a_shapley_value_is_the_mean_over_all_orders(game: dict[Coalition, float]) -> None:
    orders = tuple(permutations(PLAYERS))
    for player in PLAYERS:
        assert sampled_shapley(game, orders, player).value == near(shapley(game, player))
        assert sampled_banzhaf(game, orders, player).value == near(banzhaf(game, player))


@given(GAMES)
def test_players_that_do_the_same_get_the_same(game: dict[Coalition, float]) -> None:
    def swapped(coalition: Coalition) -> Coalition:
        return frozenset({"a": "b", "b": "a"}.get(player, player) for player in coalition)

    even = {c: game[c] + game[swapped(c)] for c in game}
    assert shapley(even, "a") == near(shapley(even, "b"))
    assert banzhaf(even, "a") == near(banzhaf(even, "b"))
    assert banzhaf(even, "a", "c") == near(banzhaf(even, "b", "c"))


@given(GAMES, st.integers(-5, 5))
def test_a_player_that_adds_the_same_to_all_gets_just_that_and_interacts_with_none(game: dict[Coalition, float], worth: int) -> None:
    plain = {c: game[c - {"d"}] + (worth if "d" in c else 0) for c in game}
    assert shapley(plain, "d") == near(worth) and banzhaf(plain, "d") == near(worth)
    for group in (("a", "d"), ("a", "b", "d")):
        assert shapley(plain, *group) == near(0) and banzhaf(plain, *group) == near(0)


@given(GAMES, GAMES)
def test_values_of_two_games_add_up(one: dict[Coalition, float], other: dict[Coalition, float]) -> None:
    both = {c: one[c] + other[c] for c in one}
    for group in (("a",), ("a", "b"), ("a", "b", "c")):
        assert shapley(both, *group) == near(shapley(one, *group) + shapley(other, *group))
        assert banzhaf(both, *group) == near(banzhaf(one, *group) + banzhaf(other, *group))


@pytest.mark.parametrize("planted", [("a", "b"), ("b", "d"), ("a", "b", "c"), ("b", "c", "d")])
def test_a_planted_interaction_is_found_where_it_is_and_nowhere_else(planted: tuple[str, ...]) -> None:
    """A gain of 1 for those together, on top of what each adds alone."""
    alone: dict[str, float] = dict(zip(PLAYERS, (0.3, -0.2, 0.0, 0.1), strict=True))
    game = {c: sum(alone[p] for p in c) + float(frozenset(planted) <= c) for c in coalitions_of(PLAYERS)}
    for group in combinations(PLAYERS, len(planted)):
        assert shapley(game, *group) == near(float(group == planted))
        assert banzhaf(game, *group) == near(float(group == planted))
    if len(planted) == 2:
        triples = combinations(PLAYERS, 3)
        assert all(banzhaf(game, *group) == near(0.0) for group in triples)


def test_sampled_orders_of_many_players_come_within_their_error() -> None:
    """Eight players, a pair among them that gains only together: 1/2 each by both values."""
    players = tuple("abcdefgh")
    orders = random_orders(players, 400, seed=7)
    game = {c: float({"a", "b"} <= c) + 0.25 * ("c" in c) for c in coalitions_on(orders)}
    for estimate in (sampled_shapley, sampled_banzhaf):
        for player, worth in {"a": 0.5, "b": 0.5, "c": 0.25, "d": 0.0}.items():
            found = estimate(game, orders, player)
            assert found.standard_error is not None and found.standard_error < 0.06
            assert abs(found.value - worth) <= 4 * found.standard_error + 1e-9


def test_sampled_orders_need_few_coalitions_and_come_with_their_reverse() -> None:
    orders = random_orders(tuple("abcdefgh"), 10, seed=1)
    assert len(orders) == 10 and all(orders[i + 1] == tuple(reversed(orders[i])) for i in range(0, 10, 2))
    assert len(coalitions_on(orders)) <= 10 * 9 < math.comb(8, 4) * 2


def test_one_order_has_no_error() -> None:
    game = {c: float(len(c)) for c in coalitions_of("ab")}
    assert sampled_shapley(game, [("a", "b")], "a").standard_error is None
