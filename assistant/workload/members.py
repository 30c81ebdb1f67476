"""Bytes of structs, changed member by member; padding stays as it is.

Example::

    with_members(data, layout, lambda column, element: negated(column, element))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.model.elements import ElementKind, ElementType
from assistant.model.structs import ElementLayout, Member
from assistant.workload.arrays import Array, decode, encode

__all__ = ["Together", "with_members"]

Together = Callable[[Sequence[Array]], Sequence[Array]]
"""Columns of integers of one buffer → as many others of the same length."""


def with_members(
    data: bytes, layout: ElementLayout, change: Callable[[bytes, ElementType], bytes], together: Together | None = None
) -> bytes:
    """``data`` with every member's column replaced by what ``change`` makes of it; a tail that holds no whole struct stays.

    ``together``: changes the members that are single integers, all at once, in the place of ``change``.
    """
    count = len(data) // layout.size_bytes
    rows = np.frombuffer(data, np.uint8, count * layout.size_bytes).reshape(count, layout.size_bytes).copy()
    own = [member for member in layout.members if together is not None and _is_integer(member)] if count else []
    if together is not None and own:
        drawn = together([decode(rows[:, _place(member)].tobytes(), member.element) for member in own])
        for member, values in zip(own, drawn, strict=True):
            _put(rows, member, encode(values, member.element))
    for member in layout.members if count else ():
        if member not in own:
            _put(rows, member, change(rows[:, _place(member)].tobytes(), member.element))
    return rows.tobytes() + data[rows.size :]


def _is_integer(member: Member) -> bool:
    return member.element.kind in (ElementKind.INT, ElementKind.UINT) and member.size_bytes == member.element.scalar_bytes


def _place(member: Member) -> slice:
    return slice(member.offset_bytes, member.offset_bytes + member.size_bytes)


def _put(rows: NDArray[np.uint8], member: Member, column: bytes) -> None:
    rows[:, _place(member)] = np.frombuffer(column, np.uint8).reshape(len(rows), member.size_bytes)
