"""Special values put into a case's floats: NaN, infinities, denormal and huge numbers, zeros of both signs.

A difference on these can only add a label or expose a crash. They are put into one buffer at a time as well: NaN everywhere hides who
leaves out a factor of zero. Example::

    with_specials(case, seed=3), with_huge(case, seed=3), with_signed_zeros(case, seed=3)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementKind, ElementType
from assistant.workload.arrays import doubles, encode, largest_finite
from assistant.workload.derive import Change, Layouts, changed, typed_buffers
from assistant.workload.recordings import NewCase
from assistant.workload.resample import with_tail

__all__ = ["not_constant", "with_huge", "with_signed_zeros", "with_specials", "with_specials_apart"]

_SPECIAL_SHARE = 0.01
"""Share of a buffer that becomes special."""
_ZERO_SHARE = 0.25
_MOST_APART = 4
"""Buffers that are given special values by themselves."""


def with_specials(case: NewCase, seed: int, layouts: Layouts | None = None) -> NewCase:
    """``case`` with NaN, infinities and denormal values put into its floats."""
    return _injected(case, seed, "injected", _specials, layouts)


def with_specials_apart(case: NewCase, seed: int) -> tuple[NewCase, ...]:
    """One case for each of the first buffers of floats, if there are several: it has the special values, the others none."""
    floating = [buffer for buffer, element in typed_buffers(case).items() if element.is_floating and buffer in not_constant(case)]
    chosen = floating[:_MOST_APART] if len(floating) > 1 else []
    return tuple(_injected(case, seed + 1 + index, "injected", _specials, None, frozenset({one})) for index, one in enumerate(chosen))


def with_huge(case: NewCase, seed: int, layouts: Layouts | None = None) -> NewCase:
    """``case`` with values put into its floats that overflow where three of them meet."""
    return _injected(case, seed, "huge", lambda element: (largest_finite(element) / 2,), layouts)


def with_signed_zeros(case: NewCase, seed: int, layouts: Layouts | None = None) -> NewCase:
    """``case`` with zeros of both signs put into its floats."""
    return _injected(case, seed, "zeros", lambda element: (-0.0, 0.0), layouts, share=_ZERO_SHARE)


def _injected(
    case: NewCase,
    seed: int,
    kind: str,
    values_of: Callable[[ElementType], tuple[float, ...]],
    layouts: Layouts | None,
    chosen: frozenset[int] | None = None,
    share: float = _SPECIAL_SHARE,
) -> NewCase:
    origin = replace(case.origin, kind=kind, seed=seed, scale=1.0, weight=0.0)
    return changed(case, _putting(values_of, share), origin, layouts, not_constant(case) if chosen is None else chosen)


def not_constant(case: NewCase) -> frozenset[int]:
    """Buffers but for the coefficients that a program keeps in constant memory, which are finite: 0 * x is 0 for them."""
    return frozenset(buffer.id for buffer in case.recording.buffers if buffer.space != "constant")


def _putting(values_of: Callable[[ElementType], tuple[float, ...]], share: float) -> Change:
    def put(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
        if not element.is_floating or not data:
            return data
        values, specials = doubles(data, element), np.array(values_of(element))
        count = min(values.size, max(specials.size, int(values.size * share)))
        places = random.choice(values.size, count, replace=False)
        values[places] = np.resize(specials, count)
        return with_tail(encode(values, element), data)

    return put


def _specials(element: ElementType) -> tuple[float, ...]:
    return (np.nan, np.inf, -np.inf, _denormal(element))


def _denormal(element: ElementType) -> float:
    return {2: 2.0**-20, 4: 2.0**-140, 8: 2.0**-1060}[element.scalar_bytes] if element.kind is ElementKind.FLOAT else 2.0**-130
