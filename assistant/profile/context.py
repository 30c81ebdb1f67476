"""What a rule sees: one kernel's counted launches with build, source facts and a way to ask the performance model.

The model is passed in as a function, so that this package does not know it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field

from assistant.model.build import KernelResources, Occupancy
from assistant.model.comparison import PredictedTime
from assistant.model.device import Target
from assistant.model.profile import LaunchProfile, LineAccess
from assistant.profile.facts import SourceFacts
from assistant.record import Record

__all__ = ["CountedLaunch", "FindContext", "Predict", "warps_of"]

Predict = Callable[[LaunchProfile, KernelResources | None, Occupancy | None, Target], PredictedTime]
"""``assistant.measure.predict``."""

_WARP_LANES = 32


class CountedLaunch(Record):
    """One launch's counters, its occupancy and how often it happens."""

    profile: LaunchProfile
    occupancy: Occupancy | None = None
    weight: float = 1.0


class FindContext(Record):
    """All that is known about one kernel when findings are sought."""

    kernel: str
    launches: tuple[CountedLaunch, ...]
    """At least one."""
    target: Target
    predict: Predict
    resources: KernelResources | None = None
    facts: SourceFacts = field(default_factory=SourceFacts)
    first_evidence_number: int = 1
    """Evidence ids are unique inside a job: a second kernel goes on counting."""

    @property
    def costliest(self) -> CountedLaunch:
        """The launch that takes most predicted time over all its calls; performance rules look at this one."""
        return max(self.launches, key=lambda launch: launch.weight * self.time_s(launch))

    def time_s(self, launch: CountedLaunch) -> float:
        return self.predict(launch.profile, self.resources, launch.occupancy, self.target).time_s


def warps_of(profile: LaunchProfile) -> int:
    """Warps of the grid, which all counters stand for."""
    return profile.config.grid.count * math.ceil(profile.config.block.count / _WARP_LANES)


def accesses(profile: LaunchProfile, *ops: str) -> tuple[LineAccess, ...]:
    """Accesses of exactly these kinds that happened at all."""
    return tuple(a for a in profile.accesses if a.op in ops and a.requests > 0)
