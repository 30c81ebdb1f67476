"""A model's plan as ours: known techniques and evidence only, numbers from evidence, risks as labels.

Example::

    plan_of(request, reply, "llm:small").steps[0].predictions   # (MetricPrediction("shared_wavefronts", 262144, 8192, "wavefronts"),)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Plan, Step, WrittenCode
from assistant.model.profile import Finding
from assistant.model.verification import Label
from assistant.plan.choosing import chosen, evidence_on
from assistant.plan.llm.claims import bound, cited, marked, title
from assistant.plan.llm.numbers import has_claim, names_of
from assistant.plan.llm.reading.schemas import DeclinedTechnique, PlannedStep, PlanReply
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.ports.planner import PlanRequest

__all__ = ["MOST_STEPS", "MOST_STEPS_WITH_CODE", "plan_of", "risk_labels"]

MOST_STEPS = 6
"""Steps of a plan that are taken: each may cost several calls and trials."""
MOST_STEPS_WITH_CODE = 3
"""Where the code of each comes with the plan, which is paid for whether it is tried or not."""
_MOST_PREDICTIONS = 4
_MOST_DECLINES = 12
_UNANSWERED_RANK = 0.01
"""Rank of a step that answers no finding: as of a finding without an estimated cost (`expert.steps`)."""
_NO_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_CHARACTERS = 48
_UNNAMED = "unnamed"


def plan_of(request: PlanRequest, reply: PlanReply, planner: str, codes: Mapping[int, WrittenCode] = MappingProxyType({})) -> Plan:
    """The model's steps without those that were tried on this text already; what is left out is declined with its reason.

    Their order is the model's; what memory expects to gain comes before what it does not know, and what it expects to lose comes last.

    ``codes``: what came with the plan, by the number of its step, from 1.
    """
    steps = list[Step]()
    declines = [_declined(request, declined) for declined in reply.declined[:_MOST_DECLINES]]
    for number, planned in enumerate(reply.steps[:MOST_STEPS], 1):
        step = replace(_step(request, planned, planner), written=codes.get(number))
        if (step.technique, step.line) in request.excluded and not planned.differs and not _is_new_design(request, step, planned):
            reason = "it was already tried on this text, and the plan does not name what differs now"
            declines.append(Decline(step.technique, step.kernel, step.line, reason, DeclineReason.ALREADY_TRIED))
        elif any((step.technique, step.line, step.design) == (other.technique, other.line, other.design) for other in steps):
            declines.append(Decline(step.technique, step.kernel, step.line, "the plan has it twice", DeclineReason.ALREADY_TRIED))
        else:
            steps.append(step)
    notes = tuple(note for number, planned in enumerate(reply.steps[:MOST_STEPS], 1) for note in _notes(request, number, planned))
    surplus = len(reply.steps) - MOST_STEPS
    if surplus > 0:
        reason = f"the plan had {len(reply.steps):,} steps; the first {MOST_STEPS} are taken"
        declines.append(Decline("further-steps", request.kernel.key, request.kernel.line, reason, DeclineReason.LIMIT_EXCEEDED))
    return Plan(tuple(_by_evidence(request, steps)), tuple(declines), planner, notes)


def _by_evidence(request: PlanRequest, steps: list[Step]) -> list[Step]:
    def group(step: Step) -> tuple[int, float]:
        evidence = evidence_on(request.recalled, step.technique)
        if evidence is None or not evidence.summary:
            return 1, 0.0
        return (0, -step.rank) if step.rank > _UNANSWERED_RANK else (2, 0.0)

    return sorted(steps, key=group)


def risk_labels(risks: Iterable[str]) -> tuple[Label, ...]:
    """The labels among the words, each once; other words say nothing. Whether host code is edited is seen, not believed."""
    known = {label.value: label for label in Label if label not in (Label.HOST_CODE, Label.IN_PART)}
    return tuple(dict.fromkeys(known[risk.lower()] for risk in risks if risk.lower() in known))


def _step(request: PlanRequest, planned: PlannedStep, planner: str) -> Step:
    technique, code = _slug(planned.technique), request.parsed.source.text
    finding = _finding(request, planned)
    known = {fact.id: fact for fact in request.evidence}
    named = [e.strip("{}") for e in planned.evidence if e.strip("{}") in known]
    evidence = tuple(dict.fromkeys((*named, *cited(planned.rationale, known))))
    rationale = marked(planned.rationale, known, code)
    evidence_known = evidence_on(request.recalled, technique)
    modelled = None if finding is None else finding.estimated_cost_ratio
    worth = chosen(_UNANSWERED_RANK if modelled is None else modelled, evidence_known, request.choice, modelled is not None)
    return Step(
        technique=technique,
        kernel=request.kernel.key,
        line=_line(request, planned.line),
        rationale=rationale.text or "The plan gives no reason that evidence backs.",
        evidence=evidence,
        finding="" if finding is None else finding.code,
        predictions=_predictions(request, planned),
        rank=worth.rank,
        recalled=() if evidence_known is None else evidence_known.sentences,
        why=worth.why,
        planner=planner,
        title=title(planned.title, code),
        labels=risk_labels(planned.risks),
        is_opinion=rationale.is_opinion,
        predicted_ratio=planned.predicted_speedup,
        design=_design(planned),
    )


def _notes(request: PlanRequest, number: int, planned: PlannedStep) -> Iterator[str]:
    """What of a step is left out, as nothing here has that name."""
    known = {fact.id for fact in request.evidence}
    named = (*planned.evidence, *(predicted.evidence for predicted in planned.predictions))
    unknown = [name for name in dict.fromkeys(shown(name.strip("{}"), NAME_CHARACTERS) for name in named) if name not in known]
    if unknown:
        yield f"step {number} of the plan cites {', '.join(unknown)}, which is no evidence here: left out, with what it predicts of it"
    if planned.finding and _finding(request, planned) is None:
        yield f"step {number} of the plan answers {shown(planned.finding, NAME_CHARACTERS)}, which is no finding of this kernel"


def _is_new_design(request: PlanRequest, step: Step, planned: PlannedStep) -> bool:
    """Whether what was tried at its place were other designs than this one; a step without a design is none."""
    tried = [design for name, line, design in request.excluded_designs if (name, line) == (step.technique, step.line)]
    return bool(planned.design and tried) and not any(_plain(planned.design) in _plain(design) for design in tried)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _design(planned: PlannedStep) -> str:
    differing = planned.differs and f"Unlike what was tried before: {planned.differs}"
    return "\n\n".join(text for text in (planned.rationale, planned.design, differing) if text)


def _declined(request: PlanRequest, declined: DeclinedTechnique) -> Decline:
    reason = bound(declined.reason, request.evidence, request.parsed.source.text).text
    words = reason or "the plan gives no reason"
    return Decline(_slug(declined.technique), request.kernel.key, request.kernel.line, words, DeclineReason.MODEL_DECLINED)


def _finding(request: PlanRequest, planned: PlannedStep) -> Finding | None:
    """The finding of the named code, the one on the step's line first; None where the kernel has no such finding."""
    found = [finding for finding in request.findings if finding.code == planned.finding]
    return min(found, key=lambda finding: abs(finding.line - planned.line), default=None)


def _line(request: PlanRequest, line: int) -> int:
    """The step's line, or the kernel's where the text has no such line."""
    return line if line <= request.parsed.source.text.count("\n") + 1 else request.kernel.line


def _predictions(request: PlanRequest, planned: PlannedStep) -> tuple[MetricPrediction, ...]:
    """From the evidence's value to that value times the factor; evidence that does not exist predicts nothing."""
    facts = {fact.id: fact for fact in request.evidence}
    found = dict[str, MetricPrediction]()
    for predicted in planned.predictions:
        fact = facts.get(predicted.evidence.strip("{}"))
        if fact is not None:
            found.setdefault(fact.metric, MetricPrediction(fact.metric, fact.value, fact.value * predicted.factor, fact.unit))
    return tuple(found.values())[:_MOST_PREDICTIONS]


def _slug(name: str) -> str:
    """A name in small letters; one that holds a claim, ``ten-times-faster``, is none."""
    slug = _NO_SLUG.sub("-", name.lower()).strip("-")[:_SLUG_CHARACTERS].strip("-")
    return slug if slug and not has_claim(slug.replace("-", " "), names_of("")) else _UNNAMED
