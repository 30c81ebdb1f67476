"""What a study found: rates by arm and generation, what each signal contributes, interactions, controls, plan transfer. Pure.

Example::

    results_of(design, nodes, answers, verdicts).attributions[2].values[0].shapley    # Figure(0.31, 0.22, 0.41): of fast answers
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from assistant.model.completion import Spending
from assistant.plan.budget import added
from assistant.record import Record
from assistant.study.arms import (
    PLAN_PLAYER,
    Arm,
    Control,
    PlanVariation,
    StudyDesign,
    arm_of,
    arms_of,
    coalitions_asked,
    control_arm,
    full_coalition,
    orders_of,
    players_of,
    transfer_arms,
)
from assistant.study.frozen_node import FrozenNode
from assistant.study.games import (
    Coalition,
    banzhaf_weight,
    derivative_weights,
    order_weights,
    sampled_banzhaf,
    sampled_shapley,
    shapley_weight,
)
from assistant.study.outcomes import Answer, Grade, Verdict, grade_of, rewrite_key
from assistant.study.statistics import ArmMeans, Counts, Figure, Gains, LogGains, Rates, rate_interval

__all__ = ["ArmRates", "Attribution", "Contribution", "Difference", "StudyResults", "results_of"]

GRADES = (Grade.COMPILE, Grade.PASS, Grade.FAST)
"""That an answer can reach."""
_MOST_TOGETHER = 3


class ArmRates(Record):
    """How the answers of an arm fared in one generation, or in all (None)."""

    arm: str
    generation: int | None
    draw_count: int
    """Answers that could be judged."""
    unjudged_count: int
    """Answers that the judge or the machine could not judge: in no rate."""
    decision_count: int
    """Fast ones that a person would have to decide on."""
    fail: int
    compile: int
    right: int
    """Right, and not faster."""
    fast: int
    intervals: tuple[Figure | None, ...]
    """Of the rates of these four, in this order; None where nothing was judged."""
    gain_ratio: float | None
    """Geometric mean of time before / time after over what was judged, with 1.0 for what is not faster; None where nothing was judged."""


class Contribution(Record):
    """What a player, or a group beyond its parts, adds to the rate of a grade."""

    group: tuple[str, ...]
    shapley: Figure | None
    """None where draws are missing."""
    banzhaf: Figure | None
    shapley_error: float | None = None
    """Standard error of sampling orders; None where it is exact."""
    banzhaf_error: float | None = None


class Difference(Record):
    """The rate of one arm less that of another."""

    name: str
    figure: Figure | None


class Attribution(Record):
    """Of the rate of answers that reach a grade, or of what answers gain."""

    grade: Grade | None
    """None: of the gain, all figures being logarithms of time before / time after, with 0 for what is not faster."""
    nothing: float | None
    """The rate, or the gain, with no player there."""
    everything: float | None
    node_count: int
    """Frozen nodes that have draws of every coalition."""
    values: tuple[Contribution, ...]
    effects: tuple[Difference, ...]
    """Of each player: added to nothing, and added last."""
    pairs: tuple[Contribution, ...]
    triples: tuple[Contribution, ...]
    controls: tuple[Difference, ...]
    transfers: tuple[Difference, ...]
    """Another model's plan less its own, by the model that writes."""


class StudyResults(Record):
    """All that is reported."""

    design: StudyDesign
    nodes: tuple[FrozenNode, ...]
    answer_count: int
    asked_count: int
    """Draws that the design asks for."""
    spending: Spending
    rates: tuple[ArmRates, ...]
    attributions: tuple[Attribution, ...]


class _Graded(Record):
    answer: Answer
    generation: int
    grade: Grade | None
    needs_decision: bool
    ratio: float | None = None
    """Time before / time after of what is faster."""


