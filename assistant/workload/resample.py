"""Other values for one buffer, drawn from those that it holds: same range, same structure.

Floats are drawn from their empirical distribution, NaN and infinities stay where they are; zeros stay too, unless a draw is dense.
Integers are kept, permuted or drawn again from those observed; sorted buffers stay sorted. Example::

    resampled(data, parse_element_type("float"), np.random.default_rng(1), Draw(seed=11, scale=8.0))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from assistant.model.elements import ElementType
from assistant.record import Record
from assistant.workload.arrays import Array, decode, encode, largest_finite
from assistant.workload.draws import MIRRORED, Draw
from assistant.workload.zeros import structural_zeros

__all__ = [
    "are_lengths",
    "is_distinct",
    "is_rising",
    "is_sorted",
    "ordered_as",
    "resampled",
    "resampled_together",
    "tied",
    "used_count",
    "with_tail",
]

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
_REMEMBERED = 8
"""Buffers whose distribution is remembered: those of one launch, of which every draw asks again."""
_FIRST = 1024
_MARKS_PER_VALUE = 8
"""Bytes for marks, where values are further apart, would be more than sorting them takes."""
_PART = 1 << 22
_SINGLE_BYTES = 4
_DRAWN_COUNT = 1 << 18
"""Values that are drawn together: what is computed on the way stays in a processor's caches, and Python is not asked for often."""
_QUANTILE_COUNT = 1 << 16
"""Points of the empirical distribution that continuous values are interpolated between; fits into the L2 cache of a CPU core."""


def resampled(data: bytes, element: ElementType, random: np.random.Generator, draw: Draw, row_lengths: Sequence[int] = ()) -> bytes:
    """``data`` drawn again; ``row_lengths`` tell structural zeros from others (``zeros.structural_zeros``)."""
    values = decode(data, element)
    if values.size == 0:
        return data
    if element.is_floating:
        observed = _observed_in(_Contents(data, element))
        count = observed.used_count
        if count < values.size and draw.zeros != "gone":
            used = count * element.scalar_bytes
            return resampled(data[:used], element, random, draw, row_lengths) + data[used:]
        kept = _kept_zeros(values, random, draw, row_lengths)
        return with_tail(encode(_fresh_floats(values, observed, kept, element, random, draw), element), data)
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
    if values.size and values[-1] != 0:
        return values.size
    used = np.flatnonzero(values)
    count = int(used[-1]) + 1 if used.size else values.size
    is_table = count < values.size and not _is_monotonic(values) and _is_monotonic(values[:count])
    return count if is_table and np.unique(values[:count]).size >= _FEWEST_SORTED else values.size


def _is_monotonic(values: Array) -> bool:
    if values.size < 2 or values[0] == values[-1]:
        return False
    return _always(values, np.less_equal) or _always(values, np.greater_equal)


def is_rising(values: Array) -> bool:
    """Whether no value is above the one behind it."""
    return _always(values, np.less_equal)


def _always(values: Array, is_so: np.ufunc) -> bool:
    """Whether each value is so to the one behind it; that one is not, the first ones show of most buffers."""
    return all(bool(np.all(is_so(part[:-1], part[1:]))) for part in (values[:_FIRST], values))


def is_distinct(rows: Array) -> bool:
    """No row occurs twice: perhaps the places that threads write to, where a repeated one would be a race."""
    first = rows[:_FIRST]
    if len(np.unique(first, axis=0)) < len(first):  # as of most data; all of it takes minutes to sort where there are hundreds of millions
        return False
    if len(first) == len(rows):
        return True
    values = rows.reshape(-1)
    return _occurs_once(values) if values.size == len(rows) and values.dtype.kind in "iu" else len(np.unique(rows, axis=0)) == len(rows)


def _occurs_once(values: Array) -> bool:
    """Whether no integer occurs twice, by a mark for each that there may be, where these are not many more than there are values."""
    least, most = int(values.min()), int(values.max())
    if most - least + 1 < values.size:
        return False
    if most - least >= _MARKS_PER_VALUE * values.size:
        return np.unique(values).size == values.size
    marks = np.zeros(most - least + 1, np.bool_)
    unsigned = np.dtype(f"u{values.dtype.itemsize}")
    start = unsigned.type(least % (1 << 8 * unsigned.itemsize))
    for part in np.split(values, range(_PART, values.size, _PART)):
        marks[(part.view(unsigned) - start).astype(np.int64)] = True  # what wraps around below comes back above
    return int(np.count_nonzero(marks)) == values.size


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


