"""Loops that count: the parts of ``for (int k = 0; k < n; ++k)``, and how often it runs.

Example::

    header = counted_header(tree, loop)     # `for (int k = 0; k < n; ++k)`
    header.variable, header.first, header.bound   # 'k', '0', 'n'
"""

from __future__ import annotations

import re

from assistant.cuda.assignments import modified_names
from assistant.cuda.constants import integer_constant
from assistant.cuda.macros import conditional_macros, hidden_effect
from assistant.cuda.names import words_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.record import Record

__all__ = ["CountedHeader", "counted_header"]

_LESS = ("<", "<=", "!=")
_GREATER = (">", ">=")


class CountedHeader(Record):
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
        if words_in(f"{self.first} {self.bound} {self.step}") & conditional_macros(tree):
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
    compared = binary_parts(unparenthesized(condition))
    if counter is None or compared is None:
        return None
    name, first = counter
    operator, left, right = compared
    if tree.text(left) != name:
        return None
    step = _step(tree, update, name)
    body = loop.child_by_field_name("body")
    if hidden_effect(tree, loop) is not None:
        return None
    if step is None or operator not in (*_LESS, *_GREATER) or body is None or name in modified_names(tree, body):
        return None
    return CountedHeader(name, first, operator, tree.text(right), step, right)


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
