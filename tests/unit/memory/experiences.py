"""Rows of experience, decisions and queries for tests of recall, varied by keyword."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.memory.experience import Judgement
from assistant.memory.experience_rows import Known, known_of
from assistant.model.experience import (
    Choice,
    DeviceTraits,
    Experience,
    KernelTraits,
    Origin,
    RecallQuery,
    Result,
    State,
    TechniqueUse,
)
from assistant.model.profile import Signature
from assistant.model.proposal import DecisionKind
from assistant.profile import DIMENSIONS

__all__ = [
    "ELSEWHERE",
    "H200",
    "HERE",
    "KERNEL",
    "NOW",
    "PREDICTED",
    "STATE",
    "TECHNIQUE",
    "judgement",
    "ms",
    "query",
    "row",
    "signature",
    "state",
]

HERE = Path("/home/ada/project")
ELSEWHERE = Path("/home/ada/other")
KERNEL = "softmax(float *)"
TECHNIQUE = "warp-per-row"
H200 = DeviceTraits("NVIDIA H200", "sm_90", is_measured=True)
PREDICTED = DeviceTraits("cpu, predicted for h200", "sm_90", is_measured=False)


def ms(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


NOW = ms("2026-11-20")


def signature(label: str = "dram", **values: float) -> Signature:
    """Every dimension, 0.5 where it is not given."""
    return Signature(label, tuple((name, values.get(name, 0.5)) for name in DIMENSIONS))


def state(**changes: Any) -> State:
    values = {"signature": signature(), "traits": KernelTraits("row reduction", "float"), "device": H200} | changes
    return State(**values)


STATE = state()


def query(**changes: Any) -> RecallQuery:
    values: dict[str, Any] = {
        "workspace": HERE,
        "kernel": KERNEL,
        "state": STATE,
        "techniques": (TECHNIQUE, "vectorized-access"),
        "now_ms": NOW,
        "choice": Choice("greedy"),
    }
    return RecallQuery(**(values | changes))


def row(ratio: float | None = 2.0, number: int = 1, **changes: Any) -> Known:
    """A trial on kernel ``number`` of this workspace; ``ratio`` None: it was wrong."""
    is_measured = changes.get("state", STATE).device.is_measured
    result = Result(
        is_right=ratio is not None,
        log_ratio=None if ratio is None else math.log(ratio),
        variance=None if ratio is None else 0.0004 if is_measured else 0.36,
        is_measured=ratio is not None and is_measured,
    )
    values: dict[str, Any] = {
        "id": f"C{number}",
        "origin": Origin.TRIAL,
        "state": STATE,
        "use": TechniqueUse(TECHNIQUE),
        "result": result,
        "workspace": HERE,
        "kernel": f"kernel{number}(float *)",
        "kernel_id": f"k{number}",
        "same": f"s{number}",
        "created_ms": ms("2026-11-10"),
        "method": "events",
    }
    return known_of(Experience(**(values | changes)))


def judgement(kind: DecisionKind, **changes: Any) -> Judgement:
    values: dict[str, Any] = {
        "techniques": (TECHNIQUE,),
        "workspace": HERE,
        "kernel": KERNEL,
        "signature": STATE.signature,
        "kind": kind,
        "reason_code": None,
        "reason": None,
        "device_class": "NVIDIA H200",
        "decided_ms": ms("2026-11-02"),
    }
    return Judgement(**(values | changes))
