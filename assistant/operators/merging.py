"""One verdict of two: what the emulator saw of a candidate, and what the GPU showed. Pure.

Example::

    merged(emulated, on_gpu)        # the worse outcome, findings and cases of both
"""

from __future__ import annotations

from assistant.model.verification import Verification

__all__ = ["merged"]


def merged(emulated: Verification, on_gpu: Verification) -> Verification:
    """What only the GPU could not show stays named: what it could, it showed."""
    known = {(finding.code, finding.outcome) for finding in on_gpu.findings}
    findings = (*on_gpu.findings, *(finding for finding in emulated.findings if (finding.code, finding.outcome) not in known))
    return Verification(
        outcome=max(emulated.outcome, on_gpu.outcome, key=lambda outcome: outcome.severity),
        findings=tuple(sorted(findings, key=lambda finding: -finding.outcome.severity)),
        labels=tuple(dict.fromkeys((*on_gpu.labels, *emulated.labels))),
        cases=(*on_gpu.cases, *emulated.cases),
        oracle=on_gpu.oracle,
        dropped_cases=tuple(dict.fromkeys((*on_gpu.dropped_cases, *emulated.dropped_cases))),
        missing_checks=on_gpu.missing_checks,
        caveats=on_gpu.caveats,
    )
