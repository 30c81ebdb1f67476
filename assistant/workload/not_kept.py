"""What people read of launches that a recording counts without their contents. Example::

launches_not_kept({("k(int*)", config, "recording is full"): 2})
# ["2 launches of k(int*) with grid (8, 1, 1), block (128, 1, 1) are counted but not kept: recording is full"]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from assistant.model.launch import LaunchConfig

__all__ = ["launches_not_kept"]


def launches_not_kept(counts: Mapping[tuple[str, LaunchConfig, str], int]) -> list[str]:
    """A line for each kernel and reason. ``counts``: launches by kernel, shape and reason."""
    launches: Counter[tuple[str, str]] = Counter()
    shapes: defaultdict[tuple[str, str], list[LaunchConfig]] = defaultdict(list)
    for (kernel, config, reason), count in counts.items():
        launches[kernel, reason] += count
        shapes[kernel, reason].append(config)
    return [
        f"{_launches(count)} of {kernel} with {_in_words(shapes[kernel, reason])} {_are(count)} counted but not kept: {reason}"
        for (kernel, reason), count in launches.items()
    ]


def _launches(count: int) -> str:
    return "1 launch" if count == 1 else f"{count:,} launches"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _in_words(configs: Sequence[LaunchConfig]) -> str:
    first = f"grid {configs[0].grid}, block {configs[0].block}"
    return first if len(configs) == 1 else f"{first}, and {len(configs) - 1} other shapes"
