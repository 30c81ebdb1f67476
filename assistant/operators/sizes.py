"""What the axes of kernels are called in C, so that a kernel takes other sizes than those that were seen. Pure.

An axis has a name where an input says how long it is; a part of one is a quotient (``c / 4``), and what only the model knows is a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from assistant.operators.axes import Alignment, Axis, WholeAlignment, Window
from assistant.operators.kernel_plan import added, multiplied
from assistant.operators.part_index import size_word
from assistant.record import Record

__all__ = ["Sizes", "sizes_of"]

_NAMES = {1: ("n",), 2: ("n", "m"), 3: ("b", "n", "m"), 4: ("b", "c", "h", "w"), 5: ("b", "c", "d", "h", "w")}
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

    def of_frame(self, frame: WholeAlignment) -> tuple[str, ...]:
        """The words for the dimensions of a result."""
        return tuple(_word(axes, self.names).removeprefix("(").removesuffix(")") for axes in frame)


def sizes_of(
    orders: Sequence[Sequence[Axis]], inputs: Sequence[Input], joined: Sequence[Window] = (), weights: Sequence[Alignment] = ()
) -> Sizes:
    """``orders``: the axes of each kernel, the most important kernel's first. ``joined``: what is read of tensors that are joined;
    ``weights``: along which axes dimensions of weights run."""
    given = [alignment for _, _, read in inputs for alignment in read]
    fixed = _fixed_reaches(joined, [*given, *weights])
    dims = [own for _, _, read in inputs for same in _by_dimension(read, fixed) for own in same]
    reaches = [axis for window in joined for axis in window.joined]
    axes = list(dict.fromkeys([*(axis for order in orders for axis in order), *(axis for own in dims for axis in own), *reaches]))
    roots = _roots(axes, dims)
    leaves = {root: [axis for axis in axes if roots[axis] == root] for root in roots.values()}
    letters = _letters([[roots[axis] for axis in order] for order in orders], list(leaves))
    names = {axis.label: str(axis.size) for axis in axes}
    bound = dict[str, str]()
    """Root to name."""
    for _, _, read in inputs:
        for same in _by_dimension(read, fixed):
            whole = [own for own in same if set(own) == set(leaves[roots[own[0]]])]
            for own in whole:
                root = roots[own[0]]
                letters[root] = bound.get(root) or bound.get(roots[whole[0][0]]) or letters[root]
                bound[root] = letters[root]
                names[own[-1].label] = _quotient(letters[root], [str(axis.size) for axis in own[:-1]])
    compound = dict[tuple[Axis, ...], str]()
    for own in dims:
        root = roots[own[-1]]
        if len(own) > 1 and root not in bound and leaves[root] == [own[-1]]:
            names[own[-1].label] = _quotient(letters[root], [names[axis.label] for axis in own[:-1]])
            bound[root] = compound[own] = letters[root]
    shares: dict[tuple[str, int], Window] = {}
    for name, _, read in inputs:
        for place, window in _shares(read):
            axis, root = window.axes[0], roots.get(window.axes[0], "")
            if leaves.get(root) != [axis]:
                continue
            shares[name, place] = window
            if root not in bound:
                bound[root] = letters[root]
                names[axis.label] = f"{letters[root]} / {window.share_count}"
    for window in joined:
        sizes = [names[axis.label] for axis in window.joined]
        if not fixed & {*window.joined} and names[window.axes[0].label].isdigit() and not all(size.isdigit() for size in sizes):
            names[window.axes[0].label] = f"({added(sizes)})"
    words: dict[str, tuple[str, ...]] = {}
    for name, shape, read in inputs:
        known = [next(iter(same), ()) for same in _by_dimension(read, fixed)] or [()] * len(shape)
        words[name] = tuple(
            size_word(shares[name, place], names)
            if (name, place) in shares
            else compound.get(own) or (_word(own, names) if own else str(size))
            for place, (size, own) in enumerate(zip(shape, known, strict=True))
        )
    order = list(letters.values())
    return Sizes(names, words, tuple(sorted(dict.fromkeys(bound.values()), key=order.index)))


def _shares(read: Sequence[Alignment]) -> Iterator[tuple[int, Window]]:
    """Dimensions of an input of which each part that is read is one of equally many, side by side."""
    for place, same in enumerate(zip(*read, strict=True)):
        windows = [along for along in same if isinstance(along, Window)]
        kinds = {(window.axes, window.share_count) for window in windows}
        if windows and len(windows) == len(same) and len(kinds) == 1 and windows[0].share_count:
            yield place, windows[0]


def _fixed_reaches(joined: Sequence[Window], given: Sequence[Alignment]) -> frozenset[Axis]:
    """Those of tensors that are joined with one of which no input and no weight says how far it reaches, or of which a part is read."""
    along = [along for alignment in given for along in alignment]
    known = {each.reach if isinstance(each, Window) else each[0] for each in along if _is_plain(each)}
    return frozenset(axis for window in joined if not window.is_whole or not known >= {*window.joined} for axis in window.joined) | {
        axis for window in joined for axis in window.joined if axis.is_fixed
    }


def _is_plain(along: tuple[Axis, ...] | Window) -> bool:
    return along.is_whole if isinstance(along, Window) else len(along) == 1


def _by_dimension(read: Sequence[Alignment], fixed: frozenset[Axis]) -> list[tuple[tuple[Axis, ...], ...]]:
    """For each dimension of an input the axes that it runs along, wherever it is read; none where its size is the model's own: it has one
    element, or a part of it is read."""
    found: list[tuple[tuple[Axis, ...], ...]] = []
    for same in zip(*read, strict=True):
        axes = [(along.reach,) if isinstance(along, Window) and along.is_whole else along for along in same]
        own = tuple(each for each in axes if not isinstance(each, Window) and each and not any(a.is_fixed or a in fixed for a in each))
        found.append(own if len(own) == len(same) else ())
    return found


def _roots(axes: Sequence[Axis], dims: Sequence[tuple[Axis, ...]]) -> dict[Axis, str]:
    """The dimension that each axis is a part of; an axis is on its own where an input has a dimension for it, and none for the whole."""
    roots = {axis: axis.label.rstrip("oi") for axis in axes}
    parts = {root: {axis for axis in axes if roots[axis] == root} for root in roots.values()}
    whole = {roots[own[0]] for own in dims if set(own) == parts[roots[own[0]]]}
    alone = {roots[own[0]] for own in dims if len(own) == 1} - whole
    return {axis: axis.label if root in alone else root for axis, root in roots.items()}


def _letters(orders: Sequence[Sequence[str]], roots: Sequence[str]) -> dict[str, str]:
    """A name for each root: the usual ones for those of the kernel that has the most."""
    main = max((list(dict.fromkeys(order)) for order in orders), key=len)
    further = (f"{letter}{number}" for number in count(2) for letter in "nmk")
    usual = _NAMES.get(len(main))
    found = {root: next(further) if usual is None else usual[place] for place, root in enumerate(main)}
    return found | {root: next(further) for root in roots if root not in found}


def _quotient(name: str, outer: Sequence[str]) -> str:
    """What is left of a dimension for its innermost part, in C."""
    words = _number(outer) or multiplied(outer)
    return name if words == "1" else f"{name} / ({words})" if " " in words else f"{name} / {words}"


def _word(axes: Sequence[Axis], names: Mapping[str, str]) -> str:
    """Of a dimension, in a table."""
    *outer, last = (names.get(axis.label, str(axis.size)) for axis in axes) if axes else ("1",)
    whole = last.partition(" / ")[0]
    return whole if outer and last == _quotient(whole, outer) else multiplied((*outer, last))


def _number(words: Sequence[str]) -> str | None:
    """A product as a number, where all are numbers."""
    return str(math.prod(map(int, words))) if all(word.isdigit() for word in words) else None
