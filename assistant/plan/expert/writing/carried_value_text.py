"""The text of a loop that carries values in registers: what they hold at first, and both places that each new value goes to.

Example::

    edits, names = carried_value_edits(context, values)     # …, ('y_last',)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.cuda.files import line_end
from assistant.cuda.names import fresh_name
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts
from assistant.cuda.variables import locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.carried_value import CarriedValue
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, before_statement, indentation, zero_of
from assistant.plan.expert.writing.style import style_of

__all__ = ["carried_value_edits"]

_OFFSET = re.compile(r"(.*\S)\s*([-+])\s*(\d+)")
_SUM = re.compile(r"[\w\s.*+-]+")
"""Sums and products without parentheses."""


def carried_value_edits(context: TransformationContext, values: Sequence[CarriedValue]) -> tuple[tuple[TextEdit, ...], tuple[str, ...]]:
    """The edits, and the registers' names."""
    tree, edits, names = context.tree, list[TextEdit](), list[str]()
    for value in values:
        base = value.element.base.lower() if len(value.element.base) == 1 else value.element.base.rstrip("_")
        name = _free(tree, style_of(context).name(base, "last"), names)
        names.append(name)
        edits += [TextEdit(tree.span(load), name) for load in value.loads]
        edits += _stores(context, value, name)
    for loop in {value.element.loop.id: value.element.loop for value in values}.values():
        pairs = [(v, n) for v, n in zip(values, names, strict=True) if v.element.loop == loop]
        edits += before_statement(tree, loop, _declarations(context, loop, pairs))
    return tuple(sorted(edits)), tuple(names)


def _free(tree: SyntaxTree, wanted: str, taken: Sequence[str]) -> str:
    name, number = fresh_name(tree, wanted), 2
    while name in taken:
        name = fresh_name(tree, f"{wanted}{number}")
        number += 1
    return name


def _stores(context: TransformationContext, value: CarriedValue, name: str) -> tuple[TextEdit, ...]:
    """The register takes the value, and the element that of the register; a lone statement becomes a block."""
    tree, store = context.tree, value.element.store
    assignment = store.parent
    statement = None if assignment is None else assignment.parent
    assert statement is not None, "what is stored is an assignment that stands as a statement"
    second = f"{tree.text(store)} = {name};"
    first = TextEdit(tree.span(store), name)
    if statement.parent != value.element.loop:
        return (first, *after_statement(tree, statement, second))
    newline, step = line_end(context.text), style_of(context).indent
    head = tree.span(value.element.loop)
    outer = indentation(context.text, head.start)
    before, span = statement.prev_sibling, tree.span(statement)
    assert before is not None, "a loop's statement stands behind its head"
    brace = f"{newline}{outer}{{" if style_of(context).opens_below else " {"
    opened = TextEdit(Span(tree.span(before).end, span.start), f"{brace}{newline}{outer}{step}")
    return first, opened, TextEdit(Span(span.end, span.end), f"{newline}{outer}{step}{second}{newline}{outer}}}")


def _declarations(context: TransformationContext, loop: Node, values: Sequence[tuple[CarriedValue, str]]) -> str:
    """One for each register, on lines of their own."""
    newline, outer = line_end(context.text), indentation(context.text, context.tree.span(loop).start)
    return f"{newline}{outer}".join(f"{value.type} {name} = {_first_value(context, value)};" for value, name in values)


def _first_value(context: TransformationContext, value: CarriedValue) -> str:
    tree = context.tree
    if value.stored_before is not None:
        return tree.text(_just_stored(value, value.stored_before) or value.stored_before)
    element = _at_first(tree, value, value.element.load)
    return element if value.guard is None else f"{value.guard} ? {element} : {zero_of(tree, value.type)}"


def _just_stored(value: CarriedValue, stored: Node) -> Node | None:
    """The variable or number that the statement right before the loop stores."""
    assignment = stored.parent
    given = None if assignment is None else assignment.child_by_field_name("right")
    is_plain = given is not None and given.type in ("identifier", "number_literal")
    is_last = assignment is not None and assignment.parent == value.element.loop.prev_named_sibling
    return given if is_plain and is_last else None


def _at_first(tree: SyntaxTree, value: CarriedValue, node: Node) -> str:
    """The node's text in the loop's first iteration."""
    header, own = value.element.header, locals_of(tree, value.element.loop)
    if node.type == "identifier" and tree.text(node) == header.variable:
        return header.first if header.first.isidentifier() or header.first.isdigit() else f"({header.first})"
    definition = own.get(tree.text(node), ()) if node.type == "identifier" else ()
    if definition and definition[0].value is not None:
        return f"({_at_first(tree, value, definition[0].value)})"
    if binary_parts(node) is not None:
        return _operation_at_first(tree, value, node)
    if not node.children:
        return tree.text(node)
    text, position = "", node.start_byte
    for child in node.children:
        text += _between(node, position, child.start_byte) + _at_first(tree, value, child)
        position = child.end_byte
    is_plain = text[1:-1].isidentifier() or text[1:-1].isdigit()
    return text[1:-1] if node.type == "parenthesized_expression" and is_plain else text


def _operation_at_first(tree: SyntaxTree, value: CarriedValue, node: Node) -> str:
    """``(k - 1) * n`` with a ``k`` that begins with 1 is ``0``; what nothing of is at stake stays as it is spelled."""
    parts, counter = binary_parts(node), value.element.header.variable
    assert parts is not None, "asked of operations of two sides"
    operator, left, right = parts
    inner = binary_parts(left)
    if operator in ("+", "-") and tree.text(right).isdigit():
        moved = _moved(value.element.header.first, int(f"{operator}{tree.text(right)}"))
        if tree.text(left) == counter:
            return moved
        if inner is not None and inner[0] == "+" and tree.text(inner[2]) == counter:
            rest = _at_first(tree, value, inner[1])
            return rest if moved == "0" else f"{rest} + {moved}"
    sides = [_at_first(tree, value, side) for side in (left, right)]
    if sides != [tree.text(left), tree.text(right)]:
        if operator == "*" and "0" in sides:
            return "0"
        if (operator, sides[0]) in (("+", "0"), ("*", "1")):
            return sides[1]
        if (operator, sides[1]) in (("+", "0"), ("-", "0"), ("*", "1")):
            return sides[0]
        folded = _folded(operator, *sides)
        if folded is not None:
            return folded
    return sides[0] + _between(node, left.end_byte, right.start_byte) + sides[1]


def _folded(operator: str, left: str, right: str) -> str | None:
    """``(row * n + 1) - 1`` → ``row * n``, ``(p + stride) - stride`` → ``p``; None where nothing can be folded."""
    inner = left[1:-1] if left.startswith("(") and left.endswith(")") else ""
    if operator not in ("+", "-") or _SUM.fullmatch(inner) is None:
        return None
    if operator == "-" and inner.endswith(f" + {right}"):
        return inner.removesuffix(f" + {right}")
    return _moved(inner, int(f"{operator}{right}")) if right.isdigit() else None


def _between(node: Node, start: int, end: int) -> str:
    text = node.text
    return "" if text is None else text[start - node.start_byte : end - node.start_byte].decode()


def _moved(first: str, distance: int) -> str:
    """``n - 2`` and 1 → ``n - 1``; ``1`` and -1 → ``0``."""
    if first.isdigit():
        return str(int(first) + distance)
    offset = _OFFSET.fullmatch(first)
    base, known = (first, 0) if offset is None else (offset[1], int(f"{offset[2]}{offset[3]}"))
    total = known + distance
    return base if total == 0 else f"{base} {'+' if total > 0 else '-'} {abs(total)}"
