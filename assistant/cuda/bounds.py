"""What a kernel's body compares its variables with, and how its loops step.

Example::

    [(bound.variable, node_text(bound.limit)) for bound in bounds_in(names, body)]   # [('i', 'n')] of `if (i >= n) return;`
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.body_names import BodyNames
from assistant.cuda.branches import condition_of
from assistant.cuda.casts import without_integer_casts
from assistant.cuda.syntax import Node, binary_parts, joined, node_text, without_comments
from assistant.record import Record

__all__ = ["Bound", "LoopStep", "bounds_in", "loop_bounds", "loop_steps"]

_COMPARISONS = ("<", "<=", ">", ">=")
_LEAVING = ("return_statement", "continue_statement", "break_statement")


class Bound(Record):
    """``variable * factor + offset < limit``, which holds where the variable is used."""

    variable: str
    """As ``BodyNames.word`` says it."""
    limit: Node
    is_inclusive: bool
    """``<=``"""
    offset: int = 0
    factor: int = 1


class LoopStep(Record):
    """``for (…; …; variable += step)`` with a name or a number as the step."""

    variable: str
    step: str
    starts_at_number: bool


def bounds_in(names: BodyNames, region: Node) -> tuple[Bound, ...]:
    """The bound of every comparison in ``region``: ``i < n`` as it must hold, ``i >= n`` reversed where it makes the thread leave."""
    return tuple(
        bound
        for node in names.tree.find("binary_expression", "call_expression", inside=region)
        for operator, left, right in _compared(node)
        if (bound := _bound(names, operator, left, right, is_refused=_is_refused(names, node))) is not None
    )


def loop_bounds(names: BodyNames) -> tuple[Bound, ...]:
    """The bounds that every ``for`` checks before an iteration."""
    conditions = (condition_of(loop) for loop in names.tree.find("for_statement", inside=names.body))
    return tuple(bound for condition in conditions if condition is not None for bound in bounds_in(names, condition))


def loop_steps(names: BodyNames) -> tuple[LoopStep, ...]:
    """The step of every ``for`` that adds to its variable."""
    return tuple(step for loop in names.tree.find("for_statement", inside=names.body) for step in _step(loop))


def _step(loop: Node) -> Iterator[LoopStep]:
    update, start = loop.child_by_field_name("update"), loop.child_by_field_name("initializer")
    if update is None or update.type != "assignment_expression":
        return
    left, operator, right = (update.child_by_field_name(field) for field in ("left", "operator", "right"))
    if left is None or operator is None or right is None or node_text(operator) != "+=":
        return
    if left.type == "identifier" and right.type in ("identifier", "number_literal"):
        declarator = None if start is None else start.child_by_field_name("declarator")
        value = None if start is None else (declarator or start).child_by_field_name("value") or start.child_by_field_name("right")
        yield LoopStep(node_text(left), node_text(right), value is not None and value.type == "number_literal")


def _compared(node: Node) -> Iterator[tuple[str, Node, Node]]:
    """(operator, left, right) of a comparison; two of ``i < n && j > (m)``, which the grammar takes for a call of ``i<…>``."""
    parts = binary_parts(node)
    if parts is not None:
        yield from (parts,) if parts[0] in _COMPARISONS else ()
        return
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    name, inside = (None if function is None else function.child_by_field_name(field) for field in ("name", "arguments"))
    if name is None or inside is None or arguments is None:
        return
    between, given = without_comments(inside), without_comments(arguments)
    inner = binary_parts(between[0]) if len(between) == len(given) == 1 else None
    if inner is not None and inner[0] in ("&&", "||"):
        yield "<", name, joined(between[0], inner[0])[0]
        yield ">", joined(between[0], inner[0])[-1], given[0]


def _bound(names: BodyNames, operator: str, left: Node, right: Node, *, is_refused: bool) -> Bound | None:
    is_left_smaller = operator.startswith("<") != is_refused
    is_inclusive = operator.endswith("=") != is_refused
    smaller, larger = (left, right) if is_left_smaller else (right, left)
    word = names.word(smaller)
    if word is not None:
        return Bound(word, larger, is_inclusive)
    terms = names.terms(smaller)
    if len(terms) == 2 and terms[0].word is not None and not any(term.is_subtracted for term in terms):
        offset = _number(terms[1].node)
        return None if offset is None else Bound(terms[0].word, larger, is_inclusive, offset=offset)
    product = binary_parts(without_integer_casts(smaller))
    if product is None or product[0] != "*":
        return None
    for name, factor in ((product[1], product[2]), (product[2], product[1])):
        word, number = names.word(name), _number(factor)
        if word is not None and number:
            return Bound(word, larger, is_inclusive, factor=number)
    return None


def _number(node: Node) -> int | None:
    text = node_text(node).rstrip("uUlL")
    return int(text) if text.isdecimal() else None


def _is_refused(names: BodyNames, node: Node) -> bool:
    """Whether the code after it runs only where the comparison does not hold."""
    is_refused = False
    for parent in names.tree.ancestors(node):
        if parent.type == "unary_expression":
            operator = parent.child_by_field_name("operator")
            is_refused ^= operator is not None and node_text(operator) == "!"
        elif parent.type == "if_statement":
            condition = parent.child_by_field_name("condition")
            is_inside = condition is not None and condition.start_byte <= node.start_byte and node.end_byte <= condition.end_byte
            return is_refused ^ (is_inside and _leaves(parent.child_by_field_name("consequence")))
        elif parent.type.endswith("statement") or parent == names.body:
            break
    return is_refused


def _leaves(branch: Node | None) -> bool:
    if branch is not None and branch.type == "compound_statement":
        branch = next(iter(without_comments(branch)), None)
    return branch is not None and branch.type in _LEAVING
