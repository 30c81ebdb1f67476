"""How far apart a row kernel's accesses lie, from row to row and from iteration to iteration.

Example::

    walks_along_rows(context, kernel)     # True: `a[row * n + j]` in a loop over j
    walks_across_rows(context, kernel)    # True: `a[j * n + row]`
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.names import words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.plan.expert.analysis.memory_accesses import global_accesses, unknown_sizes
from assistant.plan.expert.analysis.row_kernel import RowKernel, RowLoop
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["element_at", "reads_alike", "walks_across_rows", "walks_along_rows"]


def walks_along_rows(context: TransformationContext, kernel: RowKernel) -> bool:
    """More accesses go from neighbour to neighbour by iterations than by rows."""
    along, across = _counts(context, kernel)
    return along > across


def walks_across_rows(context: TransformationContext, kernel: RowKernel) -> bool:
    """More accesses go from neighbour to neighbour by rows than by iterations."""
    along, across = _counts(context, kernel)
    return across > along


def reads_alike(context: TransformationContext, kernel: RowKernel) -> bool:
    """Every row's loops read the same elements, one after another: all pairs of two sets."""
    strides = [stride for loop in kernel.loops for stride in _strides(context, kernel, loop)]
    moving = [row_stride for row_stride, step_stride in strides if step_stride]
    own_ranges = [loop for loop in kernel.loops if kernel.row.name in words_in(loop.header.first)]
    return bool(moving) and not any(moving) and not own_ranges


def _counts(context: TransformationContext, kernel: RowKernel) -> tuple[int, int]:
    along = across = 0
    for loop in kernel.loops:
        has_own_range = kernel.row.name in words_in(loop.header.first)
        for row_stride, step_stride in _strides(context, kernel, loop):
            is_shared = row_stride == 0 and not has_own_range
            along += step_stride in (-1, 1) and not is_shared
            across += row_stride in (-1, 1) and step_stride not in (-1, 0, 1)
    return along, across


def _strides(context: TransformationContext, kernel: RowKernel, loop: RowLoop) -> Iterator[tuple[int, int]]:
    """(from row to row, from iteration to iteration) of each access of the loop whose address is known, in elements."""
    scope, counter, row = scope_of(context.tree, context.kernel), loop.header.variable, kernel.row.name
    sizes = {**unknown_sizes(context), counter: 7, row: 3}
    for access in global_accesses(context, scope):
        if not loop.node.start_byte <= access.node.start_byte < loop.node.end_byte:
            continue
        places = (sizes, {**sizes, row: 4}, {**sizes, counter: 8})
        here, next_row, next_step = (element_at(access.offsets, scope, place) for place in places)
        if here is not None and next_row is not None and next_step is not None:
            yield next_row - here, next_step - here


def element_at(offsets: tuple[Node, ...], scope: Scope, place: dict[str, int]) -> int | None:
    """The element of an access, the sum of its offsets, where all of them follow from ``place``."""
    values = [evaluate(offset, scope, place) for offset in offsets]
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
