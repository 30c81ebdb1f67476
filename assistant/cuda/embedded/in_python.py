"""CUDA texts of a Python file as paths of their own, and the Python file after one of them has changed.

The path of a text is one in the Python file's folder that no file has. It is what editors call the text, too. Example::

    texts_of(Path("/w/train.py"), text)[0].path                         # /w/train.py.halve.cu
    with_text(Path("/w/train.py.halve.cu"), text, "__global__ …")       # the text of train.py with that in its string
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.cuda.edits import apply_edits
from assistant.cuda.embedded.find import find_embedded
from assistant.cuda.embedded.names import names_like, own_name, path_in
from assistant.cuda.embedded.replace import replace
from assistant.model.embedded import Container, EmbeddedText, EmbeddingProblem
from assistant.model.source import Span, TextEdit
from assistant.record import Record

__all__ = ["TextInPython", "python_file", "text_at", "texts_of", "unread_of", "with_text"]

_PYTHON = ".py"
_KERNEL = "__global__"


class TextInPython(Record):
    """A CUDA text that holds kernels, in a Python file."""

    path: Path
    embedded: EmbeddedText

    @property
    def line(self) -> int:
        """The line of the Python file on which the text begins (from 1)."""
        return _line(self.embedded.container_text, self.embedded.literals[0].content.start)

    @property
    def used_on_line(self) -> int:
        """The line on which it is given to a compiler (from 1)."""
        return _line(self.embedded.container_text, self.embedded.use.start)


def python_file(path: Path) -> Path | None:
    """The Python file that a path as ``train.py.halve.cu`` is a text of; None for any other path."""
    file = path.with_suffix("").with_suffix("")
    return file if path.suffix == ".cu" and file.suffix == _PYTHON and len(path.suffixes) > 2 else None


def texts_of(file: Path, text: str) -> tuple[TextInPython, ...]:
    """Those of a Python file, in the order of their first use."""
    return tuple(_texts(file, text))


def unread_of(text: str) -> tuple[tuple[int, str], ...]:
    """(line from 1, why) of each CUDA text that cannot be read exactly."""
    found = find_embedded(text, Container.PYTHON_FILE)
    return tuple((_line(text, item.span.start), item.reason) for item in found if isinstance(item, EmbeddingProblem))


def text_at(path: Path, python_text: str) -> TextInPython | None:
    """The text of that path in its Python file; None where the file has none."""
    file = python_file(path)
    return None if file is None else next((each for each in _texts(file, python_text) if each.path == path), None)


def with_text(path: Path, python_text: str, new_text: str) -> str | EmbeddingProblem | None:
    """The Python file with another CUDA text in the place of the one at ``path``; None where the file has none there."""
    found = text_at(path, python_text)
    if found is None:
        return None
    edits = replace(found.embedded, (TextEdit(Span(0, len(found.embedded.text)), new_text),))
    if isinstance(edits, EmbeddingProblem):
        return edits
    edited = apply_edits(python_text, edits)
    assert isinstance(edited, str), "replace gives edits of this very text, apart from each other"
    return edited


def _texts(file: Path, text: str) -> Iterator[TextInPython]:
    used = set[str]()
    for item in find_embedded(text, Container.PYTHON_FILE):
        if isinstance(item, EmbeddedText) and _KERNEL in item.text:
            name = next(name for name in names_like(own_name(item.text)) if name not in used)
            used.add(name)
            yield TextInPython(path_in(file, name), item)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
