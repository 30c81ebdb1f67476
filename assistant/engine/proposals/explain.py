"""The explanation of a proposal: Markdown whose every number is filled from evidence, with unit and method."""

from __future__ import annotations

import re

from jinja2 import Environment, StrictUndefined

from assistant.engine.proposals.scoring import TIME_RATIO
from assistant.engine.proposals.steps import KeptStep, chain_in_words, places_of
from assistant.model.comparison import Comparison, format_interval, format_ratio
from assistant.model.profile import Evidence
from assistant.model.proposal import PredictionOutcome
from assistant.model.verification import Label, Outcome, Verification, verdict_in_words
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.profile.evidence import made_by
from assistant.profile.fact_words import change_in_words, fact_in_words, metric_in_words, value_in_words
from assistant.shipped import shipped_prompts

__all__ = ["explain", "explain_submitted", "other_edit"]


_LABEL_WORDS = {
    Label.PRECISION: "it computes with fewer digits, so results change slightly",
    Label.FAST_MATH: "it uses approximate arithmetic",
    Label.LIBRARY_CALL: "it calls a library",
    Label.NEW_FLAGS: "it needs other compiler flags",
    Label.ASSUMPTION: "it rests on an assumption that nothing checks",
    Label.ALIGNMENT: "it needs aligned data",
    Label.NAN_BEHAVIOUR: "it may treat NaN and infinity differently",
    Label.NON_DETERMINISM: "its results may differ from run to run",
    Label.ARCH_LOCK_IN: "it runs on some GPU generations only",
    Label.READABILITY: "it makes the code longer",
    Label.HOST_CODE: "it edits host code, which runs with your rights",
    Label.REASSOCIATION: "it adds in another order, so the last digits may change",
    Label.IN_PART: "the program takes too long to be run whole, so the edit was judged in part",
}
_COMPARED = {
    "kernel": "what each launch leaves",
    "declared": "what each declared launch leaves",
    "program": "what reaches the host",
    "operator": "what PyTorch computes",
    "none": "nothing",
}
"""By oracle (`Verification.oracle`)."""


def explain(kept: tuple[KeptStep, ...], verification: Verification, comparison: Comparison, others: tuple[str, ...] = ()) -> str:
    """Why, what, what was predicted and what came of it; ``others``: edits that may gain more and are not offered now, in words."""
    return _rendered(
        "explanation.md.j2",
        steps=[_step(item, place) for item, place in zip(kept, places_of(kept), strict=True)],
        verdict=_verdict(verification),
        speed=_speed(comparison),
        labels=_labels(verification),
        assumptions=list(dict.fromkeys(text for item in kept for text in item.rewrite.assumptions)),
        others=others,
    )


def other_edit(kept: tuple[KeptStep, ...]) -> str:
    """A kept version that is not offered, without the ratio of its screen, which was not confirmed."""
    steps = chain_in_words(kept)
    words = dict.fromkeys(_LABEL_WORDS[label] for item in kept for label in item.rewrite.labels)
    return f"{steps} ({'; '.join(words)})" if words else steps


def explain_submitted(author: str, summary: str, verification: Verification, comparison: Comparison) -> str:
    """Explains an edit that somebody else made: their words so that they cannot look like ours, and what was found."""
    return _rendered(
        "submitted.md.j2",
        author=shown(author, NAME_CHARACTERS),
        summary=shown(summary),
        verdict=_verdict(verification),
        speed=_speed(comparison),
        labels=_labels(verification),
    )


def _rendered(template_name: str, **inputs: object) -> str:
    # Markdown is read as text, in terminals and editors: nothing is escaped for HTML.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)  # noqa: S701
    template = environment.from_string((shipped_prompts() / template_name).read_text("utf-8"))
    return template.render(inputs).strip()


def _labels(verification: Verification) -> list[str]:
    return [f"{label.value} ({_LABEL_WORDS[label]})" for label in verification.labels]


def _step(item: KeptStep, place: str) -> dict[str, object]:
    return {
        "title": item.technique.title,
        "technique": item.technique.id,
        "line": place,
        "why": _why(item),
        "tried": item.step.why if item.step.recalled else "",
        "summary": item.rewrite.summary,
        "outcomes": [_outcome(outcome) for outcome in item.outcomes],
        "evidence": _grouped(item.evidence),
    }


def _why(item: KeptStep) -> str:
    """The finding; a model's own reason only where there is none, its numbers filled in."""
    if item.finding is not None:
        return f"{item.finding.code}: {item.finding.message}"
    facts = {fact.id: fact_in_words(fact.metric, fact.value, fact.unit) for fact in item.evidence}
    reason = re.sub(r"\{(E\d+)\}", lambda match: facts.get(match[1], match[0]), item.step.rationale)
    return f"by {item.step.planner}: {reason}"


def _outcome(outcome: PredictionOutcome) -> dict[str, str]:
    prediction = outcome.prediction
    return {
        "metric": metric_in_words(prediction.metric),
        "predicted": change_in_words(prediction.metric, prediction.before, prediction.after, prediction.unit),
        "actual": "not" if outcome.actual is None else value_in_words(prediction.metric, outcome.actual, prediction.unit),
        "how": "judged" if prediction.metric == TIME_RATIO else "counted",
        "word": {True: "hit", False: "miss", None: "not scored"}[outcome.is_hit],
    }


def _grouped(evidence: tuple[Evidence, ...]) -> list[dict[str, object]]:
    """Facts under the one source that they share: method, device and grade, each named once."""
    groups: dict[str, list[str]] = {}
    for fact in evidence:
        groups.setdefault(_source(fact), []).append(_fact(fact))
    return [{"source": source, "facts": facts} for source, facts in groups.items()]


def _source(fact: Evidence) -> str:
    return f"{made_by(fact.method.value, fact.device)}, {fact.grade.value}"


def _fact(fact: Evidence) -> str:
    return f"{fact.id}: {fact_in_words(fact.metric, fact.value, fact.unit, fact.line)}"


def _verdict(verification: Verification) -> str:
    passed = sum(case.outcome is Outcome.PASS for case in verification.cases)
    verdict = verdict_in_words(verification.outcome, verification.caveats)
    compared = " and ".join(_COMPARED.get(part, part) for part in verification.oracle.split("+"))
    counted = f", {passed} of {len(verification.cases)} cases passed" if verification.cases else ""
    cases = f"{verdict}{counted}; compared: {compared}"
    if verification.outcome is Outcome.NEEDS_DECISION:
        return f"{cases}; only you can accept it, no --accept policy does"
    return cases


def _speed(comparison: Comparison) -> str:
    caveats = f" ({'; '.join(comparison.caveats)})" if comparison.caveats else ""
    ratio = f"{comparison.outcome.value} {format_ratio(comparison.ratio)}x{format_interval(comparison.low, comparison.high)}{caveats}"
    return f"{ratio}{_limits(comparison)} ({comparison.method}; {comparison.quality})"


def _limits(comparison: Comparison) -> str:
    before, after = comparison.bottleneck_before, comparison.bottleneck_after
    if not before or not after:
        return ""
    return f", limited by {before} before and after" if before == after else f", limited by {before} before, by {after} after"
