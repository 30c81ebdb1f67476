"""The text of a kernel whose threads had a row of results each and get one result each.

Example::

    int i = blockIdx.x * blockDim.x + threadIdx.x;     // int i = blockIdx.y * blockDim.y + threadIdx.y;
                                                       // int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;                                // if (i >= n || j >= m) return;
    for (int j = 0; j < m; j++) out[i * m + j] = …;    // out[i * m + j] = …;
"""

from __future__ import annotations

import re

from assistant.cuda.branches import condition_of
from assistant.cuda.comparisons import OPPOSITE_ORDER
from assistant.cuda.constants import integer_constant
from assistant.cuda.files import line_end
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.result_rows import ResultRows
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, indentation
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.plan.expert.writing.unwrapped import unwrapped

__all__ = ["two_axes_edits"]

_NEXT = re.compile(r"(?P<before>.+?)\s*\+\s*1")


def two_axes_edits(context: TransformationContext, rows: ResultRows, column_axis: str) -> tuple[TextEdit, ...]:
    """Edits of the kernel; ``column_axis``: the axis of the threads that take the loop's iterations."""
    conditions = _column_conditions(context, rows)
    places = _places(context, rows, column_axis)
    return (*places, *(_merged(context, rows, conditions) if rows.is_loop_alone else _asked_in_place(context, rows, conditions)))


def _places(context: TransformationContext, rows: ResultRows, column_axis: str) -> tuple[TextEdit, ...]:
    """Where the row and the column of a thread's result come from."""
    tree, value, counter = context.tree, rows.row.value, rows.loop.header.variable
    assert value is not None, "a row is computed"
    row_axis = "y" if column_axis == "x" else "x"
    written = tree.text(value) if "blockDim" in tree.text(value) else "blockIdx.x * blockDim.x + threadIdx.x"
    own, column = (re.sub(r"\b(\w+(?:Idx|Dim))\s*\.\s*x\b", rf"\1.{axis}", written) for axis in (row_axis, column_axis))
    is_const = re.match(r"(?:static\s+)?const\b", tree.text(rows.row.node)) is not None
    declared = f"{'const ' if is_const else ''}{rows.loop.type} {counter} = {column};"
    return (TextEdit(tree.span(value), own), *after_statement(tree, rows.row.node, declared))


def _column_conditions(context: TransformationContext, rows: ResultRows) -> tuple[tuple[str, str, str], ...]:
    """What holds for the column of a result: (column, comparison, other side)."""
    header = rows.loop.header
    upper = (header.variable, header.comparison, header.bound)
    if integer_constant(context.tree, header.first) == 0:
        return (upper,)
    following = _NEXT.fullmatch(header.first)
    if following is not None and is_simple_term(following["before"]):
        return ((header.variable, ">", following["before"]), upper)
    return ((header.variable, ">=", header.first), upper)


def _merged(context: TransformationContext, rows: ResultRows, conditions: tuple[tuple[str, str, str], ...]) -> tuple[TextEdit, ...]:
    """The bounds check asks for the column, too, and the loop's body stands where the loop stood."""
    tree, text, guard, loop = context.tree, context.text, rows.guard, rows.loop.node
    asked, branch, body = condition_of(guard), guard.child_by_field_name("consequence"), loop.child_by_field_name("body")
    assert asked is not None and branch is not None and body is not None, "a bounds check asks for something"
    end = tree.span(asked).end
    added = "".join(f" && {_text(c)}" for c in conditions) if rows.is_around else "".join(f" || {_text(_not(c))}" for c in conditions)
    if branch != loop or body.type != "compound_statement":
        inner = unwrapped(context, loop, indentation(text, tree.span(loop).start))
        return (TextEdit(Span(end, end), added), TextEdit(tree.span(loop), inner))
    outer, newline = indentation(text, tree.span(guard).start), line_end(text)
    indent = outer + style_of(context).indent
    closed = text.index(")", end) + 1
    inner = f" {{{newline}{indent}{unwrapped(context, loop, indent)}{newline}{outer}}}"
    return (TextEdit(Span(end, end), added), TextEdit(Span(closed, tree.span(guard).end), inner))


def _asked_in_place(context: TransformationContext, rows: ResultRows, conditions: tuple[tuple[str, str, str], ...]) -> tuple[TextEdit, ...]:
    """An ``if`` in the place of the loop's head; what was stored once for a row the thread of the first column stores."""
    tree, loop = context.tree, rows.loop.node
    start, body = tree.span(loop).start, loop.child_by_field_name("body")
    assert body is not None, "a loop has a body"
    before = context.text[: tree.span(body).start]
    head = f"if ({' && '.join(_text(c) for c in conditions)})"
    once = (tree.span(statement).start for statement in dict.fromkeys(rows.stores))
    return (
        TextEdit(Span(start, len(before.rstrip())), head),
        *(TextEdit(Span(at, at), f"if ({rows.loop.header.variable} == 0) ") for at in once),
    )


def _not(condition: tuple[str, str, str]) -> tuple[str, str, str]:
    return condition[0], OPPOSITE_ORDER[condition[1]], condition[2]


def _text(condition: tuple[str, str, str]) -> str:
    return " ".join(condition)
