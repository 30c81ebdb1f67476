"""A policy orders what memory is silent on, and can do nothing else, whatever its numbers are."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import numpy as np
import pytest

from assistant.errors import UsageError
from assistant.model.experience import TechniqueEvidence
from assistant.model.plan import Plan
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.policy.network import NetworkPolicy, open_policy
from assistant.plan.policy.ordering import chances, shared_ranks
from assistant.plan.policy.situation import Offer, Preferences, Situation, StepPolicy
from assistant.ports.planner import PlanRequest
from tests.unit.plan.planner.test_composite import request
from tests.unit.plan.policy.situations import situation
from tests.unit.plan.policy.test_network import network


class Named:
    """Prefers techniques by a table."""

    def __init__(self, scores: dict[str, float], stop: float = -9.0) -> None:
        self.scores, self.stop = scores, stop
        self.asked: list[tuple[Situation, tuple[Offer, ...]]] = []

    def preferences(self, situation: Situation, offers: tuple[Offer, ...]) -> Preferences:
        self.asked.append((situation, offers))
        return Preferences(tuple(self.scores[offer.technique] for offer in offers), self.stop)


def asked(*recalled: TechniqueEvidence, policy: str = "shipped") -> PlanRequest:
    return replace(request(*recalled), state=situation().state, policy=policy)


def planned(of: PlanRequest, policy: StepPolicy | None) -> Plan:
    return asyncio.run(ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS, lambda _: policy).plan(of))


def names(plan: Plan) -> list[str]:
    return [step.technique for step in plan.steps]


PLAIN = names(planned(asked(policy="off"), None))
LAST_FIRST = {technique: float(place) for place, technique in enumerate(PLAIN)}


def test_it_orders_what_memory_knows_nothing_of_and_says_so() -> None:
    assert len(PLAIN) > 1
    policy = Named(LAST_FIRST)
    plan = planned(asked(), policy)
    assert names(plan) == PLAIN[::-1]
    assert plan.steps[0].why.startswith(f"the trained policy puts it 1st of {len(PLAIN)} that memory knows nothing of (chance 0.")
    assert "memory knows nothing of it on kernels like this one" in plan.steps[0].why
    ((seen, offers),) = policy.asked
    assert seen.hardware.name == "h200"
    assert sorted(offer.technique for offer in offers) == sorted(PLAIN)
    assert all(offer.promise == 0.1 and offer.variant_count >= 1 and offer.added_length > 0 for offer in offers)


def test_it_is_not_asked_where_it_is_off() -> None:
    policy = Named(LAST_FIRST)
    plan = planned(asked(policy="off"), policy)
    assert (names(plan), policy.asked) == (PLAIN, [])
    assert not any("policy" in step.why for step in plan.steps)


def test_memory_decides_where_it_knows() -> None:
    good = TechniqueEvidence(PLAIN[0], "seen to gain", precision=50.0, log_ratio=math.log(4), chance=0.9, chance_draw=0.9)
    plan = planned(asked(good), Named(LAST_FIRST))
    assert names(plan)[0] == PLAIN[0], "the policy puts it last"
    assert "policy" not in plan.steps[0].why
    assert "the trained policy puts it" in plan.steps[1].why


def test_it_says_where_it_would_stop_and_nothing_is_left_out() -> None:
    plan = planned(asked(), Named(LAST_FIRST, stop=99.0))
    assert sorted(names(plan)) == sorted(PLAIN)
    assert all("it would rather try nothing more" in step.why for step in plan.steps)


def test_without_a_profile_it_is_not_asked() -> None:
    policy = Named(LAST_FIRST)
    assert names(planned(replace(asked(), state=None), policy)) == PLAIN
    assert policy.asked == []


@pytest.mark.parametrize("seed", range(4))
def test_poisoned_weights_move_the_order_alone(seed: int) -> None:
    policy = network(seed)
    weights = policy.weights
    poisoned = replace(weights, direct=weights.direct * np.float32(1e6), out=weights.out * np.float32(-1e6))
    of = asked()
    before, after = planned(replace(of, policy="off"), None), planned(of, NetworkPolicy(policy.vocabulary, poisoned, policy.card))

    def kept(plan: Plan) -> list[object]:
        return sorted((step.technique, step.line, step.finding, step.rationale, step.evidence) for step in plan.steps)

    assert kept(before) == kept(after), "steps are the rules' own: the same ones, each once"
    assert [step.rank for step in after.steps] == pytest.approx([step.rank for step in before.steps])
    assert before.declines == after.declines


def test_a_file_that_cannot_be_used_ends_the_plan_with_its_reason() -> None:
    planner = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS, open_policy)
    with pytest.raises(UsageError, match="there is no technique policy at"):
        asyncio.run(planner.plan(asked(policy="/nowhere/policy.npz")))


def test_ranks_are_shared_out_among_the_silent_alone() -> None:
    assert shared_ranks([0.9, 0.5, 0.3, 0.1], [0, 2, 3], [1.0, 9.0, 2.0, 3.0]) == (0.1, 0.5, 0.3, 0.9)
    assert shared_ranks([0.9, 0.5], [], [1.0, 2.0]) == (0.9, 0.5)


def test_equal_ranks_are_told_apart() -> None:
    first, second, third = shared_ranks([0.5, 0.5, 0.5], [0, 1, 2], [1.0, 3.0, 2.0])
    assert second > third > first
    assert first == pytest.approx(0.5)


def test_chances_come_to_one() -> None:
    found = chances(Preferences((1000.0, 999.0), -1000.0))
    assert math.isclose(sum(found), 1.0)
    assert found[0] > found[1] > found[2] == 0.0