def results_of(design: StudyDesign, nodes: Sequence[FrozenNode], answers: Sequence[Answer], verdicts: Iterable[Verdict]) -> StudyResults:
    """Of the draws that are there; answers whose edit waits for its verdict are left out."""
    graded = _graded({node.id: node for node in nodes}, answers, verdicts)
    arms, spent = arms_of(design), Spending()
    for answer in answers:
        spent = added(spent, answer.spending)
    generations: list[int | None] = [None, *sorted({node.generation for node in nodes})]
    return StudyResults(
        design=design,
        nodes=tuple(nodes),
        answer_count=len(answers),
        asked_count=len(arms) * len(nodes) * design.draw_count,
        spending=spent,
        rates=tuple(_arm_rates(arm, generation, graded) for generation in generations for arm in arms),
        attributions=(
            *(_attribution(design, grade, Rates(counts := _counts(graded, grade), design.seed), counts) for grade in GRADES),
            _attribution(design, None, Gains(gains := _log_gains(graded), design.seed), gains),
        ),
    )


def _graded(nodes: Mapping[str, FrozenNode], answers: Iterable[Answer], verdicts: Iterable[Verdict]) -> tuple[_Graded, ...]:
    known = {(verdict.node, verdict.rewrite): verdict for verdict in verdicts}
    graded: list[_Graded] = []
    for answer in (answer for answer in answers if answer.node in nodes):
        generation = nodes[answer.node].generation
        if answer.rewrite is None:
            graded.append(_Graded(answer, generation, Grade.FAIL, needs_decision=False))
        elif verdict := known.get((answer.node, rewrite_key(answer.rewrite))):
            grade = grade_of(verdict.outcome)
            graded.append(_Graded(answer, generation, grade, verdict.needs_decision, verdict.ratio if grade is Grade.FAST else None))
    return tuple(graded)


def _counts(graded: Iterable[_Graded], least: Grade) -> Counts:
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for one in graded:
        if one.grade is not None:
            arms = counts.setdefault(one.answer.node, {})
            draws, reached = arms.get(one.answer.arm, (0, 0))
            arms[one.answer.arm] = draws + 1, reached + (one.grade.level >= least.level)
    return counts


def _log_gains(graded: Iterable[_Graded]) -> LogGains:
    gains: dict[str, dict[str, list[float]]] = {}
    for one in graded:
        if one.grade is not None:
            gains.setdefault(one.answer.node, {}).setdefault(one.answer.arm, []).append(_log_gain(one))
    return gains


def _log_gain(one: _Graded) -> float:
    return math.log(one.ratio) if one.ratio else 0.0


def _arm_rates(arm: Arm, generation: int | None, graded: Iterable[_Graded]) -> ArmRates:
    own = [one for one in graded if one.answer.arm == arm.key and generation in (None, one.generation)]
    count = {grade: sum(one.grade is grade for one in own) for grade in Grade}
    return ArmRates(
        arm=arm.key,
        generation=generation,
        draw_count=sum(count.values()),
        unjudged_count=len(own) - sum(count.values()),
        decision_count=sum(one.needs_decision and one.grade is Grade.FAST for one in own),
        fail=count[Grade.FAIL],
        compile=count[Grade.COMPILE],
        right=count[Grade.PASS],
        fast=count[Grade.FAST],
        intervals=tuple(_interval(own, grade) for grade in (Grade.FAIL, Grade.COMPILE, Grade.PASS, Grade.FAST)),
        gain_ratio=_gain(own),
    )


def _interval(graded: Iterable[_Graded], grade: Grade) -> Figure | None:
    shares: dict[str, tuple[int, int]] = {}
    for one in graded:
        draws, hits = shares.get(one.answer.node, (0, 0))
        shares[one.answer.node] = draws + (one.grade is not None), hits + (one.grade is grade)
    return rate_interval(tuple(shares.values()))


def _gain(graded: Iterable[_Graded]) -> float | None:
    gains = [_log_gain(one) for one in graded if one.grade is not None]
    return math.exp(math.fsum(gains) / len(gains)) if gains else None


