"""The CUDA in an editor's documents: whole files, notebook cells, strings in Python; one desk source each.

A `Unit` knows where its text lies in the document, so that everything shown lands on the right line and column there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.uris import to_fs_path

__all__ = ["Unit", "Units", "is_cuda", "path_of"]

_LANGUAGES = frozenset({"cuda-cpp", "cuda", "cuda-c++"})
_SUFFIXES = frozenset({".cu", ".cuh"})
_LINE_END = re.compile(r"\r\n|\n|\r")
_UNIT_BYTES = {
    types.PositionEncodingKind.Utf8: ("utf-8", 1),
    types.PositionEncodingKind.Utf16: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


@dataclass(frozen=True)
class Unit:
    """One source of the desk and its place in a document."""

    key: str
    uri: str
    """Of the document, or of the notebook cell."""
    path: Path
    """What jobs call it."""
    text: str
    """Its CUDA text."""
    document: str
    """The document's whole text."""
    encoding: types.PositionEncodingKind

    def position(self, offset: int) -> types.Position:
        """The document's position of a character offset into ``text``."""
        at = self._to_document(offset)
        line = bisect_right(self._document_lines, at) - 1
        return types.Position(line, self._length(self.document[self._document_lines[line] : at]))

    def span(self, start: int, end: int) -> types.Range:
        return types.Range(self.position(start), self.position(end))

    def line_range(self, line: int) -> types.Range:
        """What stands on a 1-based line of ``text``, without the blanks around it."""
        start, end = self._line_bounds(line)
        content = self.text[start:end]
        stripped = content.strip()
        lead = len(content) - len(content.lstrip())
        return self.span(start + lead, start + lead + len(stripped)) if stripped else self.span(start, end)

    def token_range(self, line: int, column: int) -> types.Range:
        """The word at a 1-based line and column (in characters); the whole line where there is none."""
        start, end = self._line_bounds(line)
        at = start + column - 1
        word = re.compile(r"\w+|\S").match(self.text, at, end) if column > 0 and at < end else None
        return self.line_range(line) if word is None else self.span(word.start(), word.end())

    def start_of_line(self, line: int) -> int:
        """Offset of the first character of a 1-based line; the end of ``text`` for one beyond it."""
        return self._lines[line - 1] if line <= len(self._lines) else len(self.text)

    def line_end(self, line: int) -> types.Position:
        """Where a 1-based line of ``text`` ends."""
        return self.position(self._line_bounds(line)[1])

    def offset(self, position: types.Position) -> int | None:
        """The character offset into ``text`` of a position of the document; None outside of it."""
        lines = self._document_lines
        if position.line >= len(lines):
            return None
        start = lines[position.line]
        end = lines[position.line + 1] if position.line + 1 < len(lines) else len(self.document)
        return self._from_document(start + self._characters(self.document[start:end], position.character))

    def line_at(self, position: types.Position) -> int | None:
        """The 1-based line of ``text`` at a position of the document; None outside of it."""
        offset = self.offset(position)
        return None if offset is None else self.text.count("\n", 0, offset) + 1

    def _line_bounds(self, line: int) -> tuple[int, int]:
        """Offsets of a 1-based line of ``text``, its end excluded; the last line for one beyond."""
        lines = self._lines
        index = min(max(line, 1), len(lines)) - 1
        end = lines[index + 1] - 1 if index + 1 < len(lines) else len(self.text)
        start = lines[index]
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return start, max(start, end)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(i + 1 for i, character in enumerate(self.text) if character == "\n")]

    @cached_property
    def _document_lines(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.document))]

    def _to_document(self, offset: int) -> int:
        return offset

    def _from_document(self, offset: int) -> int | None:
        return offset

    def _length(self, text: str) -> int:
        codec, size = _UNIT_BYTES[self.encoding]
        return len(text) if text.isascii() else len(text.encode(codec, "surrogatepass")) // size

    def _characters(self, line: str, units: int) -> int:
        """How many characters ``units`` code units are; clipped to the line."""
        if line.isascii():
            return min(units, len(line))
        codec, size = _UNIT_BYTES[self.encoding]
        return len(line.encode(codec, "surrogatepass")[: units * size].decode(codec, "ignore"))


class Units:
    """The units of every open document."""

    def __init__(self) -> None:
        self._by_uri: dict[str, tuple[Unit, ...]] = {}
        self._by_key: dict[str, Unit] = {}

    def replace(self, uri: str, units: tuple[Unit, ...]) -> tuple[str, ...]:
        """Set a document's units; the keys that are gone."""
        before = {unit.key for unit in self._by_uri.get(uri, ())}
        gone = before - {unit.key for unit in units}
        for key in gone:
            del self._by_key[key]
        self._by_key.update((unit.key, unit) for unit in units)
        if units:
            self._by_uri[uri] = units
        else:
            self._by_uri.pop(uri, None)
        return tuple(sorted(gone))

    def of(self, uri: str) -> tuple[Unit, ...]:
        return self._by_uri.get(uri, ())

    def find(self, key: str) -> Unit | None:
        return self._by_key.get(key)

    def at(self, uri: str, position: types.Position) -> Iterator[tuple[Unit, int]]:
        """(unit, 1-based line of it) at a position of a document."""
        for unit in self.of(uri):
            line = unit.line_at(position)
            if line is not None:
                yield unit, line

    def uris(self) -> tuple[str, ...]:
        return tuple(self._by_uri)


def is_cuda(uri: str, language_id: str | None) -> bool:
    """Whether a whole document is CUDA C++."""
    return language_id in _LANGUAGES or Path(unquote(urlparse(uri).path)).suffix in _SUFFIXES


def path_of(uri: str, root: Path | None) -> Path:
    """The file of a URI; a document that is in no file gets a name in the workspace, where its includes are looked for."""
    path = to_fs_path(uri)
    if path and urlparse(uri).scheme in ("file", "vscode-remote", "vscode-notebook-cell"):
        return Path(path)
    name = Path(unquote(urlparse(uri).path)).name or "untitled"
    return (root or Path.cwd()) / (name if name.endswith((".cu", ".cuh")) else f"{name}.cu")
