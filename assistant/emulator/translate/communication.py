"""Whether device code holds what blocks of one launch could signal to each other with.

Atomics whose result is used, volatile accesses, fences and pauses, in inline PTX, too; ``asm volatile`` itself is none. A sum that is only
added to (``atomicAdd(&hist[b], 1);``) tells no thread anything, so it does not count, but the checked flavour gets to know of it.
"""

from __future__ import annotations

import re

from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.ptx import ASM_WORDS
from assistant.emulator.translate.stream import Stream

_WORDS = frozenset({"volatile", "__threadfence", "__threadfence_system", "__nanosleep", "__ldcv", "membar"})
_IN_PTX = re.compile(
    r"\b(?:atom|red|membar|fence|nanosleep|mbarrier)\b|\b(?:ld|st)\.(?:\w+\.)*?(?:volatile|acquire|release|relaxed|mmio|cg|cv|wt)\b"
)
"""PTX ISA, "Parallel Synchronization and Communication Instructions", and loads and stores that are ordered with those of other blocks."""
_ATOMIC = re.compile(r"atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?")
_STATEMENT_STARTS = frozenset({"", ";", "{", "}", "else", "do"})
_CONDITIONS = frozenset({"if", "for", "while", "switch"})


def communicates(stream: Stream, indexes: range) -> bool:
    """Whether the tokens hold such an operation."""
    return any(_is_signal(stream, i) for i in indexes)


def unread_edits(stream: Stream, indexes: range) -> list[Edit]:
    """A note before each atomic whose result nothing looks at: to the thread that makes it, it shows nothing."""
    starts = [_start(stream, i) for i in indexes if _is_atomic(stream, i) and _is_statement(stream, i)]
    return [Edit(stream.tokens[i].start, stream.tokens[i].start, "EMU_UNREAD ") for i in starts]


def _is_signal(stream: Stream, i: int) -> bool:
    text = stream.text(i)
    if text in ASM_WORDS:
        opened = next((k for k in range(i + 1, i + 4) if stream.text(k) == "("), i)
        return any(_IN_PTX.search(stream.text(k)) for k in range(opened, stream.close(opened)) if stream.text(k).startswith('"'))
    if text in _WORDS and not (text == "volatile" and stream.text(i - 1) in ASM_WORDS):
        return True
    return _is_atomic(stream, i) and not _is_statement(stream, i)


def _is_atomic(stream: Stream, i: int) -> bool:
    return _ATOMIC.fullmatch(stream.text(i)) is not None and stream.text(i + 1) == "("


def _start(stream: Stream, i: int) -> int:
    """Index of the first token of ``::atomicAdd``."""
    while stream.text(i - 1) == "::":
        i -= 1
    return i


def _is_statement(stream: Stream, i: int) -> bool:
    """Whether the call at ``i`` is a statement of its own, whose result is not used."""
    before = _start(stream, i) - 1
    if stream.text(stream.close(i + 1) + 1) != ";":
        return False
    if stream.text(before) == ")":
        return stream.text(stream.partner.get(before, 0) - 1) in _CONDITIONS
    return stream.text(before) in _STATEMENT_STARTS
