"""Loads inside a counted loop that a square block of threads could share through a tile.

Two forms are understood, for a loop over ``k``: ``a[row * s + k]`` with a ``row`` that only ``threadIdx.y`` decides, and
``b[k * s + col]`` with a ``col`` that only ``threadIdx.x`` decides.

Example::

    tile_loads(tree, function, loop, "k")    # (TileLoad('a', Along.ROW, …), TileLoad('b', Along.COLUMN, …))
"""

from __future__ import annotations

from enum import StrEnum

from assistant.cuda.functions import Function
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.plan.expert.analysis.pointer_roots import Root, global_pointers, root_of
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.record import Record

__all__ = ["COLUMN_AXES", "ROW_AXES", "Along", "TileLoad", "is_unconditional", "tile_loads"]

ROW_AXES = frozenset({"y"})
"""Thread indices that choose the row of a block."""
COLUMN_AXES = frozenset({"x"})
"""Thread indices that choose the column."""


class Along(StrEnum):
    """Which way the loop walks through the matrix."""

    ROW = "row"
    COLUMN = "column"


class TileLoad(Record):
    """One load that becomes an element of a tile."""

    base: str
    along: Along
    node: Node
    counter: Node
    """The loop variable inside the index."""
    position: Node
    """``row`` or ``col``: what fixes the other coordinate."""


def tile_loads(tree: SyntaxTree, function: Function, loop: Node, counter: str) -> tuple[TileLoad, ...]:
    """Loads of the two forms, in source order."""
    body = loop.child_by_field_name("body")
    pointers = global_pointers(tree, function, loop)
    found = (
        _tile_load(tree, function, node, counter)
        for node in tree.find("subscript_expression", inside=body)
        if tree.text(node.named_children[0]) in pointers and is_unconditional(tree, node, loop)
    )
    return tuple(load for load in found if load is not None)


def _tile_load(tree: SyntaxTree, function: Function, node: Node, counter: str) -> TileLoad | None:
    indices = node.child_by_field_name("indices")
    base = tree.text(node.named_children[0])
    root = root_of(tree, function, base)
    is_addressed = node.parent is not None and node.parent.type == "pointer_expression"
    if indices is None or is_addressed or not isinstance(root, Root) or counter in hidden_names(tree, indices):
        return None
    terms = [] if len(indices.named_children) != 1 else _operands(unparenthesized(indices.named_children[0]), "+")
    for first, second in (terms, terms[::-1]) if len(terms) == 2 else ():
        along = _along(tree, function, first, second, counter)
        if along is not None:
            return TileLoad(base, along[0], node, along[1], along[2])
    return None


def is_unconditional(tree: SyntaxTree, node: Node, loop: Node) -> bool:
    """Every iteration loads the element: no branch around it, no jump before it."""
    child = node
    for ancestor in tree.ancestors(node):
        if ancestor == loop:
            break
        first = ancestor.child_by_field_name("condition") or ancestor.child_by_field_name("left")
        operator = ancestor.child_by_field_name("operator")
        is_choice = ancestor.type in (*LOOPS, "if_statement", "conditional_expression", "switch_statement")
        is_choice = is_choice or (operator is not None and tree.text(operator) in ("&&", "||"))
        if is_choice and (ancestor.type in LOOPS or child != first):
            return False
        child = ancestor
    return all(jump.start_byte > node.start_byte for jump in tree.find("continue_statement", inside=loop))


def _uncast(node: Node) -> Node:
    """The value under casts and parentheses."""
    node = unparenthesized(node)
    while node.type == "cast_expression" and (value := node.child_by_field_name("value")) is not None:
        node = unparenthesized(value)
    return node


def _along(tree: SyntaxTree, function: Function, product: Node, other: Node, counter: str) -> tuple[Along, Node, Node] | None:
    """(direction, counter's node, position) of ``product + other``."""
    for scaled, stride in _products(product):
        if thread_axes(tree, function, stride) != frozenset() or counter in names_in(tree, stride):
            continue
        if tree.text(other) == counter and thread_axes(tree, function, scaled) == ROW_AXES:
            return Along.ROW, other, scaled
        plain = _uncast(scaled)
        if tree.text(plain) == counter and thread_axes(tree, function, other) == COLUMN_AXES:
            return Along.COLUMN, plain, other
    return None


def _products(node: Node) -> tuple[tuple[Node, Node], ...]:
    factors = _operands(unparenthesized(node), "*")
    return ((factors[0], factors[1]), (factors[1], factors[0])) if len(factors) == 2 else ()


def _operands(node: Node, operator: str) -> list[Node]:
    parts = binary_parts(node)
    return [parts[1], parts[2]] if parts is not None and parts[0] == operator else []
