"""Declarations outside functions that need what the emulator does not have: left out, and what uses their names is not run either.

Example::

    declaration_around(code, 4)     # RemovedDeclaration(tokens=range(0, 9), name="keys") of `thrust::device_vector<int> keys;`
"""

from __future__ import annotations

from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import after_template, name_position
from assistant.record import Record

__all__ = ["RemovedDeclaration", "declaration_around"]

_CLASS_WORDS = ("class", "struct", "union", "enum")
_ENDS = (";", "{", "}")


class RemovedDeclaration(Record):
    """A declaration at namespace scope."""

    tokens: range
    name: str | None
    """What it declares; None of ``using namespace``."""


def declaration_around(code: Stream, index: int) -> RemovedDeclaration:
    """The outermost declaration that holds the token and is no namespace: of a member it is the class."""
    inner = _outermost(code, index)
    start = inner
    while start > 0 and code.text(start - 1) not in _ENDS:
        start -= 1
        if code.text(start) in (")", "]") and start in code.partner:
            start = code.partner[start]
    tokens = range(start, _end(code, start))
    return RemovedDeclaration(tokens, _name(code, tokens))


def _outermost(code: Stream, index: int) -> int:
    """The token, or the outermost bracket around it that opens no namespace."""
    around = [index]
    while (outer := code.enclosing[around[-1]]) is not None:
        around.append(outer)
    return next((i for i in reversed(around) if not _opens_namespace(code, i)), index)


def _opens_namespace(code: Stream, index: int) -> bool:
    if code.text(index) != "{":
        return False
    start = index
    while start > 0 and code.text(start - 1) not in _ENDS:
        start -= 1
    words = [code.text(i) for i in range(start, index)]
    return "namespace" in words or (words[:1] == ["extern"] and len(words) == 2)


def _end(code: Stream, start: int) -> int:
    """Behind the declaration: its semicolon, or the brace that ends a function."""
    i, is_function = start, False
    is_class = code.text(after_template(code, start)) in (*_CLASS_WORDS, "typedef")
    while i < len(code.tokens):
        text = code.text(i)
        if text == ";":
            return i + 1
        if text == "}":
            return i
        is_function = is_function or (text == "(" and not is_class)
        if text in ("(", "[", "{"):
            i = code.close(i)
            if text == "{" and is_function and code.text(i + 1) not in (",", ";", "{"):
                return i + 1
        i += 1
    return i


def _name(code: Stream, tokens: range) -> str | None:
    start = after_template(code, tokens.start)
    first, second = code.text(start), code.text(start + 1)
    if first == "using" and second == "namespace":
        return None
    if first in ("using", "namespace") and code.text(start + 2) == "=":
        return second
    if first in _CLASS_WORDS:
        return next((code.text(i) for i in range(start + 1, tokens.stop) if code.tokens[i].kind is Kind.NAME), None)
    position = None if first in ("typedef", "using") else name_position(code, tokens)
    if position is not None:
        return code.text(position[0])
    stop = next((i for i in tokens if code.text(i) in ("=", "[", "{", ";")), tokens.stop)
    return next((code.text(i) for i in range(stop - 1, start - 1, -1) if code.tokens[i].kind is Kind.NAME), None)
