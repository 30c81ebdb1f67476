"""Which zeros of a buffer are data, and which are structure: padding of rows, a border, a tail behind what is in use.

Zeros that are data may be any other value of the buffer on another day; a kernel may rely on structure. Example::

    structural_zeros(image, row_lengths=(128,))      # true in the columns that no row uses
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.workload.arrays import Array

__all__ = ["structural_zeros"]

_Mask = NDArray[np.bool_]

_MOST_STRUCTURE_RATIO = 0.5
"""Rows and columns of zeros that are more than this share of a buffer say that it is nearly empty, not that it has a border."""
_LEAST_DENSITY_RATIO = 0.5
"""Share of what lies inside that must not be zero: otherwise zeros are ordinary values of this buffer."""
_LEAST_TAIL_COUNT = 2


def structural_zeros(values: Array, row_lengths: Sequence[int]) -> _Mask:
    """True at zeros that are structure. ``row_lengths``: elements that a row may have."""
    is_zero: _Mask = values == 0
    if not is_zero.any() or is_zero.all():  # nothing is in use around which there could be structure
        return np.zeros(values.size, np.bool_)
    found: _Mask = _tail(is_zero)
    for length in dict.fromkeys(row_lengths):
        if 1 < length < values.size and values.size % length == 0:
            found = found | _empty_lines(is_zero.reshape(-1, length)).reshape(-1)
    return found


def _tail(is_zero: _Mask) -> _Mask:
    """The zeros at the end, where what precedes them is in use."""
    used_count = is_zero.size - int(np.count_nonzero(is_zero))
    end = is_zero.size - int(np.argmin(is_zero[::-1])) if used_count else 0
    mask: _Mask = np.zeros(is_zero.size, np.bool_)
    if is_zero.size - end >= _LEAST_TAIL_COUNT and used_count >= _LEAST_DENSITY_RATIO * end > 0:
        mask[end:] = True
    return mask


def _empty_lines(is_zero: _Mask) -> _Mask:
    """Whole rows and columns of zeros around a matrix that is otherwise in use."""
    rows: _Mask = np.asarray(is_zero.all(axis=1))
    columns: _Mask = np.asarray(is_zero.all(axis=0))
    if not rows.any() and not columns.any():
        return np.zeros(is_zero.shape, np.bool_)
    mask: _Mask = np.logical_or.outer(rows, columns)
    used_share = 1.0 - float(np.mean(mask))
    is_minor = 1.0 - _MOST_STRUCTURE_RATIO <= used_share < 1.0
    is_dense = is_minor and float(np.mean(~is_zero)) >= _LEAST_DENSITY_RATIO * used_share
    return mask if is_dense else np.zeros(mask.shape, np.bool_)
