"""The text of a kernel whose threads compute several rows: all their loads before the first store, and row by row at the plane's edge.

Example::

    edits = plane_rows_edits(context, result, 4)
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.files import line_end
from assistant.cuda.names import free_name, names_in
from assistant.cuda.syntax import Node, binary_parts
from assistant.cuda.variables import declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.plane_result import PlaneResult
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, without_line
from assistant.plan.expert.writing.style import style_of

__all__ = ["plane_rows_edits"]


def plane_rows_edits(context: TransformationContext, result: PlaneResult, count: int) -> tuple[TextEdit, ...]:
    """Edits of the kernel alone."""
    tree, function = context.tree, result.function.node
    first = free_name(tree, function, style_of(context).name("first", result.row.name))
    step, value = free_name(tree, function, "r", "k", "step"), free_name(tree, function, "result", "value", "results")
    statement = result.store.parent if result.edges is None else result.edges.statement
    assert statement is not None, "the assignment is a statement"
    rows = _Text(context, result, count, first, step, value).rows(indentation(context.text, tree.span(statement).start))
    if result.is_lone:
        rows += f"{line_end(context.text)}{indentation(context.text, tree.span(result.guard).start)}}}"
    declarator, written = result.row.declarator, result.row.value
    assert written is not None, "a row is computed"
    place = Span(tree.span(declarator).start, tree.span(written).end)
    return tuple(
        sorted(
            (
                TextEdit(place, f"{first} = {_first_row(result, count)}"),
                *_other_conditions(context, result),
                *(without_line(context.text, tree.span(node)) for node in result.of_row),
                TextEdit(tree.span(statement), rows),
            )
        )
    )


def _first_row(result: PlaneResult, count: int) -> str:
    """``k + 1 + (blockIdx.y * blockDim.y + threadIdx.y) * 4``; a number alone stands behind."""
    place = f"({result.place}) * {count}"
    is_number = len(result.offset) == 1 and result.offset[0].isdigit()
    return f"{place} + {result.offset[0]}" if is_number else " + ".join((*result.offset, place))


def _other_conditions(context: TransformationContext, result: PlaneResult) -> tuple[TextEdit, ...]:
    """The bounds check without what it asks of the row."""
    tree, nodes = context.tree, result.other_conditions
    asked = result.guard.child_by_field_name("condition")
    assert asked is not None, "a bounds check asks for something"
    text = f"({(' && ' if result.is_around else ' || ').join(tree.text(node) for node in nodes)})"
    newline = f"{line_end(context.text)}{indentation(context.text, tree.span(result.guard).start)}"
    return (TextEdit(tree.span(asked), newline.join(style_of(context).opened(text)) if result.is_lone else text),)


class _Text:
    """What takes the assignment's place."""

    def __init__(self, context: TransformationContext, result: PlaneResult, count: int, first: str, step: str, value: str) -> None:
        self._context, self._tree, self._result, self._count = context, context.tree, result, count
        self._first, self._step, self._value = first, step, value
        self._style = style_of(context)
        self._indent = self._style.indent

    def rows(self, outer: str) -> str:
        result, one, tree = self._result, self._indent, self._tree
        every_row = [bound.of_all(self._first, self._count, is_from_zero=not result.offset) for bound in result.of_usual_rows]
        inside = " && ".join(bound.of(result.row.name) for bound in result.bounds)
        target = tree.text(result.target)
        source = f"{self._reindented(result.store, 3)};" if result.edges is None else self._reindented(result.edges.statement, 3)
        needed = self._needed(result.target)
        lines = [
            *self._style.opened(f"if ({' && '.join((*every_row, *result.usual_others))})"),
            f"{one}{result.type} {self._value}[{self._count}];",
            *self._loop([*map(self._declaration, self._needed(result.store)), f"{self._value}[{self._step}] = {self._new_value()};"]),
            *self._loop([*map(self._declaration, needed), f"{target} = {self._value}[{self._step}];"]),
            *self._style.otherwise,
            *self._loop(
                [
                    *self._style.opened(f"if ({inside})"),
                    *(one + self._reindented(n, 3) for n in result.of_row),
                    f"{one}{source}",
                    "}",
                ],
                is_unrolled=False,
            ),
            "}",
        ]
        return (line_end(self._context.text) + outer).join(lines)

    def _loop(self, body: Sequence[str], is_unrolled: bool = True) -> list[str]:
        one, result = self._indent, self._result
        row = f"const {result.row.type} {result.row.name} = {self._first} + {self._step};"
        head = f"for (int {self._step} = 0; {self._step} < {self._count}; {self._step}++)"
        lines = [*self._style.opened(head), *(one + line for line in (row, *body)), "}"]
        return [one + line for line in (["#pragma unroll", *lines] if is_unrolled else lines)]

    def _declaration(self, node: Node) -> str:
        return self._reindented(node, 2)

    def _new_value(self) -> str:
        """The value that the element gets: of ``a -= b`` it is ``a - b``."""
        tree, store = self._tree, self._result.store
        operator, right = (store.child_by_field_name(f) for f in ("operator", "right"))
        assert operator is not None and right is not None, "an assignment has an operator and a value"
        value, sign = self._reindented(right, 2), tree.text(operator)[:-1]
        if not sign:
            return value
        parts = binary_parts(right)
        is_product = parts is not None and parts[0] in ("*", "/", "%") and sign in ("+", "-")
        is_one = is_product or right.type not in ("binary_expression", "conditional_expression", "assignment_expression")
        return f"{tree.text(self._result.target)} {sign} {value if is_one else f'({value})'}"

    def _needed(self, node: Node) -> tuple[Node, ...]:
        """Declarations that an expression needs, and what those need."""
        names, found = set(names_in(self._tree, node)), list[Node]()
        for declaration in reversed(self._result.of_row):
            if names & {v.name for v in declared_variables(self._tree, declaration)}:
                found.insert(0, declaration)
                names |= names_in(self._tree, declaration)
        return tuple(found)

    def _reindented(self, node: Node, levels: int) -> str:
        """Its text, lines after the first moved to the right."""
        newline = line_end(self._context.text)
        return self._tree.text(node).replace(newline, newline + self._indent * levels)
