"""What the axes of kernels are called in C, so that a kernel takes other sizes than those that were seen. Pure.

An axis has a name where an input says how long it is; a part of one is a quotient (``c / 4``), and what only the model knows is a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from assistant.operators.axes import Alignment, Axis, axes_of
from assistant.operators.kernel_plan import multiplied
from assistant.record import Record

__all__ = ["MORE_NAMES", "Sizes", "sizes_of"]

_NAMES = {1: ("n",), 2: ("n", "m"), 3: ("b", "n", "m"), 4: ("b", "c", "h", "w"), 5: ("b", "c", "d", "h", "w")}
MORE_NAMES = ("n2", "m2", "k2", "n3", "m3", "k3", "n4", "m4", "k4")
Input = tuple[str, tuple[int, ...], tuple[Alignment, ...]]
"""Its name, its shape, and along which axes its dimensions run wherever it is read."""


class Sizes(Record):
    names: Mapping[str, str]
    """By the label of an axis, in C."""
    words: Mapping[str, tuple[str, ...]]
    """For each input the words of the table."""
    bound: tuple[str, ...]
    """Names that inputs say the size of."""

    def is_named(self, axis: Axis) -> bool:
        """Whether inputs say how long it is, or it has one element."""
        return axis.size == 1 or not re.search(r"\b\d+\b", self.names[axis.label])

    def of_frame(self, frame: Alignment) -> tuple[str, ...]:
        """The words for the dimensions of a result."""
        return tuple(_word(axes, self.names) for axes in frame)


def sizes_of(orders: Sequence[Sequence[Axis]], inputs: Sequence[Input]) -> Sizes:
    """``orders``: the axes of each kernel, the most important kernel's first."""
    axes = list(dict.fromkeys(axis for order in orders for axis in order))
    axes += [axis for _, _, read in inputs for alignment in read for axis in axes_of(alignment) if axis not in axes]
    main = max((list(dict.fromkeys(_root(axis) for axis in order)) for order in orders), key=len)
    letters = dict(zip(main, _NAMES.get(len(main), MORE_NAMES), strict=False))
    further = iter(MORE_NAMES)
    for axis in axes:
        letters.setdefault(_root(axis), letters.get(_root(axis)) or next(further))
    leaves = {root: [axis for axis in axes if _root(axis) == root] for root in letters}
    names = {axis.label: str(axis.size) for axis in axes}
    bound = dict[str, str]()
    """Root to name."""
    dims = [own for _, _, read in inputs for alignment in read for own in alignment if own]
    for _, _, read in inputs:
        for same in zip(*read, strict=True):
            whole = [own for own in same if own and _is_root(own, leaves)]
            for own in whole:
                root = _root(own[0])
                letters[root] = bound.get(root) or bound.get(_root(whole[0][0])) or letters[root]
                _bind(names, own, letters[root], bound)
    compound = dict[tuple[Axis, ...], str]()
    for own in dims:
        if own not in compound and not _is_root(own, leaves) and _root(own[-1]) not in bound and len(leaves[_root(own[-1])]) == 1:
            letter = letters[_root(own[-1])]
            outer = multiplied(names[axis.label] for axis in own[:-1])
            names[own[-1].label] = f"{letter} / ({outer})" if " " in outer else f"{letter} / {outer}"
            bound[_root(own[-1])] = compound[own] = letter
    words = {
        name: tuple(compound.get(own) or (_word(own, names) if own else str(size)) for size, own in zip(shape, read[0], strict=True))
        if read
        else tuple(map(str, shape))
        for name, shape, read in inputs
    }
    order = list(letters.values())
    return Sizes(names, words, tuple(sorted(dict.fromkeys(bound.values()), key=order.index)))


def _bind(names: dict[str, str], own: Sequence[Axis], letter: str, bound: dict[str, str]) -> None:
    """A whole dimension: its last part is what the others leave of it."""
    bound[_root(own[0])] = letter
    outer = 1
    for axis in own[:-1]:
        outer *= axis.size
    names[own[-1].label] = letter if outer == 1 else f"{letter} / {outer}"


def _is_root(own: Sequence[Axis], leaves: Mapping[str, Sequence[Axis]]) -> bool:
    """Whether these axes are one that inputs know, or all parts of it."""
    root = _root(own[0])
    return all(_root(axis) == root for axis in own) and {axis.label for axis in own} == {axis.label for axis in leaves[root]}


def _root(axis: Axis) -> str:
    return axis.label.rstrip("oi")


def _word(axes: Sequence[Axis], names: Mapping[str, str]) -> str:
    """Of a dimension, in a table."""
    if not axes:
        return "1"
    last, outer = names.get(axes[-1].label, str(axes[-1].size)), [names.get(axis.label, str(axis.size)) for axis in axes[:-1]]
    if outer and last.endswith(f" / {_number(outer)}"):
        return last.removesuffix(f" / {_number(outer)}")
    return multiplied((*outer, last))


def _number(words: Sequence[str]) -> str:
    if all(word.isdigit() for word in words):
        product = 1
        for word in words:
            product *= int(word)
        return str(product)
    return "?"
