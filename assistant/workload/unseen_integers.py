"""Integers of a kind that the program never had: negative, near their type's limit, in runs, all equal, beyond 32 bits.

Each kind is a `Change` of the integers of one buffer; what a kind does not concern stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assistant.model.elements import ElementKind, ElementType
from assistant.workload.arrays import Array, decode, encode, storage_dtype
from assistant.workload.derive import Change
from assistant.workload.marks import Marks, is_limit_marked
from assistant.workload.resample import is_distinct, is_sorted, ordered_as, with_tail

__all__ = ["INTEGERS", "REACHING_THE_LIMIT", "SAME", "TOGETHER", "below_marks"]

SAME = "same"
"""The kind of cases whose integers are all equal."""
_UNUSED_SHARE = 0.75
"""Integers beyond this share of their type's range are large already."""
_LARGE_SHARE = 0.25
"""The larger half of large integers begins at this share of the range."""
_EXTREME_SHARE = 0.5
"""Share of bytes that are large: black or white."""
_FEWEST_REPEATED = 64
"""A buffer of fewer integers says nothing of values that follow each other."""
_MOST_REPEATED = 256
"""Among more different integers than these none is a symbol, a class or a level of brightness."""
_RUN = (8, 64)
"""The shortest and the longest run of a value."""
_OF_LIMITS = (0, 1, None, None)
"""What runs are made of, in addition to the values themselves; None: the type's limit, which is the most frequent."""
_SHORT_RUN = (1, 6)
"""The shortest and the longest run of limits."""
_FEWEST_CARRY_BYTES = 4
"""Smaller integers are symbols and levels rather than parts of long numbers."""
_ZERO_SHARE = 0.1
"""Share of all values, in addition to one long run."""
_LOW_HALVES = 8
"""Low halves of 64-bit integers that differ in their high ones."""
_WIDE_BYTES = 8
_LOW_STEP = 0x1234567
"""What they differ by; 7 times that is below 2^31."""


