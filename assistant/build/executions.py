"""How often the threads and warps of a launch ran each basic block of machine code, from what the emulator saw of the same launch.

What runs into a block runs out of it: these equations hold whatever the code does, and leave one unknown for each branch. The emulator's
account settles them, the surest first (`evidence`); what contradicts the surer is dropped (`equations`), so that an access which nvcc moved
or merged misleads nothing. Used for instruction mixes, which are estimates; `grading` proves what it needs by itself. Pure; example::

    executions(code, profile, loops)[0x1a0]   # Ran(threads=4096.0, warps=128.0)
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.build.equations import Equations
from assistant.build.evidence import Evidence
from assistant.build.machine import Machine, machine_of
from assistant.build.warp_counts import WarpCounts
from assistant.model.build import KernelCode
from assistant.model.profile import LaunchProfile
from assistant.model.source import SourceLoop
from assistant.record import Record

__all__ = ["Ran", "executions"]


class Ran(Record):
    """How often a basic block ran."""

    threads: float
    warps: float


def executions(code: KernelCode, profile: LaunchProfile, loops: tuple[SourceLoop, ...]) -> dict[int, Ran]:
    """Offset of each instruction → how often its basic block ran."""
    machine = machine_of(code, loops, profile.executions)
    system = Equations(float(profile.config.thread_count))
    _accept_flow(machine, system, profile.config.thread_count)
    evidence = Evidence(machine, profile, system)
    evidence.settle()
    threads = {block.name: max(0.0, system.value({block.name: 1.0}) or 0.0) for block in machine.blocks}
    warps = WarpCounts(machine, profile, threads, evidence)
    found = {i.offset_bytes: Ran(threads[block.name], warps.of(block)) for block in machine.blocks for i in block.instructions}
    first = {block.instructions[0].offset_bytes: Ran(threads[block.name], warps.arrivals(block)) for block in machine.blocks}
    return found | first


def _accept_flow(machine: Machine, system: Equations, thread_count: int) -> None:
    """Every thread enters the kernel; a function is entered by its calls; what enters a block leaves it."""
    for block in machine.blocks:
        incoming = dict.fromkeys(machine.incoming[block.name], 1.0)
        outgoing = dict.fromkeys(machine.outgoing[block.name], 1.0)
        if block.is_entry:
            entered = machine.calls_of(block)
            if entered is None:
                system.accept(_minus({block.name: 1.0}, incoming), float(thread_count))
            else:
                system.accept(_minus({block.name: 1.0}, {**incoming, **{name: float(count) for name, count in entered.items()}}), 0.0)
        elif incoming:
            system.accept(_minus({block.name: 1.0}, incoming), 0.0)
        else:
            system.accept({block.name: 1.0}, 0.0)
        if outgoing:
            system.accept(_minus({block.name: 1.0}, outgoing), 0.0)


def _minus(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    found = dict(left)
    for name, count in right.items():
        found[name] = found.get(name, 0.0) - count
    return {name: count for name, count in found.items() if count}
