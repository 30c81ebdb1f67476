"""Which CUDA text of a Python file a job is asked about.

Example::

    request = about_text(JobRequest(Path("/w/train.py"), Path("/w")))
    request.file            # /w/train.py.halve.cu, whose text the request gives
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.cuda.embedded.in_python import TextInPython, texts_of, unread_of
from assistant.cuda.match import select_kernels
from assistant.cuda.parse import parse
from assistant.disk.texts import source_text
from assistant.engine.request import JobRequest
from assistant.errors import UsageError
from assistant.model.embedded import EmbeddingKind
from assistant.model.program import STANDS_ALONE
from assistant.model.source import Source
from assistant.program.python_texts import text_at_path

__all__ = ["about_text", "meant_in"]

_PYTHON = ".py"


def about_text(request: JobRequest) -> JobRequest:
    """A request for a Python file that holds CUDA texts, about the one that is meant; any other request as it is.

    Raises UsageError as ``meant_in`` does.
    """
    found = None if request.report is not None else meant_in(request.file, request.kernel)
    if found is None:
        return request
    given = ((found.path, found.embedded.text), *request.texts)
    is_of_extension = found.embedded.kind is EmbeddingKind.LOAD_INLINE
    programs = request.programs if is_of_extension else STANDS_ALONE
    return replace(request, file=found.path, texts=given, programs=programs)


def meant_in(path: Path, selector: str | None) -> TextInPython | None:
    """The CUDA text that a path means: one of a Python file, or its own path; None for a path that means none.

    Raises UsageError where a Python file has several and ``selector`` does not tell, or where none of them can be read.
    """
    if path.suffix != _PYTHON:
        return text_at_path(path)
    text = source_text(path)
    if text is None:
        return None
    texts = texts_of(path, text)
    meant = texts if selector is None else tuple(each for each in texts if _has(each, selector))
    if len(meant) == 1:
        return meant[0]
    if texts:
        names = ", ".join(str(each.path) for each in meant or texts)
        remedy = f"name one: {names}" if meant else f"--kernel {selector} is in none of {names}"
        raise UsageError(f"{path.name} holds {len(texts)} CUDA texts", remedy)
    unread = unread_of(text)
    if unread:
        line, reason = unread[0]
        raise UsageError(f"{path.name}:{line} holds a CUDA text that cannot be read: {reason}", "give the kernel a plain string of its own")
    return None


def _has(found: TextInPython, selector: str) -> bool:
    return bool(select_kernels(parse(Source(found.path, found.embedded.text)), selector))
