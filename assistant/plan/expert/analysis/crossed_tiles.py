"""Whether a cell of a table needs one that square tiles, filled along their diagonals, would fill too late.

A cell of an earlier diagonal lies above or to the left, maybe far to the left of a lower row: ``t[i + 1][j - 2]`` is on the diagonal before
that of ``t[i][j]``, and in the tile below it. Cells of later diagonals are read as they were before, in tiles too.

Example::

    crosses_tiles(tree, kernel, body, frozenset({("i", "j")}), 1)    # True for t[i * w + j] = t[(i + 1) * w + j - 2] + 1
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Kernel

__all__ = ["crosses_tiles"]

_SIZES = (10_007, 10_037, 10_061, 10_067, 10_069, 10_079, 10_091, 10_093, 10_099, 10_103)
"""Stand for the kernel's numbers, one after the other."""
_CELLS = ((400, 700), (401, 700), (400, 701), (523, 811))
"""Rows and columns: one cell, its neighbours, and another one."""


def crosses_tiles(tree: SyntaxTree, kernel: Kernel, body: Node, pairs: Collection[tuple[str, str]], step: int) -> bool:
    """Some load of a table that the kernel stores is of such a cell, for one of the ``pairs`` of locals that a diagonal's number is the sum
    of. ``step``: of the number, from launch to launch."""
    return any(
        down + right < 0 and max(down, right) > 0
        for pair in pairs
        for down, right in ((step * a, step * b) for a, b in _offsets(tree, kernel, body, pair))
    )


def _offsets(tree: SyntaxTree, kernel: Kernel, body: Node, pair: tuple[str, str]) -> Iterator[tuple[int, int]]:
    """(steps of one of the pair, steps of the other) from the stored cell to each that is loaded, where it is the same for all cells."""
    scope = scope_of(tree, kernel)
    sizes = dict(zip((p.name for p in kernel.parameters if not p.is_pointer), _SIZES, strict=False))
    cells = [{**sizes, pair[0]: first, pair[1]: second} for first, second in _CELLS]
    accesses = [access for access in array_accesses(tree, body) if len(access.indices) == 1]
    stored = {access.base: access.indices[0] for access in accesses if access.kind in (Use.WRITE, Use.UPDATE)}
    for access in accesses:
        own = None if access.base not in stored else _places(stored[access.base], scope, cells)
        loaded = None if own is None or access.kind is not Use.READ else _places(access.indices[0], scope, cells)
        if own is None or loaded is None:
            continue
        down, right = own[1] - own[0], own[2] - own[0]
        distances = {there - here for here, there in zip(own, loaded, strict=True)}
        if len(distances) == 1 and abs(down) != abs(right) and 1 in (abs(down), abs(right)):
            yield _decoded(distances.pop(), down, right)


def _places(index: Node, scope: Scope, cells: Sequence[Mapping[str, int]]) -> list[int] | None:
    found = [evaluate(index, scope, cell) for cell in cells]
    known = [place for place in found if place is not None]
    return known if len(known) == len(found) else None


def _decoded(distance: int, down: int, right: int) -> tuple[int, int]:
    """Whole rows, and what is left within one, of a distance in the table's elements."""
    pitch = max((down, right), key=abs)
    rows = round(distance / pitch)
    rest = (distance - rows * pitch) * (right if pitch == down else down)
    return (rows, rest) if pitch == down else (rest, rows)
