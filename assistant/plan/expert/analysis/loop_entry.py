"""Whether a loop's body runs: surely, or under a condition that can be asked before and after the loop.

Example::

    if not runs_at_least_once(tree, loop, function):
        entry_condition(tree, loop, header, function)   # '0 < n'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.assignments import changed_names, modified_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.constants import integer_constant
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in, words_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined
from assistant.cuda.variables import locals_of

__all__ = ["entry_condition", "runs_at_least_once"]

_TURNED = {"<": ">", "<=": ">="}
_SUM = re.compile(r"\s+[-+*]\s+")
_READS_MEMORY_OR_CALLS = re.compile(r"\[|->|(?:^|[^\w\])\s]\s*)\*|\w\s*\(")


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
    asked = words_in(f"{header.first} {header.bound}") | hidden_names(tree, header.bound_node)
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
    turned = _TURNED.get(header.comparison)
    if turned is not None and first.isdigit() and "?" not in header.bound:
        return f"{header.bound} {turned} {first}"  # `n > 0`, as people ask
    return f"{first} {header.comparison} {header.bound}"


def _has_type(tree: SyntaxTree, expression: str, type_name: str, function: Function) -> bool:
    """An integer literal, a variable of exactly the type, or a sum of such: comparing it means the same without a cast."""
    if expression.isdigit() and type_name in ("int", "auto"):
        return True
    terms = _SUM.split(expression)
    if type_name == "int" and len(terms) > 1:
        return all(_has_type(tree, term, type_name, function) for term in terms)
    parameter = function.parameter(expression)
    declared = (*locals_of(tree, function.body).get(expression, ()), *(() if parameter is None else (parameter,)))
    return len(declared) == 1 and declared[0].type == type_name and not declared[0].is_pointer


def _known_upper_bounds(tree: SyntaxTree, loop: Node, function: Function) -> Iterator[tuple[str, str]]:
    """(variable, bound) with ``variable < bound`` where ``loop`` starts, from ifs around it and early returns before it."""
    node = loop
    for ancestor in tree.ancestors(loop):
        if ancestor.type == "if_statement" and ancestor.child_by_field_name("consequence") == node:
            yield from _bounds_if(tree, ancestor, function, holds=True)
        header = counted_header(tree, ancestor) if ancestor.type in LOOPS else None
        if header is not None and header.comparison == "<" and not words_in(header.bound) & changed_names(tree, function.body):
            yield header.variable, "".join(header.bound.split())
        if ancestor.type == "compound_statement":
            for sibling in ancestor.named_children:
                if sibling.start_byte >= node.start_byte:
                    break
                if sibling.type == "if_statement" and _only_leaves(sibling):
                    yield from _bounds_if(tree, sibling, function, holds=False)
        if ancestor == function.body:
            return
        node = ancestor


def _only_leaves(statement: Node) -> bool:
    branch = statement.child_by_field_name("consequence")
    only = None if branch is None else lone_statement(branch)
    return only is not None and only.type in ("return_statement", "continue_statement")


def _bounds_if(tree: SyntaxTree, statement: Node, function: Function, holds: bool) -> Iterator[tuple[str, str]]:
    condition = condition_of(statement)
    joiner, comparison = ("&&", "<") if holds else ("||", ">=")
    for node in () if condition is None else joined(condition, joiner):
        compared = binary_parts(node)
        if compared is not None and compared[0] == comparison and not names_in(tree, node) & changed_names(tree, function.body):
            yield tree.text(compared[1]), "".join(tree.text(compared[2]).split())


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
