"""CUDA texts of a Python file or a notebook cell.

Example::

    find_embedded('k = cp.RawKernel("__global__ void k() {}", "k")', Container.PYTHON_FILE)[0].text   # '__global__ void k() {}'
"""

from __future__ import annotations

import re

from assistant.cuda.embedded.bindings import Bindings
from assistant.cuda.embedded.calls import NAMES, calls_of, needs_pytorch, text_of
from assistant.cuda.embedded.expressions import Expressions, NotText
from assistant.cuda.embedded.magics import embedded_body, head_of
from assistant.cuda.embedded.statements import program_of
from assistant.model.embedded import Container, EmbeddedText, EmbeddingProblem, EmbeddingProblemCode
from assistant.model.source import Span

__all__ = ["find_alone", "find_embedded"]

_MOST_CALLS = 200
"""Calls that are read in one text: programs have a handful. Those beyond are reported once as passed over, and cost nothing at a keystroke.
"""
_MARKER = re.compile("|".join(NAMES))


def find_embedded(text: str, container: Container) -> tuple[EmbeddedText | EmbeddingProblem, ...]:
    """Every CUDA text, in the order of its first use; what is recognized but cannot be read exactly is declined with its place.

    A text that is used by several calls is given once. Text without a marker of CUDA costs one scan.
    """
    head = head_of(text) if container is Container.NOTEBOOK_CELL else None
    if head is not None and head.kind is not None:
        return (embedded_body(text, head, head.kind),)
    if (head is not None and not head.is_python) or not _MARKER.search(text):
        return ()
    return _in_python(text, container, 0 if head is None else head.span.end)


def find_alone(text: str, container: Container) -> tuple[EmbeddedText | EmbeddingProblem, ...]:
    """As ``find_embedded``, but what only PyTorch compiles is declined: for those who compile each text as it stands."""
    return tuple(_alone(item) if isinstance(item, EmbeddedText) else item for item in find_embedded(text, container))


def _alone(embedded: EmbeddedText) -> EmbeddedText | EmbeddingProblem:
    if not embedded.needs_pytorch:
        return embedded
    reason = "it uses PyTorch's C++ API, which is compiled only by PyTorch"
    return EmbeddingProblem(EmbeddingProblemCode.NEEDS_PYTORCH, embedded.kind, embedded.use, reason)


def _in_python(text: str, container: Container, start: int) -> tuple[EmbeddedText | EmbeddingProblem, ...]:
    """``start``: end of the magic's line, which is not Python."""
    program = program_of(_blank(text, start))
    bindings = Bindings(program)
    expressions = Expressions(program, bindings)
    found: dict[object, EmbeddedText | EmbeddingProblem] = {}
    for index, call in enumerate(calls_of(program, bindings)):
        if index == _MOST_CALLS:
            reason = f"it is beyond the first {_MOST_CALLS} in one file"
            found[index] = EmbeddingProblem(EmbeddingProblemCode.TOO_MANY_CALLS, call.kind, call.span, reason)
            break
        value = text_of(call, expressions)
        if isinstance(value, NotText):
            problem = EmbeddingProblem(value.code, call.kind, value.span, value.reason)
            found.setdefault((call.kind, value.span, value.reason), problem)
        elif value is not None and value.literals:
            is_pytorchs = needs_pytorch(call, value.text)
            embedded = EmbeddedText(call.kind, value.text, call.span, "", value.literals, value.runs, container, text, is_pytorchs)
            found.setdefault(value.runs, embedded)
    return tuple(found.values())


def _blank(text: str, end: int) -> str:
    """The text with spaces up to ``end``; line ends before it do not matter to Python."""
    span = Span(0, end)
    return " " * (span.end - span.start) + text[end:] if end else text
