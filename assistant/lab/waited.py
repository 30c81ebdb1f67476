"""For how long several workers waited, side by side.

Example::

    covered_s([(0.0, 2.0), (1.0, 3.0), (5.0, 6.0)])      # 4.0
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["covered_s"]


def covered_s(spans: Iterable[tuple[float, float]]) -> float:
    """For how long any of these spans lasts, seconds."""
    covered_s, last_s = 0.0, float("-inf")
    for begin_s, end_s in sorted(spans):
        covered_s += max(0.0, end_s - max(begin_s, last_s))
        last_s = max(last_s, end_s)
    return covered_s
