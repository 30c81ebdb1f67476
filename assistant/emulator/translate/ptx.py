"""The inline PTX that needs no PTX: reads of special registers, fences and barriers, single instructions (``ptx_operands``), and products
of doubles (``ptx_products``).

``asm("mov.u32 %0, %%laneid;" : "=r"(lane));`` becomes ``(lane) = emu_lane_index();``; everything else stays unsupported.
"""

from __future__ import annotations

import re

from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.ptx_operands import expression_of
from assistant.emulator.translate.ptx_products import product_of
from assistant.emulator.translate.stream import Stream

ASM_WORDS = frozenset({"asm", "__asm__", "__asm"})
_READ = re.compile(r"^mov\.[usb](?:32|64)\s+%0,\s*%%?(\w+)\s*;?$")
_REGISTERS = {
    "laneid": "emu_lane_index()",
    "warpid": "emu_warp_index()",
    "smid": "__smid()",
    "lanemask_eq": "(1u << emu_lane_index())",
    "lanemask_lt": "((1u << emu_lane_index()) - 1u)",
    "lanemask_le": "((2u << emu_lane_index()) - 1u)",
    "lanemask_gt": "~((2u << emu_lane_index()) - 1u)",
    "lanemask_ge": "~((1u << emu_lane_index()) - 1u)",
    "clock": "(unsigned)clock64()",
    "clock64": "clock64()",
    "globaltimer": "__globaltimer()",
}
_STATEMENTS = {
    "bar.sync 0": "__syncthreads()",
    "barrier.sync 0": "__syncthreads()",
    "membar.cta": "__threadfence_block()",
    "membar.gl": "__threadfence()",
    "membar.sys": "__threadfence_system()",
    "trap": "__trap()",
    "": "(void)0",
}


def ptx_edit(stream: Stream, i: int) -> Edit | None:
    """The replacement of the ``asm`` statement at token ``i``; None for PTX that only a GPU can run."""
    opener = i + 1
    while stream.text(opener) in ("volatile", "__volatile__"):
        opener += 1
    if stream.text(opener) != "(":
        return None
    close = stream.close(opener)
    end_of_text = opener + 1
    while end_of_text < close and stream.tokens[end_of_text].kind is Kind.STRING:
        end_of_text += 1
    written = "".join(stream.text(k).strip('"') for k in range(opener + 1, end_of_text))
    instruction = written.replace("\\n", "").replace("\\t", "").strip().rstrip(";").strip()
    start, end = stream.tokens[i].start, stream.tokens[close].end
    read = _READ.match(instruction)
    if read is not None and read.group(1) in _REGISTERS:
        target = _only_output(stream, end_of_text, close)
        return None if target is None else Edit(start, end, f"({target}) = {_REGISTERS[read.group(1)]}")
    takes_operands = any(stream.text(k) == "(" for k in range(opener + 1, close))
    if instruction in _STATEMENTS and not takes_operands:
        return Edit(start, end, _STATEMENTS[instruction])
    statement = expression_of(instruction, stream, end_of_text, close) or product_of(instruction, stream, end_of_text, close)
    return None if statement is None else Edit(start, end, statement)


def _only_output(stream: Stream, colon: int, close: int) -> str | None:
    """The expression of ``: "=r"(expression)`` when nothing but further empty or clobber lists follows."""
    if stream.text(colon) != ":" or not stream.text(colon + 1).startswith('"=') or stream.text(colon + 2) != "(":
        return None
    inner_close = stream.close(colon + 2)
    if any(stream.text(k) == "(" for k in range(inner_close, close)):
        return None
    return " ".join(stream.text(k) for k in range(colon + 3, inner_close))
