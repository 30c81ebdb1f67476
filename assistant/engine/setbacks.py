"""Why a candidate was not kept, as whoever wrote it needs to know it. Pure.

Seeds are never told, so that no edit can be written for the values it is judged on. Example::

    setback_of(trial)     # Setback(kind=SetbackKind.BUILD, reason="nvcc does not compile k.cu: line 7: …", …)
"""

from __future__ import annotations

from assistant.engine.records import Tried
from assistant.model.plan import Setback, SetbackKind, TriedBefore

__all__ = ["setback_of", "tried_before"]

_KINDS = {
    "build_failed": SetbackKind.BUILD,
    "FAIL": SetbackKind.WRONG_ANSWER,
    "not_better": SetbackKind.NOT_FASTER,
}
"""Outcomes of candidates that another edit may mend; what a person or the workload refuses is no such thing."""


def setback_of(tried: Tried) -> Setback | None:
    """None where the candidate was kept, or where no other edit would fare better."""
    kind = _KINDS.get(tried.outcome)
    if kind is None:
        return None
    launches = tuple(launch for item in tried.after for launch in item.launches)
    return Setback(
        kind=kind,
        reason=tried.reason,
        text=tried.text,
        diagnostics=tried.diagnostics,
        findings=() if tried.verification is None else tried.verification.findings,
        cases=() if tried.verification is None else tried.verification.cases,
        problems=tuple(dict.fromkeys(problem for launch in launches for problem in launch.profile.problems)),
        evidence=tuple(fact for item in tried.after for fact in item.evidence),
        ratio=tried.ratio,
    )


def tried_before(tried: Tried) -> TriedBefore:
    """The candidate in a line, for the next plan."""
    return TriedBefore(tried.step.technique, tried.step.line, tried.rewrite.summary, tried.outcome, tried.reason, tried.ratio)
