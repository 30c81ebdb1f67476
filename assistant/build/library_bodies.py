"""Blocks of machine code in which a library routine does what it does of common operands, as the polynomial of a logarithm.

A branch jumps over them for special operands alone, and the source has no such branch. Example::

    tuple(library_bodies(machine, seen, of_library))     # (("0:7>8", "0:7"),): who comes to 0:7 goes on to 0:8
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from assistant.build.cfg import opcode_name
from assistant.build.machine import Machine, MachineBlock
from assistant.build.matching import Match
from assistant.build.sites import access_kind

__all__ = ["library_bodies"]

_LEAST_FUSED = 3
"""Fused multiply-adds of a polynomial, or of an angle's reduction; what routines do of special operands has fewer."""


def library_bodies(machine: Machine, seen: Mapping[str, Match], of_library: Collection[str]) -> Iterator[tuple[str, str]]:
    """(edge to the body, block with the branch). ``seen``: the emulated blocks that each block may stand for; ``of_library``: blocks that
    only a branch inside a routine decides about."""
    for branch in machine.blocks:
        for edge in machine.outgoing[branch.name]:
            index = edge.rpartition(">")[2]
            target = machine.block(branch.function, int(index)) if index.isdecimal() else None
            if target is None or len(machine.incoming[target.name]) > 1 or not _is_body(machine, branch, target):
                continue
            if target.name in of_library or _is_of_one_block(machine, seen, branch, target):
                yield edge, branch.name


def _is_body(machine: Machine, branch: MachineBlock, target: MachineBlock) -> bool:
    """Whether it is arithmetic of a kind that no other way of the branch has."""
    successors = machine.functions[branch.function].graph.blocks[branch.index].successors
    others = [machine.block(branch.function, other) for other in successors if other != target.index]
    beside = [other for other in others if len(machine.incoming[other.name]) == 1]
    is_arithmetic = not any(access_kind(instruction) for instruction in target.instructions)
    return bool(others) and is_arithmetic and _fused_count(target) >= _LEAST_FUSED and not any(map(_fused_count, beside))


def _is_of_one_block(machine: Machine, seen: Mapping[str, Match], branch: MachineBlock, target: MachineBlock) -> bool:
    """Whether the emulator ran its one line in the branch's own block of a loop alone, but for what stands in front of that loop."""
    blocks = seen[target.name].blocks
    most = max((each.threads for each in blocks), default=0)
    begin = min((each.address for each in blocks if each.threads == most), default=0)
    is_of_line = len({(i.file, i.line) for i in target.instructions}) == 1 and machine.innermost_loop(target) is not None
    is_shared = any(each.address == begin for each in seen[branch.name].blocks)
    return is_of_line and is_shared and all(each.threads == most or each.address < begin for each in blocks)


def _fused_count(block: MachineBlock) -> int:
    return sum(opcode_name(i) in ("FFMA", "DFMA") for i in block.instructions)
