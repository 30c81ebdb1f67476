"""Findings of one kernel, ranked by what they cost, with the evidence they cite.

Defects come from every launch, performance findings from the launch that costs most. The cost of a finding is asked of the
performance model: the launch as it is against the launch without this cause's excess. Example::

    result = find(FindContext(kernel, launches, target, predict, resources, facts))
    result.findings[0].code, result.findings[0].evidence   # ("KO101", ("E1", "E2", "E3", "E4", "E5"))
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from assistant.model.profile import Evidence, Finding, Grade, Method, Severity
from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.diagnosis import Diagnosis, Fact
from assistant.profile.evidence import collect, ids_by_fact, kernel_facts
from assistant.profile.rules import RULES, defects
from assistant.profile.thresholds import threshold
from assistant.record import Record

__all__ = ["FindResult", "find", "is_negligible"]

_SEVERITY_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFORMATION: 2}


class FindResult(NamedTuple):
    """``findings, evidence = find(context)``."""

    findings: tuple[Finding, ...]
    """Errors first, then by estimated cost."""
    evidence: tuple[Evidence, ...]


class _CostedDiagnosis(Record):
    """A diagnosis with the share of predicted time that it costs."""

    diagnosis: Diagnosis
    cost_ratio: float | None

    @property
    def severity(self) -> Severity:
        if self.diagnosis.severity is not None:
            return self.diagnosis.severity
        is_costly = self.cost_ratio is None or self.cost_ratio >= threshold("warning_saving")
        return Severity.WARNING if is_costly else Severity.INFORMATION

    @property
    def rank(self) -> tuple[int, bool, bool, float, str, int]:
        """Severity, then findings that are mere information last, defects before the others of these, then cost."""
        is_aside = self.diagnosis.severity is Severity.INFORMATION
        is_cost = is_aside and not self.diagnosis.code.startswith("KO2")
        return (_SEVERITY_ORDER[self.severity], is_aside, is_cost, -(self.cost_ratio or 0.0), self.diagnosis.code, self.diagnosis.line)


def find(context: FindContext) -> FindResult:
    """All findings of a kernel; one per cause and line."""
    launch = context.costliest
    predicted = context.predict(launch.profile, context.resources, launch.occupancy, context.target)
    costed = [_cost(context, launch, d, predicted.time_s) for d in _diagnoses(context, launch)]
    ranked = _one_per_cause_and_line(sorted(costed, key=lambda c: c.rank))
    shown_first = sorted(ranked, key=lambda c: is_negligible(c.cost_ratio))
    facts = [f for c in shown_first for f in c.diagnosis.facts]
    facts += kernel_facts(launch.profile, context.resources, launch.occupancy, predicted)
    evidence = collect(facts, lambda method: _device(context, launch, method), context.first_evidence_number)
    ids = ids_by_fact(facts, evidence)
    return FindResult(tuple(_finding(context, c, ids) for c in ranked), evidence)


def is_negligible(estimated_cost_ratio: float | None) -> bool:
    """Whether a finding need not be shown: it is no defect, and fixing its cause alone would gain next to nothing.

    Planners still see it: another bottleneck may mask the cost, and the next round sees it once that is gone.
    """
    return estimated_cost_ratio is not None and estimated_cost_ratio < threshold("least_saving")


def _diagnoses(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    problems = tuple(p for counted in context.launches for p in counted.profile.problems)
    performance = tuple(d for rule in RULES for d in rule.examine(context, launch))
    return (*defects(context, problems), *performance)


def _cost(context: FindContext, launch: CountedLaunch, diagnosis: Diagnosis, time_s: float) -> _CostedDiagnosis:
    saving, fixed = diagnosis.saving_ratio, diagnosis.fixed
    if fixed is not None:
        fixed_s = context.predict(fixed.profile, context.resources, fixed.occupancy, context.target).time_s
        saving = 1 - fixed_s / time_s
    if saving is None:
        return _CostedDiagnosis(diagnosis, None)
    saving = min(1.0, max(0.0, saving))
    fact = Fact("predicted_saving_ratio", saving, diagnosis.line, Method.MODEL, Grade.ESTIMATED)
    return _CostedDiagnosis(replace(diagnosis, facts=(*diagnosis.facts, fact)), saving)


def _one_per_cause_and_line(ranked: list[_CostedDiagnosis]) -> tuple[_CostedDiagnosis, ...]:
    """The first of each (code, line); defects at one line may differ in their second place and all stay."""
    kept: dict[tuple[str, int, str], _CostedDiagnosis] = {}
    for costed in ranked:
        d = costed.diagnosis
        kept.setdefault((d.code, d.line, d.message if d.code.startswith("KO2") else ""), costed)
    return tuple(kept.values())


def _finding(context: FindContext, costed: _CostedDiagnosis, ids: dict[Fact, str]) -> Finding:
    d = costed.diagnosis
    return Finding(
        code=d.code,
        kernel=context.kernel,
        line=d.line,
        severity=costed.severity,
        message=d.message,
        evidence=tuple(dict.fromkeys(ids[f] for f in d.facts)),
        estimated_cost_ratio=costed.cost_ratio,
    )


def _device(context: FindContext, launch: CountedLaunch, method: Method) -> str:
    match method:
        case Method.MODEL | Method.STATIC | Method.OCCUPANCY:
            return context.target.name
        case Method.PTXAS:
            return context.resources.architecture if context.resources else context.target.architecture
        case Method.EMULATOR if launch.profile.is_of_hardware:
            return f"CPU emulator (counting rules of {context.target.architecture})"
        case _:
            return launch.profile.device
