"""Before and after, in parts for a page: the verdict, the ratio with its interval, each shape, each prediction with its outcome. Pure.

Example::

    comparison_part(proposal).predictions[0].actual   # '18,750 sectors'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.editor.picture import proposal_title
from assistant.editor.report_versions import VersionsPart, versions_part
from assistant.engine.judge import speed_report, verification_report
from assistant.engine.report import limit_in_words
from assistant.model import event_parts, events
from assistant.model.comparison import CaseSpeed, SpeedOutcome, speed_in_words
from assistant.model.proposal import PredictionOutcome, Proposal
from assistant.model.verification import CaseResult, Outcome, VerificationFinding
from assistant.profile.fact_words import metric_in_words, value_in_words
from assistant.record import Record

__all__ = ["CasePart", "ComparisonPart", "PredictionPart", "TestPart", "comparison_part", "judgement_part"]

_SHOWN_DIGITS = 2


class CasePart(Record):
    """Speed on one shape."""

    shape: str
    weight: str
    ratio: float
    low: float | None
    high: float | None
    text: str
    """``FASTER 1.83x [1.80, 1.86]``."""


class PredictionPart(Record):
    """What was predicted before anything ran, and what was counted then."""

    metric: str
    before: str
    predicted: str
    actual: str
    is_hit: bool | None
    """Null where the metric could not be counted."""


class TestPart(Record):
    """One case of a verification."""

    kind: str
    shape: str
    seed: int | None
    scale: float
    outcome: Outcome
    detail: str
    """What went wrong; for a pass the largest error, where there is one."""


class ComparisonPart(Record):
    title: str
    proposal: str | None
    """Its id; null for an edit of a person's."""
    state: str
    """State of the proposal; ``judged`` for an edit."""
    verdict: str
    """``PASS``, ``NEEDS_DECISION`` or ``FAIL``."""
    caveats: tuple[str, ...]
    """What the verdict holds for, and what it did not take into account; shown after it."""
    reasons: tuple[str, ...]
    """Why it is not a plain pass."""
    speed: str
    """``PREDICTED 1.57x``; empty where nothing was predicted or measured."""
    ratio: float | None
    """time(before) / time(after)."""
    low: float | None
    high: float | None
    interval: str
    """What the interval is, or why there is none."""
    method: str
    limits: str
    """``L2 bandwidth → DRAM bandwidth``; empty where that is not known."""
    cases: tuple[CasePart, ...]
    predictions: tuple[PredictionPart, ...]
    verified: str
    """``21 cases passed of 21``."""
    tests: tuple[TestPart, ...]
    """What it was verified on."""
    versions: VersionsPart | None = None
    """Both versions' figures; null where they were not kept."""


def comparison_part(proposal: Proposal) -> ComparisonPart:
    """The part about a proposal in any state."""
    part = _part(proposal_title(proposal), verification_report(proposal.verification), speed_report(proposal.comparison))
    predictions = tuple(_prediction(item) for item in proposal.predictions)
    versions = None if proposal.figures is None else versions_part(proposal.figures, speed_report(proposal.comparison))
    return replace(part, proposal=proposal.id, state=proposal.state.value, predictions=predictions, versions=versions)


def judgement_part(event: events.ComparisonMade) -> ComparisonPart:
    """The part about an edit that was judged on the current text."""
    part = _part("Your edit, judged on the current text", event.verification, event.speed)
    return replace(part, versions=None if event.figures is None else versions_part(event.figures, event.speed))


def _part(title: str, verification: event_parts.VerificationReport, speed: event_parts.SpeedReport | None) -> ComparisonPart:
    before, after = (None, None) if speed is None else (speed.bottleneck_before, speed.bottleneck_after)
    passed = sum(case.outcome is Outcome.PASS for case in verification.cases)
    return ComparisonPart(
        title=title,
        proposal=None,
        state="judged",
        verdict=verification.outcome,
        caveats=verification.caveats,
        reasons=tuple(finding.message for finding in verification.findings),
        speed="" if speed is None else speed_in_words(speed.outcome, speed.ratio, speed.caveats),
        ratio=None if speed is None else speed.ratio,
        low=None if speed is None else speed.low,
        high=None if speed is None else speed.high,
        interval="No speed is given for a version that is not correct." if speed is None else _interval(speed),
        method="" if speed is None else speed.method,
        limits=f"{limit_in_words(before)} → {limit_in_words(after)}" if before is not None and after is not None else "",
        cases=() if speed is None else tuple(_case(case) for case in speed.cases),
        predictions=(),
        tests=tuple(_test(index, case, verification.findings) for index, case in enumerate(verification.cases)),
        verified=f"{passed} cases passed of {len(verification.cases)}" if verification.cases else "no case was compared",
    )


def _interval(speed: event_parts.SpeedReport) -> str:
    if speed.low is None or speed.high is None:
        return f"No interval: {speed.quality}."
    what = "The model's error" if speed.outcome is SpeedOutcome.PREDICTED else "95 % interval"
    return f"{what} {_range(speed.low, speed.high)}, {speed.quality}."


def _case(case: CaseSpeed) -> CasePart:
    spread = "" if case.low is None or case.high is None else f" {_range(case.low, case.high)}"
    text = f"{case.outcome.value} {case.ratio:.{_SHOWN_DIGITS}f}x{spread}"
    return CasePart(case.shape, f"{case.weight:g}", case.ratio, case.low, case.high, text)


def _test(index: int, case: CaseResult, findings: Sequence[VerificationFinding]) -> TestPart:
    messages = [finding.message for finding in findings if finding.case == index]
    if not messages and case.max_error is not None:
        messages = [f"largest error {case.max_error:.3g}"]
    return TestPart(case.kind, case.shape, case.seed, case.scale, case.outcome, "; ".join(messages))


def _range(low: float, high: float) -> str:
    return f"[{low:.{_SHOWN_DIGITS}f}, {high:.{_SHOWN_DIGITS}f}]"


def _prediction(item: PredictionOutcome) -> PredictionPart:
    known = item.prediction
    before, predicted = (value_in_words(known.metric, value, known.unit) for value in (known.before, known.after))
    actual = "not counted" if item.actual is None else value_in_words(known.metric, item.actual, known.unit)
    return PredictionPart(metric_in_words(known.metric), before, predicted, actual, item.is_hit)
