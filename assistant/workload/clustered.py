"""The program's own values in another order: the largest fall to few threads.

A kernel whose threads take every ``P``-th element each, ``P`` being the threads of a block, meets all large values in one thread: who
keeps a short list per thread loses some of them. Example::

    with_clustered(case, period=256, seed=7, names={1: "score"})     # score sorted by columns of 256
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assistant.workload.arrays import decode, encode
from assistant.workload.derive import contents_of, typed_buffers, with_contents
from assistant.workload.recordings import NewCase
from assistant.workload.relabel import may_be_places
from assistant.workload.resample import is_distinct, is_sorted, with_tail

__all__ = ["CLUSTERED", "with_clustered"]

CLUSTERED = "clustered"
"""The kind of these cases."""
_FEWEST_TURNS = 4
"""Elements that each thread takes at least; with fewer nothing gathers."""


def with_clustered(case: NewCase, period: int, seed: int, names: Mapping[int, str]) -> NewCase | None:
    """``case`` with its arrays of single values in descending order along every ``period``-th element; None where none changes.

    What is sorted stays, and integers that are all different and no higher than an array is long: they may be places that threads write to.
    """
    contents = contents_of(case)
    values, shown = dict[int, bytes](), list[str]()
    most_places = max((len(data) for data in contents.values()), default=0)
    for buffer, element in typed_buffers(case).items():
        data = contents[buffer]
        array = decode(data, element)
        turns = array.size // max(period, 1)
        if element.components != 1 or turns < _FEWEST_TURNS or is_sorted(array) or not (array != array[0]).any():
            continue
        if not element.is_floating and may_be_places(array, most_places) and is_distinct(array[:, None]):
            continue
        whole = np.sort(array[: turns * period])[::-1].reshape(period, turns).T.reshape(-1)
        values[buffer] = with_tail(encode(np.concatenate([whole, array[turns * period :]]), element), data)
        shown.append(names.get(buffer, "a buffer"))
    if not values:
        return None
    origin = replace(case.origin, kind=CLUSTERED, seed=seed, scale=1.0, weight=0.0, values=f"{' and '.join(shown)} by size")
    return with_contents(case, values, origin)
