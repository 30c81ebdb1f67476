"""Conditions that a piece of code decides by: of ``if``, ``while`` and ``? :``, and what they are compared with.

Example::

    asked = asked_conditions("if (n == 4096) return;")[0]
    asked.text, asked.rest           # 'n == 4096', ' return;'
    compared_number(asked.text, {"n"})     # ('n == 4096', 4096)
"""

from __future__ import annotations

from collections.abc import Collection

from assistant.cuda.literals import integer_value
from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.record import Record

__all__ = ["AskedCondition", "asked_conditions", "compared_number", "returns_at_once"]

_SPLITTING = frozenset(";{}?")
"""What the condition of ``? :`` is not looked for beyond."""


class AskedCondition(Record):
    """A condition, and what is done where it holds."""

    start: int
    text: str
    """On one line; of ``? :`` the whole statement up to the mark."""
    rest: str
    """The code after it."""


def asked_conditions(code: str) -> tuple[AskedCondition, ...]:
    """Those of ``if`` and ``while`` first, then those of ``? :``."""
    read, found, choices = read_tokens(code), list[AskedCondition](), list[AskedCondition]()
    first = 0
    for index, token in enumerate(read.tokens):
        if read.is_word(index) and token.text in ("if", "while") and read.text(index + 1) == "(":
            end = read.past(index + 1)
            is_closed = read.text(end - 1) == ")"
            last = read.tokens[end - 1]
            inside = code[read.tokens[index + 1].end : last.start if is_closed else len(code)]
            found.append(AskedCondition(token.start, " ".join(inside.split()), code[last.end :] if is_closed else ""))
        if token.text not in _SPLITTING:
            continue
        if token.text == "?" and first < index:
            text = code[read.start(first) : token.start]
            choices.append(AskedCondition(read.start(first), " ".join(text.split()), code[token.end :]))
        first = index + 1
    return (*found, *choices)


def compared_number(condition: str, names: Collection[str]) -> tuple[str, int] | None:
    """The first comparison by ``==`` of one of the names (``n``, ``gridDim.x``) with an integer: as it is written, and the integer."""
    read = read_tokens(condition)
    for index in (index for index in range(len(read.tokens)) if read.is_joined(index, "==")):
        right = index + 2 + (read.text(index + 2) == "(")
        left = index - 1 - (read.text(index - 1) == ")")
        before = next((first for first in (index - 3, index - 1) if _name(read, first, index) in names), None)
        behind = next((end for end in (right + 3, right + 1) if _name(read, right, end) in names), None)
        if before is not None and read.is_number(right):
            value, text = integer_value(read.text(right)), read.spelled(before, right + 1)
        elif behind is not None and read.is_number(left):
            value, text = integer_value(read.text(left)), read.spelled(left, behind)
        else:
            continue
        return None if value is None else (text, value)
    return None


def returns_at_once(code: str) -> bool:
    """Whether the first statement is ``return;``."""
    read = read_tokens(code)
    first = 1 if read.text(0) == "{" else 0
    return read.text(first) == "return" and read.text(first + 1) == ";"


def _name(read: TokenReader, first: int, end: int) -> str:
    """The word, or ``gridDim.x``, that these tokens are; empty where they are neither."""
    if not read.is_word(first) or not read.is_word(end - 1) or end > len(read.tokens):
        return ""
    is_name = end - first == 1 or read.text(first + 1) == "."
    return "".join(read.text(index) for index in range(first, end)) if is_name else ""
