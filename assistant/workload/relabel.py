"""Other integers that keep what holds between a program's own: equal ones stay equal, in all buffers, and the order stays.

So keys of one array still meet those of another, sorted values stay sorted, and yet every value is large, or negative. Example::

    relabelled(case, "large", seed=3, layouts=None, most_places=None)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementKind, ElementType
from assistant.workload.arrays import Array, decode, encode, storage_dtype
from assistant.workload.derive import Layouts, changed
from assistant.workload.recordings import NewCase
from assistant.workload.resample import with_tail

__all__ = ["may_be_places", "relabelled"]

_LOWER_HALVES = 4
"""Different lower halves that half of all values share: who keeps that half only takes many values for equal."""
_SHARED = 0.5
_SPARE_BITS = 2
"""Spare bits of the upper half: so many values that all its numbers would be used are stretched instead."""
_SUM_BITS = 3
"""Left free in signed integers of 32 bits and more: a sum of a few of them is no overflow, which CUDA C++ leaves undefined."""
_LEAST_MARK, _MARK_RATIO = 1 << 16, 16
"""A largest value that is so large, and so many times the next, stands for something: that there is no way, no key, no limit."""
_NEXT_BELOW = 2
"""The largest negative value that is given: -1 often means that there is none."""

_Kind = tuple[ElementKind, int]
_Relabel = Callable[[Array, ElementType, np.random.Generator], Array]
"""New values for sorted distinct ones."""


def relabelled(
    case: NewCase, kind: str, seed: int, layouts: Layouts | None, most_places: int | None, chosen: frozenset[int] | None = None
) -> NewCase:
    """``case`` with integers of ``kind`` (``large``, ``negative`` or ``limit``) in its buffers, or in the ``chosen`` ones.

    Columns that may be places among ``most_places`` stay.
    """
    origin = replace(case.origin, kind=kind, seed=seed, scale=1.0, weight=0.0)
    columns: dict[_Kind, list[Array]] = {}

    def collect(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
        if _may_change(data, element, most_places):
            columns.setdefault((element.kind, element.scalar_bytes), []).append(decode(data, element))
        return data

    changed(case, collect, origin, layouts, chosen)
    rule = _RULES[kind]
    known = {key: np.unique(np.concatenate(arrays)) for key, arrays in columns.items()}
    elements = {key: ElementType("", key[0], key[1], 1, key[1]) for key in known}
    given = {key: rule(values, elements[key], np.random.default_rng([seed, key[1]])) for key, values in known.items()}

    def apply(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
        key = (element.kind, element.scalar_bytes)
        if key not in known or not _may_change(data, element, most_places):
            return data
        return with_tail(encode(given[key][np.searchsorted(known[key], decode(data, element))], element), data)

    return changed(case, apply, origin, layouts, chosen)


def may_be_places(values: Array, most_places: int) -> bool:
    """Whether all are indices into an array of that many elements, or -1."""
    return bool(values.size) and int(values.min()) >= -1 and int(values.max()) <= most_places


def _may_change(data: bytes, element: ElementType, most_places: int | None) -> bool:
    if not element.is_integer:
        return False
    return most_places is None or not may_be_places(decode(data, element), most_places)


def _larger(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Up to the type's limit, or a little less; 0, the limit itself, a mark and a lone -1 stay, as they often mean that there is none."""
    dtype = storage_dtype(element)
    limit = int(np.iinfo(dtype).max)
    is_kept = (values == 0) | (values == limit)
    if _ends_in_a_mark(values[values != limit]):
        limit = int(values[values != limit][-1]) - 1
        is_kept |= values > limit
    elif element.kind is ElementKind.INT and element.scalar_bytes >= 4:
        limit >>= _SUM_BITS
    if element.kind is ElementKind.INT:
        is_kept |= values == np.iinfo(dtype).min
        if not (values < -1).any():
            is_kept |= values == -1
    used = values[~is_kept]
    sizes = np.unique(np.where(used < 0, -used.astype(np.int64), used).astype(np.uint64))
    if not sizes.size:
        return values
    grown = _grown(sizes, limit, element.scalar_bytes * 8, random)[np.searchsorted(sizes, _magnitudes(used))]
    result = values.copy()
    result[~is_kept] = np.where(used < 0, -grown.astype(np.int64), grown.astype(np.int64)).astype(dtype) if used.min() < 0 else grown
    return result


def _ends_in_a_mark(values: Array) -> bool:
    """Whether the largest of sorted distinct values is far beyond the others."""
    return values.size > 1 and int(values[-1]) >= max(_LEAST_MARK, _MARK_RATIO * int(values[-2])) and int(values[-2]) > 0


def _magnitudes(values: Array) -> Array:
    return np.where(values < 0, -values.astype(np.int64), values).astype(np.uint64)


def _grown(sizes: Array, limit: int, bits: int, random: np.random.Generator) -> Array:
    """Grown values, from sorted distinct positive ones: upper halves all different and lower ones shared, or stretched where there are too
    many."""
    half = bits // 2
    highest = (limit >> half) - 1
    if sizes.size << _SPARE_BITS <= highest:
        upper = np.sort(random.choice(highest, sizes.size, replace=False)).astype(np.uint64) + np.uint64(1)
        lower = sizes & np.uint64((1 << half) - 1)
        shared = random.choice(random.choice(lower, _LOWER_HALVES), sizes.size)
        return (upper << np.uint64(half)) | np.where(random.random(sizes.size) < _SHARED, shared, lower)
    step = limit // (int(sizes[-1]) + 1)
    return sizes if step < 2 else sizes * np.uint64(step) + random.integers(0, step, sizes.size, np.uint64)


def _below_zero(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Signed ones that were never negative, moved below -1 in their order."""
    if element.kind is not ElementKind.INT or int(values[0]) < 0:
        return values
    span = int(values[-1]) + _NEXT_BELOW
    if int(values[0]) - span < np.iinfo(values.dtype).min:
        return values
    return (values.astype(np.int64) - span).astype(values.dtype)


def _up_to_the_limit(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """The largest becomes the type's limit, which an edit that needs a value for an empty place may take; a mark stays what it is."""
    if _ends_in_a_mark(values):
        return values
    return np.concatenate([values[:-1], np.full(1, np.iinfo(storage_dtype(element)).max, values.dtype)])


_RULES: dict[str, _Relabel] = {"large": _larger, "negative": _below_zero, "limit": _up_to_the_limit}
