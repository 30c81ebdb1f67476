"""What was learnt, as a table: by state and technique, on how many kernels it was tried, how often it was right, what it gained.

A derived view: counted afresh from experience and decisions, so that what is forgotten no longer counts. Example::

    print(as_text(derive(rows, judgements)))
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import asdict

from assistant.memory.experience import Judgement
from assistant.memory.experience_rows import Known
from assistant.memory.medians import median_interval
from assistant.memory.recall_words import family_words, label_words
from assistant.model.comparison import format_interval, format_ratio
from assistant.model.experience import UNKNOWN, Origin
from assistant.model.knowledge import Knowledge
from assistant.model.proposal import DecisionKind

__all__ = ["as_json", "as_text", "derive", "promise"]

_REFUSED = frozenset({DecisionKind.REJECTED, DecisionKind.UNDONE})
_UNKNOWN_DEVICE = "unknown"
_Key = tuple[str, str, str, str, str]


def derive(rows: Iterable[Known], judgements: Iterable[Judgement]) -> tuple[Knowledge, ...]:
    """Sorted by state, device and technique."""
    tried: dict[_Key, list[Known]] = {}
    for row in rows:
        tried.setdefault((row.label, row.family, row.element, row.device, row.technique), []).append(row)
    judged: dict[_Key, list[Judgement]] = {}
    for judgement in judgements:
        for technique in judgement.techniques:
            judged.setdefault(_key_of(judgement, technique, tried), []).append(judgement)
    return tuple(_row(key, tried.get(key, []), judged.get(key, [])) for key in sorted({*tried, *judged}))


def as_json(rows: Iterable[Knowledge]) -> str:
    """A JSON list, one object per row, with the field names of `Knowledge`."""
    return json.dumps([asdict(row) for row in rows], indent=2)


def as_text(rows: Iterable[Knowledge]) -> str:
    """Plain text: the states, below each its techniques, the most promising first."""
    lines: list[str] = []
    found = tuple(rows)
    width = max((len(row.technique) for row in found), default=0)
    for state in dict.fromkeys((row.state, row.device_class) for row in found):
        lines.append(f"{state[0]} ({state[1]})")
        rows_of = [row for row in found if (row.state, row.device_class) == state]
        lines += [f"  {row.technique:{width}}  {_cells(row)}" for row in sorted(rows_of, key=promise)]
    return "".join(f"{line}\n" for line in lines)


def promise(row: Knowledge) -> tuple[float, str]:
    """Sorts the techniques of a state: the most promising first."""
    share = row.right_count / row.tried_count if row.tried_count else 0.0
    return -share * math.log(row.median_ratio or 1.0), row.technique


def _key_of(judgement: Judgement, technique: str, tried: dict[_Key, list[Known]]) -> _Key:
    """The row of the kernel that was decided on, where its trials are known."""
    device = judgement.device_class or _UNKNOWN_DEVICE
    for key, rows in tried.items():
        if key[4] == technique and key[3] == device and any(row.kernel == judgement.kernel for row in rows):
            return key
    return judgement.signature.label, UNKNOWN, UNKNOWN, device, technique


def _row(key: _Key, rows: list[Known], judgements: list[Judgement]) -> Knowledge:
    trials = {(row.kernel_id, row.same): row for row in reversed(rows)}.values()
    judged = [row for row in trials if row.is_right is not None]
    measured, predicted = _by_kernel(trials, is_measured=True), _by_kernel(trials, is_measured=False)
    values = measured or predicted
    interval = median_interval(values) if len(values) > 1 else None
    refused_count = sum(j.kind in _REFUSED for j in judgements)
    return Knowledge(
        technique=key[4],
        state=_state(key),
        label=key[0],
        family=key[1],
        element=key[2],
        device_class=key[3],
        kernel_count=len({row.kernel_id for row in judged}),
        tried_count=len(judged),
        right_count=sum(row.is_right or 0 for row in judged),
        measured_count=len(measured),
        predicted_count=len(predicted),
        median_ratio=math.exp(statistics.median(values)) if values else None,
        low_ratio=None if interval is None else math.exp(interval[0]),
        high_ratio=None if interval is None else math.exp(interval[1]),
        accepted_count=len(judgements) - refused_count,
        rejected_count=refused_count,
        imported_count=sum(row.origin == Origin.IMPORT for row in judged),
    )


def _state(key: _Key) -> str:
    """``memory-bound row reductions of float``."""
    label, family, element, *_ = key
    return f"{label_words(label)} {family_words(family)}{'' if element == UNKNOWN else f' of {element}'}"


def _by_kernel(rows: Iterable[Known], is_measured: bool) -> list[float]:
    """Mean log(ratio) of each kernel."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.log_ratio is not None and bool(row.is_measured) == is_measured:
            found.setdefault(row.kernel_id, []).append(row.log_ratio)
    return [statistics.fmean(values) for values in found.values()]


def _cells(row: Knowledge) -> str:
    kernels = "1 kernel" if row.kernel_count == 1 else f"{row.kernel_count} kernels"
    parts = [f"{kernels}, right {row.right_count} of {row.tried_count}"] if row.tried_count else ["no trial is known"]
    if row.median_ratio is not None:
        interval = format_interval(row.low_ratio, row.high_ratio)
        how = f"measured on {row.measured_count}" if row.measured_count else f"predicted on {row.predicted_count}"
        parts.append(f"median {format_ratio(row.median_ratio)}x{interval}, {how}")
    if row.accepted_count or row.rejected_count:
        parts.append(f"people accepted {row.accepted_count}, rejected {row.rejected_count}")
    if row.imported_count:
        parts.append(f"{row.imported_count} imported")
    return "; ".join(parts)
