"""Atomics that ptxas combines in the warp by itself: the lanes vote, the first of them adds for all.

ptxas does so for additions of one value to one address (``atomicAdd(count, 1)``, sm_70 to sm_90)::

    VOTEU.ANY UR6, UPT, PT ;  FLO.U32 R0, UR6 ;  S2R R5, SR_LANEID ;  ISETP.EQ.U32.AND P0, PT, R0, R5, PT ;  @P0 ATOMG.E.ADD …

Example::

    aggregated_atomics(code)   # frozenset({("k.cu", 12)}): every atomic of this line is done by one lane a warp
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.build.cfg import opcode_name
from assistant.model.build import KernelCode, SassInstruction

__all__ = ["aggregated_atomics"]

_ATOMICS = frozenset({"ATOM", "ATOMG", "RED", "REDG"})
_REGISTER = re.compile(r"\bU?R\d+\b")


def aggregated_atomics(code: KernelCode) -> frozenset[tuple[str, int]]:
    """(file, line) of global atomics that one lane of a warp does for all; lines that hold another atomic too are left out."""
    instructions = code.instructions
    combined: dict[tuple[str, int], bool] = {}
    for index, instruction in enumerate(instructions):
        if opcode_name(instruction) in _ATOMICS:
            place = (instruction.file, instruction.line)
            combined[place] = combined.get(place, True) and _is_done_by_leader(instructions[:index], instruction.predicate)
    return frozenset(place for place, is_combined in combined.items() if is_combined)


def _is_done_by_leader(before: Sequence[SassInstruction], predicate: str) -> bool:
    """Its predicate holds for the lane that a vote's find-leading-one names."""
    name = predicate.removeprefix("@")
    setter = _last_writer(before, name) if name.startswith("P") else None
    if setter is None or not setter.opcode.startswith("ISETP.EQ"):
        return False
    sources = [_last_writer(before, register) for register in _REGISTER.findall(setter.operands)]
    has_lane = any(s is not None and "SR_LANEID" in s.operands for s in sources)
    return has_lane and any(s is not None and opcode_name(s) in ("FLO", "UFLO") for s in sources)


def _last_writer(before: Sequence[SassInstruction], register: str) -> SassInstruction | None:
    """The nearest instruction above whose first operand is the register."""
    return next((i for i in reversed(before) if i.operands.split(",", 1)[0].strip() == register), None)
