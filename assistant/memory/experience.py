"""What memory holds about techniques, as values: trials of candidates, judgements by people; no source text.

Example::

    trials = read_trials(database, ("shared-memory-padding",))
    judgements = read_judgements(database)
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assistant import serialize
from assistant.memory.database import Database, Row
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Signature
from assistant.model.proposal import DecisionKind
from assistant.model.trial import TrialOutcome
from assistant.record import Record

__all__ = ["Judgement", "PastTrial", "Speeds", "device_class", "read_judgements", "read_trials", "speeds_of"]

_TRIALS_PER_TECHNIQUE = 200
"""Newest trials looked at; older ones weigh little (`recall.HALF_LIFE_DAYS`)."""
_JUDGEMENTS = 500
"""Newest decided proposals looked at."""


class PastTrial(Record):
    """One candidate that was tried."""

    technique: str
    workspace: Path
    kernel: str
    signature: Signature
    """Signature of the kernel before the edit."""
    outcome: TrialOutcome
    reason: str
    comparison: Comparison | None
    """None when it did not get that far."""
    device_class: str
    created_ms: int
    job: str = ""


class Judgement(Record):
    """The last word of a person on one proposal."""

    techniques: tuple[str, ...]
    workspace: Path
    kernel: str
    signature: Signature
    kind: DecisionKind
    reason_code: str | None
    reason: str | None
    device_class: str | None
    """None when no attempt of the proposal's job is known."""
    decided_ms: int


class Speeds(Record):
    """How often verified edits were faster; what was measured apart from what was only predicted."""

    measured_count: int
    measured_faster_count: int
    predicted_count: int
    predicted_faster_count: int

    def in_words(self) -> str:
        """``2 of 3 measured faster``, ``3 of 3 predicted faster, none measured``; nothing timed is never called not faster."""
        parts: list[str] = []
        if self.measured_count:
            parts.append(f"{self.measured_faster_count} of {self.measured_count} measured faster")
        if self.predicted_count:
            parts.append(f"{self.predicted_faster_count} of {self.predicted_count} predicted faster")
        return ", ".join(parts if self.measured_count else [*parts, "none measured"])


def speeds_of(comparisons: Iterable[Comparison]) -> Speeds:
    """Counts; a prediction that reads 1.00x is no gain."""
    known = tuple(comparisons)
    predicted = [c for c in known if c.outcome is SpeedOutcome.PREDICTED]
    return Speeds(
        measured_count=len(known) - len(predicted),
        measured_faster_count=sum(c.outcome is SpeedOutcome.FASTER for c in known),
        predicted_count=len(predicted),
        predicted_faster_count=sum(round(c.ratio, 2) > 1 for c in predicted),
    )


def device_class(lab: str, device: str, target: str) -> str:
    """What a ratio stands for: a GPU by name, or the model of a target (``cpu, predicted for h200``)."""
    return f"{lab}, predicted for {target}" if lab == "cpu" else device


def read_trials(database: Database, techniques: tuple[str, ...] | None = None) -> tuple[PastTrial, ...]:
    """Newest first; the same edit of the same text tried again on the same device counts once, as it is no new experience."""
    wanted = None if techniques is None else json.dumps(techniques)
    found = database.rows(
        "select record from (select record, created_ms, row_number() over"
        " (partition by technique, parent_blob, text_blob, json_extract(record, '$.device'), json_extract(record, '$.target')"
        " order by created_ms desc, rowid desc) as repetition,"
        " technique from attempts where record is not null"
        " and (?1 is null or technique in (select value from json_each(?1))))"
        " where repetition = 1 order by created_ms desc",
        (wanted,),
    )
    counts: dict[str, int] = {}
    trials: list[PastTrial] = []
    for (record,) in found:
        data = json.loads(record)
        counts[data["technique"]] = counts.get(data["technique"], 0) + 1
        if counts[data["technique"]] <= _TRIALS_PER_TECHNIQUE:
            trials.append(_trial(data))
    return tuple(trials)


def read_judgements(database: Database) -> tuple[Judgement, ...]:
    """Newest first; of several decisions on one proposal the last counts."""
    found = database.rows(
        "select p.record, d.record, (select json_array(json_extract(a.record, '$.lab'), json_extract(a.record, '$.device'),"
        " json_extract(a.record, '$.target')) from attempts a where a.job = p.job limit 1)"
        " from decisions d join proposals p on p.id = d.proposal"
        " where d.record is not null and p.record is not null"
        " and d.id = (select max(id) from decisions where proposal = p.id) order by d.id desc limit ?",
        (_JUDGEMENTS,),
    )
    return tuple(_judgement(row) for row in found)


def _trial(data: dict[str, Any]) -> PastTrial:
    return PastTrial(
        technique=data["technique"],
        workspace=Path(data["workspace"]),
        kernel=data["kernel"],
        signature=serialize.decode(Signature, data["before"]),
        outcome=TrialOutcome(data["outcome"]),
        reason=data["reason"],
        comparison=_comparison(data["comparison"]),
        device_class=device_class(data["lab"], data["device"], data["target"]),
        created_ms=data["created_ms"],
        job=data["job"],
    )


def _comparison(data: dict[str, Any] | None) -> Comparison | None:
    """Without its cases: the overall ratio is what is learnt from."""
    return None if data is None else serialize.decode(Comparison, data | {"cases": []})


def _judgement(row: Row) -> Judgement:
    proposal, decision = json.loads(row[0]), json.loads(row[1])
    return Judgement(
        techniques=tuple(proposal["techniques"]),
        workspace=Path(proposal["workspace"]),
        kernel=proposal["kernel"],
        signature=serialize.decode(Signature, proposal["signature"]),
        kind=DecisionKind(decision["kind"]),
        reason_code=decision["reason_code"],
        reason=decision["reason"],
        device_class=None if row[2] is None else device_class(*json.loads(row[2])),
        decided_ms=decision["decided_ms"],
    )
