"""Which random values a shape is judged on: fresh seeds, scales, signs, and what becomes of zeros."""

from __future__ import annotations

from typing import Literal

from assistant.model.workload import Shape
from assistant.record import Record

__all__ = ["MINIMUM_SEED_COUNT", "MIRRORED", "SCALES", "Draw", "Integers", "Zeros", "draws_for", "fresh_draws"]

Integers = Literal["kept", "redrawn", "permuted"]
"""What a draw does to captured integer buffers. Redrawn: each value is one of those observed, so that an index stays valid and
yet a result that no permutation changes (a histogram, a count) does change; buffers of distinct values are permuted all the same.
"""

Zeros = Literal["kept", "filled", "scattered", "gone"]
"""What becomes of zeros that are data, not structure. Filled: other values of their buffer; scattered: at other places, half of all;
gone: filled, and those that are structure as well."""

SCALES = (1.0, 0.125, 8.0)
"""Multipliers of floating values; powers of two, so that scaling itself rounds nothing."""
MIRRORED = -1.0
"""Scale of a further draw: recorded values are often all positive, and a lost sign would not show on them."""
MINIMUM_SEED_COUNT = 3
"""Seeds of a comparison, at least."""


class Draw(Record):
    """One set of random values."""

    seed: int
    scale: float = 1.0
    integers: Integers = "permuted"
    is_timed: bool = True
    """The case carries its shape's weight; other draws of a shape only verify."""
    zeros: Zeros = "kept"
    has_mixed_signs: bool = False
    """Floats of buffers that hold one sign only get both."""

    @property
    def kind(self) -> str:
        """``CaseOrigin.kind`` of what is drawn from recorded values."""
        if self.has_mixed_signs:
            return "mixed"
        if self.scale == MIRRORED:
            return "mirrored"
        return {"kept": "resampled", "filled": "dense", "scattered": "scattered", "gone": "unpadded"}[self.zeros]


def fresh_draws(seeds: tuple[int, ...]) -> tuple[Draw, ...]:
    """One draw per seed; the scales 1, 1/8 and 8 in turn, integers kept by the first, redrawn and permuted by the next in turn."""
    return tuple(Draw(seed, SCALES[index % len(SCALES)], _integers(index), is_timed=index == 0) for index, seed in enumerate(seeds))


def draws_for(shape: Shape, seeds: tuple[int, ...]) -> tuple[Draw, ...]:
    """The draws for a declared shape; a boundary shape gets a single draw, of scale 1."""
    return (Draw(seeds[0], is_timed=False),) if shape.is_boundary else fresh_draws(seeds)


def _integers(index: int) -> Integers:
    if index == 0:
        return "kept"
    return "redrawn" if index % 2 else "permuted"
