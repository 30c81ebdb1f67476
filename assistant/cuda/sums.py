"""Sums as written: what ``a + b - (c - d)`` adds and takes away, whatever parentheses and casts to integers stand around the parts.

Example::

    [(term.is_subtracted, node_text(term.node)) for term in terms_of(node)]   # [(False, 'a'), (False, 'b'), (True, 'c'), (False, 'd')]
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.casts import without_integer_casts
from assistant.cuda.syntax import Node, binary_parts
from assistant.record import Record

__all__ = ["Term", "is_sum", "terms_of"]


class Term(Record):
    """One part of a sum."""

    node: Node
    """Without parentheses and casts to integers."""
    is_subtracted: bool = False
    word: str | None = None
    """What a body calls it (``BodyNames.terms``); None for anything but a name or a thread index."""


def terms_of(node: Node) -> tuple[Term, ...]:
    """The parts in order; the node alone where it is no sum."""
    return tuple(_terms(node, is_subtracted=False))


def is_sum(node: Node | None) -> bool:
    """Whether it adds or subtracts two values."""
    parts = None if node is None else binary_parts(node)
    return parts is not None and parts[0] in ("+", "-")


def _terms(node: Node, *, is_subtracted: bool) -> Iterator[Term]:
    node = without_integer_casts(node)
    parts = binary_parts(node)
    if parts is None or not is_sum(node):
        yield Term(node, is_subtracted)
        return
    yield from _terms(parts[1], is_subtracted=is_subtracted)
    yield from _terms(parts[2], is_subtracted=is_subtracted != (parts[0] == "-"))
