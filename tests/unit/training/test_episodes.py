"""Searches played from kept outcomes: candidates are counted as a search would try them."""

from __future__ import annotations

import math

import pytest

from assistant.training.episodes import by_catalogue, by_chance, by_promise, played, reward
from assistant.training.scoring import arm, compared, least, stopping
from assistant.training.table import Candidate, KernelTable, ProgramTables, Round, Tables
from tests.unit.plan.policy.situations import offer, situation
from tests.unit.training.toys import candidate, toys

OFFERS = (offer("warp-per-row", 0.2), offer("shared-tile", 0.6), offer("vectorized-access", 0.4))
FIRST = Round(situation(), OFFERS, ((candidate(2.0),), (candidate(0.9), candidate(1.2)), ()))
SECOND = Round(situation(), OFFERS[:2], ((Candidate(False, 0.8, 1.0),), (Candidate(True, 2.0, 4.0),)))
TABLE = KernelTable("p", "k", "stencil", (FIRST, SECOND))


def test_a_round_is_gone_through_before_the_next_begins() -> None:
    assert played(TABLE, lambda each: range(len(each.offers))).reached == (2.0, 2.0, 2.0, 2.0, 4.0)
    assert played(TABLE, by_promise).reached == (1.0, 1.2, 2.0, 4.0, 4.0)
    assert played(TABLE, by_catalogue).reached == (1.0, 1.2, 2.0, 4.0, 4.0)
    assert played(TABLE, least).reached == (2.0, 2.0, 2.0, 4.0, 4.0)


def test_a_round_that_stops_before_its_best_leads_nowhere() -> None:
    assert played(TABLE, lambda _: [1]).reached == (1.0, 1.2)
    assert played(TABLE, lambda each: [0] if each is FIRST else [1]).reached == (2.0, 4.0), "both rounds came to their best"


def test_candidates_are_counted_until_nearly_all_of_the_gain() -> None:
    assert played(TABLE, by_promise).candidates_to(TABLE.best) == 4
    assert played(TABLE, by_promise).candidates_to(2.0) == 3
    assert played(TABLE, lambda _: [1]).candidates_to(TABLE.best) == 3, "one more than were tried"


def test_early_gains_are_worth_more_and_trying_costs() -> None:
    early, late = (reward(TABLE, played(TABLE, order)) for order in (least, by_promise))
    assert 0 < late < early < 1
    nothing = KernelTable("p", "k", "stencil", (Round(situation(), OFFERS[:1], ((candidate(0.9),),)),))
    assert reward(nothing, played(nothing, by_promise)) < 0 == reward(nothing, played(nothing, lambda _: []))


def test_an_order_by_chance_can_be_repeated_and_leaves_nothing_out() -> None:
    assert by_chance(3)(FIRST) == by_chance(3)(FIRST)
    assert {tuple(by_chance(seed)(FIRST)) for seed in range(40)} > {(0, 1, 2), (2, 1, 0)}


def test_what_is_kept_on_disk_comes_back(tmp_path) -> None:
    tables = Tables(tmp_path)
    kept = ProgramTables("suite/p", (TABLE,), "", 3.5, is_judged=False)
    assert tables.get("suite/p") is None
    tables.add(kept)
    assert Tables(tmp_path).get("suite/p") == kept
    assert tables.kernels(["suite/other", "suite/p"]) == (TABLE,)


def test_an_arm_is_compared_on_the_same_kernels_with_an_interval() -> None:
    tables = toys(30)
    best = arm("best", tables, [[least]] * len(tables))
    promised = arm("promise", tables, [[by_promise]] * len(tables))
    found = compared(best, promised, tables)
    assert set(best.counts.values()) == {(1,)}
    assert {counts[0] for counts in promised.counts.values()} == {2, 3}
    mean = math.fsum(math.log(counts[0]) for counts in promised.counts.values()) / len(tables)
    assert found.saved == pytest.approx(1 - math.exp(-mean))
    assert 0 < found.low < found.saved < found.high < 1
    assert (found.fewer, found.more) == (30, 0)
    same = compared(promised, promised, tables)
    assert (same.saved, same.low, same.high, same.fewer, same.more) == (0, 0, 0, 0, 0)


def test_stopping_is_told_by_what_it_tries_and_finds() -> None:
    tables = toys(10)
    everything = stopping(tables, [least] * 10)
    one = stopping(tables, [lambda each: least(each)[:1]] * 10)
    assert (everything.tried, everything.found) == (1.0, 1.0)
    assert one.tried == pytest.approx(1 / 3)
    assert one.found == pytest.approx(1.0)
