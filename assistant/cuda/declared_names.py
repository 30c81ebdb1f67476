"""Names that a line of code looks to declare, without reading the rest of its text.

Example::

    declared_names("const float *x = in, y[4];")     # ('x',)
"""

from __future__ import annotations

from assistant.cuda.token_reader import TokenReader, read_tokens

__all__ = ["declared_names"]

_AFTER_NAME = frozenset("=;{([,)")
_OF_TYPE, _OF_NAME = frozenset(">*&"), frozenset("*&")


def declared_names(line: str) -> tuple[str, ...]:
    """Variables, constants, types, functions: a word behind a type and a blank; some that the line only uses as well."""
    read = read_tokens(line)
    found = (index for index in range(len(read.tokens)) if read.is_word(index) and read.text(index + 1) in _AFTER_NAME)
    return tuple(read.text(index) for index in found if _is_behind_type(read, index))


def _is_behind_type(read: TokenReader, index: int) -> bool:
    """Whether ``T name``, ``T* name`` or ``T *name`` ends there: one blank, with signs of the type or of the name joined to them."""
    place = index
    while read.text(place - 1) in _OF_NAME and _is_attached(read, place):
        place -= 1
    if place == 0 or _is_attached(read, place):
        return False
    place -= 1
    while read.text(place) in _OF_TYPE and _is_attached(read, place):
        place -= 1
    return read.is_word(place)


def _is_attached(read: TokenReader, index: int) -> bool:
    return index > 0 and read.tokens[index - 1].end == read.start(index)
