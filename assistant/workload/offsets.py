"""Offsets of rows, segments or buckets, drawn again: empty rows, rows of one element, and one that is longer than any of the program's.

A buffer of integers holds offsets if they begin with 0, never decrease, and end with a number of elements that another buffer may have.
Example::

    [case.origin.values for case in with_offsets(case, {2: "first"}, seed=7)]
    # ["first with empty rows and rows of one element", "first with one row of 5731 elements"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementType
from assistant.workload.arrays import Array, decode, encode
from assistant.workload.derive import contents_of, typed_buffers, with_contents
from assistant.workload.recordings import NewCase
from assistant.workload.resample import are_lengths, is_rising, with_tail

__all__ = ["OFFSETS", "longest_row", "offsets_of", "with_offsets", "with_sorted_rows_kept"]

OFFSETS = "offsets"
"""The kind of these cases."""
_FEWEST_ROWS = 3
_FEWEST_PAIRS = 32
"""Neighbours in one row that rise; fewer may do so by chance."""
_EMPTY_SHARE, _SINGLE_SHARE = 0.4, 0.2
"""Shares of rows that are empty, some of them next to each other, and of rows that have one element."""
_EMPTY_RUN = 8
"""Empty rows in a row at the beginning, as lanes of a warp that take one each."""


def with_offsets(case: NewCase, names: Mapping[int, str], seed: int) -> Iterator[NewCase]:
    """``case`` with every buffer of offsets drawn again between the same ends, in two ways; none where no buffer is one."""
    types, contents, found = typed_buffers(case), contents_of(case), offsets_of(case)
    for lengths_of, words in ((_spread, "with empty rows and rows of one element"), (_one_long, "with one row of nearly all elements")):
        if not found:
            return
        made: dict[int, bytes] = {}
        for buffer, values in found.items():
            # equal buffers stay equal: a copy that is counted up goes with the offsets that it was copied from
            random = np.random.default_rng([seed, values.size, int(values[-1])])
            drawn = np.concatenate([[0], np.cumsum(lengths_of(values.size - 1, int(values[-1]), random))])
            made[buffer] = with_tail(encode(drawn, types[buffer]), contents[buffer])
        shown = f"{' and '.join(names.get(buffer, 'a buffer') for buffer in found)} {words}"
        yield with_contents(case, made, replace(case.origin, kind=OFFSETS, seed=seed, scale=1.0, weight=0.0, values=shown))


def offsets_of(case: NewCase) -> dict[int, Array]:
    """The buffers that hold offsets, and their values."""
    types, contents = typed_buffers(case), contents_of(case)
    counts = {buffer: len(contents[buffer]) // element.size_bytes for buffer, element in types.items()}
    untyped = [buffer.size_bytes for buffer in case.recording.buffers if buffer.id not in types]
    return {
        buffer: values
        for buffer, element in types.items()
        if (values := _offsets(contents[buffer], element)) is not None
        and int(values[-1]) <= max([*(count for other, count in counts.items() if other != buffer), *untyped], default=0)
    }


def with_sorted_rows_kept(case: NewCase) -> NewCase:
    """``case`` with integers that are sorted within each row marked as fixed, and the offsets of these rows with them: neighbours in a
    graph or columns of a sparse matrix, which kernels merge and search. Likewise places of rows with the lengths that they follow from."""
    contents, offsets, kept = contents_of(case), offsets_of(case), set[int]()
    integers = {
        buffer: decode(contents[buffer], element)
        for buffer, element in typed_buffers(case).items()
        if element.is_integer and element.components == 1
    }
    for buffer, values in integers.items():
        if buffer not in offsets:
            kept |= {one for other, rows in offsets.items() if _has_sorted_rows(values, rows) for one in (buffer, other)}
        kept |= {one for other, places in integers.items() if are_lengths(values, places) for one in (buffer, other)}
    buffers = tuple(replace(buffer, is_fixed=buffer.is_fixed or buffer.id in kept) for buffer in case.recording.buffers)
    return replace(case, recording=replace(case.recording, buffers=buffers)) if kept else case


def _has_sorted_rows(values: Array, offsets: Array) -> bool:
    """Not all of it sorted, nor many values the same."""
    total = int(offsets[-1])
    if total > values.size:
        return False
    rises = values[1:total] > values[: total - 1]
    starts = offsets[(offsets > 0) & (offsets < total)].astype(np.int64) - 1
    within = np.ones(rises.size, np.bool_)
    within[starts] = False
    return int(within.sum()) >= _FEWEST_PAIRS and bool(rises[within].all()) and not rises.all()


def longest_row(case: NewCase) -> int:
    """Elements between two neighbouring offsets, the most of any buffer of them; 0 where none holds offsets."""
    return max((int(np.diff(values).max()) for values in offsets_of(case).values()), default=0)


def _offsets(data: bytes, element: ElementType) -> Array | None:
    """The values, where they are offsets; one for each element of another buffer (0, 1, 2, …) are places."""
    if not element.is_integer or element.components != 1 or element.scalar_bytes < 2:
        return None
    values = decode(data, element)
    if values.size <= _FEWEST_ROWS or values[0] != 0 or values[-1] <= 1 or not is_rising(values):
        return None
    is_places = int(values[-1]) == values.size - 1 and bool((values[1:] > values[:-1]).all())
    return None if is_places else values


def _spread(rows: int, total: int, random: np.random.Generator) -> Array:
    """Lengths of the rows: many are 0 or 1, the others share the rest; the first and the last are empty where there are many."""
    kinds = random.random(rows)
    lengths = np.zeros(rows, np.int64)
    lengths[kinds >= _EMPTY_SHARE] = 1
    shared = np.flatnonzero(kinds >= _EMPTY_SHARE + _SINGLE_SHARE)
    if rows > 2 * _EMPTY_RUN:
        lengths[:_EMPTY_RUN] = lengths[-1] = 0
        shared = shared[(shared >= _EMPTY_RUN) & (shared < rows - 1)]
    return _filled(lengths, total, shared if shared.size else np.array([rows // 2]))


def _one_long(rows: int, total: int, random: np.random.Generator) -> Array:
    """All in one row, but for every third with one element."""
    lengths = np.zeros(rows, np.int64)
    lengths[::3] = 1
    return _filled(lengths, total, random.integers(0, rows, 1))


def _filled(lengths: Array, total: int, places: Array) -> Array:
    """What ``total`` has more than ``lengths``, in equal parts at ``places``; of too many the last are empty."""
    lengths = np.where(np.cumsum(lengths) <= total, lengths, 0)
    share, left = divmod(total - int(lengths.sum()), places.size)
    lengths[places] += share
    lengths[places[:left]] += 1
    return lengths