def _negative(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Signed integers that were never negative, negated; -1 for 0."""
    values = decode(data, element)
    if element.kind is not ElementKind.INT or not values.any() or values.min() < 0:
        return data
    return with_tail(encode(ordered_as(values, np.where(values == 0, -1, -values.astype(np.int64))), element), data)


def _large(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Integers up to the limit of their type, half of them in its upper part; negative ones where there were any.

    Of bytes, which may be levels of brightness, half are 0 or the limit: sums of differences get as large as they can.
    """
    values = decode(data, element)
    if not element.is_integer or not values.any():
        return data
    limit = int(min(np.iinfo(storage_dtype(element)).max, np.iinfo(np.int64).max))
    if int(values.max()) > _UNUSED_SHARE * limit:
        return data
    upper = random.integers(int(limit * _LARGE_SHARE), limit, values.size, np.uint64, endpoint=True)
    shifts = np.where(random.random(values.size) < 0.5, 0, random.integers(0, limit.bit_length() - 1, values.size))
    drawn = upper >> shifts.astype(np.uint64)
    if element.scalar_bytes == 1:
        drawn = np.where(random.random(values.size) < _EXTREME_SHARE, random.choice(np.array([0, limit], np.uint64), values.size), drawn)
    drawn[random.integers(values.size)] = limit
    if values.min() < 0:
        drawn = np.where(random.random(values.size) < 0.5, -drawn.astype(np.int64), drawn.astype(np.int64))
    return with_tail(encode(ordered_as(values, drawn), element), data)


def _limits(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Integers of the type's whole range: runs of 0, of 1 and of the limit among them, through which a carry goes far."""
    if element.kind is not ElementKind.UINT or element.components != 1 or element.scalar_bytes < _FEWEST_CARRY_BYTES:
        return data
    values = decode(data, element)
    limit = np.iinfo(storage_dtype(element)).max
    if values.size < _FEWEST_REPEATED or int(values.max()) <= _UNUSED_SHARE * limit or is_sorted(values):
        return data
    lengths = random.integers(*_SHORT_RUN, values.size, endpoint=True)
    kinds = np.repeat(random.integers(0, len(_OF_LIMITS) + 1, lengths.size), lengths)[: values.size]
    drawn = values.copy()
    for kind, value in enumerate(_OF_LIMITS):
        drawn[kinds == kind] = limit if value is None else value
    return with_tail(encode(drawn, element), data)


def _with_zeros(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Integers that were never 0, some of them 0, which often means that there is none: a padded token, an empty row."""
    if not element.is_integer or element.components != 1:
        return data
    values = decode(data, element)
    if values.size < _FEWEST_REPEATED or not values.all() or is_sorted(values) or is_distinct(values):
        return data
    drawn = np.where(random.random(values.size) < _ZERO_SHARE, 0, values)
    start = random.integers(values.size)
    drawn[start : start + _RUN[1]] = 0
    return with_tail(encode(drawn, element), data)


def _high(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """64-bit integers of few low halves and of other high ones; 0 and all ones stay, as they may say that a place is empty.

    All buffers draw from the same ones, so that keys are found. Where none stands twice, none does.
    """
    if not element.is_integer or (element.scalar_bytes, element.components) != (8, 1):
        return data
    return with_tail(encode(_of_other_halves(decode(data, element), random), element), data)


def _high_together(columns: Sequence[Array], random: np.random.Generator) -> Sequence[Array]:
    """As ``_high``, where a struct has a single member of 64 bits: several are sets of bits that exclude each other, or a key's parts."""
    wide = [index for index, values in enumerate(columns) if values.dtype.itemsize == _WIDE_BYTES]
    return [_of_other_halves(values, random) if wide == [index] else values for index, values in enumerate(columns)]


def _of_other_halves(values: Array, random: np.random.Generator) -> Array:
    places = (values != 0) & (values != values.dtype.type(-1 if values.dtype.kind == "i" else np.iinfo(values.dtype).max))
    count = int(places.sum())
    if count <= _LOW_HALVES:
        return values
    pool = np.arange(2 * count, dtype=np.int64)
    pool = (pool // _LOW_HALVES << 32) + 1 + pool % _LOW_HALVES * _LOW_STEP
    drawn = values.copy()
    drawn[places] = random.permutation(pool[:count]) if is_distinct(values[places]) else random.choice(pool[: count // 2], count)
    if is_sorted(values):
        drawn = np.sort(drawn) if values[0] <= values[-1] else np.sort(drawn)[::-1]
    return drawn


def _runs(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Symbols in runs, each as often as any other: a rare one stands many times in a row."""
    symbols = _symbols(data, element)
    if symbols is None or symbols.size > _MOST_REPEATED:
        return data
    count = len(data) // element.scalar_bytes
    lengths = random.integers(*_RUN, count // _RUN[0] + 1, endpoint=True)
    return with_tail(encode(np.repeat(random.choice(symbols, lengths.size), lengths)[:count], element), data)


def _same(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """One of the values everywhere, other than 0."""
    symbols = _symbols(data, element)
    if symbols is None:
        return data
    return with_tail(encode(np.full(len(data) // element.scalar_bytes, random.choice(symbols[symbols != 0])), element), data)


def _runs_together(columns: Sequence[Array], random: np.random.Generator) -> Sequence[Array]:
    """As ``_runs``, of whole structs."""
    count = len(columns[0])
    if not any(found is not None and found.size <= _MOST_REPEATED for found in map(_symbols_of, columns)):
        return columns
    lengths = random.integers(*_RUN, count // _RUN[0] + 1, endpoint=True)
    rows = np.repeat(random.integers(0, count, lengths.size), lengths)[:count]
    return [values if is_sorted(values) else values[rows] for values in columns]


def _same_together(columns: Sequence[Array], random: np.random.Generator) -> Sequence[Array]:
    """One of the structs everywhere, no more zeros in it than there must be."""
    if not any(_symbols_of(values) is not None for values in columns):
        return columns
    used = np.sum([values != 0 for values in columns], axis=0)
    row = random.choice(np.flatnonzero(used == used.max()))
    return [values if is_sorted(values) else np.full_like(values, values[row]) for values in columns]


def _symbols(data: bytes, element: ElementType) -> Array | None:
    if not element.is_integer or element.components != 1:
        return None
    return _symbols_of(decode(data, element))


def _symbols_of(values: Array) -> Array | None:
    """The different values of many integers in no order; None where they are something else."""
    if values.size < _FEWEST_REPEATED or is_sorted(values):
        return None
    found = np.unique(values)
    return found if 1 < found.size < values.size else None


def below_marks(data: bytes, element: ElementType, random: np.random.Generator, change: Change, marks: Marks) -> bytes:
    """As changed, but one less than the type's limit where that is a mark."""
    after = change(data, element, random)
    if after == data or not is_limit_marked(element, marks):
        return after
    values = decode(after, element).copy()
    values[values == np.iinfo(values.dtype).max] -= 1
    return with_tail(encode(values, element), after)


INTEGERS: dict[str, Change] = {
    "negative": _negative,
    "large": _large,
    "high": _high,
    "runs": _runs,
    SAME: _same,
    "zeroed": _with_zeros,
    "limits": _limits,
}
REACHING_THE_LIMIT = ("large", "limits")
"""Kinds that `below_marks` keeps from making marks."""
TOGETHER = {"high": _high_together, "runs": _runs_together, SAME: _same_together}
"""What becomes of the integer members of structs at once: what a struct says of two of them stays true."""
