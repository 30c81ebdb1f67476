"""Sizes that follow from others as those of a result of pooling or convolution do: two less with windows of three, half with a stride.

A single launch shows it by names and values: the same member of two structs (``in.w`` and ``out.w``), or names that differ in what says
input or output (``H`` and ``OH``, ``in_w`` and ``out_w``), where the smaller is what is left of the larger by a window of at most eleven
elements. Example::

    windows_of({"in.w": 161, "out.w": 80})["out.w"].at(59)      # 29, as of windows of 3 with a stride of 2
"""

from __future__ import annotations

from itertools import product

from assistant.record import Record
from assistant.workload.relations import Sizes

__all__ = ["Window", "windows_of"]

_LONGEST, _LARGEST_STRIDE = 11, 8
"""Elements of a window, and from one to the next: AlexNet's first layer has 11 and 4."""
_SIDES = ("input", "output", "in", "out", "src", "dst")
_AXIS_LETTERS = ("d", "h", "w")
"""What follows a single letter for the side: ``ih``, ``OW``. Channels (``ic``, ``oc``) are no result of a window."""
_NOT_SPATIAL = frozenset({"c", "ch", "channel", "channels", "n", "batch", "batches", "k"})


class Window(Record):
    """``(of - length) / stride + 1``."""

    of: str
    length: int
    stride: int

    def at(self, size: int) -> int:
        """How many windows fit into so many elements; 1 at least."""
        return max(1, (size - self.length) // self.stride + 1)


def windows_of(sizes: Sizes) -> dict[str, Window]:
    """The sizes that follow from another, larger ones first, so that what they follow from is always known before them."""
    found: dict[str, Window] = {}
    by_size = sorted(sizes, key=lambda name: -sizes[name])
    for whole, name in product(reversed(by_size), by_size):
        if sizes[whole] > sizes[name] > 1 and name not in found and _is_same_axis(whole, name):
            window = _window(whole, sizes[whole], sizes[name])
            if window is not None:
                found[name] = window
    return {name: found[name] for name in by_size if name in found}


def _window(whole: str, size: int, count: int) -> Window | None:
    """The longest windows with the largest stride of which so many fit: with shorter ones a kernel would read as far or less far."""
    stride = (size - 1) // (count - 1)
    length = size - stride * (count - 1)
    return Window(whole, length, stride) if stride <= _LARGEST_STRIDE and length <= _LONGEST else None


def _is_same_axis(one: str, other: str) -> bool:
    (struct, member), (other_struct, other_member) = (name.rpartition(".")[::2] for name in (one, other))
    if struct or other_struct:
        return struct != other_struct and member == other_member and member.lower() not in _NOT_SPATIAL
    axis = _axis(one)
    return axis == _axis(other) and axis not in _NOT_SPATIAL


def _axis(name: str) -> str:
    """What is left of a name without what says input or output."""
    name = name.lower()
    for side in _SIDES:
        rest = name.removeprefix(side) if name.startswith(side) else name.removesuffix(side)
        if rest.strip("_") and rest != name:
            return rest.strip("_")
    return name[1:] if name[:1] in ("i", "o") and name[1:] in _AXIS_LETTERS else name
