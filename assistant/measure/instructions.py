"""Warp-level instructions of a launch by class, from machine code where there is a compiler, else from its accesses.

Pipes work on whole warps: a warp whose threads go different ways runs both, and an instruction costs the same for 1 lane as for 32.
"""

from __future__ import annotations

from dataclasses import fields

from assistant.measure import calibration as c
from assistant.model.profile import InstructionMix, LaunchProfile, LineInstructions
from assistant.record import Record

__all__ = ["CLASSES", "WarpInstructions", "warp_instructions"]

CLASSES: tuple[str, ...] = tuple(f.name for f in fields(InstructionMix))
"""Instruction classes in the order of ``InstructionMix``."""


class WarpInstructions(Record):
    """Warp-level instructions of the whole grid."""

    counts: tuple[tuple[str, float], ...]
    is_estimated: bool
    """No machine code: only memory accesses were counted, the rest is assumed."""

    def of(self, *classes: str) -> float:
        return sum(count for name, count in self.counts if name in classes)

    @property
    def total(self) -> float:
        return sum(count for _, count in self.counts)


def warp_instructions(profile: LaunchProfile) -> WarpInstructions:
    """Counts of the whole grid; assumed from the accesses when the profile has no instruction mix."""
    return _from_machine_code(profile) if profile.instructions else _from_accesses(profile)


def _from_machine_code(profile: LaunchProfile) -> WarpInstructions:
    totals = {name: sum(_of_warps(line, name) for line in profile.instructions) for name in CLASSES}
    return WarpInstructions(tuple(totals.items()), is_estimated=False)


def _of_warps(line: LineInstructions, name: str) -> float:
    """Full warps are assumed where threads alone were counted."""
    return getattr(line.mix, name) / c.WARP_LANES if line.warp_mix is None else float(getattr(line.warp_mix, name))


def _from_accesses(profile: LaunchProfile) -> WarpInstructions:
    requests = sum(a.requests for a in profile.accesses)
    totals = dict.fromkeys(CLASSES, 0.0) | {
        "load_store": requests,
        "integer": requests * c.INTEGER_PER_ACCESS,
        "fp32": requests * c.ARITHMETIC_PER_ACCESS,
        "control": requests * c.CONTROL_PER_ACCESS,
    }
    return WarpInstructions(tuple(totals.items()), is_estimated=True)
