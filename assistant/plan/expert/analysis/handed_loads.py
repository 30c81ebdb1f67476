"""Loads that a helper makes again and again though nothing changes their element: in a loop of its own, or in the kernel's around the call.

As of `unchanging_loads`, with the pointers named as the kernel does. Example::

    # __device__ float step(const Coef *c, int at, float in) { return c[at].b0 * in; }
    # for (int t = 0; t < n; t++) y[t * rows + row] = step(coef, row, x[t * rows + row]);
    [(load.pointer, tree.text(load.node)) for load in handed_loads(tree, kernel)]         # [('coef', 'c[at].b0')]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.cuda.accesses import Use, kind_of
from assistant.cuda.assignments import changed_names
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.loops import loops_around
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, kept
from assistant.cuda.variables import locals_of
from assistant.plan.expert.analysis.unchanging_loads import Element, elements, is_steady, stored_in, unchanging_loads
from assistant.record import Record

__all__ = ["HandedLoad", "handed_loads"]


class HandedLoad(Record):
    """One load."""

    node: Node
    """In the helper."""
    pointer: str
    """The kernel's parameter that the element is reached through."""
    inner_count: int
    """How often an iteration of the loop makes the load."""


class _Call(Record):
    node: Node
    helper: Function
    given: Mapping[str, Node]
    """By the helper's parameters."""


@kept
def handed_loads(tree: SyntaxTree, kernel: Function) -> tuple[HandedLoad, ...]:
    """Those of the helpers that the kernel itself calls, each once."""
    pointers = frozenset(parameter.name for parameter in kernel.parameters if parameter.is_pointer)
    calls = tuple(_calls(tree, kernel))
    stored = stored_in(tree, kernel, kernel.body) | _stored(tree, calls, pointers)
    found: dict[int, HandedLoad] = {}
    for call in calls:
        for node, name, count in (*_in_own_loops(tree, call), *_in_loop_around(tree, kernel, call, calls, pointers)):
            pointer = _pointer(tree, call.given.get(name), pointers)
            if pointer is not None and pointer not in stored:
                found.setdefault(node.id, HandedLoad(node, pointer, count))
    return tuple(found.values())


def _calls(tree: SyntaxTree, kernel: Function) -> Iterator[_Call]:
    for node in tree.find("call_expression", inside=kernel.body):
        name = callee_name(tree, node).split("::")[-1]
        named = [function for function in functions(tree) if function.name == name]
        given = given_arguments(node)
        if len(named) == 1 and named[0].is_device and not named[0].is_kernel and len(given) == len(named[0].parameters):
            yield _Call(node, named[0], {p.name: each for p, each in zip(named[0].parameters, given, strict=True)})


def _pointer(tree: SyntaxTree, given: Node | None, pointers: frozenset[str]) -> str | None:
    """``a`` of ``a``, ``a + i * n`` and ``&a[i]``: the only one of the kernel's pointers in it, which nothing is loaded through."""
    inner = given
    if given is not None and given.type == "pointer_expression" and tree.text(given).startswith("&"):
        inner = given.child_by_field_name("argument")
        inner = None if inner is None or inner.type != "subscript_expression" else inner
    elif given is not None and any(tree.find("subscript_expression", "pointer_expression", "call_expression", inside=given)):
        return None
    named = frozenset[str]() if inner is None else names_in(tree, inner) & pointers
    return next(iter(named)) if len(named) == 1 else None


def _stored(tree: SyntaxTree, calls: tuple[_Call, ...], pointers: frozenset[str]) -> frozenset[str]:
    """The kernel's pointers that the helpers of these calls store through."""
    through = ((call, name) for call in calls for name in stored_in(tree, call.helper, call.helper.body))
    found = (_pointer(tree, call.given.get(name), pointers) for call, name in through)
    return frozenset(pointer for pointer in found if pointer is not None)


def _in_own_loops(tree: SyntaxTree, call: _Call) -> Iterator[tuple[Node, str, int]]:
    """(load, the helper's pointer, its count) in loops of the helper."""
    for load in unchanging_loads(tree, call.helper):
        yield load.node, load.pointer, load.inner_count


def _in_loop_around(
    tree: SyntaxTree, kernel: Function, call: _Call, calls: tuple[_Call, ...], pointers: frozenset[str]
) -> Iterator[tuple[Node, str, int]]:
    """The same of loads outside the helper's loops, where the kernel calls it in a loop that leaves the address as it is."""
    loop = next(iter(loops_around(tree, call.node)), None)
    if loop is None:
        return
    inside = tuple(each for each in calls if loop.start_byte <= each.node.start_byte < loop.end_byte)
    if not stored_in(tree, kernel, loop) | _stored(tree, inside, pointers):
        return
    fixed = call.given.keys() - changed_names(tree, call.helper.body) - locals_of(tree, call.helper.body).keys()
    for element in elements(tree, call.helper, call.helper.body):
        names = element.address & call.given.keys()
        is_plain = _is_read_once(tree, element) and not element.address & locals_of(tree, call.helper.body).keys()
        given = frozenset[str]().union(*(names_in(tree, call.given[name]) for name in names))
        if is_plain and names <= fixed and is_steady(tree, kernel, given, loop, frozenset()):
            yield element.node, element.pointer, 1


def _is_read_once(tree: SyntaxTree, element: Element) -> bool:
    return kind_of(tree, element.node) is Use.READ and not element.is_volatile and not loops_around(tree, element.node)
