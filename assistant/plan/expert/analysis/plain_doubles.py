"""Double locals that are constants but for the word: set once to a literal that a float can stand for, and used next to floats alone.

Example::

    double c = 0.7;
    for (int k = 0; k < 16; k++) s = s * c + 1.0;      # plain_doubles(tree, function) == {"c"} with a float s
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.assignments import changed_names
from assistant.cuda.functions import Function
from assistant.cuda.literals import integer_value, is_double_literal
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import mentions, words_in
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import Variable, locals_of

__all__ = ["plain_doubles"]

_LARGEST_FLOAT = 3.4028234663852886e38
"""FLT_MAX of IEEE 754 binary32."""
_SMALLEST_FLOAT = 1.1754943508222875e-38
"""FLT_MIN, the smallest normal number of IEEE 754 binary32."""
_EXACT_INTEGERS = 1 << 24
"""Up to here each integer is a float."""
_DOUBLES = frozenset({"double", "double1", "double2", "double3", "double4"})
_STATEMENTS = ("declaration", "expression_statement", "return_statement", "if_statement", "for_statement", "while_statement")


def plain_doubles(tree: SyntaxTree, function: Function) -> frozenset[str]:
    """Names of such locals of the function; none that something else in the function goes by."""
    return frozenset(_found(tree, function))


def _found(tree: SyntaxTree, function: Function) -> Iterator[str]:
    found = {name: variables[0] for name, variables in locals_of(tree, function.body).items() if len(variables) == 1}
    plain = {name: one for name, one in found.items() if function.parameter(name) is None and _is_set_once(tree, function.body, one)}
    variables = (*found.values(), *function.parameters)
    doubles = {one.name for one in variables if one.type in _DOUBLES and not _is_constant(tree, one)}
    meant = doubles.difference(plain) | _DOUBLES
    for name, one in plain.items():
        uses = [node for node in mentions(tree, function.body, name) if not _is_in(node, one.node)]
        if all(meant.isdisjoint(words_in(tree.text(_statement(tree, use)))) for use in uses):
            yield name


def _is_constant(tree: SyntaxTree, variable: Variable) -> bool:
    return variable.is_const and variable.value is not None and _is_literal(tree, variable.value)


def _is_set_once(tree: SyntaxTree, body: Node, variable: Variable) -> bool:
    is_plain = variable.type == "double" and not (variable.is_pointer or variable.is_array or variable.is_reference or variable.is_volatile)
    if not is_plain or variable.is_const or variable.is_shared or variable.value is None or not _is_literal(tree, variable.value):
        return False
    return variable.name not in changed_names(tree, body) | hidden_names(tree, body)


def _is_literal(tree: SyntaxTree, value: Node) -> bool:
    """A number that becomes the same float whether it is written as one or converted."""
    text = tree.text(unparenthesized(value)).replace("'", "").lstrip("+-").strip()
    if is_double_literal(text):
        return float(text) == 0.0 or _SMALLEST_FLOAT <= float(text) <= _LARGEST_FLOAT
    whole = integer_value(text)
    return whole is not None and whole <= _EXACT_INTEGERS


def _is_in(node: Node, other: Node) -> bool:
    return other.start_byte <= node.start_byte < other.end_byte


def _statement(tree: SyntaxTree, node: Node) -> Node:
    return next((one for one in tree.ancestors(node) if one.type in _STATEMENTS), node)
