"""Factors that all threads share and that a loop multiplies its loads by: they can be multiplied once, when the tile is filled.

The product stays what it was, bit by bit: of ``alpha * A[i] * B[j]`` the left product is rounded first (C++ [expr.mul]: ``*`` groups from
left to right), in the tile as in the loop. Example::

    with_factors(tree, function, (load,))[0].node     # `alpha * A[i * n + k]` of `sum += alpha * A[i * n + k] * B[k * n + j];`
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.cuda.assignments import changed_names
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts
from assistant.plan.expert.analysis.element_types import plain_type

if TYPE_CHECKING:
    from assistant.plan.expert.analysis.staged_loads import StagedLoad

__all__ = ["with_factors"]

_ROUNDED_ALIKE = frozenset({"float", "double"})
"""Types whose product is of the same type; narrower integers and halves would be widened first."""


def with_factors(tree: SyntaxTree, function: Function, loads: tuple[StagedLoad, ...]) -> tuple[StagedLoad, ...]:
    """The loads, each together with the factors it is multiplied by wherever it is read; a load that is also read alone stays alone."""
    products = {load.node.id: _product(tree, function, load) for load in loads}
    texts: dict[str, set[str]] = {}
    for load in loads:
        texts.setdefault(load.key(tree), set()).add(tree.text(products[load.node.id]))
    return tuple(replace(load, node=products[load.node.id]) if len(texts[load.key(tree)]) == 1 else load for load in loads)


def _product(tree: SyntaxTree, function: Function, load: StagedLoad) -> Node:
    """The largest product of the load and such factors that another factor follows; the load itself where there is none."""
    found = node = load.node
    while node.parent is not None:
        parts = binary_parts(node.parent)
        if parts is None or parts[0] != "*":
            return found
        found, other = node, parts[1] if parts[2].id == node.id else parts[2]
        if not _is_shared_number(tree, function, other, load.type):
            return found
        node = node.parent
    return found


def _is_shared_number(tree: SyntaxTree, function: Function, node: Node, kind: str) -> bool:
    """A parameter of the load's own type that the kernel never changes."""
    parameter = function.parameter(tree.text(node)) if node.type == "identifier" else None
    if parameter is None or parameter.is_pointer or parameter.is_reference:
        return False
    spelled = plain_type(tree, kind)
    is_same = spelled in _ROUNDED_ALIKE and plain_type(tree, parameter.type) == spelled
    return is_same and parameter.name not in changed_names(tree, function.body)
