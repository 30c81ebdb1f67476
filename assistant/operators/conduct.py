"""What a candidate does that has nothing to do with its values: what it replaces, what it reads, and who computes for it."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.model.verification import Outcome, VerificationFinding
from assistant.operators.evidence import Evidence, Seen

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
    if evidence.seen.works_aside:
        message = "it returns before kernels on a stream of its own have run: wait for that stream, or launch on the current one"
        yield VerificationFinding("late_write", Outcome.FAIL, message)
    for access in evidence.seen.host_accesses[:_SHOWN]:
        message = f"its host code reads or writes tensors through {access.name}: on a GPU that is the device's memory, and the program ends"
        yield VerificationFinding("host_access", Outcome.FAIL, message, line=access.line or None)
    if evidence.reads_reference:
        yield VerificationFinding("tampering", Outcome.FAIL, "it opens the reference's file, which a candidate must not read")


def library_findings(evidence: Evidence) -> list[VerificationFinding]:
    """What of PyTorch and of libraries computes for the candidate: shown, and refused where only kernels of its own are allowed."""
    counts: dict[str, int] = {}
    for case in evidence.candidate:
        for name, count in case.first.work:
            if name != "calls":
                counts[name] = counts.get(name, 0) + count
    seen = evidence.seen
    words = _library_words(counts, seen)
    is_stopped = all(case.first.failure is not None for case in evidence.candidate)  # before anything could compute
    if words is None or (is_stopped and not counts):
        return []
    alone = "" if seen.launch_count or not (counts or seen.library_kernels) else "no kernel of its own ran: "
    return [VerificationFinding("library_call", Outcome.FAIL if evidence.only_custom else Outcome.NEEDS_DECISION, alone + words)]


def _library_words(counts: dict[str, int], seen: Seen) -> str | None:
    """None where only its own kernels compute."""
    share = sum(kernel.time_ratio for kernel in seen.library_kernels)
    of_time = f", {share:.0%} of the time on the GPU" if share else ""
    if counts:
        names = ", ".join(f"{name} ({count} calls)" for name, count in sorted(counts.items(), key=lambda item: -item[1])[:_SHOWN])
        return f"PyTorch computes a part of it{of_time}: {names}"
    if seen.library_kernels:
        names = ", ".join(f"{kernel.name} ({kernel.launch_count} launches)" for kernel in seen.library_kernels[:_SHOWN])
        return f"kernels that its text does not hold compute a part of it{of_time}: {names}"
    if seen.launch_count == 0:
        return "no kernel of its own ran, and no function of PyTorch that computes was seen: something else computes it"
    return None
