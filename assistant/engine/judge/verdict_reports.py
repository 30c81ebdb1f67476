"""Verdicts and speeds as events carry them."""

from __future__ import annotations

from assistant.model import event_parts
from assistant.model.comparison import Comparison
from assistant.model.verification import Verification

__all__ = ["speed_report", "verification_report"]


def verification_report(verification: Verification) -> event_parts.VerificationReport:
    return event_parts.VerificationReport(
        outcome=verification.outcome,
        findings=verification.findings,
        cases=verification.cases,
        labels=tuple(label.value for label in verification.labels),
        dropped_cases=verification.dropped_cases,
        missing_checks=verification.missing_checks,
        caveats=verification.caveats,
    )


def speed_report(comparison: Comparison) -> event_parts.SpeedReport:
    return event_parts.SpeedReport(
        outcome=comparison.outcome,
        ratio=comparison.ratio,
        low=comparison.low,
        high=comparison.high,
        margin=comparison.margin,
        quality=comparison.quality,
        cases=comparison.cases,
        method=comparison.method,
        bottleneck_before=comparison.bottleneck_before,
        bottleneck_after=comparison.bottleneck_after,
        predicted_ratio=comparison.predicted_ratio,
        caveats=comparison.caveats,
    )
