"""Rows of a run, made of what a test is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assistant.bench.bound import Bound
from assistant.bench.row import Cost, Row, RowOutcome, Times
from assistant.model.comparison import SpeedOutcome

MakeRow = Callable[..., Row]


@pytest.fixture
def row() -> MakeRow:
    def make(name: str = "scale", ratio: float | None = None, speed: SpeedOutcome = SpeedOutcome.FASTER, **more: Any) -> Row:
        """A program of 8 µs whose bound is 1 µs; with a ratio, one whose edit was judged."""
        judged = {"ratio": ratio, "speed": speed, "verification": "PASS", "chain": ("tiling",)} if ratio is not None else {}
        outcome = RowOutcome.FASTER if ratio is not None else RowOutcome.NOTHING
        given: dict[str, Any] = {
            "arguments": ("96",),
            "sources_sha256": "5a",
            "outcome": outcome,
            "reason": "it is at its bound",
            "cost": Cost(2.0),
            "device": "NVIDIA H200",
            "target": "h200",
            "times": Times(8e-6, 8e-6 / (ratio or 1.0), is_predicted=False, method="timed"),
            "bound": Bound(1e-6, "DRAM", is_in_steps=False, alone_s=1e-6),
            **judged,
            **more,
        }
        return Row(name, **given)

    return make
