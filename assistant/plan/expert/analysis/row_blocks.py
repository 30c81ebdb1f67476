"""Kernels of flat blocks that stand for a piece of one row each: ``row = blockIdx.y``, ``col = blockIdx.x * blockDim.x + threadIdx.x``.

Example::

    match row_blocks(context):
        case RowBlocks(row=row): ...    # the local `row`, and with it height and width of the matrix
        case None: ...
"""

from __future__ import annotations

from assistant.cuda.assignments import changed_names
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.syntax import Node, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.launched_extents import launched_extent
from assistant.plan.expert.analysis.thread_index import is_index_in_grid
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["RowBlocks", "row_blocks"]

_INSIDE = {"<": True, ">=": False}


class RowBlocks(Record):
    """The parts of such a kernel."""

    function: Function
    row: Variable
    column: Variable
    check: Node
    """The comparison of the column with the width."""
    is_inside: bool
    """The comparison holds for threads with an element, as against those that leave."""
    checks_rows: bool
    """Rows are compared with the height, too."""
    height: Node
    width: Node


def row_blocks(context: TransformationContext) -> RowBlocks | None:
    """The kernel's row and column; None where it has another form."""
    tree = context.tree
    found = [v for each in locals_of(tree, context.body).values() if len(each) == 1 for v in each if v.value is not None]
    kept = [v for v in found if v.name not in changed_names(tree, context.body) and not v.is_pointer]
    rows = [v for v in kept if v.value is not None and tree.text(v.value).replace(" ", "") == "blockIdx.y"]
    columns = [v for v in kept if is_index_in_grid(context, v)]
    if len(rows) != 1 or len(columns) != 1 or tree.text(context.body).count("blockIdx.y") != 1:
        return None
    row, column = rows[0], columns[0]
    function = enclosing_function(tree, row.node)
    checks = {v.name: _check(context, v.name) for v in (row, column)}
    across, down = checks[column.name], checks[row.name]
    if function is None or across is None:
        return None
    height = _parameter(context) if down is None else down[2]
    return None if height is None else RowBlocks(function, row, column, across[0], across[1], down is not None, height, across[2])


def _check(context: TransformationContext, name: str) -> tuple[Node, bool, Node] | None:
    """(comparison, whether it holds inside, bound) of the only comparison of the local with a bound."""
    found: list[tuple[Node, bool, Node]] = []
    for node in context.tree.find("binary_expression", inside=context.body):
        parts = binary_parts(node)
        if parts is not None and parts[0] in _INSIDE and context.tree.text(unparenthesized(parts[1])) == name:
            found.append((node, _INSIDE[parts[0]], unparenthesized(parts[2])))
    return found[0] if len(found) == 1 else None


def _parameter(context: TransformationContext) -> Node | None:
    """A mention of the parameter that says how many rows every launch has blocks for."""
    extent = launched_extent(context, "y", 1)
    if not isinstance(extent, str):
        return None
    names = (n for n in context.tree.find("identifier") if context.tree.text(n) == extent)
    span = context.kernel.span
    return next((n for n in names if span.start <= context.tree.span(n).start < span.end), None)
