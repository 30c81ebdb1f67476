"""What the draws of a study that are left will take: calls, tokens, money, time, from what the recorded searches took. Pure.

Example::

    cost_of(nodes_with_work, planner, coder, at_once=4).spending.call_count
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.model.completion import ServedModel, Spending
from assistant.plan.budget import added, call_cost
from assistant.record import Record
from assistant.study.arms import PlanShown
from assistant.study.frozen_node import CallCost, FrozenNode
from assistant.study.intervening import NodeWork

__all__ = ["StudyCost", "cost_lines", "cost_of"]


class StudyCost(Record):
    """An estimate: masked prompts are shorter, repairs of answers come on top, and equal edits are judged once."""

    draw_count: int
    spending: Spending
    """Money is None where a price is not known."""
    model_s: float
    judge_s: float
    """At most: an edit that was judged before costs nothing."""


def cost_of(work: Iterable[tuple[FrozenNode, NodeWork]], planner: ServedModel, coder: ServedModel, at_once: int) -> StudyCost:
    """Of all draws that are left; an arm with a plan asks twice."""
    draws, spent, model_ms, judge_ms = 0, Spending(), 0, 0
    for node, left in work:
        for arm, _ in left.draws:
            calls = [(coder, node.code_cost)]
            if arm.plan is PlanShown.OWN:
                calls.append((planner, node.plan_cost or node.code_cost))
            for served, cost in calls:
                spent = added(spent, _spending(served, cost))
                model_ms += cost.duration_ms
        draws += len(left.draws)
        judge_ms += node.judge_ms * (len(left.draws) + len(left.unjudged))
    return StudyCost(draws, spent, model_ms / 1e3 / max(1, at_once), judge_ms / 1e3)


def _spending(served: ServedModel, cost: CallCost) -> Spending:
    money = call_cost(served.price, cost.input_token_count, cost.output_token_count)
    return Spending(money, cost.input_token_count, cost.output_token_count, 1)


def cost_lines(cost: StudyCost, node_count: int, arm_count: int) -> tuple[str, ...]:
    """For people."""
    spent = cost.spending
    money = "of unknown price" if spent.money_usd is None else f"about ${spent.money_usd:.2f}"
    return (
        f"{cost.draw_count:,} draws are left: {node_count:,} frozen nodes, {arm_count:,} arms",
        f"{spent.call_count:,} calls of models, about {spent.input_token_count:,} tokens in and {spent.output_token_count:,} out, {money}",
        f"about {_time(cost.model_s)} of waiting for models, at most {_time(cost.judge_s)} of judging, by the recorded searches",
    )


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
