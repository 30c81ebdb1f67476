"""Which basic block of the emulated program a block of machine code does the work of, by the lines that both hold.

Example::

    match_of(block, emulated).blocks   # one: the emulated block with most of the machine block's lines
"""

from __future__ import annotations

import re
from functools import cached_property

from assistant.build.cfg import opcode_name
from assistant.build.machine import MachineBlock
from assistant.model.build import SassInstruction
from assistant.model.profile import BlockExecution
from assistant.record import Record

__all__ = ["NO_MATCH", "WORK", "EmulatedBlocks", "Match", "has_work", "is_placed_freely", "is_work", "match_of", "signature"]

Place = tuple[str, int]

_MOVES_FREELY = 0.25
"""Weight of what a compiler places where it likes: addresses, constants, moves."""
_ALIKE = 0.999
_FREE = frozenset(
    (
        *(
            "IADD3",
            "IMAD",
            "LEA",
            "MOV",
            "IABS",
            "ISETP",
            "LOP3",
            "SHF",
            "PRMT",
            "SEL",
            "S2R",
            "S2UR",
            "CS2R",
            "LDC",
            "ULDC",
            "LDCU",
            "UMOV",
        ),
        *("UIADD3", "UIMAD", "ULEA", "USHF", "ULOP3", "UISETP", "R2UR", "VIADD", "VIADDMNMX", "VIMNMX", "PLOP3", "P2R", "R2P", "UPLOP3"),
        *("USEL", "NOP", "HFMA2", "IADD", "IMNMX"),
    )
)
_ENDS = frozenset({"BRA", "EXIT", "BSSY", "BSYNC", "RET", "BRX", "CALL", "WARPSYNC", "BREAK", "NOP"})


WORK = frozenset(
    (
        *("FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA", "MUFU", "F2I", "I2F", "F2F", "HFMA2", "HADD2", "HMUL2"),
        *("FMNMX", "DMNMX", "POPC", "BREV", "SHFL", "BAR"),
    )
)
"""Computes what the source says, so that it is not moved between lines."""
_OF_DIVISION = re.compile(r"I2F\.(?:\w+\.)*RP|F2I\.(?:\w+\.)*NTZ|MUFU\.RCP$")
"""Of a division of integers: its reciprocal is computed where the divisor is known, before a loop for instance."""


class EmulatedBlocks(Record):
    """What the emulator saw of a launch, by line."""

    blocks: tuple[BlockExecution, ...]

    @cached_property
    def by_place(self) -> dict[Place, tuple[BlockExecution, ...]]:
        found: dict[Place, list[BlockExecution]] = {}
        for block in self.blocks:
            for place in block.places:
                found.setdefault(place, []).append(block)
        return {place: tuple(blocks) for place, blocks in found.items()}


class Match(Record):
    """Emulated blocks that hold as much of a machine block's lines as any; without those that hold others too, if any that ran does not."""

    blocks: tuple[BlockExecution, ...]
    share: float
    """Of the machine block's instructions, by weight: those on lines of the emulated block."""

    @property
    def counts(self) -> frozenset[tuple[int, int]]:
        return frozenset((block.threads, block.warps) for block in self.blocks)


NO_MATCH = Match((), 0.0)


def match_of(block: MachineBlock, emulated: EmulatedBlocks) -> Match:
    """No blocks where the lines are in none."""
    weights: dict[Place, float] = {}
    for instruction in block.instructions:
        place = (instruction.file, instruction.line)
        if place in emulated.by_place:
            weights[place] = weights.get(place, 0.0) + _weight(instruction)
    total = sum(weights.values())
    if not total:
        return NO_MATCH
    candidates = {candidate.address: candidate for place in weights for candidate in emulated.by_place[place]}
    held = {a: sum(weight for place, weight in weights.items() if place in c.places) for a, c in candidates.items()}
    best = max(held.values())
    found = [candidates[address] for address in sorted(held) if held[address] >= best * _ALIKE]
    found.sort(key=lambda candidate: len(set(candidate.places) - weights.keys()))
    alone = [candidate for candidate in found if candidate.threads and weights.keys() >= set(candidate.places)]
    return Match(tuple(alone or found), best / total)


def is_placed_freely(instruction: SassInstruction) -> bool:
    """Addresses, constants, moves, control and reciprocals, which say little about whose work a block does."""
    return opcode_name(instruction) in _FREE | _ENDS or _OF_DIVISION.match(instruction.opcode) is not None


def _weight(instruction: SassInstruction) -> float:
    return _MOVES_FREELY if opcode_name(instruction) in _FREE or _OF_DIVISION.match(instruction.opcode) else 1.0


def is_work(instruction: SassInstruction) -> bool:
    """Whether it computes what the source says, on its line."""
    return opcode_name(instruction) in WORK and not _OF_DIVISION.match(instruction.opcode)


def _shows_work(instruction: SassInstruction) -> bool:
    return not is_placed_freely(instruction) or opcode_name(instruction) == "CALL"


def has_work(block: MachineBlock) -> bool:
    """Whether it holds anything that a compiler does not place freely."""
    return any(map(_shows_work, block.instructions))


def signature(block: MachineBlock) -> tuple[tuple[str, str, int], ...]:
    """The same for copies of a source block: kinds and lines of what a compiler does not place freely."""
    kept = ((opcode_name(i), i.file, i.line) for i in block.instructions if _shows_work(i))
    return tuple(sorted(kept)) or tuple(sorted({("", i.file, i.line) for i in block.instructions}))
