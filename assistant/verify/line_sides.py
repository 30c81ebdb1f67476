"""Which lines of a preprocessed file are device code, which the host's: what a compiler does elsewhere with a line does not matter.

Code inside the body of a kernel is compiled for the GPU alone; of a function without ``__device__``, for the host alone. What may be
either (file scope, types, ``__host__ __device__`` functions, a host function with a device lambda) is both. Example::

    sides_of({4: "__global__ void k() {", 5: "f();", 6: "}"})[5]     # Side.DEVICE
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Flag

from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.tokens import words_in_code

__all__ = ["Side", "sides_of"]

_FOR_DEVICE = frozenset({"__device__", "__global__"})
_FOR_BOTH = frozenset({"__host__", "constexpr", "consteval"})


class Side(Flag):
    """What a line is compiled for."""

    NONE = 0
    DEVICE = 1
    HOST = 2
    BOTH = 3


def sides_of(lines: Mapping[int, str]) -> dict[int, Side]:
    """``lines``: of a file, by number, without comments, the program's macros expanded."""
    code = "\n".join(lines.values())
    numbers = [number for number, text in lines.items() for _ in text.split("\n")]
    found = items(code)
    if found is None:
        return dict.fromkeys(lines, Side.BOTH)
    sides = dict.fromkeys(lines, Side.NONE)
    for item in found:
        first = code.count("\n", 0, item.start)
        for row in range(first, first + item.text.count("\n") + 1):
            sides[numbers[row]] |= _side(item)
    return {number: side or Side.BOTH for number, side in sides.items()}


def _side(item: Item) -> Side:
    head = item.text.partition("{")[0]
    if item.kind is ItemKind.KERNEL:
        return Side.DEVICE
    if item.kind is ItemKind.DEVICE:
        return Side.DEVICE if _FOR_BOTH.isdisjoint(words_in_code(head)) else Side.BOTH
    if item.kind is ItemKind.HOST:
        return Side.HOST if _FOR_DEVICE.isdisjoint(words_in_code(item.text)) else Side.BOTH
    return Side.BOTH
