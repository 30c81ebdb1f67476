"""What both versions of an edited kernel came to, shown side by side: values only (``assistant.engine.evaluate.figures`` makes them)."""

from __future__ import annotations

from assistant.model.roofline import Roofline
from assistant.record import Record


class StallCount(Record):
    """How often warps of a launch were seen waiting for one thing."""

    reason: str
    """As `assistant.model.profile.LineStall.reason`."""
    samples: int


class LaunchFigures(Record):
    """One launch of a version, in total."""

    shape: str
    """Shape of the declared workload or the bound arrays (``n=1024``); empty for a program's own launches."""
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    method: str
    """How it was counted (``emulator``, ``ncu``)."""
    predicted_time_s: float
    """The performance model's time of a launch."""
    limited_by: str
    """A name that ``assistant.engine.report.limits`` puts into words (``dram``)."""
    sectors: int
    """32-byte sectors that L1 moved for global and local memory."""
    ideal_sectors: int
    wavefronts: int
    """Wavefronts of shared memory."""
    ideal_wavefronts: int
    stalls: tuple[StallCount, ...]
    """Most samples first; empty where nothing sampled warps."""
    roofline: Roofline


class BeforeAfter(Record):
    """The launch that costs the version before most, and the same launch of the version after."""

    device: str
    """Where both were counted."""
    before: LaunchFigures
    after: LaunchFigures
