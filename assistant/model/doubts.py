"""What device code does that its text alone does not settle: reading a variable without a value, asking where memory lies."""

from __future__ import annotations

from typing import Literal

from assistant.record import Record

__all__ = ["Doubt", "DoubtKind"]

DoubtKind = Literal["unset", "address", "alignment", "comparison", "place"]
"""Reads a variable that may have no value; turns an address into a number; only asks whether an address is a multiple of what every
allocation is; compares two addresses; asks in which memory, or where on the stack, something lies."""


class Doubt(Record):
    kind: DoubtKind
    function: str
    """Where, without namespaces."""
    name: str
    """Name of the variable, as written; for ``place``, of the function called; for ``comparison``, the comparison."""
    code: str
    """The expression without spaces: the same one in another version is not new."""
    line: int
