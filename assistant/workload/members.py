"""Bytes of structs, changed member by member; padding stays as it is.

Example::

    with_members(data, layout, lambda column, element: negated(column, element))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assistant.model.elements import ElementType
from assistant.model.structs import ElementLayout

__all__ = ["with_members"]


def with_members(data: bytes, layout: ElementLayout, change: Callable[[bytes, ElementType], bytes]) -> bytes:
    """``data`` with every member's column replaced by what ``change`` makes of it; a tail that holds no whole struct stays."""
    count = len(data) // layout.size_bytes
    rows = np.frombuffer(data, np.uint8, count * layout.size_bytes).reshape(count, layout.size_bytes).copy()
    for member in layout.members if count else ():
        place = slice(member.offset_bytes, member.offset_bytes + member.size_bytes)
        changed = change(rows[:, place].tobytes(), member.element)
        rows[:, place] = np.frombuffer(changed, np.uint8).reshape(count, member.size_bytes)
    return rows.tobytes() + data[rows.size :]
