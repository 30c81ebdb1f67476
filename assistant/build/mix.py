"""Which unit executes an instruction, and the instruction mix of a line.

Opcode names: CUDA Binary Utilities 13.0, "Instruction Set Reference", tables Volta to Blackwell. Example::

    instruction_class("HFMA2.MMA")   # 'half': a packed half-precision multiply-add
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assistant.build.executions import Ran
from assistant.model.build import KernelCode, SassInstruction
from assistant.model.profile import InstructionMix, LaunchProfile, LineInstructions

__all__ = ["instruction_class", "line_instructions"]

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

_DOUBLE_PRODUCTS = ("DMMA.884", "DMMA.8x8x4", "DMMA.16x8x4")

_CLASS_OF = {name: kind for kind, names in _CLASSES for name in names.split()}


def instruction_class(opcode: str) -> str:
    """Field of `InstructionMix` that an opcode belongs to; modifiers are ignored but for integer forms of IMAD moves."""
    name, _, modifiers = opcode.partition(".")
    if opcode.startswith(_DOUBLE_PRODUCTS):
        return "double_tensor"
    if name == "IMAD" and modifiers.split(".", 1)[0] == "MOV":
        return "other"
    return _CLASS_OF.get(name, "other")


def line_instructions(code: KernelCode, profile: LaunchProfile, ran: Mapping[int, Ran]) -> tuple[LineInstructions, ...]:
    """Dynamic mix per line of one launch: each basic block's instructions times how often its threads and warps ran it.

    ``ran``: as `executions` has it. For threads, an instruction under a predicate counts at most as often as its line ran.
    """
    lines = {(e.file, e.line): e.thread_executions for e in profile.executions}
    threads: dict[tuple[str, int], Counter[str]] = {}
    warps: dict[tuple[str, int], Counter[str]] = {}
    for instruction in code.instructions:
        count = ran.get(instruction.offset_bytes)
        if count is None or count.warps <= 0:
            continue
        place = (instruction.file, instruction.line)
        kind = _class_of(instruction)
        most = lines.get(place, count.threads) if instruction.predicate else count.threads
        threads.setdefault(place, Counter())[kind] += round(min(count.threads, most))
        warps.setdefault(place, Counter())[kind] += round(count.warps)
    return tuple(LineInstructions(*place, InstructionMix(**threads[place]), InstructionMix(**warps[place])) for place in sorted(warps))


def _class_of(instruction: SassInstruction) -> str:
    """A half-precision instruction that only moves a constant loads no half-precision unit."""
    return "other" if instruction.is_half_move else instruction_class(instruction.opcode)
