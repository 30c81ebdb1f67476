"""Casts of pointers to vectors of CUDA (``float4 *``), and structs whose declaration asks for an alignment.

Example::

    cast = vector_casts("using vec = float4; a = *reinterpret_cast<const vec *>(x);")[0]
    cast.text, cast.operand        # 'float4', 'x'
"""

from __future__ import annotations

import re

from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.record import Record

__all__ = ["VectorCast", "aligned_structs", "vector_casts"]

_VECTOR = re.compile(r"(?:u?(?:char|short|int|long|longlong)|float|double)[24]")
_QUALIFIERS = ("const", "volatile")


class VectorCast(Record):
    """A value that is taken as a pointer or reference to a vector."""

    text: str
    """The vector's type; of another name that the text gives it, the type that it stands for."""
    line: int
    """1-based."""
    operand: str
    """The first name of what is cast; empty where it begins with none."""


def vector_casts(code: str) -> tuple[VectorCast, ...]:
    """``(float4 *)x`` and ``reinterpret_cast<float4 *>(x)``, in order, other names of vector types included."""
    read = read_tokens(code)
    vectors, found = _aliases(read), list[VectorCast]()
    for index, token in enumerate(read.tokens):
        vector = _vector(token.text) or vectors.get(token.text, "") if read.is_word(index) else ""
        opening = index - 1
        while vector and read.text(opening) in _QUALIFIERS:
            opening -= 1
        sign = index + 1 + (read.text(index + 1) == "const")
        if not vector or read.text(sign) not in ("*", "&"):
            continue
        is_named = read.text(opening) == "<" and read.text(opening - 1) == "reinterpret_cast"
        if is_named or read.text(opening) == "(":
            start = read.start(opening - is_named)
            found.append(VectorCast(vector, code.count("\n", 0, start) + 1, _operand(read, sign + 1)))
    return tuple(found)


def aligned_structs(code: str) -> dict[str, int]:
    """Bytes that ``struct __align__(16) Body`` and ``struct alignas(16) Body`` ask for, where they are written as a number, by name."""
    read = read_tokens(code)
    return {
        read.text(index + 5): int(read.text(index + 3))
        for index in read.words("struct")
        if read.text(index + 1) in ("__align__", "alignas")
        and (read.text(index + 2), read.text(index + 4)) == ("(", ")")
        and read.text(index + 3).isdecimal()
        and read.is_word(index + 5)
    }


def _vector(word: str) -> str:
    return word if _VECTOR.fullmatch(word) else ""


def _aliases(read: TokenReader) -> dict[str, str]:
    """Other names of vector types: ``using vec = float4``, ``typedef float4 vec;``."""
    found = dict[str, str]()
    for index in read.words("using"):
        if read.is_word(index + 1) and read.text(index + 2) == "=" and _vector(read.text(index + 3)):
            found[read.text(index + 1)] = read.text(index + 3)
    for index in read.words("typedef"):
        if _vector(read.text(index + 1)) and read.is_word(index + 2) and read.text(index + 3) == ";":
            found[read.text(index + 2)] = read.text(index + 1)
    return found


def _operand(read: TokenReader, index: int) -> str:
    """The name behind the cast's end and an ``&``."""
    index += read.text(index) == "__restrict__"
    if read.text(index) not in (">", ")"):
        return ""
    index += 1
    index += read.text(index) == "("
    index += read.text(index) == "&"
    return read.text(index) if read.is_word(index) or read.is_number(index) else ""
