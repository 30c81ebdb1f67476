"""Floats of which large ones of both signs cancel among small ones: what a compensated sum keeps and a plain one loses.

Only floats of less than eight bytes, which a float64 twin can judge. One buffer has the large values, the others a single value, so that
products cancel as sums do. Example::

    with_cancelling(case, {1: "x"}, (), seed=7).origin.values      # "x with values of ±4.8e+09 that cancel, among such of 63"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementType
from assistant.workload.arrays import Array, doubles, encode, largest_finite, significand_bits
from assistant.workload.derive import contents_of, typed_buffers, with_contents
from assistant.workload.offsets import offsets_of
from assistant.workload.recordings import NewCase
from assistant.workload.resample import is_sorted, with_tail

__all__ = ["CANCELLING", "with_cancelling"]

CANCELLING = "cancelling"
"""The kind of these cases."""
_FEWEST = 64
"""Values of a buffer that has large ones."""
_PAIRS = 12
"""Pairs of values that cancel: few, so that hardly any lies across the end of a row that nothing shows."""
_DISTANCES = (1, 5)
"""Between the two values of a pair, in turn: threads that add up neighbours first cancel some in time, but not all."""
_LOST_DIGITS = 2
"""A small value is lost next to a large one with so many binary digits to spare."""


def with_cancelling(case: NewCase, names: Mapping[int, str], row_lengths: Sequence[int], seed: int) -> NewCase | None:
    """``case`` with pairs of large values in its largest buffer of floats; None where there is none that can have them.

    No pair lies across the end of a row, of the lengths that rows may have or as offsets say: it would cancel nothing.
    """
    chosen = _largest(case)
    if chosen is None:
        return None
    buffer, element = chosen
    data = contents_of(case)[buffer]
    small = np.abs(doubles(data, element))
    typical = float(np.sqrt(np.mean(np.square(small))))
    large = typical * 2.0 ** (significand_bits(element) + _LOST_DIGITS)
    if not large < largest_finite(element) / _PAIRS:
        return None
    rows = [np.arange(small.size) // length for length in row_lengths if small.size % length == 0]
    rows += [np.searchsorted(offsets, np.arange(small.size), "right") for offsets in offsets_of(case).values()]
    values = _with_pairs(small, large, rows, np.random.default_rng([seed, buffer]))
    if values is None:
        return None
    words = f"{names.get(buffer, 'a buffer')} with values of ±{large:.2g} that cancel, among such of {typical:.2g}"
    contents = _others_alike(case, buffer) | {buffer: with_tail(encode(values, element), data)}
    return with_contents(case, contents, replace(case.origin, kind=CANCELLING, seed=seed, scale=1.0, weight=0.0, values=words))


def _largest(case: NewCase) -> tuple[int, ElementType] | None:
    """The buffer with most floats, the first of several."""
    contents = contents_of(case)
    floating = {b: e for b, e in typed_buffers(case).items() if e.is_floating and e.components == 1 and e.scalar_bytes < 8}
    usable = {b: e for b, e in floating.items() if _is_usable(doubles(contents[b], e))}
    return max(usable.items(), key=lambda item: len(contents[item[0]]) // item[1].scalar_bytes, default=None)


def _is_usable(values: Array) -> bool:
    return values.size >= _FEWEST and bool(np.isfinite(values).all()) and bool(values.any()) and not is_sorted(values)


def _with_pairs(small: Array, large: float, rows: Sequence[Array], random: np.random.Generator) -> Array | None:
    """``rows``: number of the row, by place. None where no row is long enough."""
    values, room = small.copy(), 2 * max(_DISTANCES)
    drawn = room * random.permutation(small.size // room) + random.integers(0, room - max(_DISTANCES), small.size // room)
    for index, distance in enumerate(_DISTANCES):
        mine = drawn[index :: len(_DISTANCES)]
        inside = np.logical_and.reduce([one[mine] == one[mine + distance] for one in rows]) if rows else np.ones(mine.size, np.bool_)
        places = mine[inside][: _PAIRS // len(_DISTANCES)]
        if not places.size:
            return None
        values[places], values[places + distance] = large, -large
    return values


def _others_alike(case: NewCase, buffer: int) -> dict[int, bytes]:
    """The other buffers of floats, each with one value for all that are not zero."""
    made: dict[int, bytes] = {}
    for other, element in typed_buffers(case).items():
        data = contents_of(case)[other]
        values = doubles(data, element) if element.is_floating else np.zeros(0)
        if other != buffer and values.any() and np.isfinite(values).all():
            made[other] = with_tail(encode(np.where(values == 0, 0.0, np.abs(values[values != 0]).mean()), element), data)
    return made
