"""Memory access sites of machine code: which line, kind and width, and under which condition each one runs.

Example::

    machine_sites(code, control_flow(code))[0].key   # AccessKey('/p/k.cu', 6, 'global load', 4)
"""

from __future__ import annotations

import re

from assistant.build.cfg import ControlFlow, opcode_name
from assistant.model.build import KernelCode, SassInstruction
from assistant.record import Record

__all__ = ["WAITING_ATOMICS", "AccessKey", "MachineSite", "Region", "access_kind", "access_width_bytes", "machine_sites", "obstacles"]

_OPERATIONS = {
    "LDG": "global load",
    "STG": "global store",
    "ATOMG": "global atomic",
    "REDG": "global atomic",
    "RED": "global atomic",
    "LDS": "shared load",
    "STS": "shared store",
    "ATOMS": "shared atomic",
    "LDL": "local load",
    "STL": "local store",
}
_OBSTACLES = {
    "LD": "the address space is decided at run time",
    "ST": "the address space is decided at run time",
    "ATOM": "the address space is decided at run time",
    "LDGSTS": "the copy from global to shared memory is asynchronous",
    "LDSM": "the load is a matrix instruction",
    "STSM": "the store is a matrix instruction",
    "UBLKCP": "the copy is a bulk instruction",
    "UTMALDG": "the copy is a tensor instruction",
    "UTMASTG": "the copy is a tensor instruction",
}
_COMBINED_ATOMIC = "ATOMS.POPC.INC"
"""The one shared atomic whose threads with equal addresses are served together (measured on an H200, tests/data/h200)."""
WAITING_ATOMICS = ("ATOMS.ADD", "ATOMS.MIN", "ATOMS.MAX")
"""Shared atomics whose threads with equal addresses wait for each other (measured likewise, 72 of 72 rows of wide.json)."""
_WIDTH = re.compile(r"\.(?:[USBF]?(8|16|32|64|128|256)|F16x2|BF16x2)(?=\.|$)")
_DEFAULT_WIDTH_BYTES = 4
_PREDICATE = re.compile(r"U?P\d")


class AccessKey(Record, order=True):
    """Accesses that a person cannot tell apart: same line, kind and width."""

    file: str
    line: int
    op: str
    size_bytes: int


class Region(Record):
    """Instructions that run under the same condition: in the same basic block, on the same value of the same predicate."""

    block: int
    predicate: str
    """``@P0``; empty where the instructions always run with the block."""
    definition_index: int
    """Which definition of the predicate inside the block, 0 for the one that comes from outside."""


class MachineSite(Record):
    """One access instruction."""

    key: AccessKey
    region: Region
    instruction: SassInstruction


def machine_sites(code: KernelCode, graph: ControlFlow) -> tuple[MachineSite, ...]:
    """Every reachable access of the kernel's own code, in address order."""
    return tuple(
        MachineSite(_key(instruction), region, instruction)
        for block in graph.blocks
        if block.index in graph.reachable
        for instruction, region in _regions(block.index, block.instructions)
        if opcode_name(instruction) in _OPERATIONS
    )


def obstacles(code: KernelCode, graph: ControlFlow) -> dict[tuple[str, int, str], str]:
    """(file, line, kind) → why these accesses cannot be counted from the code; kind "" stands for every access of the line."""
    found: dict[tuple[str, int, str], str] = {}
    for block in graph.blocks:
        for instruction in block.instructions:
            name = opcode_name(instruction)
            place = (instruction.file, instruction.line, _OPERATIONS.get(name, ""))
            if name in _OBSTACLES:
                found[place] = _OBSTACLES[name]
            elif name in _OPERATIONS and block.index in graph.called_blocks:
                found[place] = "the access is in a function that is called, not inlined"
            elif name.startswith("ATOM") and re.search(r"\.CAS|\.CAST|\.SPIN", instruction.opcode):
                found[place] = "a compare-and-swap loop repeats as often as threads collide"
            elif name == "ATOMS" and not _is_measured_atomic(instruction.opcode):
                found[place] = "threads that change one shared address at once wait for each other"
    return found


def _is_measured_atomic(opcode: str) -> bool:
    return opcode.startswith((_COMBINED_ATOMIC, *WAITING_ATOMICS)) and access_width_bytes(opcode) == _DEFAULT_WIDTH_BYTES


def access_kind(instruction: SassInstruction) -> str | None:
    """``global load`` …; None for other instructions."""
    return _OPERATIONS.get(opcode_name(instruction))


def access_width_bytes(opcode: str) -> int:
    """Bytes per thread: ``LDG.E.128`` 16, ``STS.U8`` 1, ``ATOMS.POPC.INC.32`` 4, no width 4."""
    widths = [int(match[1]) // 8 for match in _WIDTH.finditer(opcode) if match[1]]
    return widths[-1] if widths else _DEFAULT_WIDTH_BYTES


def _key(instruction: SassInstruction) -> AccessKey:
    operation = _OPERATIONS[opcode_name(instruction)]
    return AccessKey(instruction.file, instruction.line, operation, access_width_bytes(instruction.opcode))


def _regions(block: int, instructions: tuple[SassInstruction, ...]) -> list[tuple[SassInstruction, Region]]:
    definitions: dict[str, int] = {}
    result: list[tuple[SassInstruction, Region]] = []
    for instruction in instructions:
        guard = instruction.predicate
        name = guard.lstrip("@!")
        index = definitions.get(name, 0)
        is_always = name in ("", "PT", "UPT")
        result.append((instruction, Region(block, "" if is_always else guard, 0 if is_always else index)))
        for written in _PREDICATE.findall(",".join(instruction.operands.split(",")[:2])):
            definitions[written] = definitions.get(written, 0) + 1
    return result
