"""CUDA texts inside Python documents and notebook cells, as units with names of their own.

A text keeps its name while it is typed in, so that its results stay with it. The name is that of its first kernel (of a
``%%writefile`` cell the file's), so that an editor that starts later gives the same one. Example::

    read_embedded(PythonText(uri, text, encoding, Path("/w/train.py"), Container.PYTHON_FILE), (), frozenset(), False)[0][0].path
    # /w/train.py.halve.cu
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from lsprotocol import types

from assistant.cuda.embedded.find import find_alone
from assistant.cuda.embedded.names import name_of, names_like, own_name, path_in
from assistant.model.embedded import Container, EmbeddedText, EmbeddingKind, EmbeddingProblem
from assistant.record import Record
from lsp.positions import Positions
from lsp.units import IgnoredText, Unit

__all__ = ["PythonText", "read_cuda_cell", "read_embedded"]

_HEADER = ".cuh"
_APPENDS = "-a"


class PythonText(Record):
    """A Python document or notebook cell that an editor has open."""

    uri: str
    text: str
    encoding: types.PositionEncodingKind
    file: Path
    """The Python file, or the notebook of the cell."""
    container: Container


class _Text(Record):
    """One CUDA text."""

    text: str
    embedded: EmbeddedText | None
    """None where it is the whole cell."""


def read_embedded(
    opened: PythonText, before: Sequence[Unit], taken: frozenset[Path], may_rename: bool
) -> tuple[tuple[Unit, ...], tuple[IgnoredText, ...]]:
    """The units of a document, and the CUDA texts that are ignored.

    ``before``: its units until now, whose names are kept; with ``may_rename`` only as far as they still fit. ``taken``: paths that
    other documents' units have.
    """
    found = find_alone(opened.text, opened.container)
    if not found:
        return (), ()
    texts = [_Text(item.text, item) for item in found if isinstance(item, EmbeddedText)]
    positions = Positions(opened.text, opened.encoding)
    ignored = tuple(IgnoredText(positions.span(x.span.start, x.span.end), x) for x in found if isinstance(x, EmbeddingProblem))
    return _units(opened, texts, before, taken, may_rename), ignored


def read_cuda_cell(opened: PythonText, before: Sequence[Unit], taken: frozenset[Path], may_rename: bool) -> tuple[Unit, ...]:
    """The unit of a notebook cell whose language is CUDA; arguments as of ``read_embedded``."""
    return _units(opened, [_Text(opened.text, None)], before, taken, may_rename)


def _units(opened: PythonText, texts: list[_Text], before: Sequence[Unit], taken: frozenset[Path], may_rename: bool) -> tuple[Unit, ...]:
    kept: dict[int, str] = {}
    for index, unit in _matched(texts, before):
        name = unit.key.rpartition("#")[2]
        if not may_rename or _fits(name, _own_name(texts[index])):
            kept[index] = name
    used = {_path(opened, texts[index], name) for index, name in kept.items()} | taken
    units: list[Unit] = []
    for index, text in enumerate(texts):
        name = kept.get(index)
        if name is None:
            name = next(name for name in names_like(_own_name(text)) if _path(opened, text, name) not in used)
        path = _path(opened, text, name)
        used.add(path)
        key, written = f"{opened.uri}#{name}", _written_whole(opened, text)
        units.append(Unit(key, opened.uri, path, text.text, opened.text, opened.encoding, text.embedded, written))
    return tuple(units)


def _matched(texts: list[_Text], before: Sequence[Unit]) -> Iterator[tuple[int, Unit]]:
    """(index of a text, the unit that it was): the same text first, then those that are left, in order."""
    left = list(before)
    changed: list[int] = []
    for index, text in enumerate(texts):
        same = next((unit for unit in left if unit.text == text.text), None)
        if same is None:
            changed.append(index)
        else:
            left.remove(same)
            yield index, same
    yield from zip(changed, left, strict=False)


def _own_name(text: _Text) -> str | None:
    """The name that the text gives itself; None while it holds no kernel."""
    written = _written_file(text)
    if written is not None:
        return re.sub(r"\W+", "-", written.stem).strip("-") or None
    return own_name(text.text) if text.embedded is None else name_of(text.embedded)


def _fits(name: str, own: str | None) -> bool:
    return own is None or name == own or re.fullmatch(rf"{re.escape(own)}-\d+", name) is not None


def _path(opened: PythonText, text: _Text, name: str) -> Path:
    """A name in the folder of the document's file."""
    written = _written_file(text)
    return path_in(opened.file, name, _HEADER) if written is not None and written.suffix == _HEADER else path_in(opened.file, name)


def _written_whole(opened: PythonText, text: _Text) -> Path | None:
    """The file that is the text once the cell is run, in the folder of its notebook; None where it only becomes a part of a file."""
    written = _written_file(text)
    if written is None or text.embedded is None or _APPENDS in text.embedded.arguments.split():
        return None
    return Path(posixpath.normpath(opened.file.parent / written))


def _written_file(text: _Text) -> PurePosixPath | None:
    """The last argument of ``%%writefile [-a] FILE``; None for every other text."""
    if text.embedded is None or text.embedded.kind is not EmbeddingKind.WRITEFILE_MAGIC:
        return None
    return PurePosixPath(text.embedded.arguments.split()[-1].strip("\"'"))
