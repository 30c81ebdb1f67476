"""Counters of machine instructions, summed by source line into the parts of a launch's profile. Pure.

What reads a GPU's counters (an ``.ncu-rep`` file, CUPTI) has them per instruction; here they become what the emulator counts too. Example::

    line_accesses(instructions)[0].op   # "global load"
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from assistant.model.profile import (
    Grade,
    InstructionMix,
    LineAccess,
    LineExecution,
    LineInstructions,
    LineStall,
)
from assistant.record import Record

__all__ = [
    "InstructionCounters",
    "access_bytes",
    "access_kind",
    "applicable",
    "line_accesses",
    "line_executions",
    "line_mixes",
    "line_stalls",
]

_OPS: tuple[tuple[str, str], ...] = (
    ("global load", "LDG LD LDGSTS"),
    ("global store", "STG ST"),
    ("global atomic", "ATOMG ATOM RED REDG"),
    ("shared load", "LDS LDSM"),
    ("shared store", "STS STSM"),
    ("shared atomic", "ATOMS"),
    ("local load", "LDL"),
    ("local store", "STL"),
)
"""CUDA Binary Utilities 13.0, "Instruction Set Reference"; generic accesses count as global, asynchronous copies as loads."""
_OP_OF = {opcode: op for op, opcodes in _OPS for opcode in opcodes.split()}
_WIDTH = re.compile(r"\.(?:(64|128|256)|[US]?(8|16))(?:\.|$)")
_WORD_BYTES = 4
_SPACE_COUNTERS = {
    "sectors": "global",
    "ideal_sectors": "global",
    "tags": "global",
    "wavefronts": "shared",
    "ideal_wavefronts": "shared",
}
"""Counters that apply to accesses of a space only."""
_Place = tuple[str, int]


class InstructionCounters(Record):
    """One machine instruction of a kernel, with its counters over the whole launch."""

    offset_bytes: int
    """From the kernel's first instruction."""
    opcode: str
    """Full, with modifiers (``LDG.E.128``)."""
    kind: str
    """Field of `InstructionMix`."""
    file: str
    line: int
    """0 where the compiler kept no line."""
    executions: int
    """Warp-level, with at least one lane that is not switched off by a branch."""
    thread_executions: int
    """Lanes whose predicate was true."""
    sectors: int | None = None
    ideal_sectors: int | None = None
    tags: int | None = None
    wavefronts: int | None = None
    ideal_wavefronts: int | None = None
    divergent_branches: int = 0
    stalls: tuple[tuple[str, int], ...] = ()
    """(reason, warp samples)."""

    @property
    def place(self) -> _Place:
        return (self.file, self.line)


def access_kind(opcode: str) -> str | None:
    """``global load`` …; None for an instruction that touches no counted memory."""
    return _OP_OF.get(opcode.partition(".")[0])


def access_bytes(opcode: str) -> int:
    """Bytes per thread that a memory instruction moves."""
    match = _WIDTH.search(opcode)
    return int(match[1] or match[2]) // 8 if match else _WORD_BYTES


def applicable(opcode: str, values: Mapping[str, int]) -> dict[str, int]:
    """Those of an instruction's counters (by field of `InstructionCounters`) that apply to it; it never ran where nothing was counted."""
    space = (access_kind(opcode) or " ").split()[0:1]
    kept = {field: value for field, value in values.items() if field not in _SPACE_COUNTERS or [_SPACE_COUNTERS[field]] == space}
    return {"executions": 0, "thread_executions": 0} | kept


def line_accesses(instructions: Iterable[InstructionCounters]) -> tuple[LineAccess, ...]:
    """Memory counters by line and kind of access, in source order; instructions that never ran are left out."""
    groups: dict[tuple[str, int, str], list[InstructionCounters]] = {}
    for instruction in instructions:
        op = access_kind(instruction.opcode)
        if op is not None and instruction.executions:
            groups.setdefault((*instruction.place, op), []).append(instruction)
    return tuple(_access(key, members) for key, members in sorted(groups.items()))


def line_executions(instructions: Iterable[InstructionCounters]) -> tuple[LineExecution, ...]:
    """How often each line's busiest instruction ran."""
    groups: dict[_Place, list[InstructionCounters]] = {}
    for instruction in instructions:
        if instruction.executions:
            groups.setdefault(instruction.place, []).append(instruction)
    return tuple(
        LineExecution(
            file,
            line,
            max(item.executions for item in members),
            max(item.thread_executions for item in members),
            sum(item.divergent_branches for item in members),
            sum(item.executions for item in members if item.divergent_branches),
        )
        for (file, line), members in sorted(groups.items())
    )


def line_mixes(instructions: Iterable[InstructionCounters]) -> tuple[LineInstructions, ...]:
    """Instructions of each line by class, of threads and of warps."""
    threads: dict[_Place, Counter[str]] = {}
    warps: dict[_Place, Counter[str]] = {}
    for instruction in instructions:
        if instruction.executions:
            threads.setdefault(instruction.place, Counter())[instruction.kind] += instruction.thread_executions
            warps.setdefault(instruction.place, Counter())[instruction.kind] += instruction.executions
    return tuple(LineInstructions(*place, InstructionMix(**threads[place]), InstructionMix(**warps[place])) for place in sorted(warps))


def line_stalls(instructions: Iterable[InstructionCounters]) -> tuple[LineStall, ...]:
    """Warp samples of each line by reason, most first within a line."""
    samples: dict[_Place, Counter[str]] = {}
    for instruction in instructions:
        for reason, count in instruction.stalls:
            if count:
                samples.setdefault(instruction.place, Counter())[reason] += count
    return tuple(LineStall(*place, reason, count) for place, reasons in sorted(samples.items()) for reason, count in reasons.most_common())


def _access(key: tuple[str, int, str], members: list[InstructionCounters]) -> LineAccess:
    file, line, op = key
    return LineAccess(
        file=file,
        line=line,
        op=op,
        size_bytes=max(access_bytes(item.opcode) for item in members),
        requests=sum(item.executions for item in members),
        active_threads=sum(item.thread_executions for item in members),
        sectors=_sum(item.sectors for item in members),
        ideal_sectors=_sum(item.ideal_sectors for item in members),
        wavefronts=_sum(item.wavefronts for item in members),
        ideal_wavefronts=_sum(item.ideal_wavefronts for item in members),
        grade=Grade.EXACT,
        tags=_sum(item.tags for item in members),
    )


def _sum(values: Iterable[int | None]) -> int | None:
    """None where no instruction has the counter."""
    counted = [value for value in values if value is not None]
    return sum(counted) if counted else None
