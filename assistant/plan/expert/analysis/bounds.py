"""The smallest and largest value an index can take, over all threads of a block and all iterations.

Sound: it answers None rather than a range that is too narrow.

Example::

    range_of(index, scope, {"threadIdx.x": Range(0, 31)})   # Range(low=0, high=62) of `threadIdx.x * 2`
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.syntax import Node, binary_parts, node_text, unparenthesized
from assistant.record import Record

__all__ = ["Range", "range_of"]

_MAX_DEPTH = 24


class Range(Record):
    """Both ends are reached or passed by nothing."""

    low: int
    high: int


def range_of(node: Node, scope: Scope, known: Mapping[str, Range], depth: int = 0) -> Range | None:
    """The range of an expression; ``known`` gives built-ins (``threadIdx.x``) and other names."""
    node = unparenthesized(node)
    if depth > _MAX_DEPTH:
        return None
    fixed = {name: r.low for name, r in known.items() if r.low == r.high}
    value = evaluate(node, scope.fixed(), fixed)
    if value is not None:
        return Range(value, value)
    match node.type:
        case "field_expression":
            return known.get(node_text(node).replace(" ", ""))
        case "identifier":
            return known.get(node_text(node)) or _variable(node, scope, known, depth + 1)
        case "cast_expression":
            inner = node.child_by_field_name("value")
            return None if inner is None else range_of(inner, scope, known, depth + 1)
        case "binary_expression":
            return _binary(node, scope, known, depth + 1)
        case _:
            return None


def _variable(node: Node, scope: Scope, known: Mapping[str, Range], depth: int) -> Range | None:
    name = node_text(node)
    definition = scope.definition(name)
    if definition is not None:
        return range_of(definition, scope, known, depth)
    writes = scope.writes.get(name, ())
    loops = [_loop_of(w.value) for w in writes if w.value is not None]
    ranges = [None if loop is None else _loop_range(loop, name, scope, known, depth) for loop in loops]
    found = [r for r in ranges if r is not None]
    if not found or len(found) != len(writes):
        return None
    return Range(min(r.low for r in found), max(r.high for r in found))


def _loop_of(start: Node) -> Node | None:
    """The ``for`` whose head declares or sets the variable with this initializer."""
    node = start.parent
    while node is not None and node.type in {"init_declarator", "declaration", "assignment_expression", "comma_expression"}:
        node = node.parent
    return node if node is not None and node.type == "for_statement" else None


def _loop_range(loop: Node, name: str, scope: Scope, known: Mapping[str, Range], depth: int) -> Range | None:
    """The values of an upward counting loop's variable inside the body."""
    condition, update = loop.child_by_field_name("condition"), loop.child_by_field_name("update")
    if condition is None or update is None or not _counts_up(update, name, scope, known, depth):
        return None
    compared = binary_parts(unparenthesized(condition))
    if compared is None or node_text(compared[1]) != name:
        return None
    operator, _, right = compared
    end = range_of(right, scope, known, depth)
    starts = [w.value for w in scope.writes[name] if w.value is not None and _loop_of(w.value) == loop]
    start = range_of(starts[0], scope, known, depth) if len(starts) == 1 else None
    if end is None or start is None or operator not in {"<", "<="}:
        return None
    return Range(start.low, max(start.low, end.high - (operator == "<")))


def _counts_up(update: Node, name: str, scope: Scope, known: Mapping[str, Range], depth: int) -> bool:
    if update.type == "update_expression":
        return node_text(update).replace(" ", "") in {f"{name}++", f"++{name}"}
    left, right = update.child_by_field_name("left"), update.child_by_field_name("right")
    operator = update.child_by_field_name("operator")
    if left is None or right is None or operator is None or node_text(left) != name or node_text(operator) != "+=":
        return False
    step = range_of(right, scope, known, depth)
    return step is not None and step.low > 0


def _binary(node: Node, scope: Scope, known: Mapping[str, Range], depth: int) -> Range | None:
    parts = binary_parts(node)
    if parts is None:
        return None
    operator, left_node, right_node = parts
    right = range_of(right_node, scope, known, depth)
    left = range_of(left_node, scope, known, depth)
    return None if right is None else _combined(operator, left, right)


def _combined(operator: str, left: Range | None, right: Range) -> Range | None:
    is_nonnegative = left is not None and left.low >= 0
    match operator:
        case "&" if right.low >= 0:
            return Range(0, min(right.high, left.high) if left is not None and is_nonnegative else right.high)
        case _ if left is None:
            return None
        case "%" if right.low > 0 and is_nonnegative:
            return Range(0, min(right.high - 1, left.high))
        case "+":
            return Range(left.low + right.low, left.high + right.high)
        case "-":
            return Range(left.low - right.high, left.high - right.low)
        case "*":
            corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
            return Range(min(corners), max(corners))
        case "/" if right.low > 0 and is_nonnegative:
            return Range(left.low // right.high, left.high // right.low)
        case ">>" if right.low >= 0 and is_nonnegative:
            return Range(left.low >> min(right.high, 64), left.high >> right.low)
        case _:
            return None
