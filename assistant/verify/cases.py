"""Which cases count: those on which the original itself runs clean.

Recorded values and declared shapes must: without them there is nothing to hold B against. Derived values and shapes that the
original does not run clean on are dropped and listed.
"""

from __future__ import annotations

from assistant.model.verification import CannotJudge, Unjudgeable
from assistant.record import Record
from assistant.verify.evidence import CaseEvidence
from assistant.verify.kinds import INJECTED_KINDS, meaning_of
from assistant.verify.problems import UNSUPPORTED

__all__ = ["UsableCases", "case_name", "usable_cases"]

_REMEDY = "run `kernelopt check FILE` and fix the original first"


class UsableCases(Record):
    """Cases to judge on, in their order."""

    ordinary: tuple[CaseEvidence, ...]
    injected: tuple[CaseEvidence, ...]
    """With NaN, infinities, huge values and signed zeros put in; they only label."""
    dropped: tuple[str, ...]
    probes: tuple[CaseEvidence, ...] = ()
    """At sizes or on values that are none of the program's (``kinds``), and the program's values at sizes of our own."""

    def without(self, reasons: dict[int, str]) -> UsableCases | CannotJudge:
        """Without the ordinary cases of the given indices; cannot judge when one of them is no derived case."""
        dropped = list(self.dropped)
        for index, reason in reasons.items():
            case = self.ordinary[index]
            if not case.origin.is_derived:
                return CannotJudge(Unjudgeable.ORIGINAL_INEXACT, f"the original cannot be judged by: {reason} ({case_name(case)})", _REMEDY)
            dropped.append(f"{case_name(case)}: {reason}")
        kept = tuple(case for index, case in enumerate(self.ordinary) if index not in reasons)
        return UsableCases(kept, self.injected, tuple(dropped), self.probes)


def usable_cases(cases: tuple[CaseEvidence, ...]) -> UsableCases | CannotJudge:
    """Sorts cases by whether the original runs clean; cannot judge when it fails on recorded or declared values."""
    usual = {p.kind for case in cases if not case.origin.is_derived for run in case.original for p in run.problems}
    ordinary, injected, probes, dropped = list[CaseEvidence](), list[CaseEvidence](), list[CaseEvidence](), list[str]()
    for case in cases:
        reason = _unclean(case, frozenset(usual))
        if reason is not None and case.origin.is_derived:
            dropped.append(f"{case_name(case)}: the original {reason}")
        elif reason is not None:
            return CannotJudge(Unjudgeable.ORIGINAL_FAILS, f"the original {reason} ({case_name(case)})", _REMEDY)
        elif case.origin.kind in INJECTED_KINDS:
            injected.append(case)
        elif meaning_of(case.origin.kind) is not None or not case.origin.is_own_size:
            probes.append(case)
        else:
            ordinary.append(case)
    if not any(not case.origin.is_derived for case in ordinary):
        return CannotJudge(Unjudgeable.NO_CASE, "there is no recorded or declared case to judge on", _REMEDY)
    return UsableCases(tuple(ordinary), tuple(injected), tuple(dropped), tuple(probes))


def _unclean(case: CaseEvidence, usual_kinds: frozenset[str]) -> str | None:
    """What is wrong with the original on this case; its ``usual_kinds`` of problems are not held against derived cases."""
    if not case.original:
        return "was not run"
    for run in case.original:
        if run.error is not None:
            return f"does not run: {run.error}"
        if not case.origin.is_derived:
            continue
        if not run.guards_intact:
            return "writes beyond the end of a buffer"
        problem = next((p for p in run.problems if p.kind not in usual_kinds and p.kind != UNSUPPORTED), None)
        if problem is not None:
            return f"has a problem there: {problem.message}"
    return None


def case_name(case: CaseEvidence) -> str:
    """``resampled n=1003, values × 8``, ``negative n=1003, x from -250 to -1``."""
    origin = case.origin
    scale = "" if origin.scale == 1.0 else f", values × {origin.scale:g}"
    values = f", {origin.values}" if origin.values else ""
    return f"{origin.kind} {origin.shape}{scale}{values}".strip()
