"""The program's own values of sorted buffers in another order: an edit may look them up by halving, or stop at the first larger one.

Constants and offsets stay: what is between two of them is a row only in their order. Example::

    with_unsorted(case, seed=7)     # the table that was sorted in any order; None where no buffer is sorted
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementType
from assistant.workload.arrays import decode, encode
from assistant.workload.derive import changed
from assistant.workload.offsets import offsets_of
from assistant.workload.recordings import NewCase
from assistant.workload.resample import is_sorted, used_count, with_tail
from assistant.workload.specials import not_constant
from assistant.workload.unseen import changed_buffers

__all__ = ["UNSORTED", "with_unsorted"]

UNSORTED = "unsorted"
"""The kind of these cases."""
_FEWEST_VALUES = 8
"""Fewer different values may be sorted by chance."""


def with_unsorted(case: NewCase, seed: int) -> NewCase | None:
    """``case`` with the values of sorted buffers in any order; None where no buffer is so."""
    origin = replace(case.origin, kind=UNSORTED, seed=seed, scale=1.0, weight=0.0)
    made = changed(case, _shuffled, origin, chosen=not_constant(case) - offsets_of(case).keys())
    return made if changed_buffers(case, made) else None


def _shuffled(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    values = decode(data, element)
    count = used_count(values)
    if element.components != 1 or not is_sorted(values) or np.unique(values[:count]).size < _FEWEST_VALUES:
        return data
    return with_tail(encode(np.concatenate([random.permutation(values[:count]), values[count:]]), element), data)
