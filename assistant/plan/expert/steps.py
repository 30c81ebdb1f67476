"""Steps of a plan, from what a rule found: their reasons, and their ranks by what their findings promise and what memory knows.

Example::

    step = step_of(request, finding, technique, rewrites[0])
    with_rank(request, step).rank     # 0.6, or what memory makes of it
"""

from __future__ import annotations

from dataclasses import replace

from assistant.model.experience import COMPOSED
from assistant.model.plan import Rewrite, Step, Technique
from assistant.model.profile import Finding
from assistant.plan.choosing import chosen, evidence_on
from assistant.plan.expert.composite import USUAL, Composed
from assistant.ports.planner import PlanRequest

__all__ = ["composite_step", "is_modelled", "is_silent", "merged", "step_of", "with_rank"]

_CITED_COUNT = 2
"""Facts that a rationale quotes, the most important ones; the step cites them all."""
_UNMODELLED_COST_RATIO = 0.01
"""Rank of a finding without an estimated cost: below every finding worth a percent of the kernel's time."""


def step_of(request: PlanRequest, finding: Finding, technique: Technique, first: Rewrite) -> Step:
    """With the share of time that its finding promises as its rank."""
    cost_ratio = _UNMODELLED_COST_RATIO if finding.estimated_cost_ratio is None else finding.estimated_cost_ratio
    return Step(
        technique=technique.id,
        kernel=request.kernel.key,
        line=first.line,
        rationale=_rationale(finding, technique, first),
        evidence=finding.evidence,
        finding=finding.code,
        predictions=first.predictions,
        rank=cost_ratio,
    )


def composite_step(request: PlanRequest, found: Composed) -> Step:
    """With what its findings promise together."""
    costs = {(finding.code, finding.line): finding.estimated_cost_ratio for finding in found.findings}
    first, rewrite = found.findings[0], found.rewrites[0]
    evidence = tuple(dict.fromkeys(fact for finding in found.findings for fact in finding.evidence))
    return Step(
        technique=found.name,
        kernel=request.kernel.key,
        line=rewrite.line,
        rationale=f"{first.code}: {_why_together(found)}. {rewrite.summary}",
        evidence=evidence,
        finding=first.code,
        predictions=(),
        rank=sum(_UNMODELLED_COST_RATIO if cost is None else cost for cost in costs.values()),
        title=", then ".join(found.name.split(COMPOSED)),
    )


def _why_together(found: Composed) -> str:
    usual = USUAL.get(tuple(found.name.split(COMPOSED)))
    return "in memory these paid together, and the first of them little alone" if usual is None else usual


def with_rank(request: PlanRequest, step: Step) -> Step:
    """With what memory knows: its rank, what it rests on, and why."""
    evidence = evidence_on(request.recalled, step.technique)
    found = chosen(step.rank, evidence, request.choice, is_modelled=is_modelled(step))
    return replace(step, rank=found.rank, why=found.why, recalled=() if evidence is None else evidence.sentences)


def is_modelled(step: Step) -> bool:
    """Whether its findings promise a gain. ``step``: with that promise as its rank."""
    return step.rank > _UNMODELLED_COST_RATIO


def is_silent(request: PlanRequest, step: Step) -> bool:
    """Whether memory knows nothing of it on kernels like this one."""
    return evidence_on(request.recalled, step.technique) is None


def merged(first: Step, second: Step) -> Step:
    """The step of the costlier finding, ranked by both."""
    leading = max(first, second, key=lambda s: s.rank)
    return replace(leading, rank=first.rank + second.rank)


def _rationale(finding: Finding, technique: Technique, first: Rewrite) -> str:
    """Why and what, with ``{E7}`` in the place of every number."""
    cited = " and ".join(f"{{{e}}}" for e in finding.evidence[:_CITED_COUNT])
    return f"{finding.code}{f' ({cited})' if cited else ''}: {first.summary}"
