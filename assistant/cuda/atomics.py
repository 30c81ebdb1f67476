"""Atomic operations of device code: what each works on, and whether its old value is used.

Example::

    atomic_calls("int at = atomicAdd(count, 1);")[0]      # AtomicCall(9, 'atomicAdd', 'count', True)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.record import Record

__all__ = ["AtomicCall", "atomic_calls", "may_be_floating"]

_FUNCTION = re.compile(r"atomic(?:Add|Sub|Inc|Dec|Min|Max|And|Or|Xor|Exch|CAS)(?:_block|_system)?")
_MEMBER = re.compile(r"fetch_(?:add|sub|min|max|and|or|xor)|exchange|compare_exchange_(?:weak|strong)")
"""Members of ``cuda::atomic_ref`` and ``cuda::atomic``."""
_FLOATING = re.compile(r"float|double|half|__half2?|half2|__nv_bfloat162?|nv_bfloat162?|float[24]")
_DROPPED_BEFORE = ("", ";", "{", "}", ":", ")", "else", "do")
"""What stands before a call whose result is dropped; behind a closing parenthesis it is the statement of an ``if`` or a loop."""


class AtomicCall(Record):
    """A call of an atomic function, or of such a member."""

    start: int
    function: str
    target: str
    """Name of what it works on; of ``s->cells[i]`` it is ``cells``."""
    is_used: bool
    """Whether something is done with the result."""


def atomic_calls(code: str) -> tuple[AtomicCall, ...]:
    """Functions first, then members, each in order."""
    read = read_tokens(code)
    return (*_functions(read), *_members(read))


def may_be_floating(code: str, name: str) -> bool:
    """Whether some declaration of that name is floating, or of a template's type, which may be."""
    read = read_tokens(code)
    types = {read.text(index + 1) for key in ("typename", "class") for index in read.words(key) if read.is_word(index + 1)}
    return any(_is_floating(read, index, types) or _is_wrapped(read, index) for index in read.words(name))


def _functions(read: TokenReader) -> Iterator[AtomicCall]:
    for index, token in enumerate(read.tokens):
        if read.is_word(index) and read.text(index + 1) == "(" and _FUNCTION.fullmatch(token.text):
            target = _target(read, index + 2)
            if target:
                yield AtomicCall(token.start, token.text, target, read.text(index - 1) not in _DROPPED_BEFORE)


def _members(read: TokenReader) -> Iterator[AtomicCall]:
    for index, token in enumerate(read.tokens):
        dot = index - 1 if read.text(index - 1) == "." else index - 2
        is_member = read.text(dot) == "." or read.is_joined(dot, "->")
        if is_member and read.is_word(dot - 1) and read.text(index + 1) == "(" and read.is_word(index) and _MEMBER.fullmatch(token.text):
            yield AtomicCall(read.start(dot - 1), token.text, read.text(dot - 1), read.text(dot - 2) not in _DROPPED_BEFORE)


def _target(read: TokenReader, first: int) -> str:
    """The name behind a cast, ``&`` and a parenthesis, the last one of a path of members; empty where there is none."""
    cast = read.past(first) if read.text(first) == "(" else first
    is_cast = "(" not in [read.text(index) for index in range(first + 1, cast)]
    for start in (cast, first) if is_cast else (first,):
        index = start + (read.text(start) == "&")
        index += read.text(index) == "("
        while read.is_word(index) and (dot := _past_dot(read, index + 1)) != index + 1 and read.is_word(dot):
            index = dot
        if read.is_word(index):
            return read.text(index)
    return ""


def _past_dot(read: TokenReader, index: int) -> int:
    """Index behind ``.`` or ``->``; the same where neither is there."""
    return index + 1 if read.text(index) == "." else index + 2 if read.is_joined(index, "->") else index


def _is_floating(read: TokenReader, index: int, types: set[str]) -> bool:
    """Whether ``float *const __restrict__`` or the like stands before the name."""
    place = index - 1
    for word in ("__restrict__", "const"):
        place -= read.text(place) == word
    while read.text(place) in ("*", "&"):
        place -= 1
    return read.is_word(place) and (read.text(place) in types or _FLOATING.fullmatch(read.text(place)) is not None)


def _is_wrapped(read: TokenReader, index: int) -> bool:
    """Whether ``cuda::atomic_ref<float, …>`` or the like stands before the name."""
    if read.text(index - 1) != ">":
        return False
    opening = next((place for place in range(index - 2, -1, -1) if read.text(place) in ("<", ">")), -1)
    is_atomic = read.text(opening) == "<" and read.text(opening - 1) in ("atomic", "atomic_ref")
    return is_atomic and _FLOATING.fullmatch(read.text(opening + 1)) is not None
