"""CUDA texts inside Python files that are on disk: what one reads as, where it stands, and how it is written.

Example::

    text_in_python(Path("/w/train.py.halve.cu"))     # the text of the string in /w/train.py
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.cuda.embedded.in_python import TextInPython, python_file, text_at, with_text
from assistant.disk.texts import source_text
from assistant.errors import CannotAnswerError
from assistant.model.embedded import EmbeddingProblem
from assistant.model.source import Source

__all__ = ["as_on_disk", "in_words", "text_at_path", "text_in_python"]


def text_at_path(path: Path) -> TextInPython | None:
    """The CUDA text that goes by that path; None where its Python file has none, or there is a file of that path itself."""
    file = python_file(path)
    text = None if file is None or path.exists() else source_text(file)
    return None if text is None else text_at(path, text)


def text_in_python(path: Path) -> str | None:
    """The CUDA text of that path as its Python file holds it now; None where there is none."""
    found = text_at_path(path)
    return None if found is None else found.embedded.text


def in_words(path: Path) -> str | None:
    """Where a text of that path stands; None for any other path."""
    found = text_at_path(path)
    if found is None:
        return None
    name = found.path.with_suffix("").stem
    return f"{path.name} is the CUDA text in {name} from line {found.line} on: its line 1 is line {found.line} there"


def as_on_disk(before: Sequence[Source], after: Sequence[Source]) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
    """The same change as one of files: texts inside Python files become those files.

    Raises CannotAnswerError where a string cannot hold its new text, or holds another one by now.
    """
    olds, news = dict[Path, Source](), dict[Path, Source]()
    for old, new in zip(before, after, strict=True):
        file = python_file(old.path)
        text = None if file is None or old.path.exists() else news[file].text if file in news else source_text(file)
        if file is None or text is None:
            olds[old.path], news[new.path] = old, new
            continue
        olds.setdefault(file, Source(file, text))
        news[file] = Source(file, _written(old, new, text))
    return tuple(olds.values()), tuple(news.values())


def _written(old: Source, new: Source, text: str) -> str:
    found = text_at(old.path, text)
    if found is None or found.embedded.text != old.text:
        raise CannotAnswerError(f"{old.path} changed just now, and nothing was written", "try again")
    match with_text(old.path, text, new.text):
        case EmbeddingProblem(reason=reason):
            raise CannotAnswerError(f"{old.path.name} cannot be written: {reason}", "apply the diff that `kernelopt show` prints")
        case written:
            assert written is not None, "the text was found above"
            return written
