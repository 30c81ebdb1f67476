"""Positions in a text as LSP counts them: lines from 0, characters in code units of the encoding that was agreed on.

Example::

    Positions("é = 1\\n", types.PositionEncodingKind.Utf8).position(1)   # Position(line=0, character=2)
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from lsprotocol import types

from assistant.record import Record

__all__ = ["Positions"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_WIDER_FROM = {
    types.PositionEncodingKind.Utf8: (0x80, 0x800, 0x10000),
    types.PositionEncodingKind.Utf16: (0x10000,),
    types.PositionEncodingKind.Utf32: (),
}
"""The code points from which on a character takes one code unit more."""


class Positions(Record):
    """Offsets and positions of a text."""

    text: str
    encoding: types.PositionEncodingKind

    def position(self, offset: int) -> types.Position:
        """The position of a character offset."""
        line = bisect_right(self._lines, offset) - 1
        return types.Position(line, self._length(self.text[self._lines[line] : offset]))

    def span(self, start: int, end: int) -> types.Range:
        return types.Range(self.position(start), self.position(end))

    def offset(self, position: types.Position) -> int | None:
        """The character offset of a position, one beyond its line clipped to that; None for a line that there is not."""
        lines = self._lines
        if position.line >= len(lines):
            return None
        start = lines[position.line]
        end = lines[position.line + 1] if position.line + 1 < len(lines) else len(self.text)
        return start + self._characters(self.text[start:end].rstrip("\r\n"), position.character)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def _length(self, text: str) -> int:
        return len(text) if text.isascii() else sum(map(self._width, text))

    def _characters(self, line: str, units: int) -> int:
        """How many whole characters ``units`` code units are; clipped to the line."""
        if line.isascii():
            return min(units, len(line))
        for index, character in enumerate(line):
            units -= self._width(character)
            if units < 0:
                return index
        return len(line)

    def _width(self, character: str) -> int:
        """Code units of a character; half of a surrogate pair, which JSON can carry, counts as any other of its size."""
        return 1 + sum(ord(character) >= first for first in _WIDER_FROM[self.encoding])
