"""Where a launch stands between its target's limits: values only (``assistant.profile.roofline`` makes them)."""

from __future__ import annotations

from assistant.record import Record


class Ceiling(Record):
    """A limit: sloped (bytes per second) or flat (operations per second)."""

    name: str
    """``DRAM``, ``L2``, ``L1``, ``fp32``, ``fp64``, ``half``."""
    bytes_per_s: float | None
    """None for a flat one."""
    operations_per_s: float | None
    """None for a sloped one."""

    def at(self, intensity: float) -> float:
        """Operations per second that this ceiling allows at an intensity in operations per byte."""
        return self.bytes_per_s * intensity if self.bytes_per_s is not None else self.operations_per_s or 0.0


class Point(Record):
    """The launch against one level of memory."""

    level: str
    """``DRAM``, ``L2`` or ``L1``."""
    intensity: float
    """Operations per byte."""
    operations_per_s: float
    """At the predicted time."""
    bound_operations_per_s: float
    """The lower of this level's slope and the widest used pipe's peak."""


class Roofline(Record):
    """One launch."""

    points: tuple[Point, ...]
    """Empty when there is no operation count."""
    ceilings: tuple[Ceiling, ...]
    target: str
    time_is_predicted: bool = True
