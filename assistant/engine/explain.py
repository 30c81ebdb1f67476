"""The explanation of a proposal: Markdown whose every number is filled from evidence, with unit and method."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from assistant.engine.quantity import format_quantity
from assistant.model.comparison import Comparison
from assistant.model.plan import Rewrite, Step, Technique
from assistant.model.profile import Evidence, Finding
from assistant.model.proposal import PredictionOutcome
from assistant.model.verification import Verification

__all__ = ["KeptStep", "explain"]


@dataclass(frozen=True)
class KeptStep:
    """One link of the chain that became the proposal."""

    technique: Technique
    step: Step
    rewrite: Rewrite
    finding: Finding
    evidence: tuple[Evidence, ...]
    """What the finding cites."""
    outcomes: tuple[PredictionOutcome, ...]


def explain(kept: tuple[KeptStep, ...], verification: Verification, comparison: Comparison) -> str:
    """Why, what, what was predicted and what came of it."""
    # Markdown is read as text, in terminals and editors: nothing is escaped for HTML.
    environment = Environment(undefined=StrictUndefined, trim_blocks=False, autoescape=False)  # noqa: S701
    template = environment.from_string(files("prompts").joinpath("explanation.md.j2").read_text("utf-8"))
    return template.render(
        steps=[_step(item) for item in kept],
        verdict=_verdict(verification),
        speed=_speed(comparison),
        labels=[label.value for label in verification.labels],
        assumptions=list(dict.fromkeys(text for item in kept for text in item.rewrite.assumptions)),
    ).strip()


def _step(item: KeptStep) -> dict[str, object]:
    return {
        "title": item.technique.title,
        "technique": item.technique.id,
        "line": item.step.line,
        "finding_code": item.finding.code,
        "finding_message": item.finding.message,
        "summary": item.rewrite.summary,
        "outcomes": [_outcome(outcome) for outcome in item.outcomes],
        "facts": [_fact(fact) for fact in item.evidence],
    }


def _outcome(outcome: PredictionOutcome) -> dict[str, str]:
    prediction = outcome.prediction
    return {
        "metric": prediction.metric,
        "before": format_quantity(prediction.before, prediction.unit),
        "predicted": format_quantity(prediction.after, prediction.unit),
        "actual": "not counted" if outcome.actual is None else format_quantity(outcome.actual, prediction.unit),
        "word": {True: "hit", False: "miss", None: "not scored"}[outcome.is_hit],
    }


def _fact(fact: Evidence) -> dict[str, str]:
    return {
        "id": fact.id,
        "metric": fact.metric,
        "value": format_quantity(fact.value, fact.unit),
        "place": "" if fact.line is None else f" on line {fact.line}",
        "method": f"{fact.method.value}, {fact.device}",
        "grade": fact.grade.value,
    }


def _verdict(verification: Verification) -> str:
    passed = sum(case.outcome.value == "PASS" for case in verification.cases)
    return f"{verification.outcome.value} by the {verification.oracle} oracle, {passed} of {len(verification.cases)} cases passed"


def _speed(comparison: Comparison) -> str:
    shift = ""
    if comparison.bottleneck_before and comparison.bottleneck_after:
        shift = f"; limited by {comparison.bottleneck_before} before, by {comparison.bottleneck_after} after"
    return f"{comparison.outcome.value} {comparison.ratio:.2f}x ({comparison.method}; {comparison.quality}){shift}"
