"""What was learnt, as a table: per technique, bottleneck and device class, how often it was tried and how it went.

A derived view: counted afresh from trials and judgements, so that forgetting an attempt also forgets its statistics. Example::

    print(as_text(derive(read_trials(database), read_judgements(database))))
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import asdict

from assistant.memory.experience import Judgement, PastTrial, Speeds, speeds_of
from assistant.model.comparison import SpeedOutcome
from assistant.model.proposal import DecisionKind
from assistant.model.trial import TrialOutcome
from assistant.record import Record

__all__ = ["Knowledge", "as_json", "as_text", "derive"]

_CORRECT = frozenset({TrialOutcome.KEPT, TrialOutcome.NEEDS_DECISION, TrialOutcome.NOT_BETTER})
_BUILT = _CORRECT | {TrialOutcome.FAILED, TrialOutcome.CANNOT_JUDGE}
_REFUSED = frozenset({DecisionKind.REJECTED, DecisionKind.UNDONE})


class Knowledge(Record):
    """One row of the table."""

    technique: str
    label: str
    """Bottleneck of the kernels it was tried on."""
    device_class: str
    """A GPU's name, ``cpu, predicted for h200``, or ``unknown`` for decisions whose attempts were forgotten."""
    tried_count: int
    built_count: int
    correct_count: int
    measured_count: int
    """Verified ones that were timed, whatever came of it."""
    faster_count: int
    """Measured FASTER; predictions are not counted."""
    predicted_count: int
    predicted_faster_count: int
    log_ratio_mean: float | None
    """Mean of log(time before / time after) over conclusive trials; None without one."""
    log_ratio_variance: float | None
    """Sample variance; None with fewer than two conclusive trials."""
    accepted_count: int
    rejected_count: int
    """Rejected or undone."""


def derive(trials: Iterable[PastTrial], judgements: Iterable[Judgement]) -> tuple[Knowledge, ...]:
    """Rows sorted by technique, bottleneck, device class."""
    tried: dict[tuple[str, str, str], list[PastTrial]] = {}
    judged: dict[tuple[str, str, str], list[Judgement]] = {}
    for trial in trials:
        tried.setdefault((trial.technique, trial.signature.label, trial.device_class), []).append(trial)
    for judgement in judgements:
        for technique in judgement.techniques:
            key = (technique, judgement.signature.label, judgement.device_class or "unknown")
            judged.setdefault(key, []).append(judgement)
    return tuple(_row(key, tried.get(key, []), judged.get(key, [])) for key in sorted({*tried, *judged}))


def as_json(rows: Iterable[Knowledge]) -> str:
    """A JSON list, one object per row, with the field names of `Knowledge`."""
    return json.dumps([asdict(row) for row in rows], indent=2)


def as_text(rows: Iterable[Knowledge]) -> str:
    """One sentence per row."""
    return "".join(f"{_sentence(row)}\n" for row in rows)


def _row(key: tuple[str, str, str], trials: list[PastTrial], judgements: list[Judgement]) -> Knowledge:
    comparisons = [t.comparison for t in trials if t.outcome in _CORRECT and t.comparison is not None]
    speeds = speeds_of(comparisons)
    conclusive = [math.log(c.ratio) for c in comparisons if c.outcome is not SpeedOutcome.INCONCLUSIVE]
    refused_count = sum(j.kind in _REFUSED for j in judgements)
    return Knowledge(
        technique=key[0],
        label=key[1],
        device_class=key[2],
        tried_count=len(trials),
        built_count=sum(t.outcome in _BUILT for t in trials),
        correct_count=sum(t.outcome in _CORRECT for t in trials),
        measured_count=speeds.measured_count,
        faster_count=speeds.measured_faster_count,
        predicted_count=speeds.predicted_count,
        predicted_faster_count=speeds.predicted_faster_count,
        log_ratio_mean=statistics.fmean(conclusive) if conclusive else None,
        log_ratio_variance=statistics.variance(conclusive) if len(conclusive) > 1 else None,
        accepted_count=len(judgements) - refused_count,
        rejected_count=refused_count,
    )


def _sentence(row: Knowledge) -> str:
    speeds = Speeds(row.measured_count, row.faster_count, row.predicted_count, row.predicted_faster_count)
    parts = [f"{row.tried_count} tried, {row.built_count} built, {row.correct_count} verified, {speeds.in_words()}"]
    if row.log_ratio_mean is not None:
        parts.append(f"typical time ratio {math.exp(row.log_ratio_mean):.2f}x")
    parts.append(f"people accepted {row.accepted_count}, rejected {row.rejected_count}")
    return f"{row.technique} on {row.label}-bound kernels ({row.device_class}): {'; '.join(parts)}"
