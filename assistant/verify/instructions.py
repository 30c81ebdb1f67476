"""What machine code shows of an edit that its source does not: the compiler's own choice of instructions.

Example::

    machine_code_labels(before.code, after.code)    # (DetectedLabel(Label.FAST_MATH, "machine code approximates: MUFU.EX2", 12),)
"""

from __future__ import annotations

import re

from assistant.model.build import KernelCode, SassInstruction
from assistant.model.verification import Label
from assistant.verify.evidence import DetectedLabel

__all__ = ["machine_code_labels"]

_ARCH_SASS = re.compile(r"^(?:H|I|Q|B)?GMMA\b|^UTMA\w*|^UBLKCP|^SYNCS\b|^UCGABAR\w*|^USETMAXREG\b")
"""Instructions that only sm_90 and later have: warpgroup products, the tensor memory accelerator, clusters."""
_PRECISE_SASS = re.compile(r"^D(?:ADD|MUL|FMA|MMA|SETP|MNMX)\b")
_LOW_SASS = re.compile(r"^(?:H(?:ADD2|MUL2|FMA2|MNMX2)|HMMA|QGMMA|QMMA|HGMMA)\b|^F2F[P]?\.(?:F16|BF16)")
_WIDE_SASS = re.compile(r"^(?:LDG?|STG?)\b.*\.128\b")
_FAST_SASS = re.compile(r"^(MUFU\.(?:EX2|LG2|SIN|COS|TANH))\b")
_FLUSH_SASS = re.compile(r"^F(?:ADD|MUL|FMA)\b.*\.FTZ\b")
_OF_COMPILER = "$__internal_"
"""How names begin of routines that ptxas puts behind a kernel."""


def machine_code_labels(
    old: tuple[KernelCode, ...], new: tuple[KernelCode, ...], exact: frozenset[str] = frozenset()
) -> list[DetectedLabel | None]:
    """What B's instructions show and A's do not, where both sides have machine code. ``exact``: instructions that functions without larger
    errors, which B calls, are made of."""
    if not old or not new:
        return []
    before = {i.opcode for code in old for i in _telling(code)} | exact
    lines = {i.opcode: i.line or None for code in reversed(new) for i in reversed(_telling(code))}
    found = list[DetectedLabel | None]()
    for label, pattern, message in (
        (Label.PRECISION, _LOW_SASS, "machine code computes in half precision: {}"),
        (Label.FAST_MATH, _FAST_SASS, "machine code approximates: {}"),
        (Label.FAST_MATH, _FLUSH_SASS, "machine code flushes denormals: {}"),
        (Label.ARCH_LOCK_IN, _ARCH_SASS, "machine code needs compute capability 9.0 or later: {}"),
        (Label.ALIGNMENT, _WIDE_SASS, "machine code accesses 16 bytes at once, which must be aligned: {}"),
    ):
        known = any(pattern.search(opcode) for opcode in before)
        opcode = next((opcode for opcode in lines if pattern.search(opcode)), None)
        if opcode is not None and not known:
            found.append(DetectedLabel(label, message.format(opcode), lines[opcode]))
    had_double = any(_PRECISE_SASS.search(opcode) for opcode in before) and not _has_reductions_alone(old)
    if had_double and not any(_PRECISE_SASS.search(opcode) for opcode in lines):
        found.append(DetectedLabel(Label.PRECISION, "machine code no longer computes in double"))
    return found


def _has_reductions_alone(codes: tuple[KernelCode, ...]) -> bool:
    """Whether all that is computed in double is what ``sinf`` does of huge angles: for each call a product of a whole number."""
    opcodes = [i.opcode for code in codes for i in code.instructions]
    precise = [opcode for opcode in opcodes if _PRECISE_SASS.search(opcode)]
    return all(opcode == "DMUL" for opcode in precise) and opcodes.count("I2F.F64.S64") == len(precise)


def _telling(code: KernelCode) -> tuple[SassInstruction, ...]:
    """Without constants that are moved by half-precision instructions, and without flushes of the compiler's own: its routine of IEEE
    division adds up NaNs by one (``__cuda_sm3x_div_rn_noftz_f32_slowpath``), and its reciprocal negates a remainder by one."""
    starts = sorted((offset, symbol.startswith(_OF_COMPILER)) for symbol, offset in code.labels if symbol.startswith("$"))

    def is_of_compiler(instruction: SassInstruction) -> bool:
        return next((own for offset, own in reversed(starts) if offset <= instruction.offset_bytes), False)

    def is_exact(instruction: SassInstruction) -> bool:
        return bool(_FLUSH_SASS.search(instruction.opcode)) and (instruction.is_negation or is_of_compiler(instruction))

    return tuple(i for i in code.instructions if not i.is_half_move and not is_exact(i))