def _attribution(
    design: StudyDesign, grade: Grade | None, means: ArmMeans, draws: Mapping[str, Mapping[str, Sequence[float]]]
) -> Attribution:
    """``draws``: by node and arm, what ``means`` is made of; empty where there are none."""
    game = _Game.of(design, means)
    players = players_of(design)
    is_exact = not orders_of(design)
    groups = [tuple(combinations(players, size)) if is_exact else () for size in (2, _MOST_TOGETHER)]
    full, nothing = full_coalition(design), frozenset[str]()
    alone = (Difference(f"{p} alone", game.figure({frozenset({p}): 1.0, nothing: -1.0})) for p in players if is_exact)
    last = (Difference(f"{p} last", game.figure({full: 1.0, full - {p}: -1.0})) for p in players if is_exact)
    return Attribution(
        grade=grade,
        nothing=means.mean(game.arms[nothing]),
        everything=means.mean(game.arms[full]),
        node_count=sum(all(arms.get(arm) for arm in game.arms.values()) for arms in draws.values()),
        values=tuple(game.value(player) for player in players),
        effects=(*alone, *last),
        pairs=tuple(game.together(group) for group in groups[0]),
        triples=tuple(game.together(group) for group in groups[1]),
        controls=tuple(_controls(design, means)),
        transfers=tuple(_transfers(design, means)),
    )


class _Game(Record):
    """The rate of a grade, or the gain, as a game of the design's players."""

    players: tuple[str, ...]
    orders: tuple[tuple[str, ...], ...]
    arms: dict[Coalition, str]
    means: ArmMeans

    @classmethod
    def of(cls, design: StudyDesign, means: ArmMeans) -> _Game:
        arms = {coalition: arm_of(design, coalition).key for coalition in coalitions_asked(design)}
        return cls(players_of(design), orders_of(design), arms, means)

    def figure(self, weights: Mapping[Coalition, float]) -> Figure | None:
        return self.means.figure({self.arms[c]: weight for c, weight in weights.items()}, tuple(self.arms.values()))

    def together(self, group: tuple[str, ...]) -> Contribution:
        shapley, banzhaf = (self.figure(derivative_weights(self.players, group, weight)) for weight in (shapley_weight, banzhaf_weight))
        return Contribution(group, shapley, banzhaf)

    def value(self, player: str) -> Contribution:
        if not self.orders:
            return self.together((player,))
        shapley, banzhaf = (self.figure(order_weights(self.orders, player, is_banzhaf)) for is_banzhaf in (False, True))
        rates = {coalition: self.figure({coalition: 1.0}) for coalition in self.arms}
        known = {coalition: figure.value for coalition, figure in rates.items() if figure is not None}
        if len(known) < len(rates):
            return Contribution((player,), None, None)
        errors = (estimate(known, self.orders, player).standard_error for estimate in (sampled_shapley, sampled_banzhaf))
        return Contribution((player,), shapley, banzhaf, *errors)


def _controls(design: StudyDesign, means: ArmMeans) -> list[Difference]:
    full = arm_of(design, full_coalition(design)).key
    found: list[Difference] = []
    for control in design.controls:
        arm = control_arm(design, control).key
        if arm != full:
            found.append(Difference(f"{control} less all signals as they are", means.figure({arm: 1.0, full: -1.0})))
    has_no_plan = Control.NO_PLAN in design.controls or (design.plan is PlanVariation.VARY and PLAN_PLAYER in players_of(design))
    if Control.DUMMY_PLAN in design.controls and has_no_plan:
        dummy, none = control_arm(design, Control.DUMMY_PLAN).key, control_arm(design, Control.NO_PLAN).key
        found.append(Difference("dummy-plan less no-plan", means.figure({dummy: 1.0, none: -1.0})))
    return found


def _transfers(design: StudyDesign, means: ArmMeans) -> list[Difference]:
    arms = {(arm.planner, arm.coder): arm.key for arm in transfer_arms(design)}
    if not arms:
        return []
    first, second = design.models[:2]
    pairs = ((second, first, (1, 0), (0, 0)), (first, second, (0, 1), (1, 1)))
    return [
        Difference(f"written by {writer}: planned by {planner} less its own plan", means.figure({arms[other]: 1.0, arms[own]: -1.0}))
        for planner, writer, other, own in pairs
    ]
