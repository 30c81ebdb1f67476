"""Statements that add a product of loaded values to something: a factor of zero changes nothing.

Example::

    adds_product(tree, statement, loads)     # True of `sum += a[i] * b[j];` where one of them is among the loads
"""

from __future__ import annotations

from collections.abc import Collection

from assistant.cuda.syntax import Node, SyntaxTree

__all__ = ["adds_product"]


def adds_product(tree: SyntaxTree, statement: Node, loads: Collection[Node]) -> bool:
    """Every term that the statement adds is a product with one of ``loads`` as a factor."""
    only = statement.named_children[0] if statement.type == "expression_statement" and statement.named_children else None
    operator = None if only is None else only.child_by_field_name("operator")
    right = None if only is None else only.child_by_field_name("right")
    if only is None or only.type != "assignment_expression" or operator is None or right is None or tree.text(operator) != "+=":
        return False
    staged = frozenset(load.id for load in loads)
    return all(_has_factor(tree, term, staged) for term in _terms(tree, right, ("+", "-"), staged))


def _has_factor(tree: SyntaxTree, term: Node, loads: frozenset[int]) -> bool:
    factors = _terms(tree, term, ("*",), loads)
    return len(factors) > 1 and any(factor.id in loads for factor in factors)


def _terms(tree: SyntaxTree, node: Node, operators: tuple[str, ...], whole: frozenset[int]) -> list[Node]:
    """What ``operators`` join; the nodes of ``whole`` stay whole."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.id in whole or node.type != "binary_expression" or operator is None or left is None or right is None:
        return [node]
    if tree.text(operator) not in operators:
        return [node]
    return [*_terms(tree, left, operators, whole), *_terms(tree, right, operators, whole)]
