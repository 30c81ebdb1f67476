"""Casts of pointers as they are written: which locals hold a parameter without its ``const``.

Example::

    copies_without_const("float *w = const_cast<float *>(x);", "x")     # ('w',)
"""

from __future__ import annotations

from assistant.cuda.token_reader import TokenReader, read_tokens

__all__ = ["copies_without_const"]


def copies_without_const(code: str, name: str) -> tuple[str, ...]:
    """Variables that are set to a cast of ``name`` to another pointer: ``w = (float *)x;``, ``w = const_cast<float *>(x);``."""
    read = read_tokens(code)
    found = (_copied_to(read, index) for index in read.words(name))
    return tuple(copy for copy in found if copy)


def _copied_to(read: TokenReader, index: int) -> str:
    """The variable that the cast of the name at ``index`` is assigned to; empty where there is none."""
    if read.text(index - 1) == "(" and read.text(index + 1) == ")":
        first, end = _template_cast(read, index - 2), index + 2
    else:
        first, end = _c_cast(read, index - 1), index + 1
    is_assigned = first is not None and read.text(end) == ";" and read.text(first - 1) == "=" and read.is_word(first - 2)
    return read.text(first - 2) if is_assigned and first is not None else ""


def _template_cast(read: TokenReader, closing: int) -> int | None:
    """Index of ``const_cast`` before the ``>`` at ``closing``."""
    if read.text(closing) != ">":
        return None
    opening = next((place for place in range(closing - 1, -1, -1) if read.text(place) in ("<", ">")), -1)
    return opening - 1 if read.text(opening) == "<" and read.text(opening - 1) == "const_cast" else None


def _c_cast(read: TokenReader, closing: int) -> int | None:
    """Index of the ``(`` of ``(float *)`` that ends at ``closing``."""
    if read.text(closing) != ")" or read.text(closing - 1) != "*":
        return None
    opening = next((place for place in range(closing - 1, -1, -1) if read.text(place) in ("(", ")")), -1)
    return opening if read.text(opening) == "(" else None
