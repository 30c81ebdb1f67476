"""Puts the steps that memory knows nothing of in a policy's order. Pure.

These steps share out the ranks that they have among themselves, so that what memory knows keeps its place between them, and a policy,
whatever its numbers are, can neither add a step nor leave one out. Example::

    reordered(request, drafts, policy)[0].why
    # "the trained policy puts it 1st of 3 that memory knows nothing of (chance 0.71); the finding promises 2.50x …"
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from assistant.model.plan import Rewrite, Step
from assistant.model.trial import TrialOutcome
from assistant.plan.policy.situation import Hardware, Offer, Preferences, Situation, StepPolicy, Tried
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["Draft", "chances", "offer_of", "reordered", "shared_ranks", "situation_of"]

_UNTIMED = (TrialOutcome.DUPLICATE, TrialOutcome.UNWRITTEN, TrialOutcome.NOT_TRIED, TrialOutcome.NOT_ALLOWED, TrialOutcome.CONSTRAINED)
"""Candidates that were not tried at all."""


class Draft(Record):
    """A step with its rank, and what the policy sees of it."""

    step: Step
    offer: Offer
    is_silent: bool
    """Memory knows nothing of its technique on kernels like this one."""


def reordered(request: PlanRequest, drafts: Sequence[Draft], policy: StepPolicy) -> tuple[Step, ...]:
    """The steps, those that memory knows nothing of with their ranks in the policy's order; as they are where it has no opinion."""
    situation = situation_of(request)
    silent = [index for index, draft in enumerate(drafts) if draft.is_silent]
    found = None if situation is None or not drafts else policy.preferences(situation, tuple(draft.offer for draft in drafts))
    if found is None or not silent:
        return tuple(draft.step for draft in drafts)
    ranks = shared_ranks([draft.step.rank for draft in drafts], silent, found.scores)
    likely = chances(found)
    steps = [draft.step for draft in drafts]
    for place, index in enumerate(sorted(silent, key=lambda index: -found.scores[index]), 1):
        why = _why(place, len(silent), likely[index], likely[index] < likely[-1])
        steps[index] = replace(steps[index], rank=ranks[index], why=f"{why}; {steps[index].why}")
    return tuple(steps)


def shared_ranks(ranks: Sequence[float], silent: Sequence[int], scores: Sequence[float]) -> tuple[float, ...]:
    """The ranks, those of ``silent`` (indices) given to one another in the order of their scores, the earlier one first where equal.

    Equal ranks, as techniques for one finding have, are told apart by the least difference that there is.
    """
    found = list(ranks)
    highest = sorted((ranks[index] for index in silent), reverse=True)
    last = math.inf
    for index, rank in zip(sorted(silent, key=lambda index: -scores[index]), highest, strict=True):
        last = found[index] = rank if rank < last else math.nextafter(last, -math.inf)
    return tuple(found)


def chances(preferences: Preferences) -> tuple[float, ...]:
    """Of each offer to be tried next, and, last, of stopping."""
    scores = (*preferences.scores, preferences.stop)
    most = max(scores)
    weights = [math.exp(score - most) for score in scores]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)


def situation_of(request: PlanRequest) -> Situation | None:
    """None where the version was not profiled."""
    if request.state is None:
        return None
    target, resources = request.target, request.resources
    return Situation(
        state=request.state,
        hardware=Hardware(
            target.name,
            target.sm_count,
            target.clock_hz,
            target.dram_bytes_per_s,
            target.l2_bytes,
            target.fp32_lanes_per_sm,
            target.fp64_lanes_per_sm,
        ),
        findings=tuple((finding.code, finding.estimated_cost_ratio or 0.0) for finding in request.findings),
        tried=tuple(
            Tried(one.technique, one.outcome is TrialOutcome.KEPT, one.ratio) for one in request.tried if one.outcome not in _UNTIMED
        ),
        registers_per_thread=0 if resources is None else resources.registers_per_thread,
        static_shared_bytes=0 if resources is None else resources.static_shared_bytes,
    )


def offer_of(step: Step, rewrites: Sequence[Rewrite], is_modelled: bool) -> Offer:
    """``step``: with what its findings promise as its rank."""
    first = rewrites[0]
    edits = (*first.edits, *(edit for edits in first.in_others for edit in edits.edits))
    return Offer(
        technique=step.technique,
        finding=step.finding,
        line=step.line,
        promise=step.rank,
        is_modelled=is_modelled,
        variant_count=len(rewrites),
        added_length=sum(len(edit.new_text) for edit in edits),
        labels=tuple(label.value for label in first.labels),
    )


def _why(place: int, count: int, chance: float, is_below_stop: bool) -> str:
    """``the trained policy puts it 1st of 3 that memory knows nothing of (chance 0.71)``."""
    stops = "; it would rather try nothing more" if is_below_stop else ""
    return f"the trained policy puts it {_ordinal(place)} of {count} that memory knows nothing of (chance {chance:.2f}){stops}"


def _ordinal(place: int) -> str:
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
