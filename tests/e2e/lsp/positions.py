"""Positions in a document as clients count them, the changes that they send, and the edits that they make.

Lines end at CR LF, LF or CR; columns count units of the encoding that client and server agreed on (LSP 3.17, "Position").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

__all__ = ["edited", "line_count", "offsets_of", "position_of", "smallest_change"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def line_count(text: str) -> int:
    """Line ends of the text."""
    return len(_LINE_END.findall(text))


def position_of(text: str, offset: int, encoding: str) -> types.Position:
    """The position of a character offset."""
    ends = list(_LINE_END.finditer(text, 0, offset))
    start = ends[-1].end() if ends else 0
    codec, size = _CODECS[encoding]
    return types.Position(len(ends), len(text[start:offset].encode(codec)) // size)


def offsets_of(text: str, place: types.Range, encoding: str) -> tuple[int, int]:
    """Character offsets of a range."""
    return _offset(text, place.start, encoding), _offset(text, place.end, encoding)


def edited(text: str, edits: Sequence[types.TextEdit], encoding: str) -> str:
    """The text with all edits made, the last one first."""
    for edit in sorted(edits, key=lambda item: (item.range.start.line, item.range.start.character), reverse=True):
        start, end = offsets_of(text, edit.range, encoding)
        text = text[:start] + edit.new_text + text[end:]
    return text


def smallest_change(old: str, new: str) -> tuple[int, int, str]:
    """The characters of ``old`` from start to end, and what replaces them, so that ``new`` results; never between CR and LF."""
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    while head and old[head - 1] == "\r":
        head -= 1
    while tail and old[len(old) - tail] == "\n":
        tail -= 1
    return head, len(old) - tail, new[head : len(new) - tail]


def _offset(text: str, position: types.Position, encoding: str) -> int:
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    if position.line >= len(starts):
        return len(text)
    codec, size = _CODECS[encoding]
    rest = text[starts[position.line] :].encode(codec)
    return starts[position.line] + len(rest[: position.character * size].decode(codec))
