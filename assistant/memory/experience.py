"""Attempts, imports and decisions as rows of experience; no source text. Pure: values in, values out.

A row is made here and nowhere else, of the JSON record that memory keeps of an attempt. Example::

    experience_of(json.loads(record), traits_of_text)     # Experience("C01…", Origin.TRIAL, …)
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant import serialize
from assistant.model.experience import (
    AGENT,
    PERSON,
    UNKNOWN,
    DeviceTraits,
    Experience,
    KernelTraits,
    Origin,
    Result,
    SideEffect,
    State,
    TechniqueUse,
    device_class,
)
from assistant.model.profile import Signature
from assistant.model.proposal import DecisionKind
from assistant.model.trial import TrialOutcome
from assistant.record import Record

__all__ = ["RIGHT", "WRONG", "Judgement", "detail_of", "experience_of", "kernel_id", "unknown_traits"]

RIGHT = frozenset({TrialOutcome.KEPT, TrialOutcome.NEEDS_DECISION, TrialOutcome.NOT_BETTER, TrialOutcome.NOT_BUNDLED})
WRONG = frozenset({TrialOutcome.BUILD_FAILED, TrialOutcome.FAILED})
LARGEST_LOG_RATIO = math.log(1000)
"""Beyond it a ratio is taken for this: what is far outside what edits gain must not outweigh all else."""
_PREDICTED_SPREAD = math.log(2.7) / 1.64
"""Standard deviation of a prediction without an interval: nine in ten were within 2.7x where a GPU re-measured them
(`measure.measured_error`)."""
_NORMAL_95 = 1.96
"""Half a 95 % interval in standard deviations."""
_QUALITY_SPREADS = {"good": 0.0, "fair": 0.1, "poor": 0.3}
"""Standard deviation of log(ratio) that the quality of a measurement adds to its interval (chosen)."""
_NO_CLAIM = frozenset({"INCONCLUSIVE"})
_PREDICTED = "PREDICTED"


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


def kernel_id(path: str, kernel: str) -> str:
    """Tells kernels apart without naming them."""
    return hashlib.sha256(f"{path}\0{kernel}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


def experience_of(data: dict[str, Any], traits: Callable[[dict[str, Any]], KernelTraits]) -> Experience:
    """The row of an attempt's record. ``traits``: asked for those of a record that does not have them."""
    same = "\0".join((data["technique"], data["parent_text"], data["text"], data["device"], data["target"]))
    return Experience(
        id=data["id"],
        origin=Origin.EDIT if data["planner"] in (PERSON, AGENT) else Origin.TRIAL,
        state=_state(data, traits),
        use=_use(data),
        result=_result(data),
        workspace=Path(data["workspace"]),
        kernel=data["kernel"],
        kernel_id=kernel_id(data["path"], data["kernel"]),
        same=hashlib.sha256(same.encode("utf-8", "surrogateescape")).hexdigest()[:16],
        created_ms=data["created_ms"],
        job=data["job"],
        finding=data["finding"],
        method="" if data["comparison"] is None else data["comparison"]["method"],
    )


def _state(data: dict[str, Any], traits: Callable[[dict[str, Any]], KernelTraits]) -> State:
    known = data.get("traits")
    device = DeviceTraits(
        name=device_class(data["lab"], data["device"], data["target"]),
        architecture=data.get("architecture", ""),
        is_measured=data["lab"] != "cpu",
    )
    found = traits(data) if known is None else serialize.decode(KernelTraits, known)
    return State(serialize.decode(Signature, data["before"]), found, device)


def _use(data: dict[str, Any]) -> TechniqueUse:
    known = data.get("use")
    return TechniqueUse(data["technique"]) if known is None else serialize.decode(TechniqueUse, known)


def _result(data: dict[str, Any]) -> Result:
    outcome = TrialOutcome(data["outcome"])
    is_right = True if outcome in RIGHT else False if outcome in WRONG else None
    log_ratio, variance, is_measured = _timed(data["comparison"]) if is_right else (None, None, False)
    after = data["after"]
    return Result(
        is_right=is_right,
        log_ratio=log_ratio,
        variance=variance,
        is_measured=is_measured,
        side_effects=tuple(serialize.decode(SideEffect, item) for item in data.get("side_effects", ())),
        next_signature=None if after is None else serialize.decode(Signature, after),
    )


def _timed(comparison: dict[str, Any] | None) -> tuple[float | None, float | None, bool]:
    """(log ratio, its variance, whether it was measured)."""
    if comparison is None or comparison["outcome"] in _NO_CLAIM or not comparison["ratio"] > 0:
        return None, None, False
    is_measured = comparison["outcome"] != _PREDICTED
    low, high = comparison["low"], comparison["high"]
    spread = _PREDICTED_SPREAD
    if low is not None and high is not None and 0 < low <= high:
        spread = (math.log(high) - math.log(low)) / (2 * _NORMAL_95)
    extra = _QUALITY_SPREADS.get(comparison["quality"], _QUALITY_SPREADS["poor"]) if is_measured else 0.0
    log_ratio = max(-LARGEST_LOG_RATIO, min(LARGEST_LOG_RATIO, math.log(comparison["ratio"])))
    return log_ratio, spread**2 + extra**2, is_measured


def detail_of(row: Experience) -> str:
    """What is read only of rows that are shown, as JSON."""
    return json.dumps(
        {
            "parameters": row.use.parameters,
            "after": row.use.after,
            "scale": row.state.traits.scale,
            "side_effects": serialize.encode(row.result.side_effects),
            "next": None if row.result.next_signature is None else serialize.encode(row.result.next_signature),
            "finding": row.finding,
            "method": row.method,
        }
    )


def unknown_traits(_: dict[str, Any]) -> KernelTraits:
    """Of a record whose text is gone."""
    return KernelTraits(UNKNOWN, UNKNOWN)
