"""Rows of PyTorch tasks by hand."""

from __future__ import annotations

from typing import Any

from assistant.bench.operators.row import OperatorOutcome, OperatorRow, OperatorSettings
from assistant.model.code_events import OperatorRatio, OperatorTime, OperatorTimed
from assistant.model.comparison import SpeedOutcome
from assistant.model.event_parts import Device, SpeedReport

GPU = OperatorSettings(suite="kernelbench", folder="/suite", has_gpu=True)
CPU = OperatorSettings(suite="kernelbench", folder="/suite")


def speed(ratio: float) -> SpeedReport:
    return SpeedReport(SpeedOutcome.FASTER, ratio, ratio * 0.99, ratio * 1.01, 0.01, "good", (), "turns", None, None)


def timed(**ratios: float) -> OperatorTimed:
    """Speed-ups by call over each baseline; on the device twice as much."""
    return OperatorTimed(
        job="J1", name="Model", device=Device("NVIDIA H200", "gpu", "h200"), sizes={}, times=(OperatorTime("candidate", 1e-5, 1e-5),),
        ratios=tuple(OperatorRatio(name, speed(ratio), speed(2 * ratio)) for name, ratio in ratios.items()), graphed=(),
        bound_s=None, left_out=(), method="turns in random order",
    )  # fmt: skip


def row(title: str, outcome: OperatorOutcome = OperatorOutcome.PASS, level: int | None = 1, **changes: Any) -> OperatorRow:
    given: dict[str, Any] = {
        "number": 1,
        "sources_sha256": "0" * 64,
        "reason": "" if outcome is OperatorOutcome.PASS else "why",
        "wall_s": 3.0,
    }
    return OperatorRow(title=title, outcome=outcome, level=level, **(given | changes))
