"""Calls of a Python program that compile a CUDA text given as a string.

Signatures: CuPy 13 ``RawKernel(code, name, …)`` and ``RawModule(code, …)``; PyCUDA 2024 ``SourceModule(source, …)``; PyTorch 2
``load_inline(name, cpp_sources, cuda_sources, …)``; cuda.core 0.3 ``Program(code, code_type, …)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.embedded.bindings import Bindings, TokenRange
from assistant.cuda.embedded.expressions import Expressions, NotText, arguments
from assistant.cuda.embedded.statements import Program
from assistant.cuda.embedded.text_map import MappedText, joined, share_a_literal
from assistant.cuda.embedded.tokens import Kind
from assistant.model.embedded import EmbeddingKind, EmbeddingProblemCode
from assistant.model.source import Span
from assistant.record import Record

__all__ = ["NAMES", "Call", "calls_of", "needs_pytorch", "text_of"]


class _Function(Record):
    kind: EmbeddingKind
    origins: tuple[str, ...]
    """Full dotted names."""
    position: int
    """Position of the argument that holds the CUDA text."""
    keyword: str


_FUNCTIONS = {
    "RawKernel": _Function(EmbeddingKind.RAW_KERNEL, ("cupy.RawKernel",), 0, "code"),
    "RawModule": _Function(EmbeddingKind.RAW_MODULE, ("cupy.RawModule",), 0, "code"),
    "SourceModule": _Function(EmbeddingKind.SOURCE_MODULE, ("pycuda.compiler.SourceModule",), 0, "source"),
    "load_inline": _Function(EmbeddingKind.LOAD_INLINE, ("torch.utils.cpp_extension.load_inline",), 2, "cuda_sources"),
    "Program": _Function(EmbeddingKind.PROGRAM, ("cuda.core.Program", "cuda.core.experimental.Program"), 0, "code"),
}
_LONGEST_OPEN_CALL = 200
"""Tokens in which the text of a call without an end is looked for; what a user has typed of it so far is shorter."""
_PYTORCH = re.compile(r"\b(?:torch|at|c10)::|#[ \t]*include[ \t]*[<\"](?:torch|ATen|c10)/|\bTORCH_\w+")
"""PyTorch's names: ``load_inline`` adds the headers that declare them, no other compiler run has those."""
NAMES = tuple(_FUNCTIONS)
"""A text that has none of these has no such call."""


class Call(Record):
    """One call that compiles CUDA text."""

    kind: EmbeddingKind
    span: Span
    """The called name."""
    text: TokenRange
    """The argument that holds the CUDA text."""
    is_cut_short: bool
    """The call has no closing bracket."""


def calls_of(program: Program, bindings: Bindings) -> Iterator[Call]:
    """Every such call, in source order."""
    statement = 0
    for index, token in enumerate(program.tokens):
        while statement + 1 < len(program.statements) and program.statements[statement + 1].first <= index:
            statement += 1
        is_call = token.kind is Kind.NAME and index + 1 < len(program.tokens) and program.tokens[index + 1].text == "("
        if not is_call:
            continue
        first = _start_of_name(program, index)
        if first > 0 and program.tokens[first - 1].text in ("def", "class"):
            continue
        words = "".join(t.text for t in program.tokens[first : index + 1])
        function = _function(words, bindings)
        call = None if function is None else _call(program, function, first, index, statement)
        if call is not None:
            yield call


def text_of(call: Call, expressions: Expressions) -> MappedText | NotText | None:
    """The CUDA text of a call; a list's items are put on lines of their own, as PyTorch does. None where there is none to show."""
    if call.kind is not EmbeddingKind.LOAD_INLINE:
        return expressions.text_of(call.text, call.is_cut_short)
    return _joined_items(call, expressions)


def needs_pytorch(call: Call, text: str) -> bool:
    """Whether the call's text uses PyTorch's C++ API."""
    return call.kind is EmbeddingKind.LOAD_INLINE and _PYTORCH.search(text) is not None


def _joined_items(call: Call, expressions: Expressions) -> MappedText | NotText | None:
    items = expressions.items_of(call.text)
    if items is None:
        return expressions.text_of(call.text, call.is_cut_short)
    parts: list[MappedText] = []
    for item in items:
        value = expressions.text_of(item)
        if isinstance(value, NotText):
            return value
        parts.append(value)
    if share_a_literal(parts):
        return NotText(EmbeddingProblemCode.USED_TWICE, call.span, "the same string is used twice in one text")
    return joined(parts, "\n") if parts else None


def _start_of_name(program: Program, index: int) -> int:
    tokens = program.tokens
    while index >= 2 and tokens[index - 1].text == "." and tokens[index - 2].kind is Kind.NAME:
        index -= 2
    return index


def _function(words: str, bindings: Bindings) -> _Function | None:
    """Where no import of this text says what the name is, as in a later cell of a notebook, its last part decides."""
    origin = bindings.imported(words)
    dotted = words if origin is None else origin
    function = _FUNCTIONS.get(dotted.rpartition(".")[2])
    if function is None:
        return None
    is_known = any(dotted == name or dotted.endswith("." + name) for name in function.origins)
    return function if is_known or origin is None else None


def _call(program: Program, function: _Function, first: int, name: int, statement: int) -> Call | None:
    closing = program.closings.get(name + 1)
    end = min(len(program.tokens), name + _LONGEST_OPEN_CALL) if closing is None else closing
    given = arguments(program, name + 2, end, statement)
    text = _argument(program, given, function.position, function.keyword)
    if text is None or [t.text for t in program.tokens[text.first : text.end]] == ["None"]:
        return None
    if function.kind is EmbeddingKind.PROGRAM and not _is_cpp(program, _argument(program, given, 1, "code_type")):
        return None
    return Call(function.kind, Span(program.tokens[first].start, program.tokens[name].end), text, closing is None)


def _argument(program: Program, given: tuple[TokenRange, ...], position: int, keyword: str) -> TokenRange | None:
    """The argument's expression, without its keyword; None where it is not given."""
    for index, item in enumerate(given):
        words = [at for at in range(item.first, item.end) if program.tokens[at].kind is not Kind.NEWLINE][:2]
        name = program.tokens[words[0]].text
        if len(words) == 2 and program.tokens[words[1]].text == "=":
            if name == keyword:
                return TokenRange(words[1] + 1, item.end, item.statement)
        elif index == position and name not in ("*", "**"):
            return item
    return None


def _is_cpp(program: Program, code_type: TokenRange | None) -> bool:
    tokens = () if code_type is None else program.tokens[code_type.first : code_type.end]
    return [t.text.strip("'\"").lower() for t in tokens if t.kind is not Kind.NEWLINE] == ["c++"]
