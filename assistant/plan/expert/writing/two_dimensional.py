"""A kernel of flat blocks whose threads have a row and a column, written for blocks in two dimensions.

Only a step towards a kernel that is written anew: nothing looks at its layout. Example::

    two_dimensional(context, matrix)
    # int t = blockIdx.x * blockDim.x + threadIdx.x;      int i = blockIdx.y * blockDim.y + threadIdx.y;
    # if (t >= m * n) return;                             int j = blockIdx.x * blockDim.x + threadIdx.x;
    # int i = t / n, j = t % n;                           if (i >= m || j >= n) return;
"""

from __future__ import annotations

from assistant.cuda.edits import apply_edits
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.flat_matrix import FlatMatrix
from assistant.plan.expert.analysis.row_blocks import RowBlocks
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.untiled import with_body

__all__ = ["two_dimensional"]


def two_dimensional(context: TransformationContext, matrix: FlatMatrix | RowBlocks) -> TransformationContext | None:
    """The same question about that kernel; None where the locals cannot be told apart from others."""
    return _without_division(context, matrix) if isinstance(matrix, FlatMatrix) else _with_threads_for_rows(context, matrix)


def _with_threads_for_rows(context: TransformationContext, matrix: RowBlocks) -> TransformationContext | None:
    edits = [
        TextEdit(context.tree.span(variable.value), f"blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}")
        for variable, axis in ((matrix.row, "y"), (matrix.column, "x"))
        if variable.value is not None
    ]
    if not matrix.checks_rows:
        edits.append(TextEdit(context.tree.span(matrix.check), _check(context, matrix)))
    return _edited(context, edits)


def _without_division(context: TransformationContext, matrix: FlatMatrix) -> TransformationContext | None:
    tree = context.tree
    own = {matrix.index.name, matrix.row.name, matrix.column.name}
    declarations = {v.node.id: v.node for v in (matrix.index, matrix.row, matrix.column, *_only_asked(context, matrix))}
    own |= {v.name for v in _only_asked(context, matrix)}
    if any(v.name not in own for node in declarations.values() for v in declared_variables(tree, node)):
        return None
    places = "".join(
        f"{variable.type} {variable.name} = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}; "
        for variable, axis in ((matrix.row, "y"), (matrix.column, "x"))
    )
    edits = [TextEdit(tree.span(node), places if node == matrix.index.node else "") for node in declarations.values()]
    edits.append(TextEdit(tree.span(matrix.check), _check(context, matrix)))
    taken = (*declarations.values(), matrix.check)
    element = f"{matrix.row.name} * {tree.text(matrix.width)} + {matrix.column.name}"
    for mention in mentions(tree, context.body, matrix.index.name):
        if not any(node.start_byte <= mention.start_byte < node.end_byte for node in taken):
            edits.append(TextEdit(tree.span(mention), element if _is_whole_index(mention) else f"({element})"))
    return _edited(context, edits)


def _edited(context: TransformationContext, edits: list[TextEdit]) -> TransformationContext | None:
    body = context.tree.span(context.body)
    moved = [TextEdit(Span(edit.span.start - body.start, edit.span.end - body.start), edit.new_text) for edit in edits]
    text = apply_edits(context.text[body.start : body.end], moved)
    return with_body(context, text, context.line) if isinstance(text, str) else None


def _only_asked(context: TransformationContext, matrix: FlatMatrix) -> tuple[Variable, ...]:
    """The local that holds the number of elements, where nothing but the bounds check needs it."""
    tree, names = context.tree, names_in(context.tree, matrix.check)
    found = (v for each in locals_of(tree, context.body).values() for v in each if v.value is not None and v.name in names)
    return tuple(v for v in found if v.name != matrix.index.name and len(mentions(tree, context.body, v.name)) == 2)


def _check(context: TransformationContext, matrix: FlatMatrix | RowBlocks) -> str:
    operator, joiner = ("<", "&&") if matrix.is_inside else (">=", "||")
    height, width = (context.tree.text(node) for node in (matrix.height, matrix.width))
    return f"{matrix.row.name} {operator} {height} {joiner} {matrix.column.name} {operator} {width}"


def _is_whole_index(mention: Node) -> bool:
    return mention.parent is not None and mention.parent.type == "subscript_argument_list"
