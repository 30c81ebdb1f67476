"""What past trials and decisions say about techniques for a kernel like this one. Pure.

Each technique's rank factor is the product of three parts, clipped to `RANK_FLOOR`..`RANK_CEILING` (memory never forbids):

- gain: e to the posterior mean of log(ratio), from a normal prior around "no gain" and each trial's own interval;
  inconclusive trials say nothing, predictions weigh a quarter of a measurement;
- reliability: the share of trials that built and verified, pulled towards 1 while there are few;
- people: accepts raise, rejections lower, most on this very kernel, a little in other workspaces.

Every contribution is weighted by likeness of the kernels' signatures and halves every `HALF_LIFE_DAYS`. Example::

    recall(query, trials, judgements)[0].sentences     # ("rejected here on 2026-11-02: readability",)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from assistant.memory.experience import Judgement, PastTrial, speeds_of
from assistant.model.attempt import RecallQuery, TechniqueHistory
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Signature
from assistant.model.proposal import DecisionKind
from assistant.model.trial import TrialOutcome
from assistant.profile import distance
from assistant.record import Record

__all__ = ["HALF_LIFE_DAYS", "RANK_CEILING", "RANK_FLOOR", "recall"]

RANK_FLOOR = 0.2
RANK_CEILING = 3.0
HALF_LIFE_DAYS = 180.0
"""Chosen: two compiler releases a year; what held then may not now."""
MAX_SENTENCES = 4
"""Shown per technique, weightiest first."""
_MOST_ORIGINS = 3
"""Bottlenecks and devices that a sentence about other workspaces names, newest first."""

_DISSIMILAR = 0.5
"""Signature distance from which another kernel says nothing (chosen; a different bottleneck alone is 0.25)."""
_PRIOR_SPREAD = math.log(1.5)
"""Standard deviation of log(ratio) before anything is known: most techniques change a kernel by less than 1.5x."""
_KERNEL_SPREAD = math.log(1.3)
"""Standard deviation of a technique's log(ratio) between kernels of like signature (chosen)."""
_PREDICTED_SPREAD = math.log(2.7) / 1.64
"""Standard deviation of a prediction without an interval: nine in ten were within 2.7x where a GPU re-measured them
(`measure.measured_error`)."""
_NORMAL_95 = 1.96
"""Half a 95 % interval in standard deviations."""
_PREDICTED_WEIGHT = 0.25
_QUALITY_WEIGHTS = {"good": 1.0, "fair": 0.5, "poor": 0.25}
_RELIABILITY_PRIOR = 2.0
"""Trials that are assumed to have gone well: one failure of one gives 2/3."""
_PEOPLE_EFFECTS = {
    DecisionKind.ACCEPTED: 0.3,
    DecisionKind.PARTIALLY_ACCEPTED: 0.15,
    DecisionKind.EDITED_THEN_ACCEPTED: 0.3,
    DecisionKind.REJECTED: -0.7,
    DecisionKind.UNDONE: -0.35,
}
"""Change of log(rank factor) by one decision on this very kernel today (chosen: one rejection halves the rank)."""
_PEOPLE_LIMIT = 1.4
_SAME_WORKSPACE_WEIGHT = 0.5
_OTHER_WORKSPACE_WEIGHT = 0.15
_FAILED = frozenset({TrialOutcome.BUILD_FAILED, TrialOutcome.FAILED})
_RAN = frozenset({TrialOutcome.KEPT, TrialOutcome.NEEDS_DECISION, TrialOutcome.NOT_BETTER})
_DAY_MS = 86_400_000


class _Sentence(Record):
    """Something to say, and how much it matters."""

    text: str
    weight: float


def recall(query: RecallQuery, trials: Iterable[PastTrial], judgements: Iterable[Judgement]) -> tuple[TechniqueHistory, ...]:
    """One entry for each technique of the query that memory knows something about, in the query's order.

    A job's own trials are no memory of it: a search does not quote itself.
    """
    all_trials = tuple(trial for trial in trials if query.job is None or trial.job != query.job)
    all_judgements = tuple(judgements)
    found = (
        _recalled(
            query,
            technique,
            tuple(t for t in all_trials if t.technique == technique and _trial_weight(query, t) > 0),
            tuple(j for j in all_judgements if technique in j.techniques and _judgement_weight(query, j) > 0),
        )
        for technique in query.techniques
    )
    return tuple(recalled for recalled in found if recalled is not None)


