"""What a piece of code writes: assignments to elements of arrays, and whether it leaves anything that others than its thread can see.

Example::

    element_stores("if (i < n) out[i] = 2 * x[i];", {"out"})[0].value     # '2 * x[i]'
    has_effect("out[i] = 0;"), has_effect("int i = 0;")                   # True, False
"""

from __future__ import annotations

from collections.abc import Collection

from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.record import Record

__all__ = ["ElementStore", "calls_something", "element_stores", "has_effect"]

_NO_CALLS = frozenset({"if", "for", "while", "switch", "return", "sizeof", "min", "max", "dim3", "__syncthreads", "__ldg"})
"""Words before a parenthesis that call nothing which could write."""


class ElementStore(Record):
    """An assignment to an array's element or a struct's field."""

    start: int
    """Offset of the array's name."""
    operator: str
    """``=``, ``+=``, …"""
    value: str
    """The right side, up to the end of the statement."""


def element_stores(code: str, names: Collection[str]) -> tuple[ElementStore, ...]:
    """Assignments through these names: ``NAME[…] = value;``, ``(*NAME)[…].x += value;``, casts of the name included."""
    read, found = read_tokens(code), list[ElementStore]()
    for index, token in enumerate(read.tokens):
        target = _past_elements(read, index + 1) if token.text in names and read.is_word(index) else None
        if target is None:
            continue
        places = (target + 2, target) if read.text(target) == "." and read.is_word(target + 1) else (target,)
        behind, at = next(((past, place) for place in places if (past := read.past_assignment(place)) is not None), (None, target))
        if behind is None:
            continue
        end = next((later for later in range(behind, len(read.tokens)) if read.text(later) == ";"), len(read.tokens))
        value = code[read.tokens[behind - 1].end : read.start(end)].strip()
        found.append(ElementStore(token.start, read.spelled(at, behind), value))
    return tuple(found)


def has_effect(code: str) -> bool:
    """Whether it writes what others than its thread can see: an element, a pointee or a field is assigned, atomics, inline assembly."""
    read = read_tokens(code)
    return any(_is_effect(read, index) for index in range(len(read.tokens)))


def calls_something(code: str) -> bool:
    """Whether it calls a function that may write."""
    read = read_tokens(code)
    return any(_is_call(read, index) for index in range(len(read.tokens)) if read.is_word(index))


def _past_elements(read: TokenReader, index: int) -> int | None:
    """Index behind ``[…]``, ``[…][…]`` and ``)[…]``; None where no bracket follows."""
    opening = index + 1 if read.text(index) == ")" else index
    if read.text(opening) != "[":
        return None
    end = read.past(opening)
    further = _past_elements(read, end)
    return end if further is None else further


def _is_effect(read: TokenReader, index: int) -> bool:
    text = read.text(index)
    if text in (")", "]"):
        is_member = read.text(index + 1) == "." and read.is_word(index + 2)
        places = (index + 1, index + 3) if is_member else (index + 1,)
        return _is_step(read, index + 1) or any(read.past_assignment(place) is not None for place in places)
    if text == "*":
        return read.is_word(index + 1) and read.past_assignment(index + 2) is not None
    if read.is_joined(index, "->"):
        return read.is_word(index + 2) and read.is_joined(index + 3, "=") and not read.is_joined(index + 3, "==")
    if _is_step(read, index):
        return read.is_word(index + 2) and read.text(index + 3) == "["
    return read.is_word(index) and (text == "asm" or (text.startswith("atomic") and text != "atomic" and read.text(index + 1) == "("))


def _is_step(read: TokenReader, index: int) -> bool:
    return read.is_joined(index, "++") or read.is_joined(index, "--")


def _is_call(read: TokenReader, index: int) -> bool:
    """A word before a parenthesis, or before template arguments and a parenthesis."""
    if read.text(index) in _NO_CALLS:
        return False
    opening = index + 1
    if read.text(opening) == "<":
        opening = next((later for later in range(opening, len(read.tokens)) if read.text(later) in tuple(";{}()")), len(read.tokens))
        return read.text(opening) == "(" and read.text(opening - 1) == ">"
    return read.text(opening) == "("
