"""Warp-level instructions of a launch by class, from machine code where there is a compiler, else from its accesses.

Pipes work on whole warps, so thread-level counts are turned into warp-level ones by how many lanes were active on the line:
a divergent line costs more than its threads say.
"""

from __future__ import annotations

from dataclasses import fields

from assistant.measure import calibration as c
from assistant.model.profile import InstructionMix, LaunchProfile
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
    lanes = _active_lanes(profile)
    totals = dict.fromkeys(CLASSES, 0.0)
    for line in profile.instructions:
        per_warp = lanes.get((line.file, line.line), float(c.WARP_LANES))
        for name in CLASSES:
            totals[name] += getattr(line.mix, name) / per_warp
    return WarpInstructions(tuple(totals.items()), is_estimated=False)


def _active_lanes(profile: LaunchProfile) -> dict[tuple[str, int], float]:
    """Mean active lanes of a warp per line; lines never executed are left out."""
    return {
        (e.file, e.line): max(1.0, e.thread_executions / e.warp_executions)
        for e in profile.executions
        if e.warp_executions and e.thread_executions
    }


def _from_accesses(profile: LaunchProfile) -> WarpInstructions:
    requests = sum(a.requests for a in profile.accesses)
    totals = dict.fromkeys(CLASSES, 0.0) | {
        "load_store": requests,
        "integer": requests * c.INTEGER_PER_ACCESS,
        "fp32": requests * c.ARITHMETIC_PER_ACCESS,
        "control": requests * c.CONTROL_PER_ACCESS,
    }
    return WarpInstructions(tuple(totals.items()), is_estimated=True)
