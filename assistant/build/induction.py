"""How many source iterations one pass through a machine loop does: read from the register that controls the loop.

A loop unrolled u times adds u steps to its control register. The number of copies of an access alone would not show it: copies
that read the same address are merged. Example::

    is_unrolled_by(graph, loop, 4, source_loop)   # True where `IADD3 R4, R4, -0x10, RZ` controls a loop of step 4
"""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.build.cfg import ControlFlow, Loop, opcode_name
from assistant.model.build import SassInstruction
from assistant.model.source import SourceLoop
from assistant.record import Record

__all__ = ["Update", "all_updates", "control_updates", "deciding_blocks", "is_unrolled_by"]

_ADDS = frozenset({"IADD3", "VIADD", "UIADD3", "UVIADD", "IADD", "IADD32I"})
_SHIFTS = frozenset({"SHF", "USHF", "SHL", "SHR", "USHL", "USHR"})
_MOVES = frozenset({"MOV", "UMOV", "R2UR"})
_REGISTER = re.compile(r"-?\|?(U?R\d+)(?:\.reuse)?\|?")
_IMMEDIATE = re.compile(r"-?0x[0-9a-f]+|-?\d+")
_NOT_A_VALUE = re.compile(r"!?U?P[T\d]|U?RZ")
_WORD_BITS = 32
_DERIVATION_DEPTH = 2
"""How many sums may stand between the tested register and the one that the loop advances."""


class Update(Record):
    """What one pass does to a register: adds a constant, adds another register, or shifts."""

    kind: str
    """``constant``, ``register`` or ``shift``."""
    amount: int
    """Size of the constant or of the shift in bits; how many times a register is added."""
    register: str = ""
    """The one that is added; empty for a constant, a shift or a multiple of a register."""


def is_unrolled_by(graph: ControlFlow, loop: Loop, copies: int, source: SourceLoop) -> bool:
    """Whether the loop's control register proves that one pass does ``copies`` iterations of ``source``."""
    controls = control_updates(graph, loop)
    every = all_updates(graph, loop)
    for update in controls.values():
        if _proves(update, copies, source):
            return True
        is_counter = update == Update("constant", 1) and copies == 1 and source.step is not None
        if is_counter and Update("constant", source.step or 0) in every.values():
            return True
    return False


def _proves(update: Update, copies: int, source: SourceLoop) -> bool:
    if source.step is not None:
        return update == Update("constant", copies * source.step)
    if source.shift is not None:
        return copies == 1 and update == Update("shift", source.shift)
    return copies == update.amount and update.kind == "register" and not source.is_unroll_requested


def all_updates(graph: ControlFlow, loop: Loop) -> dict[str, Update]:
    """Every register that the loop itself, not a loop inside it, advances in one way."""
    found = graph.found_of_loops
    key = ("all updates", loop.header)
    if key not in found:
        found[key] = _all_updates(graph, loop)
    return found[key]


def _all_updates(graph: ControlFlow, loop: Loop) -> dict[str, Update]:
    own = _own_instructions(graph, loop)
    inner = (i for block in loop.blocks for i in graph.blocks[block].instructions if graph.loop_chain(block)[-1] != loop)
    changed = {instruction.operands.split(",")[0].strip() for instruction in inner}
    return {name: update for name, update in _updates(own).items() if name not in changed}


def control_updates(graph: ControlFlow, loop: Loop) -> dict[str, Update]:
    """Registers that decide whether the loop goes on and that the loop itself advances."""
    found = graph.found_of_loops
    key = ("control updates", loop.header)
    if key not in found:
        found[key] = _control_updates(graph, loop)
    return found[key]


def _control_updates(graph: ControlFlow, loop: Loop) -> dict[str, Update]:
    instructions = _own_instructions(graph, loop)
    updates = all_updates(graph, loop)
    tested = _tested(graph, loop, instructions)
    for _ in range(_DERIVATION_DEPTH):
        tested |= _sums_behind(tested, instructions)
    copies = _copies(instructions)
    return {name: updates[name] for name in sorted(updates) if name in tested or copies.get(name) in tested}


def _own_instructions(graph: ControlFlow, loop: Loop) -> list[SassInstruction]:
    return [i for block in sorted(loop.blocks) if graph.loop_chain(block)[-1] == loop for i in graph.blocks[block].instructions]


def _tested(graph: ControlFlow, loop: Loop, instructions: list[SassInstruction]) -> set[str]:
    """Registers compared for the closing branches, or for the only exit of a loop that closes unconditionally."""
    tested: set[str] = set()
    for block in deciding_blocks(graph, loop):
        own = graph.blocks[block].instructions
        offsets = {i.offset_bytes for i in own}
        elsewhere = tuple(i for i in instructions if i.offset_bytes not in offsets)
        found = _comparisons(own[-1], own[:-1])[:1] or _comparisons(own[-1], elsewhere)
        tested |= found[0] if len(found) == 1 else set()
    return tested


def deciding_blocks(graph: ControlFlow, loop: Loop) -> list[int]:
    """Blocks whose last branch decides if the loop goes on: those that close it, or the only exit if it closes unconditionally."""
    closing = [b for b in sorted(loop.blocks) if loop.header in graph.blocks[b].successors]
    if all(len(graph.blocks[b].successors) > 1 for b in closing):
        return closing
    leaving = [b for b in sorted(loop.blocks) if _may_leave(graph, loop, b)]
    return leaving if len(leaving) == 1 else []


