"""Inline PTX of one instruction with operands that CUDA C++ can say as well.

``asm("mul.hi.u32 %0, %1, %2;" : "=r"(h) : "r"(a), "r"(b));`` becomes ``(h) = (__umulhi((a), (b)));`` (PTX ISA 9.0, "Instruction Set").
"""

from __future__ import annotations

import re

from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream

_OPERATIONS = {
    "add.s32": "(int){0} + (int){1}", "add.u32": "(unsigned){0} + (unsigned){1}",
    "mul.lo.s32": "(int){0} * (int){1}", "mul.lo.u32": "(unsigned){0} * (unsigned){1}",
    "mul.hi.s32": "__mulhi({0}, {1})", "mul.hi.u32": "__umulhi({0}, {1})", "mul.hi.u64": "__umul64hi({0}, {1})",
    "mul.wide.s32": "(long long)(int){0} * (int){1}", "mul.wide.u32": "(unsigned long long)(unsigned){0} * (unsigned){1}",
    "mad.lo.s32": "(int){0} * (int){1} + (int){2}", "mad.lo.u32": "(unsigned){0} * (unsigned){1} + (unsigned){2}",
    "bfe.u32": "emu_bit_field({0}, {1}, {2})",
    "shf.l.wrap.b32": "__funnelshift_l({0}, {1}, {2})", "shf.r.wrap.b32": "__funnelshift_r({0}, {1}, {2})",
    "popc.b32": "__popc({0})", "popc.b64": "__popcll({0})", "clz.b32": "__clz({0})", "brev.b32": "__brev({0})",
    "dp4a.s32.s32": "__dp4a((int){0}, (int){1}, (int){2})", "dp4a.u32.u32": "__dp4a((unsigned){0}, (unsigned){1}, (unsigned){2})",
    "fma.rn.f32": "__fmaf_rn({0}, {1}, {2})", "fma.rn.f64": "__fma_rn({0}, {1}, {2})",
    "add.f32": "{0} + {1}", "mul.f32": "{0} * {1}", "max.f32": "fmaxf({0}, {1})", "min.f32": "fminf({0}, {1})",
    **{f"{name}.approx{ftz}.f32": text for ftz in ("", ".ftz") for name, text in {
        "rcp": "1.0f / {0}", "sqrt": "sqrtf({0})", "rsqrt": "rsqrtf({0})", "ex2": "exp2f({0})", "lg2": "log2f({0})",
        "sin": "__sinf({0})", "cos": "__cosf({0})"}.items()},
    "tanh.approx.f32": "tanhf({0})",
}  # fmt: skip
"""By instruction, the value of its first operand, in terms of the others."""
_TYPES = {
    "f32": "float", "f64": "double", "s32": "int", "u32": "unsigned", "b32": "unsigned", "s64": "long long", "u64": "unsigned long long",
    "b64": "unsigned long long",
    "u16": "unsigned short", "s16": "short", "b16": "unsigned short", "u8": "unsigned char", "s8": "signed char",
}  # fmt: skip
_INSTRUCTION = re.compile(r"(?P<name>[a-z][\w.:]*)\s+(?P<operands>[^;]+?)\s*;?")
_LOAD = re.compile(r"ld\.global(?:\.(?:nc|ca|cg|cs|lu|L1::no_allocate|L1::evict_\w+|L2::\d+B))*\.(?P<type>\w+)")
_STORE = re.compile(r"st\.global(?:\.(?:wb|cg|cs|wt|L1::no_allocate))*\.(?P<type>\w+)")
_PREFETCH = re.compile(r"prefetch\.global\.L[12]")


def expression_of(instruction: str, stream: Stream, colon: int, close: int) -> str | None:
    """The statement that does what the instruction does with the operands behind ``colon``; None for one that is not known."""
    match = _INSTRUCTION.fullmatch(instruction)
    operands = _operands(stream, colon, close)
    if match is None or operands is None:
        return None
    outputs, inputs = operands
    written = [part.strip() for part in match["operands"].split(",")]
    values = [f"({text})" for text in (*outputs, *inputs)]
    if (load := _LOAD.fullmatch(match["name"])) and load["type"] in _TYPES and written == ["%0", "[%1]"] and len(outputs) == 1:
        return f"{values[0]} = *(const {_TYPES[load['type']]}*){values[1]}"
    if (store := _STORE.fullmatch(match["name"])) and store["type"] in _TYPES and written == ["[%0]", "%1"] and not outputs:
        return f"*({_TYPES[store['type']]}*){values[0]} = {values[1]}"
    if _PREFETCH.fullmatch(match["name"]) and not outputs:
        return "(void)0"
    text = _OPERATIONS.get(match["name"])
    if text is None or len(outputs) != 1 or written != [f"%{number}" for number in range(len(values))]:
        return None
    return f"{values[0]} = ({text.format(*values[1:])})" if text.count("{") == len(inputs) else None


def _operands(stream: Stream, colon: int, close: int) -> tuple[list[str], list[str]] | None:
    """(outputs, inputs) as they are written; None where an output is read as well, or an operand has a name."""
    parts: list[list[str]] = [[]]
    k = colon + 1
    if stream.text(colon) == "::":
        parts.append([])
    while k < close and len(parts) <= 2:
        text = stream.text(k)
        if text in (":", "::"):
            parts += [[] for _ in text]
        elif stream.tokens[k].kind is Kind.STRING and stream.text(k + 1) == "(":
            if text.startswith('"+'):
                return None
            parts[-1].append(" ".join(stream.text(i) for i in range(k + 2, stream.close(k + 1))))
            k = stream.close(k + 1)
        elif text != ",":
            return None
        k += 1
    return (parts[0], parts[1] if len(parts) > 1 else [])
