"""Which unit executes an instruction, and the instruction mix of a line.

Opcode names: CUDA Binary Utilities 13.0, "Instruction Set Reference", tables Volta to Blackwell. Example::

    instruction_class("HFMA2.MMA")   # 'half': a packed half-precision multiply-add
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assistant.model.build import KernelCode
from assistant.model.profile import InstructionMix, LineExecution, LineInstructions

__all__ = ["instruction_class", "line_instructions", "static_mix"]

_CLASSES: tuple[tuple[str, str], ...] = (
    (
        "fp32",
        "FADD FADD2 FADD32I FCHK FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSEL FSET FSETP FSWZADD",
    ),
    (
        "fp64",
        "DADD DFMA DMNMX DMUL DSETP",
    ),
    (
        "half",
        "HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2",
    ),
    (
        "tensor",
        "BGMMA BMMA DMMA HGMMA HMMA IGMMA IMMA OMMA QGMMA QMMA UTCHMMA UTCIMMA UTCOMMA UTCQMMA",
    ),
    (
        "conversion",
        "F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP F2FI",
    ),
    (
        "special",
        "MUFU",
    ),
    (
        "integer",
        "BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMMA32I IMNMX IMUL IMUL32I ISCADD ISCADD32I "
        "ISETP LEA LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3 "
        "UBMSK UBREV UFLO UIADD3 UIMAD UIMNMX UISETP ULEA ULOP ULOP3 ULOP32I UPOPC USHF USHL USHR UVIADD "
        "UVIMNMX SGXT USGXT PRMT UPRMT",
    ),
    (
        "load_store",
        "ATOM ATOMG ATOMS CCTL CCTLL ERRBAR LD LDC LDCU LDG LDGDEPBAR LDGMC LDGSTS LDL LDS LDSM LDTM MATCH "
        "MEMBAR QSPC RED REDAS REDG ST STAS STG STL STS STSM STTM SUATOM SULD SURED SUST SYNCS TEX TLD TLD4 "
        "TMML TXD TXQ UBLKCP UBLKPF UBLKRED ULDC UTMALDG UTMAPF UTMAREDG UTMASTG SHFL",
    ),
    (
        "control",
        "ACQBULK BAR BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL ENDCOLLECTIVE EXIT JMP JMX JMXU KILL "
        "NANOSLEEP RET RPCMOV WARPSYNC YIELD DEPBAR ELECT UCGABAR_ARV UCGABAR_WAIT WARPGROUP WARPGROUPSET "
        "PREEXIT",
    ),
)
"""Anything else (moves, predicate and vote operations, special registers) is ``other``: it issues, but loads no listed unit."""

_CLASS_OF = {name: kind for kind, names in _CLASSES for name in names.split()}


def instruction_class(opcode: str) -> str:
    """Field of `InstructionMix` that an opcode belongs to; modifiers are ignored but for integer forms of IMAD moves."""
    name, _, modifiers = opcode.partition(".")
    if name == "IMAD" and modifiers.split(".", 1)[0] == "MOV":
        return "other"
    return _CLASS_OF.get(name, "other")


def static_mix(opcodes: Iterable[str]) -> InstructionMix:
    """Classes of the given instructions, each counted once."""
    return InstructionMix(**Counter(instruction_class(opcode) for opcode in opcodes))


def line_instructions(code: KernelCode, executions: Iterable[LineExecution]) -> tuple[LineInstructions, ...]:
    """Thread-level dynamic mix per line: the line's static mix times how often its code ran.

    A line's code stands in the kernel once per unrolled copy; the number of copies is taken as the smallest count among its
    arithmetic and memory opcodes, which is exact where each of them stands once in the statement.
    """
    ran = {(e.file, e.line): e.thread_executions for e in executions}
    by_line: dict[tuple[str, int], Counter[str]] = {}
    for instruction in code.instructions:
        by_line.setdefault((instruction.file, instruction.line), Counter())[instruction.opcode] += 1
    return tuple(
        LineInstructions(file, line, _scaled(opcodes, ran[file, line]))
        for (file, line), opcodes in sorted(by_line.items())
        if ran.get((file, line))
    )


def _scaled(opcodes: Counter[str], executions: int) -> InstructionMix:
    copies = _copies(opcodes)
    counts: Counter[str] = Counter()
    for opcode, count in opcodes.items():
        counts[instruction_class(opcode)] += count
    return InstructionMix(**{kind: round(count * executions / copies) for kind, count in counts.items()})


def _copies(opcodes: Counter[str]) -> int:
    """How many copies of the line's statement the code holds: the smallest count among its arithmetic and memory opcodes."""
    decisive = [
        count
        for opcode, count in opcodes.items()
        if instruction_class(opcode) in ("fp32", "fp64", "half", "tensor", "special", "load_store")
        and not opcode.startswith(("LDC", "ULDC"))
    ]
    return min(decisive, default=1)