class _ObservedValues(Record, eq=False):
    """What floats are drawn from."""

    values: Array
    """float64, ascending: the finite ones that are not 0; of many that hardly repeat, quantiles of them."""
    is_continuous: bool
    """They hardly repeat, so that values between them are as good."""
    is_ascending: bool | None
    """The buffer's order; None where it has none."""
    used_count: int
    """As of ``used_count``."""


class _Contents:
    """A buffer's bytes, known by their hash: every draw asks the same of them, and what is remembered need not hold them."""

    def __init__(self, data: bytes, element: ElementType) -> None:
        self._key = (hash(data), len(data), element.name)
        self._read: Callable[[], Array] | None = partial(_sortable, data, element)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Contents) and self._key == other._key

    def take(self) -> Array:
        """The floats; they can be had once."""
        read, self._read = self._read, None
        assert read is not None
        return read()


def _sortable(data: bytes, element: ElementType) -> Array:
    """Floats as wide as they are stored, which sort sooner than as float64; of 16 bits, float32."""
    values = decode(data, element)
    return values.astype(np.float32) if values.dtype.itemsize < _SINGLE_BYTES else values


@lru_cache(maxsize=_REMEMBERED)
@np.errstate(invalid="ignore")  # a signalling NaN, which memory may hold by chance
def _observed_in(contents: _Contents) -> _ObservedValues:
    values = contents.take()
    count = used_count(values)
    is_ascending = bool(values[0] <= values[count - 1]) if is_sorted(values) else None
    observed = np.sort(values[np.isfinite(values) & (values != 0)])
    distinct_count = 1 + np.count_nonzero(observed[1:] != observed[:-1])
    is_continuous = bool(distinct_count > max(1, _CONTINUOUS_SHARE * observed.size))
    if is_continuous:
        observed = observed[np.linspace(0, observed.size - 1, min(observed.size, _QUANTILE_COUNT)).astype(np.int64)]
    return _ObservedValues(observed.astype(np.float64), is_continuous, is_ascending, count)


@np.errstate(over="ignore", invalid="ignore")  # what a scale takes beyond the range is clipped to it; a signalling NaN
def _fresh_floats(
    values: Array, known: _ObservedValues, kept: NDArray[np.bool_], element: ElementType, random: np.random.Generator, draw: Draw
) -> Array:
    """float64 values drawn for every finite place that is not ``kept`` 0; the range of the observed ones times the scale."""
    observed = known.values
    if observed.size == 0:
        return values.astype(np.float64)
    is_number = values.size == 1  # the length of a box, say, whose sign is no data
    places = np.isfinite(values) & ~kept
    drawn = _drawn(known, random, int(np.count_nonzero(places)))
    if drawn.size == values.size:
        result = drawn
    else:
        result = np.where(kept, 0.0, values.astype(np.float64))
        result[places] = drawn
    is_ordered = known.is_ascending is not None and observed[0] != observed[-1]
    if not is_ordered and draw.has_mixed_signs and not is_number and (observed[0] > 0) == (observed[-1] > 0):
        result = np.where(random.random(result.size) < 0.5, -result, result)
    limit, finite = largest_finite(element), np.isfinite(result)
    is_mark = draw.scale == MIRRORED and observed[0] == observed[-1]  # where a maximum begins, say, which is no data
    scale = 1.0 if is_mark else draw.scale
    if finite.all():
        result *= scale
        result = np.clip(result, -limit, limit, out=result)
    else:
        result[finite] = np.clip(result[finite] * scale, -limit, limit)
    if not is_ordered:
        return result
    return np.sort(result) if known.is_ascending else np.sort(result)[::-1]


def _drawn(known: _ObservedValues, random: np.random.Generator, count: int) -> Array:
    """``count`` values from the empirical distribution."""
    observed = known.values
    if observed[0] == observed[-1]:
        return observed[0] * random.uniform(*_SPREAD, count)
    if not known.is_continuous:
        return random.choice(observed, count)
    drawn = np.empty(count)
    for start in range(0, count, _DRAWN_COUNT):
        part = drawn[start : start + _DRAWN_COUNT]
        place = random.random(part.size) * (observed.size - 1)
        below = place.astype(np.int64)
        share = place - below
        part[:] = observed[below] * (1 - share) + observed[below + 1] * share
    return drawn


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
