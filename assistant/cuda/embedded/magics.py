"""Cell magics whose cell is CUDA text.

What is a cell magic follows IPython 9, ``IPython/core/inputtransformer2.py``: blank lines before it do not count, the name ends at a space.

Example::

    magic_of("%%cu --flag\\n__global__ void k() {}")   # an EmbeddedText: arguments '--flag', text '__global__ void k() {}'
"""

from __future__ import annotations

import re
import shlex

from assistant.cuda.embedded.cell_launch import first_line as launch_line
from assistant.model.embedded import Container, EmbeddedText, EmbeddingKind, EmbeddingProblem, EmbeddingProblemCode, Literal, Run
from assistant.model.source import Span
from assistant.record import Record

__all__ = ["CellHead", "embedded_body", "head_of"]

_HEAD = re.compile(r"(?:[ \t]*(?:\r\n?|\n))*(?P<indent>[ \t]*)(?P<magic>%%(?P<name>\w+)(?P<rest>[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]*))")
_CUDA_MAGICS = {kind.value[2:]: kind for kind in EmbeddingKind if kind.is_cell_magic and kind is not EmbeddingKind.WRITEFILE_MAGIC}
_WRITING_MAGICS = frozenset({"writefile", "file"})
_CUDA_SUFFIXES = (".cu", ".cuh")
_PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun", "python", "python3"})
"""Cell magics whose body is Python for this or another interpreter."""
_CAPTURE = "--capture"
"""An option of ``%%kernelopt`` whose cell is Python, of which launches are recorded."""
_OPERATOR = "--op"
"""An option of ``%%kernelopt`` whose cell holds a PyTorch task, or a candidate for one: Python, unless it begins as a CUDA text does."""
_CUDA_COMMENT = re.compile(r"\s*/[*/]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class CellHead(Record):
    """The line of a cell magic."""

    span: Span
    """Without the indentation and the line's end."""
    is_indented: bool
    kind: EmbeddingKind | None
    """None where the body is not CUDA."""
    is_python: bool
    """The body is Python."""
    arguments: str


def head_of(text: str) -> CellHead | None:
    """The cell magic that the cell begins with; None where there is none."""
    match = _HEAD.match(text)
    if match is None or match["rest"][:1] not in ("", " "):
        return None
    name, arguments = match["name"], match["rest"].strip()
    kind = _CUDA_MAGICS.get(name)
    if name in _WRITING_MAGICS:
        kind = EmbeddingKind.WRITEFILE_MAGIC if _file_name(arguments).endswith(_CUDA_SUFFIXES) else None
    is_python = name in _PYTHON_MAGICS or (name in _WRITING_MAGICS and _file_name(arguments).endswith(".py"))
    if kind is EmbeddingKind.KERNELOPT_MAGIC and _is_of_python(arguments, text[match.end() :]):
        kind, is_python = None, True
    return CellHead(Span(*match.span("magic")), bool(match["indent"]), kind, is_python, arguments)


def _is_of_python(arguments: str, body: str) -> bool:
    words = {word.partition("=")[0] for word in arguments.split()}
    return _CAPTURE in words or (_OPERATOR in words and _CUDA_COMMENT.match(body) is None)


def embedded_body(text: str, head: CellHead, kind: EmbeddingKind) -> EmbeddedText | EmbeddingProblem:
    """The CUDA text of a cell whose magic is ``head``; its first line is the launch that the magic's line gives (``cell_launch``)."""
    if head.is_indented:
        reason = "the cell magic is indented; IPython removes its indentation from every line"
        return EmbeddingProblem(EmbeddingProblemCode.INDENTED_MAGIC, kind, head.span, reason)
    first_line = text[head.span.start :].splitlines(keepends=True)[0]
    body = Span(head.span.start + len(first_line), len(text))
    code = text[body.start : body.end]
    if _SURROGATE.search(code):
        return EmbeddingProblem(EmbeddingProblemCode.SURROGATE, kind, body, "it holds half of a surrogate pair, which is not a character")
    launch = launch_line(head.arguments, code) if kind is EmbeddingKind.KERNELOPT_MAGIC and first_line.endswith(("\n", "\r")) else None
    launch_length = len(launch or "")
    literal = Literal(body, Span(launch_length, launch_length + len(code)), None, False, "")
    of_line = (Run(0, launch_length, head.span.start, body.start),) if launch else ()
    runs = (*of_line, Run(launch_length, launch_length + len(code), body.start, body.end))
    return EmbeddedText(kind, f"{launch or ''}{code}", head.span, head.arguments, (literal,), runs, Container.NOTEBOOK_CELL, text)


def _file_name(arguments: str) -> str:
    """The last argument, as ``%%writefile [-a] FILE`` has it."""
    try:
        words = shlex.split(arguments)
    except ValueError:
        words = arguments.split()
    return words[-1] if words else ""
