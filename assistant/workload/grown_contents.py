"""What a buffer holds where it has another number of elements: repeated, cut, or carried on where it holds places. Sorted stays sorted.

Example::

    filled(data, buffer, 2000, is_followed=True)     # 2,000 elements of the buffer's type
"""

from __future__ import annotations

import numpy as np

from assistant.model.elements import parse_element_type
from assistant.model.recording import RecordedBuffer
from assistant.workload.arrays import Array, decode, encode
from assistant.workload.resample import is_distinct, is_rising, is_sorted, used_count

__all__ = ["element_bytes", "element_count", "filled"]

_LARGEST_PLACE = 1 << 40
"""Larger integers are keys or bits and point to nothing."""


def element_bytes(buffer: RecordedBuffer) -> int:
    """Size of a buffer's elements; 1 where their type is unknown."""
    element = parse_element_type(buffer.element_type or "")
    return 1 if element is None or buffer.size_bytes % element.size_bytes else element.size_bytes


def element_count(buffer: RecordedBuffer) -> int:
    """Elements of a buffer, or its bytes where the type is unknown."""
    return buffer.size_bytes // element_bytes(buffer)


def filled(data: bytes, buffer: RecordedBuffer, count: int, is_followed: bool) -> bytes:
    """``data`` with ``count`` elements. ``is_followed``: integers that look like places are carried on, or scaled down."""
    size_bytes = count * element_bytes(buffer)
    element = parse_element_type(buffer.element_type or "")
    if not data or buffer.is_poisoned or element is None or element.components != 1:
        return _repeated(data, size_bytes)
    values = decode(data, element)
    if not element.is_floating:
        return encode(_places(values, count, is_followed), element)
    return encode(_sorted_again(values, count), element) if count > values.size and is_sorted(values) else _repeated(data, size_bytes)


def _repeated(data: bytes, size_bytes: int) -> bytes:
    return (data * (size_bytes // max(1, len(data)) + 1))[:size_bytes] if data else bytes(size_bytes)


def _sorted_again(values: Array, count: int) -> Array:
    """``count`` of the sorted floats, some twice, in their order, with as large a share of zeros behind them as ``values`` have."""
    used = used_count(values)
    table = np.sort(np.resize(values[:used], count * used // values.size))
    return np.concatenate([table if values[0] <= values[used - 1] else table[::-1], np.zeros(count - table.size)])


def _places(values: Array, count: int, is_followed: bool) -> Array:
    """Integers of a buffer of another length: what they point to grows or shrinks with them, or does not."""
    old = values.size
    whole = np.resize(values, count)
    if count <= old:
        return _scaled(whole, count, old) if is_followed and count < old else whole
    if int(values.max()) > _LARGEST_PLACE:
        return np.sort(whole) if is_rising(values) else whole
    if is_sorted(values):
        turns = np.arange(count) // old
        step = int(values[-1]) - int(values[0]) + 1
        return whole + (turns * step).astype(values.dtype) if is_followed else np.concatenate([values, np.full(count - old, values[-1])])
    if is_followed and is_distinct(values):
        return whole + (np.arange(count) // old * (int(values.max()) + 1)).astype(values.dtype)
    return whole


def _scaled(values: Array, count: int, old: int) -> Array:
    """Different integers stay different and become places below ``count``; others are scaled down with the buffer."""
    if is_distinct(values):
        ranks = np.empty(values.size, values.dtype)
        ranks[np.argsort(values, kind="stable")] = np.arange(values.size)
        return ranks
    return (values.astype(np.float64) * count / old).astype(values.dtype)
