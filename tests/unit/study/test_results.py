"""Results of studies whose rates are known: what is attributed, how wide intervals are, what is left out."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from random import Random

import pytest

from assistant.model.trial import TrialOutcome
from assistant.study.arms import Control, PlanVariation, Signal, StudyDesign, arms_of
from assistant.study.markdown import results_page
from assistant.study.outcomes import Answer, Grade, Verdict, rewrite_key
from assistant.study.results import Attribution, StudyResults, results_of
from assistant.study.statistics import rate_interval
from tests.unit.study.studies import answer, drawn, node, rewrite, verdicts

CONTROLS = (Control.NO_PLAN, Control.DUMMY_PLAN)


def design(*signals: str, draws: int = 6, **more: object) -> StudyDesign:
    return StudyDesign(tuple(map(Signal, signals)), PlanVariation.VARY, CONTROLS, draws, **more)  # type: ignore[arg-type]


def planted(of: StudyDesign, node_count: int, seed: int) -> StudyResults:
    """Fast with chance 0.1 + 0.2 hardware + 0.5 (profile and a plan), and up to 0.1 more or less by the node."""
    random = Random(seed)
    nodes = [node(number, number % 2) for number in range(node_count)]
    answers: list[Answer] = []
    known: list[Verdict] = []
    for frozen in nodes:
        ease = random.uniform(-0.1, 0.1)
        known += verdicts(frozen)
        for arm in arms_of(of):
            chance = 0.1 + ease + 0.2 * ("hardware" in arm.shown) + 0.5 * ("profile" in arm.shown and arm.plan == "own")
            answers += [answer(frozen, arm, index, drawn(random, chance)) for index in range(of.draw_count)]
    return results_of(of, nodes, answers, known)


def fast(results: StudyResults) -> Attribution:
    return next(one for one in results.attributions if one.grade is Grade.FAST)


@pytest.mark.thorough
def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    truth = {"profile": 0.25, "plan": 0.25, "hardware": 0.2, "static": 0.0}
    of, covered, total = design("profile", "static", "hardware"), 0, 0
    for seed in range(12):
        for value in fast(planted(of, 8, seed)).values:
            for figure in (value.shapley, value.banzhaf):
                assert figure is not None
                total += 1
                covered += figure.low <= truth[value.group[0]] <= figure.high
    assert covered / total >= 0.9


def test_the_planted_pair_is_found_every_time_and_another_one_as_seldom_as_said() -> None:
    found, wrong, total = 0, 0, 0
    for seed in range(6):
        for pair in fast(planted(design("profile", "static", "hardware"), 10, seed)).pairs:
            assert pair.banzhaf is not None
            is_planted = set(pair.group) == {"profile", "plan"}
            found += is_planted and pair.banzhaf.low > 0
            wrong += not is_planted and pair.banzhaf.excludes_zero
            total += not is_planted
    assert found == 6 and wrong / total <= 0.15


def test_the_dummy_plan_is_worth_nothing() -> None:
    found = fast(planted(design("profile", "static", "hardware"), 10, seed=3))
    controls = {one.name: one.figure for one in found.controls}
    dummy = controls["dummy-plan less no-plan"]
    assert dummy is not None and not dummy.excludes_zero
    worse = controls["dummy-plan less all signals as they are"]
    assert worse is not None and worse.high < 0


def test_many_players_are_sampled_with_their_error_and_within_it() -> None:
    of = design("profile", "compile", "sanitizer", "static", "hardware", "memory", draws=8, order_count=24, seed=5)
    results = planted(of, 4, seed=1)
    found = fast(results)
    truth = {"profile": 0.25, "plan": 0.25, "hardware": 0.2}
    for value in found.values:
        assert value.shapley is not None and value.shapley_error is not None and value.banzhaf_error is not None
        width = value.shapley.high - value.shapley.value + 3 * value.shapley_error
        assert abs(value.shapley.value - truth.get(value.group[0], 0.0)) <= width
    assert not found.pairs and "24 sampled orders of 7 players" in results_page(results)


def test_a_few_equal_answers_prove_nothing() -> None:
    of = design("profile", draws=1)
    frozen = node()
    answers = [answer(frozen, arm, 0, "fast" if arm.shown else "pass") for arm in arms_of(of)]
    figure = fast(results_of(of, [frozen], answers, verdicts(frozen))).values[0].shapley
    assert figure is not None and figure.value == 1.0 and not figure.low > 0.5


def test_what_the_judge_could_not_judge_is_in_no_rate() -> None:
    of = design("profile", draws=2)
    frozen, arm = node(), arms_of(design("profile"))[0]
    answers = [answer(frozen, arm, 0, "fast"), answer(frozen, arm, 1, "lost")]
    results = results_of(of, [frozen], answers, verdicts(frozen))
    row = next(row for row in results.rates if row.arm == arm.key and row.generation is None)
    assert (row.draw_count, row.fast) == (1, 1)
    assert fast(results).values[0].shapley is None and "–" in results_page(results)


def test_the_gain_counts_what_is_not_faster_as_nothing_and_what_was_not_judged_not_at_all() -> None:
    of = design("profile", draws=4)
    frozen, arm = node(), arms_of(design("profile"))[0]
    answers = [answer(frozen, arm, index, grade) for index, grade in enumerate(("fast", "pass", "fail", "lost"))]
    found = [replace(verdict, ratio=8.0 if verdict.outcome is TrialOutcome.KEPT else 0.25) for verdict in verdicts(frozen)]
    results = results_of(of, [frozen], answers, found)
    row = next(row for row in results.rates if row.arm == arm.key and row.generation is None)
    assert row.draw_count == 3
    assert row.gain_ratio == pytest.approx(2.0), "the third root of 8 x 1 x 1"
    assert "| 2.00x |" in results_page(results)
    untouched = next(row for row in results.rates if row.arm != arm.key)
    assert untouched.gain_ratio is None


def rate(*shares: tuple[int, int]) -> tuple[float, float]:
    found = rate_interval(shares)
    assert found is not None
    return found.low, found.high


def test_a_rate_has_an_interval_within_0_and_1_that_more_draws_make_narrower() -> None:
    assert rate((8, 0)) == (0.0, pytest.approx(0.324, abs=1e-3))  # Wilson's
    assert rate((8, 8)) == (pytest.approx(0.676, abs=1e-3), 1.0)
    few, many = rate((10, 5)), rate((1000, 500))
    assert 0 < few[0] < many[0] < 0.5 < many[1] < few[1] < 1
    assert rate_interval(()) is None
    assert rate_interval(((0, 0),)) is None


def test_draws_of_one_node_that_always_end_alike_count_as_one() -> None:
    alike = rate(*[(10, 10), (10, 0)] * 4)
    assert alike == pytest.approx(rate(*[(1, 1), (1, 0)] * 4))
    assert rate(*[(10, 5)] * 8) == pytest.approx(rate((80, 40)))


@pytest.mark.thorough
@pytest.mark.parametrize(("chance", "spread", "draws"), [(0.5, 0.0, 1), (0.2, 0.0, 4), (0.5, 0.4, 6), (0.9, 0.1, 3)])
def test_intervals_of_rates_cover_the_truth_about_as_often_as_they_say(chance: float, spread: float, draws: int) -> None:
    random, covered = Random(5), 0
    for _ in range(1000):
        eases = [chance + random.uniform(-spread, spread) for _ in range(10)]
        low, high = rate(*((draws, sum(random.random() < ease for _ in range(draws))) for ease in eases))
        covered += low <= chance <= high
    assert covered / 1000 >= 0.9


def test_every_rate_of_a_report_has_its_interval() -> None:
    results = planted(design("profile"), 4, seed=1)
    for one in results.rates:
        counts = (one.fail, one.compile, one.right, one.fast)
        for count, figure in zip(counts, one.intervals, strict=True):
            assert figure is not None
            assert figure.value == pytest.approx(count / one.draw_count)
            assert 0 <= figure.low <= figure.value <= figure.high <= 1
    assert re.search(r"\| \d+% \[\d+, \d+\] \|", results_page(results))


def test_rates_are_given_by_generation() -> None:
    results = planted(design("profile"), 4, seed=2)
    assert [row.draw_count for row in results.rates if row.arm == results.rates[0].arm] == [24, 12, 12]
    assert "### Generation 1" in results_page(results)


def test_of_answers_that_all_are_faster_the_gain_says_what_a_signal_is_worth() -> None:
    """The profile makes edits twice as fast on one kernel and four times on another; the hardware's sheet does nothing."""
    of = StudyDesign((Signal("profile"), Signal("hardware")), PlanVariation.OFF, (), 2)
    nodes, answers, known = [node(0), node(1)], list[Answer](), list[Verdict]()
    for frozen, gained in zip(nodes, (2.0, 4.0), strict=True):
        ratios = {"slow": 1.5, "quick": 1.5 * gained}
        known += [Verdict(frozen.id, rewrite_key(rewrite(name)), TrialOutcome.KEPT, "", ratio) for name, ratio in ratios.items()]
        answers += [answer(frozen, arm, i, "quick" if "profile" in arm.shown else "slow") for arm in arms_of(of) for i in range(2)]
    results = results_of(of, nodes, answers, known)
    assert all(figure is not None and not figure.excludes_zero for one in fast(results).values for figure in (one.shapley, one.banzhaf))
    gain = results.attributions[-1]
    assert gain.grade is None and gain.node_count == 2
    values = {one.group: one for one in gain.values}
    profile, hardware = values["profile",], values["hardware",]
    for figure in (profile.shapley, profile.banzhaf):
        assert figure is not None and math.exp(figure.value) == pytest.approx(8**0.5), "the root of 2 x 4"
        assert (math.exp(figure.low), math.exp(figure.high)) == (pytest.approx(2.0, rel=0.3), pytest.approx(4.0, rel=0.3))
    assert hardware.shapley is not None and (hardware.shapley.low, hardware.shapley.high) == (0.0, 0.0)
    page = results_page(results)
    assert "From nothing shown to everything: 1.50x to 4.24x. 2 nodes" in page and "| hardware | 1.00x [1.00x, 1.00x] |" in page
