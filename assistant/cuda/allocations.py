"""Calls of the host code that make a new buffer, functions of the text that wrap such a call included.

Example::

    any(allocated_places(tree, main.body, "d_x"))   # True for `cudaMalloc(&d_x, bytes);`
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.accesses import canonical
from assistant.cuda.builtins import ALLOCATION_CALLS
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import locals_of

__all__ = ["allocated_places", "is_new_allocation"]

_HOST_ALLOCATORS = ("malloc", "calloc")


def allocated_places(tree: SyntaxTree, scope: Node, place: str) -> Iterator[Node]:
    """Calls inside ``scope`` that allocate into the canonical ``place``: ``cudaMalloc(&place, …)`` or a helper of this text."""
    for call in tree.find("call_expression", inside=scope):
        given = given_arguments(call)
        if not given or not _allocates(tree, call):
            continue
        target = unparenthesized(given[0])
        while target.type == "cast_expression" and (value := target.child_by_field_name("value")) is not None:
            target = unparenthesized(value)
        inner = target.child_by_field_name("argument") if target.type == "pointer_expression" else None
        if inner is not None and tree.text(target).startswith("&") and canonical(tree, inner) == place:
            yield call


def is_new_allocation(tree: SyntaxTree, call: Node) -> bool:
    """The call returns a new allocation: ``malloc``, or a function of this text that allocates what it returns."""
    name = callee_name(tree, call).split("::")[-1]
    if name in _HOST_ALLOCATORS:
        return True
    return any(function.name == name and _returns_allocation(tree, function) for function in functions(tree))


def _allocates(tree: SyntaxTree, call: Node) -> bool:
    name = callee_name(tree, call).split("::")[-1]
    if name in ALLOCATION_CALLS:
        return True
    for function in functions(tree):
        if function.name == name and function.parameters and function.parameters[0].indirection == 2:
            return _hands_to_allocator(tree, function)
    return False


def _hands_to_allocator(tree: SyntaxTree, function: Function) -> bool:
    first = function.parameters[0].name
    for call in tree.find("call_expression", inside=function.body):
        given = given_arguments(call)
        if not given or callee_name(tree, call) not in ALLOCATION_CALLS:
            continue
        target = unparenthesized(given[0])
        value = target.child_by_field_name("value") if target.type == "cast_expression" else target
        if value is not None and tree.text(value) == first:
            return True
    return False


def _returns_allocation(tree: SyntaxTree, function: Function) -> bool:
    own = locals_of(tree, function.body)
    returns = tuple(tree.find("return_statement", inside=function.body))
    values = [unparenthesized(r.named_children[0]) for r in returns if r.named_children]
    return bool(values) and all(
        v.type == "identifier"
        and all("static" not in tree.text(d.node) for d in own.get(tree.text(v), ()))
        and tree.text(v) in own
        and any(allocated_places(tree, function.body, tree.text(v)))
        for v in values
    )
