"""What a rule returns: a cause with its facts and what the launch would look like without it.

``find`` turns facts into numbered Evidence and the fixed launch into an estimated cost; rules know neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assistant.model.build import Occupancy
from assistant.model.profile import Grade, InstructionMix, LaunchProfile, LineAccess, LineInstructions, Method, Severity
from assistant.record import Record

__all__ = ["Diagnosis", "Fact", "FixedLaunch", "fact_of", "replace_accesses", "with_mix"]


class Fact(Record):
    """A number to be cited; the same fact cited by two rules becomes one Evidence."""

    metric: str
    """A name of the catalogue."""
    value: float
    line: int | None
    method: Method
    grade: Grade = Grade.EXACT


class FixedLaunch(Record):
    """The launch with this cause's excess removed."""

    profile: LaunchProfile
    occupancy: Occupancy | None


class Diagnosis(Record):
    """One cause at one line."""

    code: str
    line: int
    message: str
    facts: tuple[Fact, ...]
    """Most important first."""
    fixed: FixedLaunch | None = None
    """None where the model cannot tell what it costs."""
    severity: Severity | None = None
    """Where it does not follow from the cost (defects)."""
    saving_ratio: float | None = None
    """Of the launch's time, where it goes with launches that are not needed and the counters of a launch show nothing of it."""


def fact_of(access: LineAccess, profile: LaunchProfile, metric: str, value: float) -> Fact:
    """A number counted on the access's line, as trustworthy as its counters."""
    return Fact(metric, value, access.line, profile.method, access.grade)


def replace_accesses(profile: LaunchProfile, fixed: dict[LineAccess, LineAccess]) -> LaunchProfile:
    """The profile with some accesses exchanged; no other counter changes."""
    return replace(profile, accesses=tuple(fixed.get(a, a) for a in profile.accesses))


def with_mix(line: LineInstructions, change: Callable[[InstructionMix], InstructionMix]) -> LineInstructions:
    """The line with other instructions, of threads and of warps alike."""
    return replace(line, mix=change(line.mix), warp_mix=None if line.warp_mix is None else change(line.warp_mix))
