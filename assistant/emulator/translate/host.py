"""Marks host functions, so that the compiler leaves the memory hooks out of them and the object file shows who calls them."""

from __future__ import annotations

from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Function, after_template

_MARK, _LOCAL_MARK, _APART = "EMU_USER_HOST ", "EMU_USER_HOST_LOCAL ", "EMU_APART "
_UNMARKED = {"constexpr", "operator", "template", "friend", "__shared__"}
"""Functions that device code may call without ``__device__`` (or that cannot bear the attribute here)."""


_COMPILED_ITS_OWN_WAY = {"always_inline", "__always_inline__", "target", "__target__", "target_clones"}


def host_edits(stream: Stream, function: Function, device_words: set[str], inline_words: set[str]) -> list[Edit]:
    """The mark before a host function's definition; nothing for device functions, members and declarations."""
    if function.body is None or function.is_member or function.words & (device_words | _UNMARKED):
        return []
    start = after_template(stream, function.head.start)
    if stream.text(start) == "extern" and stream.tokens[start + 1].kind is Kind.STRING:
        start += 2
    while stream.text(start) == "[" and stream.text(start + 1) == "[":
        start = stream.close(start) + 1
    if start >= function.head.stop or _is_macro_head(stream, function, start):
        return []
    position = stream.tokens[start].start
    mark = _LOCAL_MARK if "static" in function.words or "" in function.scope else _MARK
    is_plain = not any(stream.text(i) in _COMPILED_ITS_OWN_WAY or stream.text(i) in inline_words for i in function.head)
    return [Edit(position, position, mark + _APART if is_plain else mark)]


def _is_macro_head(stream: Stream, function: Function, start: int) -> bool:
    """``NAME(arguments) {``: a macro writes the head, which may be a kernel's."""
    return stream.text(start + 1) == "(" and stream.close(start + 1) == function.head.stop - 1
