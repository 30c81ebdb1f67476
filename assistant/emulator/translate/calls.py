"""Notes when a host function is entered and left: what it asks of the device then stands between both in the recording.

Example::

    call_edits(stream, function, device_words, "Solver::step")     # `{` becomes `{ EmuCallScope emu_call_scope;`
"""

from __future__ import annotations

from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Function, name_position

__all__ = ["call_edits"]

_SCOPE = " EmuCallScope emu_call_scope;"
_NEVER = {"constexpr", "consteval"}


def call_edits(stream: Stream, function: Function, device_words: set[str], wanted: str) -> list[Edit]:
    """The scope at the beginning of the function's body; nothing for device functions, declarations, and functions of other names."""
    if function.body is None or function.words & (device_words | _NEVER) or not _is_called(stream, function, wanted):
        return []
    end = stream.tokens[function.body.start].end
    return [Edit(end, end, _SCOPE)]


def _is_called(stream: Stream, function: Function, wanted: str) -> bool:
    """Whether ``wanted`` is the end of its qualified name."""
    place = name_position(stream, function.head)
    if place is None:
        return False
    last = first = place[0]
    while stream.text(first - 1) == "::" and first >= 2:
        first -= 2
    written = [stream.text(index) for index in range(first, last + 1, 2)]
    names = wanted.split("::")
    return [*(name for name in function.scope if name), *written][-len(names) :] == names
