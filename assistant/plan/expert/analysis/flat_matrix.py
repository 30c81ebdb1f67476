"""Kernels of flat blocks in which a thread finds its row and its column by division: ``i = t / n``, ``j = t % n``.

Example::

    match flat_matrix(context):
        case FlatMatrix(row=row): ...    # the local `i`, and with it height and width of the matrix
        case None: ...
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.assignments import changed_names
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.analysis.thread_index import is_index_in_grid
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["FlatMatrix", "flat_matrix"]

_INSIDE = {"<": True, ">=": False}


class FlatMatrix(Record):
    """The parts of such a kernel."""

    function: Function
    index: Variable
    row: Variable
    column: Variable
    check: Node
    """The comparison of the index with the number of elements."""
    is_inside: bool
    """The comparison holds for threads with an element, as against those that leave."""
    count: Node
    """Elements of the matrix: ``m * n``."""
    height: Node
    width: Node


def flat_matrix(context: TransformationContext) -> FlatMatrix | None:
    """The only such index of the kernel, with a bounds check that says how many rows there are."""
    tree = context.tree
    changed = changed_names(tree, context.body)
    found = [v for each in locals_of(tree, context.body).values() if len(each) == 1 for v in each if v.value is not None]
    indices = [v for v in found if is_index_in_grid(context, v)]
    index = indices[0] if len(indices) == 1 and indices[0].node.parent == context.body else None
    function = None if index is None else enclosing_function(tree, index.node)
    if index is None or function is None:
        return None
    by = {sign: [v for v in found if _divided(tree, v, index.name, sign) is not None] for sign in "/%"}
    row, column = (by[sign][0] if len(by[sign]) == 1 else None for sign in "/%")
    if row is None or column is None or {row.name, column.name} & changed:
        return None
    width, other = (_divided(tree, v, index.name, sign) for v, sign in ((row, "/"), (column, "%")))
    if width is None or other is None or _plain(tree, width) != _plain(tree, other) or thread_axes(tree, function, width) != frozenset():
        return None
    checks = list(_checks(context, index.name, width))
    return FlatMatrix(function, index, row, column, *checks[0], width) if len(checks) == 1 else None


def _divided(tree: SyntaxTree, variable: Variable, index: str, sign: str) -> Node | None:
    """``n`` of ``t / n`` or ``t % n``."""
    parts = None if variable.value is None else binary_parts(unparenthesized(variable.value))
    if parts is None or parts[0] != sign or tree.text(unparenthesized(parts[1])) != index:
        return None
    return unparenthesized(parts[2])


def _checks(context: TransformationContext, index: str, width: Node) -> Iterator[tuple[Node, bool, Node, Node]]:
    """(comparison, whether it holds inside, number of elements, height) of each comparison of the index with ``height * width``."""
    tree, scope = context.tree, scope_of(context.tree, context.kernel)
    for node in tree.find("binary_expression", inside=context.body):
        parts = binary_parts(node)
        if parts is None or parts[0] not in _INSIDE or tree.text(unparenthesized(parts[1])) != index:
            continue
        named = scope.definition(tree.text(parts[2]))
        count = unparenthesized(parts[2] if named is None else named)
        factors = binary_parts(count)
        if factors is None or factors[0] != "*":
            continue
        _, left, right = factors
        heights = [own for own, other in ((left, right), (right, left)) if _plain(tree, other) == _plain(tree, width)]
        if heights:
            yield node, _INSIDE[parts[0]], count, unparenthesized(heights[0])


def _plain(tree: SyntaxTree, node: Node) -> str:
    return "".join(tree.text(unparenthesized(node)).split())
