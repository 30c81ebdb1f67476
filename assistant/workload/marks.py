"""What a program's memory is filled with to say that a place is empty: no value of the user's is that.

Example::

    marks = marks_in([b"\\xff" * 4096])             # frozenset({b"\\xff" * 8})
    is_limit_marked(unsigned_int, marks)           # True: 0xFFFFFFFF stands in each place of a hash table
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from assistant.model.elements import ElementType
from assistant.workload.arrays import encode, storage_dtype

__all__ = ["Marks", "is_limit_marked", "marks_in"]

Marks = frozenset[bytes]
"""Eight bytes each, those of the widest integers."""
_MARK_BYTES = 8
_FEWEST_REPEATS = 4


def marks_in(contents: Iterable[bytes]) -> Marks:
    """What fills whole buffers; zeros are no mark."""
    return frozenset(data[:_MARK_BYTES] for data in contents if any(data[:_MARK_BYTES]) and _repeats(data))


def is_limit_marked(element: ElementType, marks: Marks) -> bool:
    """Whether the largest integer of the type is a mark."""
    if not element.is_integer:
        return False
    limit = encode(np.array([np.iinfo(storage_dtype(element)).max]), element)
    return limit * (_MARK_BYTES // len(limit)) in marks


def _repeats(data: bytes) -> bool:
    """Whether the first eight bytes stand again and again, often enough to be no accident."""
    begin = data[: _FEWEST_REPEATS * _MARK_BYTES]
    return begin == data[:_MARK_BYTES] * _FEWEST_REPEATS and data[_MARK_BYTES:] == data[:-_MARK_BYTES]