def _recalled(
    query: RecallQuery, technique: str, trials: tuple[PastTrial, ...], judgements: tuple[Judgement, ...]
) -> TechniqueHistory | None:
    if not trials and not judgements:
        return None
    effect = _gain(query, trials) + math.log(_reliability(query, trials)) + _people(query, judgements)
    sentences = sorted((*_judgement_sentences(query, judgements), *_trial_sentences(query, trials)), key=lambda s: -s.weight)
    return TechniqueHistory(
        technique=technique,
        rank_factor=min(RANK_CEILING, max(RANK_FLOOR, math.exp(effect))),
        sentences=tuple(dict.fromkeys(s.text for s in sentences))[:MAX_SENTENCES],
    )


# --- how much a memory weighs -------------------------------------------------------------------------------------------


def _trial_weight(query: RecallQuery, trial: PastTrial) -> float:
    return _likeness(query.signature, trial.signature) * _freshness(query, trial.created_ms)


def _judgement_weight(query: RecallQuery, judgement: Judgement) -> float:
    """A person's word on this very kernel holds whatever its signature became."""
    if judgement.workspace == query.workspace and judgement.kernel == query.kernel:
        nearness = 1.0
    elif judgement.workspace == query.workspace:
        nearness = _SAME_WORKSPACE_WEIGHT * _likeness(query.signature, judgement.signature)
    else:
        nearness = _OTHER_WORKSPACE_WEIGHT * _likeness(query.signature, judgement.signature)
    return nearness * _freshness(query, judgement.decided_ms) / len(judgement.techniques)


def _likeness(a: Signature, b: Signature) -> float:
    """1 for the same signature, 0 from `_DISSIMILAR` on."""
    return max(0.0, 1 - distance(a, b) / _DISSIMILAR)


def _freshness(query: RecallQuery, then_ms: int) -> float:
    age_days = max(0, query.now_ms - then_ms) / _DAY_MS
    return 0.5 ** (age_days / HALF_LIFE_DAYS)


# --- what it says -------------------------------------------------------------------------------------------------------


def _gain(query: RecallQuery, trials: tuple[PastTrial, ...]) -> float:
    """Posterior mean of log(ratio): normal prior around 0, normal observations with their own variance."""
    precision_sum = _PRIOR_SPREAD**-2
    weighted_sum = 0.0
    for trial in trials:
        comparison = trial.comparison
        if trial.outcome not in _RAN or comparison is None or comparison.outcome is SpeedOutcome.INCONCLUSIVE:
            continue
        precision = _trial_weight(query, trial) * _confidence(comparison) / (_spread(comparison) ** 2 + _KERNEL_SPREAD**2)
        precision_sum += precision
        weighted_sum += precision * math.log(comparison.ratio)
    return weighted_sum / precision_sum


def _confidence(comparison: Comparison) -> float:
    if comparison.outcome is SpeedOutcome.PREDICTED:
        return _PREDICTED_WEIGHT
    return _QUALITY_WEIGHTS.get(comparison.quality, _QUALITY_WEIGHTS["poor"])


def _spread(comparison: Comparison) -> float:
    """Standard deviation of log(ratio), from its 95 % interval."""
    if comparison.low is None or comparison.high is None or comparison.low <= 0:
        return _PREDICTED_SPREAD
    return (math.log(comparison.high) - math.log(comparison.low)) / (2 * _NORMAL_95)


def _reliability(query: RecallQuery, trials: tuple[PastTrial, ...]) -> float:
    """Expected share of trials that build and verify."""
    judged = [t for t in trials if t.outcome in _FAILED | _RAN]
    total = sum(_trial_weight(query, t) for t in judged)
    good = sum(_trial_weight(query, t) for t in judged if t.outcome in _RAN)
    return (good + _RELIABILITY_PRIOR) / (total + _RELIABILITY_PRIOR)


def _people(query: RecallQuery, judgements: tuple[Judgement, ...]) -> float:
    total = sum(_PEOPLE_EFFECTS[j.kind] * _judgement_weight(query, j) for j in judgements)
    return min(_PEOPLE_LIMIT, max(-_PEOPLE_LIMIT, total))


# --- in words -----------------------------------------------------------------------------------------------------------

_VERBS = {
    DecisionKind.ACCEPTED: "accepted",
    DecisionKind.PARTIALLY_ACCEPTED: "accepted in part",
    DecisionKind.EDITED_THEN_ACCEPTED: "edited and accepted",
    DecisionKind.REJECTED: "rejected",
    DecisionKind.UNDONE: "accepted and then undone",
}


