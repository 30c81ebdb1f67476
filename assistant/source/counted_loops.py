"""Loops as transformations read them: header, trip count, whether the body runs at least once.

Example::

    header = counted_header(tree, loop)     # `for (int k = 0; k < n; ++k)`
    header.variable, header.first, header.bound   # 'k', '0', 'n'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.source.assignments import modified_names
from assistant.source.constants import integer_constant
from assistant.source.functions import Function
from assistant.source.loops import LOOPS
from assistant.source.macros import conditional_macros, hidden_effect, hidden_names
from assistant.source.names import names_in
from assistant.source.syntax import Node, SyntaxTree, unparenthesized
from assistant.source.variables import locals_of

__all__ = ["CountedHeader", "counted_header", "entry_condition", "runs_at_least_once"]

_READS_MEMORY_OR_CALLS = re.compile(r"\[|->|(?:^|[^\w\])\s]\s*)\*|\w\s*\(")
_LESS = ("<", "<=", "!=")
_GREATER = (">", ">=")


@dataclass(frozen=True)
class CountedHeader:
    """``for (int k = first; k < bound; k += step)`` with a variable that only the header changes."""

    variable: str
    first: str
    comparison: str
    """``<``, ``<=``, ``!=``, ``>`` or ``>=``, with the variable on its left."""
    bound: str
    step: str
    """Signed, as spelled: ``1``, ``-1``, ``TILE``, ``blockDim.x * gridDim.x``."""
    bound_node: Node

    def trip_count(self, tree: SyntaxTree) -> int | None:
        """Iterations, where the header is made of constants that the command line cannot change; None otherwise."""
        if _words(f"{self.first} {self.bound} {self.step}") & conditional_macros(tree):
            return None
        first, bound, step = (integer_constant(tree, text) for text in (self.first, self.bound, self.step))
        if first is None or bound is None or not step:
            return None
        distance = bound - first if step > 0 else first - bound
        if self.comparison in ("<=", ">="):
            distance += 1
        if (step > 0) != (self.comparison in _LESS):
            return None
        return max(0, -(-distance // abs(step)))


def counted_header(tree: SyntaxTree, loop: Node) -> CountedHeader | None:
    """The header of a loop that counts; None for any other loop."""
    start, condition, update = (loop.child_by_field_name(f) for f in ("initializer", "condition", "update"))
    if loop.type != "for_statement" or start is None or condition is None or update is None:
        return None
    counter = _start(tree, start)
    condition = unparenthesized(condition)
    if counter is None or condition.type != "binary_expression":
        return None
    name, first = counter
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    operator = condition.child_by_field_name("operator")
    if left is None or right is None or operator is None or tree.text(left) != name:
        return None
    step = _step(tree, update, name)
    body = loop.child_by_field_name("body")
    if hidden_effect(tree, loop) is not None:
        return None
    if step is None or tree.text(operator) not in (*_LESS, *_GREATER) or body is None or name in modified_names(tree, body):
        return None
    return CountedHeader(name, first, tree.text(operator), tree.text(right), step, right)


def runs_at_least_once(tree: SyntaxTree, loop: Node, function: Function) -> bool:
    """True where the text shows it: a ``do`` loop, constant bounds, or a guard like ``if (row < n)`` around ``k < n`` from 0."""
    if loop.type == "do_statement":
        return True
    header = counted_header(tree, loop)
    if header is None:
        return False
    count = header.trip_count(tree)
    if count is not None:
        return count > 0
    is_from_zero = integer_constant(tree, header.first) == 0 and header.comparison in ("<", "<=")
    return is_from_zero and any(
        bound == "".join(header.bound.split()) and _is_never_negative(tree, name, function)
        for name, bound in _known_upper_bounds(tree, loop, function)
    )


def entry_condition(tree: SyntaxTree, loop: Node, header: CountedHeader, function: Function) -> str | None:
    """An expression that is true exactly when the body runs, before the loop and after it; None where none can be written."""
    asked = _words(f"{header.first} {header.bound}") | hidden_names(tree, header.bound_node)
    body = loop.child_by_field_name("body")
    if body is None or header.variable in asked or asked & modified_names(tree, body):
        return None
    if _READS_MEMORY_OR_CALLS.search(f"{header.first};{header.bound}"):
        return None
    declared = locals_of(tree, function.body).get(header.variable, ())
    types = {variable.type for variable in declared}
    if len(types) != 1:
        return None
    type_name = types.pop()
    first = header.first
    if not _has_type(tree, first, type_name, function):
        first = f"({type_name})({first})"
    return f"{first} {header.comparison} {header.bound}"


def _has_type(tree: SyntaxTree, expression: str, type_name: str, function: Function) -> bool:
    """An integer literal, or a variable of exactly the type: comparing it means the same without a cast."""
    if expression.isdigit() and type_name in ("int", "auto"):
        return True
    parameter = function.parameter(expression)
    declared = (*locals_of(tree, function.body).get(expression, ()), *(() if parameter is None else (parameter,)))
    return len(declared) == 1 and declared[0].type == type_name and not declared[0].is_pointer


def _start(tree: SyntaxTree, start: Node) -> tuple[str, str] | None:
    if start.type == "declaration":
        declarators = start.children_by_field_name("declarator")
        if len(declarators) != 1 or declarators[0].type != "init_declarator":
            return None
        name, value = (declarators[0].child_by_field_name(f) for f in ("declarator", "value"))
    else:
        name, value = (start.child_by_field_name(f) for f in ("left", "right"))
    if name is None or value is None or name.type != "identifier":
        return None
    return tree.text(name), tree.text(value)


def _step(tree: SyntaxTree, update: Node, name: str) -> str | None:
    text = re.sub(r"\s+", " ", tree.text(update)).strip()
    variable = re.escape(name)
    if re.fullmatch(rf"(?:\+\+ ?{variable}|{variable} ?\+\+)", text):
        return "1"
    if re.fullmatch(rf"(?:-- ?{variable}|{variable} ?--)", text):
        return "-1"
    by = re.fullmatch(rf"{variable} ?(\+|-)= ?(.+)|{variable} ?= ?{variable} ?(\+|-) ?(.+)", text)
    if by is None:
        return None
    sign, amount = (by[1], by[2]) if by[1] else (by[3], by[4])
    return amount if sign == "+" else f"-({amount})"


def _known_upper_bounds(tree: SyntaxTree, loop: Node, function: Function) -> Iterator[tuple[str, str]]:
    """(variable, bound) with ``variable < bound`` where ``loop`` starts, from ifs around it and early returns before it."""
    node = loop
    for ancestor in tree.ancestors(loop):
        if ancestor.type == "if_statement" and ancestor.child_by_field_name("consequence") == node:
            yield from _bounds_if(tree, ancestor, function, holds=True)
        header = counted_header(tree, ancestor) if ancestor.type in LOOPS else None
        if header is not None and header.comparison == "<" and not _words(header.bound) & _assigned(tree, function):
            yield header.variable, "".join(header.bound.split())
        if ancestor.type == "compound_statement":
            for sibling in ancestor.named_children:
                if sibling.start_byte >= node.start_byte:
                    break
                if sibling.type == "if_statement" and _only_leaves(tree, sibling):
                    yield from _bounds_if(tree, sibling, function, holds=False)
        if ancestor == function.body:
            return
        node = ancestor


def _words(expression: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_]\w*", expression))


def _assigned(tree: SyntaxTree, function: Function) -> frozenset[str]:
    """Variables that are assigned or stepped after their declaration."""
    targets = (
        node.child_by_field_name("left") or node.child_by_field_name("argument")
        for node in tree.find("assignment_expression", "update_expression", inside=function.body)
    )
    return frozenset(tree.text(target) for target in targets if target is not None)


def _only_leaves(tree: SyntaxTree, statement: Node) -> bool:
    branch = statement.child_by_field_name("consequence")
    if branch is not None and branch.type == "compound_statement" and len(branch.named_children) == 1:
        branch = branch.named_children[0]
    return branch is not None and branch.type in ("return_statement", "continue_statement")


def _bounds_if(tree: SyntaxTree, statement: Node, function: Function, holds: bool) -> Iterator[tuple[str, str]]:
    condition = statement.child_by_field_name("condition")
    value = None if condition is None else condition.child_by_field_name("value")
    stack = [] if value is None else [unparenthesized(value)]
    joiner, comparison = ("&&", "<") if holds else ("||", ">=")
    while stack:
        node = stack.pop()
        operator, left, right = (node.child_by_field_name(f) for f in ("operator", "left", "right"))
        if operator is None or left is None or right is None:
            continue
        if tree.text(operator) == joiner:
            stack += [unparenthesized(left), unparenthesized(right)]
        elif tree.text(operator) == comparison and not names_in(tree, node) & _assigned(tree, function):
            yield tree.text(left), "".join(tree.text(right).split())


def _is_never_negative(tree: SyntaxTree, name: str, function: Function) -> bool:
    """A signed variable made of thread and block indices, sums and products only, or one that counts up from such a value.

    Unsigned ones do not count: ``row < n`` with a negative ``n`` holds for them.
    """
    declared = locals_of(tree, function.body).get(name, ())
    if len(declared) != 1:
        return False
    value = declared[0].value
    if value is None or "unsigned" in declared[0].type or declared[0].type in ("size_t", "uint32_t", "auto"):
        return False
    allowed = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
    operators = {tree.text(o) for b in tree.find("binary_expression", inside=value) if (o := b.child_by_field_name("operator"))}
    names_ok = names_in(tree, value) <= allowed or all(n in allowed or integer_constant(tree, n) is not None for n in names_in(tree, value))
    return names_ok and operators <= {"+", "*"} and not any(tree.find("call_expression", "unary_expression", inside=value))
