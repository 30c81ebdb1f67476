"""Bounds checks that compare the row of an element with its column: only a triangle of the matrix is computed.

Example::

    triangles_of(tree, guard, {"i": "y", "j": "x"})    # `i < n && j <= i`: (Triangle('x', 'y', '<='),)
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.plan.expert.analysis.whole_block_guard import Guard
from assistant.record import Record

__all__ = ["Triangle", "implied_bounds", "triangles_of"]

_COMPARISON = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*(\w+)\s*")
_BOUND = re.compile(r"\s*(?P<name>\w+)\s*(?P<operator><=?)\s*(?P<bound>[^<>=&|]+)")
_TURNED = {">": "<", ">=": "<="}


class Triangle(Record):
    """``low < high`` or ``low <= high`` of a row and a column."""

    low: str
    """The axis of the smaller index: ``y`` of the row, ``x`` of the column."""
    high: str
    operator: str


def triangles_of(guard: Guard, axis_of: Mapping[str, str]) -> tuple[Triangle, ...]:
    """Every such condition of the guard; ``axis_of``: the axis of each local that holds a row or a column."""
    found: list[Triangle] = []
    for _, text in guard.conditions:
        match = _COMPARISON.fullmatch(text)
        if match is None or not {match[1], match[3]} <= axis_of.keys() or axis_of[match[1]] == axis_of[match[3]]:
            continue
        left, operator, right = match.groups()
        if operator in _TURNED:
            left, operator, right = right, _TURNED[operator], left
        found.append(Triangle(axis_of[left], axis_of[right], operator))
    return tuple(found)


def implied_bounds(guard: Guard, axis_of: Mapping[str, str], axis: str) -> tuple[str, ...]:
    """Upper bounds of the index along ``axis`` that follow from those of the other one: ``j < n`` from ``i < n && j <= i``."""
    name = next(name for name, of in axis_of.items() if of == axis)
    found: list[str] = []
    for triangle in triangles_of(guard, axis_of):
        for _, text in guard.conditions if triangle.low == axis else ():
            bound = _BOUND.fullmatch(text)
            if bound is not None and axis_of.get(bound["name"]) == triangle.high and bound["bound"].strip() not in axis_of:
                found.append(f"{name} {bound['operator']} {bound['bound'].strip()}")
    return tuple(dict.fromkeys(found))
