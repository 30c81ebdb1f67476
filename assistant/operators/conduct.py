"""What a candidate does that has nothing to do with its values: what it replaces, what it reads, and who computes for it."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.model.verification import Outcome, VerificationFinding
from assistant.operators.evidence import Evidence

__all__ = ["conduct_findings", "library_findings"]

_SHOWN = 4


def conduct_findings(evidence: Evidence) -> list[VerificationFinding]:
    """Wrong whatever the values are, but for what a person may allow."""
    return list(_conduct(evidence))


def _conduct(evidence: Evidence) -> Iterator[VerificationFinding]:
    for found in evidence.tampering:
        outcome = Outcome.FAIL if found.is_refused else Outcome.NEEDS_DECISION
        yield VerificationFinding(found.code, outcome, f"it {found.what}", line=found.line)
    if evidence.replaced and not any(found.is_refused for found in evidence.tampering):
        names = ", ".join(evidence.replaced[:_SHOWN])
        yield VerificationFinding("tampering", Outcome.FAIL, f"after it has run, these are other functions than before: {names}")
    if evidence.works_aside:
        message = "it returns before kernels on a stream of its own have run: wait for that stream, or launch on the current one"
        yield VerificationFinding("late_write", Outcome.FAIL, message)
    for access in evidence.host_accesses[:_SHOWN]:
        message = f"its host code reads or writes tensors through {access.name}: on a GPU that is the device's memory, and the program ends"
        yield VerificationFinding("host_access", Outcome.FAIL, message, line=access.line or None)
    if evidence.reads_reference:
        yield VerificationFinding("tampering", Outcome.FAIL, "it opens the reference's file, which a candidate must not read")


def library_findings(evidence: Evidence) -> list[VerificationFinding]:
    """Functions of PyTorch that compute for the candidate: shown, and refused where only kernels of its own are allowed."""
    counts: dict[str, int] = {}
    for case in evidence.candidate:
        for name, count in case.first.work:
            if name != "calls":
                counts[name] = counts.get(name, 0) + count
    outcome = Outcome.FAIL if evidence.only_custom else Outcome.NEEDS_DECISION
    if not counts and not evidence.launch_count:
        message = "no kernel of its own ran, and no function of PyTorch that computes was seen: something else computes it"
        return [VerificationFinding("library_call", outcome, message)]
    if not counts:
        return []
    names = ", ".join(f"{name} ({count} calls)" for name, count in sorted(counts.items(), key=lambda item: -item[1])[:_SHOWN])
    alone = "no kernel of its own ran: " if not evidence.launch_count else ""
    return [VerificationFinding("library_call", outcome, f"{alone}PyTorch computes a part of it: {names}")]
