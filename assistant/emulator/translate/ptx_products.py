"""Inline PTX of a warp's matrix product of doubles (PTX ISA 9.0, "Matrix Fragments for mma.m8n8k4", "… mma.m16n8k4 … with .f64 data type").

``asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(x), "+d"(y) : "d"(a), "d"(b));`` becomes
``emu_product_of_doubles(x, y, a, b);``, whatever order the operands have.
"""

from __future__ import annotations

import re

from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream

_PRODUCT = re.compile(
    r"mma\.sync\.aligned\.m(?P<rows>8|16)n8k4\.row\.col\.f64\.f64\.f64\.f64\s*"
    r"\{(?P<d>[%\d,\s]+)\}\s*,\s*\{(?P<a>[%\d,\s]+)\}\s*,\s*\{(?P<b>[%\d,\s]+)\}\s*,\s*\{(?P<c>[%\d,\s]+)\}\s*;?"
)
_OPERAND = re.compile(r'"(?P<access>[=+]?)d"')


def product_of(instruction: str, stream: Stream, colon: int, close: int) -> str | None:
    """The statement that does what the instruction does with the operands behind ``colon``; None for any other instruction, and where
    sums are not added to what they were."""
    match, operands = _PRODUCT.fullmatch(instruction), _operands(stream, colon, close)
    if match is None or operands is None:
        return None
    d, a, b, c = ([int(number) for number in re.findall(r"%(\d+)", match[name])] for name in "dabc")
    pieces = int(match["rows"]) // 8
    if d != c or (len(d), len(a), len(b)) != (2 * pieces, pieces, 1) or max((*d, *a, *b)) >= len(operands):
        return None
    if any(operands[number][0] != "+" for number in d) or any(operands[number][0] for number in (*a, *b)):
        return None
    return f"emu_product_of_doubles({', '.join(operands[number][1] for number in (*d, *a, *b))})"


def _operands(stream: Stream, colon: int, close: int) -> list[tuple[str, str]] | None:
    """(how it is accessed, its expression) in order; None where one has another type or a name. What is clobbered is no operand."""
    found: list[tuple[str, str]] = []
    lists, k = 0, colon
    while k < close and lists <= 2:
        text = stream.text(k)
        if text in (":", "::"):
            lists += len(text)
        elif stream.tokens[k].kind is Kind.STRING and lists <= 2:
            match = _OPERAND.fullmatch(text)
            if match is None or stream.text(k + 1) != "(":
                return None
            end = stream.close(k + 1)
            found.append((match["access"], " ".join(stream.text(i) for i in range(k + 2, end))))
            k = end
        elif text != ",":
            return None
        k += 1
    return found
