"""Values of a kind that the program never had, chosen to tell versions apart that agree on everything recorded.

An edit that narrows an accumulator, shifts in place of dividing, or subtracts what nearly cancels is right on the program's own numbers. A
difference here is no wrong result of the program's, but something that a person must know; the judge knows by the case's kind what.
Example::

    [case.origin.kind for case in unseen(recorded, seed=7)]      # ["negative", "large", "offset", "near", "tiny", …]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from assistant.model.elements import ElementKind, ElementType
from assistant.workload.arrays import Array, decode, doubles, encode, largest_finite, significand_bits, storage_dtype
from assistant.workload.derive import Change, Layouts, changed, contents_of
from assistant.workload.marks import Marks, is_limit_marked, marks_in
from assistant.workload.recordings import NewCase
from assistant.workload.resample import is_distinct, is_sorted, used_count, with_tail

__all__ = ["INTEGER_KINDS", "SAME", "SPREAD", "TELLING_KINDS", "UNEVEN", "changed_buffers", "with_uneven", "with_unseen"]

_UNUSED_SHARE = 0.75
"""Integers beyond this share of their type's range are large already."""
_LARGE_SHARE = 0.25
"""The larger half of large integers begins at this share of the range."""
SAME = "same"
"""The kind of cases whose integers are all equal."""
SPREAD = "spread"
"""The kind of cases whose floats reach several times as far as the program's own, while single numbers stay."""
UNEVEN = "uneven"
"""The kind of cases in which every other array of floats is far larger than the ones next to it."""
_SPREAD_RATIOS = (1.0, 8.0)
"""Of a value to the program's own."""
_FEWEST_DATA = 16
"""Fewer floats are numbers to compare others with, such as a box, rather than data."""
_FEWEST_UNEVEN = 2
_EXTREME_SHARE = 0.5
"""Of bytes that are large: black or white."""
_FEWEST_REPEATED = 64
"""A buffer of fewer integers says nothing of values that follow each other."""
_MOST_REPEATED = 256
"""Of more different integers none is a symbol, a class or a level of brightness."""
_RUN = (8, 64)
"""The shortest and the longest run of one value."""
_OF_LIMITS = (0, 1, None, None)
"""What runs are made of, in addition to the values themselves; None: the type's limit, which is the most frequent."""
_SHORT_RUN = (1, 6)
"""The shortest and the longest run of limits."""
_FEWEST_CARRY_BYTES = 4
"""Smaller integers are symbols and levels rather than parts of long numbers."""
_ZERO_SHARE = 0.1
"""Of all values, in addition to one long run."""
_LOW_HALVES = 8
"""Low halves of 64-bit integers that differ in their high ones."""
_WIDE_BYTES = 8
_LOW_STEP = 0x1234567
"""What they differ by; 7 times that is below 2^31."""
_HALVES = 32
"""k + 1/2 for k from -32 to 31; scaled down by powers of two, as kernels scale before they round."""
_SCALINGS = 5
_FLOAT_DIGITS = 24
_SPREAD = 3.0
"""Standard deviations that values around a mean stay within."""