def _may_leave(graph: ControlFlow, loop: Loop, block: int) -> bool:
    last = graph.blocks[block].last
    is_exit = opcode_name(last) == "EXIT" and bool(last.predicate)
    return is_exit or any(successor not in loop.blocks for successor in graph.blocks[block].successors)


def _sums_behind(tested: set[str], instructions: list[SassInstruction]) -> set[str]:
    """Registers whose sum is tested (``IADD3 R16, R18, R15`` before ``ISETP R16, RZ``)."""
    found: set[str] = set()
    for instruction in instructions:
        is_sum = opcode_name(instruction) in _ADDS or instruction.opcode.startswith("IMAD.IADD")
        registers = _REGISTER.findall(instruction.operands)
        if is_sum and registers and registers[0] in tested:
            found |= set(registers[1:])
    return found


def _updates(instructions: list[SassInstruction]) -> dict[str, Update]:
    """Register → its only update; a register changed in several ways or by something else is left out."""
    copies = _copies(instructions)
    found: dict[str, list[Update]] = {}
    for instruction in instructions:
        operands = [operand.strip() for operand in instruction.operands.split(",")]
        target = operands[0]
        update = _update(instruction, operands, {target, *(s for s, d in copies.items() if d == target)})
        if update is not None:
            found.setdefault(target, []).append(update)
    merged: dict[str, Update] = {}
    for name, updates in found.items():
        if len(updates) == 1:
            merged[name] = updates[0]
        elif len({(update.kind, update.register) for update in updates}) == 1 and _is_summable(updates[0]):
            merged[name] = replace(updates[0], amount=sum(update.amount for update in updates))
    return merged


def _copies(instructions: list[SassInstruction]) -> dict[str, str]:
    """Register → the register it is copied from (``UMOV UR5, UR6``)."""
    found: dict[str, str] = {}
    for instruction in instructions:
        is_move = opcode_name(instruction) in _MOVES or instruction.opcode.startswith("IMAD.MOV")
        registers = _REGISTER.findall(instruction.operands)
        if is_move and len(registers) == 2:
            found[registers[0]] = registers[1]
    return found


def _update(instruction: SassInstruction, operands: list[str], own: set[str]) -> Update | None:
    values = [operand for operand in operands[1:] if not _NOT_A_VALUE.fullmatch(operand)]
    registers = [match[1] for value in values if (match := _REGISTER.fullmatch(value))]
    constants = [_signed(value) for value in values if _IMMEDIATE.fullmatch(value)]
    name = opcode_name(instruction)
    if not any(register in own for register in registers):
        return None
    if name in _ADDS:
        if len(registers) == 1 and len(constants) == 1:
            return Update("constant", abs(constants[0]))
        return _added(registers, own) if not constants else None
    if _adds_product(instruction, operands, own):
        return Update("register", 1)
    if instruction.opcode.startswith("IMAD.IADD"):
        return _added(registers, own)
    if name in _SHIFTS or instruction.opcode.startswith("IMAD.SHL"):
        if len(registers) != 1 or len(constants) != 1:
            return None
        is_product = name == "IMAD"
        return Update("shift", constants[0].bit_length() - 1 if is_product else constants[0])
    return None


def _is_summable(update: Update) -> bool:
    return update.kind == "constant" or bool(update.register)


def _added(registers: list[str], own: set[str]) -> Update | None:
    """``IADD3 R0, R5, R0, R5``: another register, added once or more often."""
    others = [register for register in registers if register not in own]
    is_sum = len(others) == len(registers) - 1 and len(set(others)) == 1
    return Update("register", len(others), others[0]) if is_sum else None


def _adds_product(instruction: SassInstruction, operands: list[str], own: set[str]) -> bool:
    """``IMAD R7, R8, 0x200, R7`` and ``LEA R7, R8, R7, 0x9``: a multiple of another register is added."""
    registers = [match[1] if (match := _REGISTER.fullmatch(operand)) else "" for operand in operands]
    if instruction.opcode in ("IMAD", "IMAD.U32", "UIMAD") and len(operands) == _OPERANDS:
        return registers[3] in own and not own & set(registers[1:3])
    return instruction.opcode in ("LEA", "ULEA") and len(operands) == _OPERANDS and registers[2] in own and registers[1] not in own


_OPERANDS = 4
"""Operands of a multiply-add and of a shift-add: target, two factors or addend and shift, addend."""


def _signed(text: str) -> int:
    value = int(text, 0)
    return value - (1 << _WORD_BITS) if value >= 1 << (_WORD_BITS - 1) else value


def _comparisons(branch: SassInstruction, before: tuple[SassInstruction, ...]) -> list[set[str]]:
    """Registers of each comparison that sets the branch's predicate, the nearest first."""
    wanted = {branch.predicate.lstrip("@!")} | set(re.findall(r"U?P\d", branch.operands))
    comparisons: list[set[str]] = []
    is_upper_half = False  # of a 64-bit comparison; the lower half's comes before
    for instruction in reversed(before):
        operands = [operand.strip() for operand in instruction.operands.split(",")]
        if not wanted & set(operands[:2]):
            continue
        name = opcode_name(instruction)
        if name in ("ISETP", "UISETP"):
            registers = set(_REGISTER.findall(instruction.operands))
            if is_upper_half:
                comparisons[-1] |= registers
            else:
                comparisons.append(registers)
            is_upper_half = ".EX" in instruction.opcode
        elif name in ("PLOP3", "UPLOP3"):
            wanted |= set(re.findall(r"U?P\d", ",".join(operands[2:])))
    return comparisons
