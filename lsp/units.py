"""The CUDA in an editor's documents: whole files, notebook cells, strings in Python; one source each.

A `Unit` knows where its text lies in the document, so that everything shown lands on the right line and column there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.uris import to_fs_path

from assistant.build.units import HEADER_SUFFIXES
from assistant.cuda.code_text import blanked
from assistant.cuda.embedded.replace import replace
from assistant.editor.line_words import renumbered
from assistant.model.embedded import EmbeddedText, EmbeddingProblem
from assistant.model.source import Span, TextEdit
from assistant.record import Record
from lsp.positions import Positions

__all__ = ["IgnoredText", "Unit", "Units", "file_of", "is_cuda", "is_cuda_header", "is_python", "is_source", "path_of"]

_LANGUAGES = frozenset({"cuda-cpp", "cuda", "cuda-c++"})
_SUFFIXES = frozenset({".cu", ".cuh"})
_WORD = re.compile(r"\.?\d(?:[eEpP][+-]|[\w.])*|\w+|\S")
_DEVICE_CODE = re.compile(r"\b__(?:global|device)__\b")
_FILE_SCHEMES = frozenset({"file", "vscode-remote"})
_SOURCE_SCHEMES = _FILE_SCHEMES | {"untitled"}


class Unit(Record):
    """One source of the session and its place in a document."""

    key: str
    uri: str
    """URI of the document, or of the notebook cell."""
    path: Path
    """The path that jobs use for it; the file need not exist."""
    text: str
    """Its CUDA text."""
    document: str
    """The document's whole text."""
    encoding: types.PositionEncodingKind
    embedded: EmbeddedText | None = None
    """Where ``text`` stands in the document; None: it is the whole document."""
    writes: Path | None = None
    """The file that a ``%%writefile`` cell becomes when it is run; None for all others."""

    def position(self, offset: int) -> types.Position:
        """The document's position of a character offset into ``text``."""
        return self.positions.position(offset if self.embedded is None else self.embedded.to_container(offset))

    def span(self, start: int, end: int) -> types.Range:
        if self.embedded is None:
            return self.positions.span(start, end)
        place = self.embedded.span_to_container(Span(start, end))
        return self.positions.span(place.start, place.end)

    def line_range(self, line: int) -> types.Range:
        """What stands on a 1-based line of ``text``, without the blanks around it."""
        start, end = self._line_bounds(line)
        content = self.text[start:end]
        stripped = content.strip()
        lead = len(content) - len(content.lstrip())
        return self.span(start + lead, start + lead + len(stripped)) if stripped else self.span(start, end)

    def said(self, words: str) -> str:
        """Words about ``text``, with its lines numbered as the document numbers them."""
        return words if self.embedded is None else renumbered(words, lambda line: self.line_range(line).start.line + 1)

    def token_range(self, line: int, column: int) -> types.Range:
        """The word or number at a 1-based line and column (in characters); the whole line where there is none."""
        start, end = self._line_bounds(line)
        at = start + column - 1
        word = _WORD.match(self.text, at, end) if column > 0 and at < end else None
        return self.line_range(line) if word is None else self.span(word.start(), word.end())

    def start_of_line(self, line: int) -> int:
        """Offset of the first character of a 1-based line; the end of ``text`` for one beyond it."""
        return self._lines[line - 1] if line <= len(self._lines) else len(self.text)

    def line_end(self, line: int) -> types.Position:
        """Where a 1-based line of ``text`` ends."""
        start, end = self._line_bounds(line)
        return self.span(start, end).end

    def offset(self, position: types.Position) -> int | None:
        """The character offset into ``text`` of a position of the document; None outside of it."""
        offset = self.positions.offset(position)
        return offset if offset is None or self.embedded is None else self.embedded.to_embedded(offset)

    def line_at(self, position: types.Position) -> int | None:
        """The 1-based line of ``text`` at a position of the document; None outside of it."""
        offset = self.offset(position)
        return None if offset is None else self.text.count("\n", 0, offset) + 1

    def lines_in(self, place: types.Range) -> tuple[int, int] | None:
        """First and last 1-based line of ``text`` in a range of the document; None where they have nothing in common."""
        first, last = self.line_at(place.start), self.line_at(place.end)
        whole = self.span(0, len(self.text))
        if first is None and place.start <= whole.start <= place.end:
            first = 1
        if last is None and place.start <= whole.end <= place.end:
            last = self.text.count("\n") + 1
        return None if first is None or last is None else (first, last)

    def arguments(self, kernel: str) -> dict[str, str]:
        """What commands on one of its kernels take; two texts of one document may have kernels of the same name."""
        named = {"uri": self.uri, "kernel": kernel}
        return named if self.key == self.uri else {**named, "source": self.key}

    def edits(self, edits: Iterable[TextEdit]) -> tuple[types.TextEdit, ...] | EmbeddingProblem:
        """Edits of the document that make ``edits`` of ``text``; declined where the text around it cannot hold the result."""
        placed = tuple(edits) if self.embedded is None else replace(self.embedded, edits)
        if isinstance(placed, EmbeddingProblem):
            return placed
        return tuple(types.TextEdit(self.positions.span(edit.span.start, edit.span.end), edit.new_text) for edit in placed)

    @cached_property
    def positions(self) -> Positions:
        """Positions in the document."""
        return Positions(self.document, self.encoding)

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