def _negative(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Signed integers that were never negative, negated; -1 for 0."""
    values = decode(data, element)
    if element.kind is not ElementKind.INT or not values.any() or values.min() < 0:
        return data
    return with_tail(encode(_ordered_as(values, np.where(values == 0, -1, -values.astype(np.int64))), element), data)


def _large(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Integers up to the limit of their type, half of them in its upper part; negative ones where there were any.

    Of bytes, which may be levels of brightness, half are 0 or the limit: sums of differences get as large as they can.
    """
    values = decode(data, element)
    if element.kind not in (ElementKind.INT, ElementKind.UINT) or not values.any():
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
    return with_tail(encode(_ordered_as(values, drawn), element), data)


def _limits(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    """Of integers of the type's whole range: runs of 0, of 1 and of the limit among them, through which a carry goes far."""
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
    if element.kind not in (ElementKind.INT, ElementKind.UINT) or element.components != 1:
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
    if element.kind not in (ElementKind.INT, ElementKind.UINT) or (element.scalar_bytes, element.components) != (8, 1):
        return data
    return with_tail(encode(_of_other_halves(decode(data, element), random), element), data)


def _high_together(columns: Sequence[Array], random: np.random.Generator) -> Sequence[Array]:
    """As ``_high``, where a struct has one member of 64 bits: several are sets of bits that exclude each other, or parts of one key."""
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
    if element.kind not in (ElementKind.INT, ElementKind.UINT) or element.components != 1:
        return None
    return _symbols_of(decode(data, element))


def _symbols_of(values: Array) -> Array | None:
    """The different values of many integers in no order; None where they are something else."""
    if values.size < _FEWEST_REPEATED or is_sorted(values):
        return None
    found = np.unique(values)
    return found if 1 < found.size < values.size else None


def _ordered_as(values: Array, drawn: Array) -> Array:
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


def _below_marks(data: bytes, element: ElementType, random: np.random.Generator, change: Change, marks: Marks) -> bytes:
    """As changed, but one less than the type's limit where that is a mark."""
    after = change(data, element, random)
    if after == data or not is_limit_marked(element, marks):
        return after
    values = decode(after, element).copy()
    values[values == np.iinfo(values.dtype).max] -= 1
    return with_tail(encode(values, element), after)


_Floats = Callable[[Array, ElementType, np.random.Generator], Array]
"""Other finite values in place of nonzero ones (float64)."""


def _offset(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """A mean of the values' own size and a spread of √u of it."""
    return _rms(values) * _around_one(values, element)


def _raised(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """The values' own deviations around a mean of 1/√u of them: what is added to a variance, or compared with, keeps its meaning.

    Types of 16 bits are added up in float: their deviations are a few of their own steps there.
    """
    deviation: Array = values - float(np.mean(values))
    spread = _rms(deviation) if deviation.any() else _rms(values)
    mean = spread * 2.0 ** (max(significand_bits(element), _FLOAT_DIGITS) * 5 // 12)
    return deviation + min(mean, largest_finite(element) / 2)


def _below(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """All negative, where any is positive: a maximum among negative ones."""
    return -np.abs(values)


def _spread(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Each one up to 8 times as large: several lengths of a box away, where the box is a number that stays."""
    if not _is_data(values):
        return values
    return np.clip(values * random.uniform(*_SPREAD_RATIOS, values.size), -largest_finite(element), largest_finite(element))


def _near(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """All next to 1."""
    return _around_one(values, element)


def _tiny(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """So small that 1 + x keeps less than half of x's digits and 1 + x² nothing of it."""
    return values / _rms(values) * 2.0 ** -(significand_bits(element) * 7 // 12)


def _denormal(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Around the smallest normal number, at all magnitudes from a third of the digits below it to 4 times it."""
    middle = np.log2(_smallest_normal(element))
    return np.sign(values) * 2.0 ** random.uniform(middle - significand_bits(element) / 3, middle + 2, values.size)


def _halves(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Halfway between whole numbers, of both signs, also at finer steps: which way do ties go?"""
    return (random.integers(-_HALVES, _HALVES, values.size) + 0.5) * 0.5 ** random.integers(0, _SCALINGS, values.size)


def _far(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Large but not overflowing: large arguments of trigonometric functions, exponentials beyond the range."""
    return values / _rms(values) * 2.0 ** min(15, np.log2(largest_finite(element)) / 2 - 1)


def _extreme(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Finite, with squares beyond the range."""
    return np.sign(values) * np.sqrt(largest_finite(element)) * random.uniform(4, 32, values.size)


_TELLING: dict[str, _Floats] = {
    "below": _below,
    "tiny": _tiny,
    "near": _near,
    "offset": _offset,
    "raised": _raised,
    "halves": _halves,
    "denormal": _denormal,
    "far": _far,
    "extreme": _extreme,
}
_INTEGERS: dict[str, Change] = {
    "negative": _negative,
    "large": _large,
    "high": _high,
    "runs": _runs,
    SAME: _same,
    "zeroed": _with_zeros,
    "limits": _limits,
}
_REACHING_THE_LIMIT = ("large", "limits")
_TOGETHER = {"high": _high_together, "runs": _runs_together, SAME: _same_together}
"""What becomes of the integer members of structs at once: what a struct says of two of them stays true."""
TELLING_KINDS = tuple(_TELLING)
"""Kinds of cases of other floats."""
INTEGER_KINDS = tuple(_INTEGERS)
"""Kinds of cases of other integers."""


def with_unseen(
    case: NewCase,
    kind: str,
    seed: int,
    layouts: Layouts | None = None,
    chosen: frozenset[int] | None = None,
    marks: Marks = frozenset(),
) -> NewCase | None:
    """``case`` with values of one of the kinds in its typed buffers, or in the ``chosen`` ones; None where none changes.

    ``marks``: of memory that is not in the case; those in it are known.
    """
    origin = replace(case.origin, kind=kind, seed=seed, scale=1.0, weight=0.0)
    change = _INTEGERS[kind] if kind in _INTEGERS else _floats(_spread if kind == SPREAD else _TELLING[kind])
    if kind in _REACHING_THE_LIMIT:
        change = partial(_below_marks, change=change, marks=marks | marks_in(contents_of(case).values()))
    made = changed(case, change, origin, layouts, chosen, _TOGETHER.get(kind))
    return made if changed_buffers(case, made) else None


def with_uneven(case: NewCase, seed: int, layouts: Layouts | None, chosen: frozenset[int]) -> tuple[NewCase, ...]:
    """``case`` with every second array of floats, or member of structs, 1/√u times as large, and with the others so.

    A single array has none next to it.
    """
    found: list[NewCase] = []
    origin = replace(case.origin, kind=UNEVEN, seed=seed, scale=1.0, weight=0.0)
    for is_first_large in (False, True):
        seen: list[bool] = []
        found.append(changed(case, _floats(partial(_enlarged, is_first_large=is_first_large, seen=seen)), origin, layouts, chosen))
        if len(seen) < _FEWEST_UNEVEN:
            return ()
    return tuple(found)


def _enlarged(values: Array, element: ElementType, random: np.random.Generator, is_first_large: bool, seen: list[bool]) -> Array:
    """The values of every second array of data; ``seen``: which of those before were enlarged."""
    if not _is_data(values):
        return values
    seen.append(is_first_large == (len(seen) % 2 == 0))
    limit = largest_finite(element)
    return np.clip(values * 2.0 ** (significand_bits(element) // 2), -limit, limit) if seen[-1] else values


def changed_buffers(case: NewCase, other: NewCase) -> tuple[int, ...]:
    """Buffers that begin with other contents in ``other``."""
    return tuple(_differing(contents_of(case), contents_of(other)))


def _differing(before: dict[int, bytes], after: dict[int, bytes]) -> Iterator[int]:
    return (buffer for buffer, data in after.items() if before.get(buffer) != data)


def _floats(change: _Floats) -> Change:
    def apply(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
        if not element.is_floating:
            return data
        values = doubles(data, element)
        places = np.isfinite(values) & (values != 0)
        if not places.any():
            return data
        values[places] = _ordered_as(values[places], change(values[places], element, random))
        return with_tail(encode(values, element), data)

    return apply


def _is_data(values: Array) -> bool:
    """Not a number or a few that data are held against."""
    return values.size >= _FEWEST_DATA and bool((values != values[0]).any())


def _around_one(values: Array, element: ElementType) -> Array:
    """1 with the values' own deviations, shrunk to √u."""
    deviation: Array = values - float(np.mean(values))
    scale = float(np.sqrt(np.mean(np.square(deviation)))) or 1.0
    return 1.0 + np.clip(deviation / scale, -_SPREAD, _SPREAD) * 2.0 ** -(significand_bits(element) * 5 // 12)


def _rms(values: Array) -> float:
    largest = float(np.abs(values).max())
    return largest * float(np.sqrt(np.mean(np.square(values / largest))))


def _smallest_normal(element: ElementType) -> float:
    return {2: 2.0**-14, 4: 2.0**-126, 8: 2.0**-1022}[element.scalar_bytes] if element.kind is ElementKind.FLOAT else 2.0**-126
