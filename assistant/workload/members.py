"""Bytes of structs, changed member by member; padding stays as it is.

Example::

    with_members(data, layout, lambda column, element: negated(column, element))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.model.elements import ElementType
from assistant.model.structs import ElementLayout, Member
from assistant.workload.arrays import Array, decode, encode
from assistant.workload.resample import are_lengths

__all__ = ["Together", "with_members"]

Together = Callable[[Sequence[Array]], Sequence[Array]]
"""Columns of integers of one buffer → as many others of the same length."""


def with_members(
    data: bytes, layout: ElementLayout, change: Callable[[bytes, ElementType], bytes], together: Together | None = None
) -> bytes:
    """``data`` with every member's column replaced by what ``change`` makes of it; a tail that holds no whole struct stays.

    ``together``: changes the members that are single integers, all at once, in the place of ``change``. Places of rows and the lengths that
    they follow from stay.
    """
    count = len(data) // layout.size_bytes
    rows = np.frombuffer(data, np.uint8, count * layout.size_bytes).reshape(count, layout.size_bytes).copy()
    integers = [member for member in layout.members if _is_integer(member)] if count else []
    kept = _rows_described(integers, rows)
    own = [member for member in integers if together is not None and member not in kept]
    if together is not None and own:
        drawn = together([decode(rows[:, _place(member)].tobytes(), member.element) for member in own])
        for member, values in zip(own, drawn, strict=True):
            _put(rows, member, encode(values, member.element))
    for member in layout.members if count else ():
        if member not in own and member not in kept:
            _put(rows, member, change(rows[:, _place(member)].tobytes(), member.element))
    return rows.tobytes() + data[rows.size :]


def _rows_described(integers: Sequence[Member], rows: NDArray[np.uint8]) -> list[Member]:
    """Members that say where rows of another buffer begin and how long they are, as ``begin`` and ``count`` of pages."""
    columns = [(member, decode(rows[:, _place(member)].tobytes(), member.element)) for member in integers]
    pairs = ((one, other) for one, lengths in columns for other, places in columns if are_lengths(lengths, places))
    return [member for pair in pairs for member in pair]


def _is_integer(member: Member) -> bool:
    return member.element.is_integer and member.size_bytes == member.element.scalar_bytes


def _place(member: Member) -> slice:
    return slice(member.offset_bytes, member.offset_bytes + member.size_bytes)


def _put(rows: NDArray[np.uint8], member: Member, column: bytes) -> None:
    rows[:, _place(member)] = np.frombuffer(column, np.uint8).reshape(len(rows), member.size_bytes)