class IgnoredText(Record):
    """A CUDA text of a document that is no unit, and why."""

    place: types.Range
    declined: EmbeddingProblem


class Units:
    """The units of every open document."""

    def __init__(self) -> None:
        self._by_uri: dict[str, tuple[Unit, ...]] = {}
        self._by_key: dict[str, Unit] = {}
        self._ignored: dict[str, tuple[IgnoredText, ...]] = {}
        self._tasks: dict[str, Unit] = {}

    def replace_task(self, uri: str, unit: Unit | None) -> None:
        """Set the whole document as a PyTorch task or candidate; None: it is neither."""
        if unit is not None:
            self._tasks[uri] = unit
        else:
            self._tasks.pop(uri, None)

    def task(self, uri: str) -> Unit | None:
        """The document as a PyTorch task or candidate, which goes by its URI; CUDA texts in it are units of their own."""
        return self._tasks.get(uri)

    def replace(self, uri: str, units: tuple[Unit, ...], ignored: tuple[IgnoredText, ...] = ()) -> tuple[str, ...]:
        """Set a document's units; the keys that are gone."""
        before = {unit.key for unit in self._by_uri.pop(uri, ())}
        gone = before - {unit.key for unit in units}
        for key in gone:
            del self._by_key[key]
        self._by_key.update((unit.key, unit) for unit in units)
        self._ignored.pop(uri, None)
        if units:
            self._by_uri[uri] = units
        if ignored:
            self._ignored[uri] = ignored
        return tuple(sorted(gone))

    def of(self, uri: str) -> tuple[Unit, ...]:
        return self._by_uri.get(uri, ())

    def ignored(self, uri: str) -> tuple[IgnoredText, ...]:
        """CUDA texts of a document that are no units."""
        return self._ignored.get(uri, ())

    def paths(self) -> frozenset[Path]:
        return frozenset(unit.path for unit in self._by_key.values())

    def find(self, key: str) -> Unit | None:
        return self._by_key.get(key) or self._tasks.get(key)

    def at(self, uri: str, position: types.Position) -> Iterator[tuple[Unit, int]]:
        """(unit, 1-based line of it) at a position of a document."""
        for unit in self.of(uri):
            line = unit.line_at(position)
            if line is not None:
                yield unit, line

    def uris(self) -> tuple[str, ...]:
        return tuple(self._by_uri)


def is_source(uri: str) -> bool:
    """Whether a document, or the notebook of a cell, is a source that a person edits.

    Others only show something: an earlier revision (``git:``), one side of a comparison, our own previews.
    """
    return urlparse(uri).scheme in _SOURCE_SCHEMES


def is_cuda(uri: str, language_id: str | None) -> bool:
    """Whether a whole document is CUDA C++ by its language or its name."""
    return language_id in _LANGUAGES or Path(unquote(urlparse(uri).path)).suffix in _SUFFIXES


def is_cuda_header(uri: str, text: str) -> bool:
    """Whether a document is a header, of C++ by its name, whose text has device code: one search for each header without any."""
    suffix = Path(unquote(urlparse(uri).path)).suffix.lower()
    return suffix in HEADER_SUFFIXES and _DEVICE_CODE.search(text) is not None and _DEVICE_CODE.search(blanked(text)) is not None


def is_python(uri: str, language_id: str | None) -> bool:
    """Whether a whole document is Python."""
    return language_id == "python" or (not language_id and Path(unquote(urlparse(uri).path)).suffix == ".py")


def path_of(uri: str, root: Path | None) -> Path:
    """The file of a CUDA document; one that is in no file gets a name in the workspace, where its includes are looked for."""
    path = file_of(uri, root)
    return path if _is_file(uri) or path.suffix in _SUFFIXES else path.with_name(f"{path.name}.cu")


def file_of(uri: str, root: Path | None) -> Path:
    """The file of a document, or where one that is in no file would be."""
    path = to_fs_path(uri)
    if path and _is_file(uri):
        return Path(path)
    return (root or Path.cwd()) / (Path(unquote(urlparse(uri).path)).name or "untitled")


def _is_file(uri: str) -> bool:
    return urlparse(uri).scheme in _FILE_SCHEMES
