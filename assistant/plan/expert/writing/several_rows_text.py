"""A kernel with a staged store whose threads take several rows of the tile each: blocks of 32 x 8 threads for tiles of 32 x 32.

A block of 1024 threads that waits at its barrier keeps as few loads under way as its threads have; one of 256 threads with four rows each
leaves room for seven others meanwhile. Knows nothing of launches, nor of whether it pays.

Example::

    tile[threadIdx.y][threadIdx.x] = in[y * w + x];   // becomes
    for (int row = 0; row < 32; row += 8) {
        int y = blockIdx.y * 32 + threadIdx.y + row;
        tile[threadIdx.y + row][threadIdx.x] = in[y * w + x];
    }
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.assignments import changed_names
from assistant.cuda.edits import apply_edits
from assistant.cuda.files import line_end
from assistant.cuda.names import fresh_name, names_in
from assistant.cuda.syntax import Node, node_text, without_comments
from assistant.cuda.variables import declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, moved_right, without_line
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["several_rows"]

_ROW, _HEIGHT = "threadIdx.y", "blockDim.y"
_SEES_MEMORY = ("subscript_expression", "pointer_expression", "call_expression")
_WHOLE_PLACES = ("subscript_argument_list", "argument_list", "init_declarator", "parenthesized_expression")
"""What a sum may stand in without parentheses."""


class _Half(Record):
    """The statements before the barrier, or those behind it."""

    shared: tuple[Node, ...]
    """Declarations that all rows of a thread have in common."""
    own: tuple[Node, ...]
    """What each row has for itself."""


def several_rows(context: TransformationContext, edge: str, rows: int) -> str | None:
    """The body of a kernel after `staging_edits`, with blocks of ``rows`` rows for ``edge``; None where rows have more in common."""
    body = [n for n in without_comments(context.body) if not node_text(n).startswith("__shared__")]
    barriers = [n for n in context.tree.find("call_expression", inside=context.body) if "sync" in node_text(n)]
    at = next((i for i, n in enumerate(body) if node_text(n).startswith("__syncthreads")), None)
    if at is None or len(barriers) != 1 or any(context.tree.find("return_statement", inside=context.body)):
        return None
    halves = (_half(context, body[:at]), _half(context, body[at + 1 :]))
    if not all(half.own for half in halves) or _declared(context, halves[0].own) & _used(context, body[at + 1 :]):
        return None
    counter = fresh_name(context.tree, "row")
    head = f"for (int {counter} = 0; {counter} < {edge}; {counter} += {rows})"
    looped = [edit for half in halves for edit in _looped(context, half, head, edge)]
    row = style_of(context).sum(_ROW, counter)
    by_row = (e for e in _by_row(context, row, edge) if not any(o.span.contains(e.span) for o in looped))
    return _applied(context, (*looped, *by_row))


def _half(context: TransformationContext, statements: list[Node]) -> _Half:
    shared: list[Node] = []
    own: list[Node] = []
    for statement in statements:
        is_common = _is_common(context, statement) and not names_in(context.tree, statement) & _declared(context, own)
        (shared if is_common else own).append(statement)
    return _Half(tuple(shared), tuple(own))


def _is_common(context: TransformationContext, statement: Node) -> bool:
    """A declaration whose value is the same for all rows of a thread, and stays so."""
    variables = declared_variables(context.tree, statement) if statement.type == "declaration" else ()
    names = {variable.name for variable in variables}
    if not names or any(v.value is None or v.is_array or v.is_reference for v in variables):
        return False
    if names & changed_names(context.tree, context.body) or any(context.tree.find(*_SEES_MEMORY, inside=statement)):
        return False
    return _ROW not in _fields(context, statement)


def _fields(context: TransformationContext, inside: Node) -> set[str]:
    return {node_text(node) for node in context.tree.find("field_expression", inside=inside)}


def _declared(context: TransformationContext, statements: Iterable[Node]) -> frozenset[str]:
    """Names that the statements leave to those behind them."""
    declarations = (n for n in statements if n.type == "declaration")
    return frozenset(variable.name for n in declarations for variable in declared_variables(context.tree, n))


def _used(context: TransformationContext, statements: Iterable[Node]) -> frozenset[str]:
    return frozenset(name for n in statements for name in names_in(context.tree, n))


def _looped(context: TransformationContext, half: _Half, head: str, edge: str) -> tuple[TextEdit, ...]:
    """The half's own statements in a loop over the rows, behind what they have in common."""
    text, span, style = context.text, context.tree.span, style_of(context)
    first, last = span(half.own[0]).start, span(half.own[-1]).end
    indent, newline = indentation(text, first), line_end(text)
    late = [n for n in half.shared if n.start_byte > half.own[0].start_byte]
    moved = [without_line(text, span(n)) for n in late]
    lines = (*(node_text(n).replace(_HEIGHT, edge) for n in late), *style.opened(head), "")
    opening = TextEdit(Span(first, first), f"{newline}{indent}".join(lines) + style.indent)
    shifted = [e for e in moved_right(text, Span(first, last), moved, style.indent) if e.span.start != first]
    return (opening, *moved, *shifted, TextEdit(Span(last, last), f"{newline}{indent}}}"))


def _by_row(context: TransformationContext, row: str, edge: str) -> Iterable[TextEdit]:
    """Each row of a thread in the place of its only one, and the tile's height in that of the block's."""
    for node in context.tree.find("field_expression", inside=context.body):
        if node_text(node) == _ROW:
            yield TextEdit(context.tree.span(node), row if _is_term(node) else f"({row})")
        elif node_text(node) == _HEIGHT:
            yield TextEdit(context.tree.span(node), edge)


def _is_term(node: Node) -> bool:
    parent = node.parent
    is_sum = parent is not None and parent.type == "binary_expression" and node_text(parent.children[1]) == "+"
    return is_sum or (parent is not None and parent.type in _WHOLE_PLACES)


def _applied(context: TransformationContext, edits: Iterable[TextEdit]) -> str | None:
    """The kernel's body with the edits."""
    span = context.tree.span(context.body)
    after = apply_edits(context.text, tuple(sorted(edits)))
    return after[span.start : len(after) - (len(context.text) - span.end)] if isinstance(after, str) else None
