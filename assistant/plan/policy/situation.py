"""What a policy sees of a version and of the steps that rules wrote for it: plain values, which a training run keeps as JSON. Pure.

Example::

    situation = Situation(state, target, (("KO101", 0.6),), (), 32, 0)
    offers = (Offer("warp-per-row", "KO101", 12, 0.6, True, 1, 240, ()),)
"""

from __future__ import annotations

from typing import Protocol

from assistant.model.experience import State
from assistant.record import Record

__all__ = ["OFF", "SHIPPED", "Hardware", "Offer", "Preferences", "Situation", "StepPolicy", "Tried"]


OFF, SHIPPED = "off", "shipped"
"""Of the setting ``recall.policy``; anything else is the path of a policy's file."""


class Hardware(Record):
    """The GPU that is optimized for, in its peaks."""

    name: str
    sm_count: int
    clock_hz: float
    dram_bytes_per_s: float
    l2_bytes: int
    fp32_lanes_per_sm: int
    fp64_lanes_per_sm: int


class Tried(Record):
    """A candidate of an earlier version in the same search."""

    technique: str
    is_kept: bool
    ratio: float | None
    """None where its speed was not compared."""


class Situation(Record):
    """A version of a kernel."""

    state: State
    hardware: Hardware
    findings: tuple[tuple[str, float], ...]
    """(code, promised share of the time; 0 where none is modelled)."""
    tried: tuple[Tried, ...]
    """In this search, on the versions before."""
    registers_per_thread: int
    """0: not known."""
    static_shared_bytes: int


class Offer(Record):
    """A step that rules wrote."""

    technique: str
    finding: str
    line: int
    promise: float
    """Share of the kernel's time that its findings promise."""
    is_modelled: bool
    """Whether they promise any."""
    variant_count: int
    added_length: int
    """Characters of code that its first variant adds."""
    labels: tuple[str, ...]
    """Of its first variant."""


class Preferences(Record):
    """What a policy thinks of the offers."""

    scores: tuple[float, ...]
    """One for each, higher is better; chances are the softmax of these and of ``stop``."""
    stop: float
    """Of trying none of them."""


class StepPolicy(Protocol):
    """Orders steps."""

    def preferences(self, situation: Situation, offers: tuple[Offer, ...]) -> Preferences | None:
        """None: it has no opinion."""
        ...
