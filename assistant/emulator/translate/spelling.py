"""Replacement of single tokens: user variables named like built-in ones, keywords, and promotion of ``float`` to ``double``.

The map from token start to new text is used twice: as edits of the file, and when a kernel's head is copied into its launch stub.
"""

from __future__ import annotations

from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Declaration, Function

BUILTIN_VARIABLES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
USER_PREFIX = "emu_user_"
"""Put before a user's variable or field that is named like a built-in one (the headers spell such fields so, too)."""

_NOT_TYPES = {"return", "case", "else", "do", "sizeof", "throw", "goto", "and", "or", "not", "co_return", "co_yield"}
_DIM_TYPES = {"dim3", "uint3", "int3", "unsigned", "int", "auto", "const", "size_t", "static"}
_DEVICE_CALLS = {
    "printf": "emu_device_printf", "memcpy": "emu_device_memcpy", "memset": "emu_device_memset",
    "sincos": "emu_device_sincos", "sincosf": "emu_device_sincosf",
}  # fmt: skip
_DEVICE_ONLY_CALLS = {"malloc": "emu_device_malloc", "free": "emu_device_free"}


def shadow_renames(stream: Stream) -> dict[int, str]:
    """New spellings of fields, parameters and local variables called ``blockDim`` and the like, by token start."""
    renames: dict[int, str] = {}
    for i, token in enumerate(stream.tokens):
        if token.text not in BUILTIN_VARIABLES or token.start in renames:
            continue
        if stream.text(i - 1) in (".", "->"):
            renames[token.start] = USER_PREFIX + token.text
        elif _is_declared_at(stream, i):
            for k in _visible_from(stream, i):
                if stream.text(k) == token.text:
                    renames[stream.tokens[k].start] = USER_PREFIX + token.text
    return renames


def keyword_renames(stream: Stream) -> dict[int, str]:
    """``__noinline__`` becomes an attribute; not a macro, for the host library spells its own attributes so."""
    return {
        t.start: "__attribute__((noinline))"
        for i, t in enumerate(stream.tokens)
        if t.text == "__noinline__" and not (stream.text(i - 1) == "(" and stream.text(i + 1) == ")")
    }


def device_call_renames(stream: Stream, found: tuple[Declaration, ...], device_words: set[str]) -> dict[int, str]:
    """Library calls in device bodies that have a device form."""
    renames: dict[int, str] = {}
    for function in found:
        if not isinstance(function, Function) or function.body is None or not function.words & device_words:
            continue
        calls = dict(_DEVICE_CALLS)
        if "__host__" not in function.words:
            calls |= _DEVICE_ONLY_CALLS
        for i in function.body:
            token = stream.tokens[i]
            if token.text == "new" and stream.text(i + 1) != "(" and stream.text(i - 1) != "operator":
                renames[token.start] = "new (emu_device_heap)"
            if token.text in calls and stream.text(i + 1) == "(" and stream.text(i - 1) not in (".", "->", "::"):
                renames[token.start] = calls[token.text]
    return renames


def _is_declared_at(stream: Stream, i: int) -> bool:
    before = stream.text(i - 1)
    if stream.tokens[i - 1].kind is Kind.NAME and i > 0:
        return before not in _NOT_TYPES
    if before in ("&", "*"):
        return stream.text(i - 2) in _DIM_TYPES and stream.text(i + 1) in (",", ")", "=", ";")
    if before == ",":
        k = i - 1
        while k >= 0 and stream.text(k) not in (";", "{", "}", "("):
            k = stream.partner.get(k, k) if stream.text(k) in (")", "]", "}") else k
            k -= 1
        return stream.text(k) != "(" and stream.text(k + 1) in _DIM_TYPES
    return False


def _visible_from(stream: Stream, i: int) -> range:
    """Token indexes in which a name declared at ``i`` is visible: its block, or a parameter list and the body behind it."""
    depth_open = stream.enclosing[i]
    if depth_open is None:
        return range(i, len(stream.tokens))
    close = stream.close(depth_open)
    if stream.text(depth_open) == "{":
        return range(depth_open if _is_class_body(stream, depth_open) else i, close + 1)
    k = close + 1
    while k < len(stream.tokens) and stream.text(k) not in ("{", ";"):
        k += 1
    return range(i, stream.close(k) + 1 if stream.text(k) == "{" else k)


def _is_class_body(stream: Stream, opener: int) -> bool:
    k = opener - 1
    while k >= 0 and stream.text(k) not in (";", "{", "}", ")"):
        if stream.text(k) in ("struct", "class", "union"):
            return True
        k -= 1
    return False