def _judgement_sentences(query: RecallQuery, judgements: tuple[Judgement, ...]) -> Iterator[_Sentence]:
    for j in judgements:
        if j.workspace == query.workspace or query.may_cross_workspaces:
            place = _where(query, j.workspace, j.kernel, j.signature)
            device = "" if j.device_class is None else f" ({j.device_class})"
            text = f"{_VERBS[j.kind]} {place} on {_day(j.decided_ms)}{device}{_why(j)}"
            yield _Sentence(text, _judgement_weight(query, j) * 2)
    elsewhere = [j for j in judgements if j.workspace != query.workspace]
    if elsewhere and not query.may_cross_workspaces:
        accepted = sum(_PEOPLE_EFFECTS[j.kind] > 0 for j in elsewhere)
        counts = f"accepted {accepted} and rejected or undone {len(elsewhere) - accepted} times"
        text = f"{counts} in other workspaces, {_origins((j.signature, j.device_class) for j in elsewhere)}"
        yield _Sentence(text, _OTHER_WORKSPACE_WEIGHT)


def _trial_sentences(query: RecallQuery, trials: tuple[PastTrial, ...]) -> Iterator[_Sentence]:
    for t in trials:
        said = _result(t) if t.workspace == query.workspace else None
        if said is not None:
            here = 1.0 if t.kernel == query.kernel else _SAME_WORKSPACE_WEIGHT
            place = _where(query, t.workspace, t.kernel, t.signature)
            yield _Sentence(f"{said[0]} {place} on {_day(t.created_ms)}{said[1]}", _trial_weight(query, t) * here)
    elsewhere = [t for t in trials if t.workspace != query.workspace and t.outcome in _FAILED | _RAN]
    if elsewhere:
        verified = [t for t in elsewhere if t.outcome in _RAN]
        speeds = speeds_of(t.comparison for t in verified if t.comparison is not None)
        counts = f"{len(elsewhere)} tried, {len(verified)} verified, {speeds.in_words()}"
        text = f"in other workspaces, {_origins((t.signature, t.device_class) for t in elsewhere)}: {counts}"
        yield _Sentence(text, _OTHER_WORKSPACE_WEIGHT)


def _result(trial: PastTrial) -> tuple[str, str] | None:
    """Verb and details; None for a trial that taught nothing."""
    comparison = trial.comparison
    if trial.outcome in _FAILED:
        return "did not build" if trial.outcome is TrialOutcome.BUILD_FAILED else "failed verification", f" ({trial.device_class})"
    if trial.outcome not in _RAN or comparison is None:
        return None
    match comparison.outcome:
        case SpeedOutcome.INCONCLUSIVE:
            return None
        case SpeedOutcome.PREDICTED:
            verb = "was predicted to help" if comparison.ratio > 1 else "was predicted not to help"
        case SpeedOutcome.FASTER:
            verb = "worked"
        case SpeedOutcome.SAME | SpeedOutcome.SLOWER:
            verb = f"was {comparison.outcome.value}"
    return verb, f": {_number(comparison)} ({trial.device_class}; {comparison.method})"


def _number(comparison: Comparison) -> str:
    text = f"time ratio {comparison.ratio:.2f}x"
    if comparison.low is None or comparison.high is None:
        return f"{text}, {comparison.quality}"
    return f"{text}, {comparison.low:.2f} to {comparison.high:.2f}"


def _where(query: RecallQuery, workspace: Path, kernel: str, signature: Signature) -> str:
    """``here``; ``for saxpy, limited by dram``. What is learnt on another kernel names it, and what limited it."""
    if workspace != query.workspace:
        return f"in another workspace, for a kernel limited by {signature.label},"
    return "here" if kernel == query.kernel else f"for {kernel.partition('(')[0]}, limited by {signature.label},"


def _origins(found: Iterable[tuple[Signature, str | None]]) -> str:
    """``on kernels like this one (limited by dram or l2; NVIDIA H200)``: no names, which are not this workspace's to know."""
    pairs = list(found)
    labels = list(dict.fromkeys(signature.label for signature, _ in pairs))[:_MOST_ORIGINS]
    devices = list(dict.fromkeys(device for _, device in pairs if device is not None))[:_MOST_ORIGINS]
    where = f"; {' or '.join(devices)}" if devices else ""
    return f"on kernels like this one (limited by {' or '.join(labels)}{where})"


def _why(judgement: Judgement) -> str:
    if judgement.kind is DecisionKind.PARTIALLY_ACCEPTED:
        why = _reason(judgement)
        return f", the rest left out{why}" if why else ""
    return _reason(judgement) if judgement.kind in (DecisionKind.REJECTED, DecisionKind.UNDONE) else ""


def _reason(judgement: Judgement) -> str:
    code = f": {judgement.reason_code}" if judgement.reason_code else ""
    quoted = f'"{judgement.reason}"' if judgement.reason else ""
    if not quoted:
        return code
    return f"{code} ({quoted})" if code else f": {quoted}"


def _day(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000, tz=UTC).date().isoformat()
