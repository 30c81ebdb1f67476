"""How far a median is known. Pure.

Example::

    median_interval([0.1, 0.4, 0.5, 0.7, 0.9, 1.0])     # (0.1, 1.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

__all__ = ["median_interval"]

_LEVEL = 0.95


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The narrowest pair of ordered values that holds the median of what they are drawn from with 95 % confidence (the sign test's
    interval: Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2); the whole range below six values, where none does."""
    ordered = sorted(values)
    count = len(ordered)
    depth, tail = 0, 0.0
    while depth < count // 2 and tail + comb(count, depth) / 2**count <= (1 - _LEVEL) / 2:
        tail += comb(count, depth) / 2**count
        depth += 1
    index = max(0, depth - 1)
    return ordered[index], ordered[count - 1 - index]
