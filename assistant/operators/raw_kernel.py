"""What a kernel is made of before it has loops: elements that are read, values made of them, and who says what is in memory. Values only.

Example::

    RawRead("x", "float", (n, m))     # the element of x that the axes stand at
"""

from __future__ import annotations

from typing import Protocol

from assistant.operators.axes import Alignment, Axis
from assistant.operators.graph import FunctionCall
from assistant.operators.origins import Given, Made, Origin
from assistant.record import Record

__all__ = ["RawRead", "RawStep", "Sources"]


class RawRead(Record):
    """One array, or one coordinate, that values are read from."""

    array: str | None
    """None: the coordinate along the axes."""
    c_type: str
    axes: tuple[Axis, ...]
    """Those of its dimensions, in the order of memory."""
    base: str = ""
    """A word of the row that is picked, in front of the axes."""
    part: Alignment = ()
    """Its dimensions, where a part of it is read; none: all of it is."""


class RawStep(Record):
    """One value."""

    kind: str
    """``value``, or what the elements of a row become one by: ``sum``, ``max``, ``min``, ``argmax``, ``argmin``, ``running_sum``, …"""
    text: str
    c_type: str
    call: FunctionCall | None
    axes: frozenset[Axis]
    """Those that it depends on."""


class Sources(Protocol):
    """What a kernel may read beside what it computes."""

    def seen(self, place: int, memory: int) -> Origin | None:
        """What was in a memory when a call began."""
        ...

    def parts(self, label: str, size: int) -> tuple[Axis, ...]:
        """The axes that an axis of this label consists of."""
        ...

    def stored(self, made: Made, alignment: Alignment) -> Given:
        """What a kernel before this one leaves of it."""
        ...

    def turned(self, given: Given, axes: tuple[Axis, ...]) -> Given | None:
        """The same in another order of its dimensions, where a kernel before this one leaves that; else None."""
        ...
