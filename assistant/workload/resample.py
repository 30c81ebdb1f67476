"""Other values for one buffer, drawn from those that it holds: same range, same structure.

Floats are drawn from their empirical distribution, NaN and infinities stay where they are; zeros stay too, unless a draw is dense.
Integers are kept, permuted or drawn again from those observed; sorted buffers stay sorted. Example::

    resampled(data, parse_element_type("float"), np.random.default_rng(1), Draw(seed=11, scale=8.0))
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.model.elements import ElementType
from assistant.workload.arrays import Array, decode, doubles, encode, largest_finite
from assistant.workload.draws import MIRRORED, Draw
from assistant.workload.zeros import structural_zeros

__all__ = ["are_lengths", "is_distinct", "is_sorted", "ordered_as", "resampled", "resampled_together", "tied", "used_count", "with_tail"]

_SPREAD = (0.5, 1.5)
"""Range that an all-equal buffer is spread over, as a multiple of its value: one value says nothing of a distribution."""
_CONTINUOUS_SHARE = 0.5
"""Above this share of distinct values a buffer counts as continuous and is interpolated, below it values are drawn again."""
_SCATTERED_SHARE = 0.5
_FEWEST_SORTED = 8
"""A table of fewer different values, with zeros behind it, may be sorted by chance."""
_FEWEST_ROWS = 3
_TIED_VALUES = 8
"""Distinct values that a buffer of a tied case holds."""
_QUANTILE_COUNT = 1 << 16
"""Points of the empirical distribution that continuous values are interpolated between; fits into the L2 cache of a CPU core."""


def resampled(data: bytes, element: ElementType, random: np.random.Generator, draw: Draw, row_lengths: Sequence[int] = ()) -> bytes:
    """``data`` drawn again; ``row_lengths`` tell structural zeros from others (``zeros.structural_zeros``)."""
    values = decode(data, element)
    if values.size == 0:
        return data
    if element.is_floating:
        floats = doubles(data, element)
        count = used_count(floats)
        if count < floats.size and draw.zeros != "gone":
            used = count * element.scalar_bytes
            return resampled(data[:used], element, random, draw, row_lengths) + data[used:]
        kept = _kept_zeros(floats, random, draw, row_lengths)
        return with_tail(encode(_fresh_floats(floats, kept, element, random, draw), element), data)
    if draw.integers == "kept" or is_sorted(values):
        return data
    if draw.zeros != "kept":
        return with_tail(encode(_with_other_zeros(values, random, draw, row_lengths), element), data)
    return with_tail(_fresh_integers(values, element, random, draw), data)


def resampled_together(columns: Sequence[Array], random: np.random.Generator, draw: Draw, row_lengths: Sequence[int] = ()) -> list[Array]:
    """Integer members of the structs of one buffer drawn again as whole rows: what one struct says of two boards, or of a place and a
    length, stays true of each. Sorted members stay."""
    if draw.integers == "kept":
        return list(columns)
    free = [index for index, values in enumerate(columns) if not is_sorted(values)]
    rows = np.arange(len(columns[0]) if columns else 0)
    if not free or not rows.size:
        return list(columns)
    if draw.zeros == "kept":
        has_places = any(is_distinct(columns[index]) for index in free)
        rows = random.choice(rows, rows.size) if draw.integers == "redrawn" and not has_places else random.permutation(rows)
    kept: dict[int, NDArray[np.bool_]] = {}
    for index in free if draw.zeros != "kept" else ():
        used = np.flatnonzero(columns[index])
        if used.size and used.size < rows.size and not is_distinct(columns[index]):
            kept[index] = _kept_zeros(columns[index], random, draw, row_lengths)
            filled = (columns[index][rows] == 0) & ~kept[index]
            rows[filled] = random.choice(used, int(filled.sum()))
    drawn = [values[rows] if index in free else values for index, values in enumerate(columns)]
    for index, places in kept.items():
        drawn[index][places] = 0
    return drawn


def tied(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Nonzero values drawn from few of them, so that many are equal; sorted ones, and those of vectors, stay."""
    values = decode(data, element)
    places = np.isfinite(values) & (values != 0)
    if element.components != 1 or places.sum() <= _TIED_VALUES or is_sorted(values):
        return data
    few = random.choice(values[places], _TIED_VALUES)
    drawn = values.copy()
    drawn[places] = random.choice(few, int(places.sum()))
    return with_tail(encode(drawn, element), data)


def _kept_zeros(values: Array, random: np.random.Generator, draw: Draw, row_lengths: Sequence[int]) -> NDArray[np.bool_]:
    """Where the draw leaves, or puts, zeros."""
    is_zero: NDArray[np.bool_] = values == 0
    if draw.zeros == "kept":
        return is_zero
    if draw.zeros == "gone":
        return np.zeros(values.size, np.bool_)
    structure = structural_zeros(values, row_lengths)
    if draw.zeros == "filled" or np.array_equal(structure, is_zero):
        return structure
    return structure | (random.random(values.size) < _SCATTERED_SHARE)


def is_sorted(values: Array) -> bool:
    """Monotonic with at least two different values (row offsets, sorted keys), up to the zeros of a tail that is not in use; NaN is never
    sorted."""
    return _is_monotonic(values) or used_count(values) < values.size


