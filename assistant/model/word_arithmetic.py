"""Sums, differences and products of 64-bit integers, and those of their low halves alone."""

from __future__ import annotations

from assistant.record import Record

__all__ = ["WordArithmetic"]


class WordArithmetic(Record):
    """One ``+``, ``-`` or ``*`` in device code."""

    function: str
    """Where, without namespaces."""
    word: str
    """The 64-bit operand as declared last: ``counter`` for ``c.counter`` and for a local made of it."""
    operator: str
    """``+``, ``-`` or ``*``."""
    is_of_low_half: bool
    """Only the low half of ``word`` is an operand, the high half is used as it is, and nothing looks at the carry."""
    code: str
    """The expression as written."""
    line: int