def used_count(values: Array) -> int:
    """Values in front of the tail of zeros behind a sorted table; all where there is no such table."""
    used = np.flatnonzero(values)
    count = int(used[-1]) + 1 if used.size else values.size
    is_table = count < values.size and not _is_monotonic(values) and _is_monotonic(values[:count])
    return count if is_table and np.unique(values[:count]).size >= _FEWEST_SORTED else values.size


def _is_monotonic(values: Array) -> bool:
    if values.size < 2 or values[0] == values[-1]:
        return False
    before, after = values[:-1], values[1:]
    return bool(np.all(before <= after)) or bool(np.all(before >= after))


def is_distinct(rows: Array) -> bool:
    """No row occurs twice: perhaps the places that threads write to, where a repeated one would be a race."""
    return len(np.unique(rows, axis=0)) == len(rows)


def are_lengths(values: Array, places: Array) -> bool:
    """Whether each row begins where the one before it ends: ``places[i] + values[i] == places[i + 1]``."""
    count = min(values.size, places.size - 1)
    if count < _FEWEST_ROWS or places.size - values.size not in (0, 1) or not values.any():
        return False
    ends = places[:count].astype(np.int64) + values[:count].astype(np.int64)
    return bool(np.array_equal(ends, places[1 : count + 1].astype(np.int64)))


def with_tail(encoded: bytes, data: bytes) -> bytes:
    """``encoded`` followed by the bytes of ``data`` that hold no whole component."""
    return encoded + data[len(encoded) :]


def _fresh_integers(values: Array, element: ElementType, random: np.random.Generator, draw: Draw) -> bytes:
    rows = values[: values.size // element.components * element.components].reshape(-1, element.components)
    is_redrawn = draw.integers == "redrawn" and not is_distinct(rows)
    fresh = random.choice(rows, len(rows)) if is_redrawn else random.permutation(rows)
    return encode(fresh.reshape(-1), element)


def _with_other_zeros(values: Array, random: np.random.Generator, draw: Draw, row_lengths: Sequence[int]) -> Array:
    """Integers with zeros that are data drawn from the others, or at other places; distinct ones stay, as they are places."""
    used = values[values != 0]
    if used.size == 0 or used.size == values.size or is_distinct(values):
        return values
    kept = _kept_zeros(values, random, draw, row_lengths)
    result = values.copy()
    places = (values == 0) & ~kept
    result[places] = random.choice(used, int(places.sum()))
    result[kept] = 0
    return result


@np.errstate(over="ignore")  # what a scale takes beyond the range is clipped to it
def _fresh_floats(values: Array, kept: NDArray[np.bool_], element: ElementType, random: np.random.Generator, draw: Draw) -> Array:
    """float64 values drawn for every finite place that is not ``kept`` 0; the range of the observed ones times the scale."""
    observed = np.sort(values[np.isfinite(values) & (values != 0)])
    if observed.size == 0:
        return values
    is_number = values.size == 1  # the length of a box, say, whose sign is no data
    places = np.isfinite(values) & ~kept
    result = np.where(kept, 0.0, values)
    result[places] = _draw_like(observed, random, int(places.sum()))
    if is_sorted(values) and observed[0] != observed[-1]:
        result = np.sort(result) if values[0] <= values[used_count(values) - 1] else np.sort(result)[::-1]
    elif draw.has_mixed_signs and not is_number and (observed[0] > 0) == (observed[-1] > 0):
        result = np.where(random.random(result.size) < 0.5, -result, result)
    limit, finite = largest_finite(element), np.isfinite(result)
    is_mark = draw.scale == MIRRORED and observed[0] == observed[-1]  # where a maximum begins, say, which is no data
    result[finite] = np.clip(result[finite] * (1.0 if is_mark else draw.scale), -limit, limit)
    return result


def _draw_like(observed: Array, random: np.random.Generator, count: int) -> Array:
    """``count`` values from the empirical distribution of ``observed`` (sorted)."""
    distinct_count = 1 + np.count_nonzero(observed[1:] != observed[:-1])
    if distinct_count == 1:
        return observed[0] * random.uniform(*_SPREAD, count)
    if distinct_count > _CONTINUOUS_SHARE * observed.size:
        quantiles = observed[np.linspace(0, observed.size - 1, min(observed.size, _QUANTILE_COUNT)).astype(np.int64)]
        place = random.random(count) * (quantiles.size - 1)
        below = place.astype(np.int64)
        low, high = quantiles[below], quantiles[below + 1]
        return low * (1 - (place - below)) + high * (place - below)
    return random.choice(observed, count)


def ordered_as(values: Array, drawn: Array) -> Array:
    """``drawn`` sorted where ``values`` are."""
    if not is_sorted(values):
        return drawn
    count = used_count(values)
    ascending = np.sort(drawn[:count])
    if is_distinct(values[:count]):
        ascending = _strictly(ascending)
        if not is_distinct(ascending):
            return values
    return np.concatenate([ascending if values[0] <= values[count - 1] else ascending[::-1], drawn[count:]])


def _strictly(ascending: Array) -> Array:
    """With as few changes as it takes for no value to stand twice; floats stay as they are, as theirs hardly do."""
    if ascending.dtype.kind == "f":
        return ascending
    places = np.arange(ascending.size, dtype=np.int64)
    lowest = np.maximum.accumulate(ascending.astype(np.int64) - places)
    return lowest + places - (lowest[-1] + places[-1] - int(ascending[-1]))
