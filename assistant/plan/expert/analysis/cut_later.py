"""Whether another kernel of the program makes integers of the floats that a kernel leaves: pixels of a picture, bins, counts.

A last bit of such a float may make a whole number of difference. Only buffers that a host function hands to both kernels under one name
are followed. Example::

    cut = cut_later(context)
    cut.kernel, cut.line        # 'tonemap', 131: `out[i] = 255.99f * frame[i].x` with `frame` of this kernel
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.builtins import FLOAT_NAMES
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import locals_of
from assistant.model.source import Kernel, LaunchSite
from assistant.plan.expert.analysis.kernel_launches import of_program
from assistant.plan.expert.analysis.read_only import const_edits
from assistant.plan.expert.analysis.value_flow import largest_expression, sink_of
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["CutLater", "cut_later"]

_MOST_HELPERS = 3
"""Helpers that are followed, one called by the other. Our own limit."""
_MOST_LOCALS = 2
"""Integer locals that are followed, one made of the other. Our own limit."""
_TO_INTEGER = re.compile(r"__float2u?(?:int|ll)_r[nzud]|ll?r(?:int|ound)f?")
_ELEMENT = ("subscript_expression", "field_expression", "pointer_expression", "parenthesized_expression")


class CutLater(Record):
    """Where a float of the kernel becomes an integer."""

    buffer: str
    """The kernel's parameter that it leaves the float in."""
    kernel: str
    text: str
    """What is cut."""
    line: int
    """Of its file."""


def cut_later(context: TransformationContext) -> CutLater | None:
    """The first such place; None where the text shows none."""
    program = of_program(context)
    tree, kernels = program.tree, program.parsed.kernels
    own = _function(tree, context.kernel.name)
    written = () if own is None else tuple(p.name for p in own.parameters if p.is_pointer and const_edits(tree, own, p.name) is None)
    for site in program.parsed.launch_sites_of(context.kernel):
        for name, other, parameter in _shared(program.parsed.launch_sites, site, context.kernel, kernels):
            reader = _function(tree, other.name) if name in written else None
            node = None if reader is None else _cut(tree, reader, parameter, _MOST_HELPERS)
            if node is not None:
                _, start = tree.file_at(tree.span(node))
                line = tree.line(node) - tree.source.count("\n", 0, start)
                return CutLater(name, other.name, tree.text(node), line)
    return None


def _function(tree: SyntaxTree, name: str) -> Function | None:
    found = [function for function in functions(tree) if function.name == name]
    return found[0] if len(found) == 1 else None


def _shared(
    sites: tuple[LaunchSite, ...], own: LaunchSite, kernel: Kernel, kernels: tuple[Kernel, ...]
) -> Iterator[tuple[str, Kernel, str]]:
    """(own parameter, another kernel, its parameter) of each buffer that another kernel is given afterwards."""
    by_name = {other.name: other for other in kernels if other.name != kernel.name}
    for site in sites:
        other = by_name.get(site.kernel_name.split("::")[-1])
        is_later = site.span > own.span or (site.is_in_loop and own.is_in_loop)
        if other is None or site.function != own.function or not is_later:
            continue
        for mine, parameter in zip(own.arguments, kernel.parameters, strict=False):
            for given, taken in zip(site.arguments, other.parameters, strict=False):
                if parameter.is_pointer and taken.is_pointer and mine.text == given.text:
                    yield parameter.name, other, taken.name


def _cut(tree: SyntaxTree, function: Function, parameter: str, depth: int) -> Node | None:
    """The largest expression of what comes from the parameter that becomes an integer."""
    kinds = ValueKinds(tree, function)
    for name in _made_of(tree, function, kinds, parameter):
        for mention in mentions(tree, function.body, name):
            element = _element(mention)
            if kinds.of(element) is Kind.FLOAT:
                top = _largest(tree, element)
                if _is_cut(tree, kinds, function, top) and _is_stored(tree, kinds, function, top, _MOST_LOCALS):
                    return top
            inside = _in_helper(tree, element, depth)
            if inside is not None:
                return inside
    return None


def _is_cut(tree: SyntaxTree, kinds: ValueKinds, function: Function, top: Node) -> bool:
    call = _call_with(top)
    by_routine = call is not None and _TO_INTEGER.fullmatch(callee_name(tree, call)) is not None
    return by_routine or sink_of(tree, kinds, function, top).kind is Kind.INTEGER


def _is_stored(tree: SyntaxTree, kinds: ValueKinds, function: Function, node: Node, depth: int) -> bool:
    """An integer of the node is stored, counted or returned: a local position between two elements may move with its weights."""
    is_index, inner = False, node
    for parent in tree.ancestors(node):
        match parent.type:
            case "subscript_expression":
                is_index = is_index or parent.child_by_field_name("argument") != inner
            case "call_expression" if callee_name(tree, parent).startswith("atomic"):
                return True
            case "return_statement":
                return not is_index
            case "assignment_expression":
                target = parent.child_by_field_name("left")
                if target is None or target == inner or is_index:
                    return False
                name = tree.text(target) if target.type == "identifier" else ""
                is_element = not name and kinds.of(target) is Kind.INTEGER
                return is_element or _is_any_stored(tree, kinds, function, name, parent, depth)
            case "init_declarator":
                declarator = parent.child_by_field_name("declarator")
                name = "" if is_index or declarator is None else tree.text(declarator)
                return _is_any_stored(tree, kinds, function, name, parent, depth)
            case "compound_statement":
                return False
            case _:
                pass
        inner = parent
    return False


def _is_any_stored(tree: SyntaxTree, kinds: ValueKinds, function: Function, name: str, given: Node, depth: int) -> bool:
    """One of the uses of an integer local, other than where it is given its value."""
    if depth == 0 or kinds.of_name(name) is not Kind.INTEGER:
        return False
    uses = (node for node in mentions(tree, function.body, name) if not given.start_byte <= node.start_byte < given.end_byte)
    return any(_is_stored(tree, kinds, function, use, depth - 1) for use in uses)


def _made_of(tree: SyntaxTree, function: Function, kinds: ValueKinds, parameter: str) -> tuple[str, ...]:
    """The parameter, and locals that hold what was loaded through it or made of that, as floats or structures of them."""
    values = [(name, v.value) for name, found in locals_of(tree, function.body).items() for v in found if v.value is not None]
    for change in assignments(tree, function.body):
        target = next(tree.find("identifier", inside=change.target), None)
        if target is not None and change.value is not None:
            values.append((tree.text(target), change.value))
    usable = [(name, names_in(tree, value)) for name, value in values if kinds.of_name(name) in (Kind.FLOAT, Kind.UNKNOWN)]
    found = {parameter}
    for _ in usable:
        found |= {name for name, used in usable if used & found}
    return tuple(sorted(found))


def _element(node: Node) -> Node:
    """``p[i].x`` around its ``p``."""
    parent = node.parent
    while parent is not None and parent.type in _ELEMENT and (parent.child_by_field_name("argument") or parent.named_children[0]) == node:
        node, parent = parent, parent.parent
    return node


def _largest(tree: SyntaxTree, element: Node) -> Node:
    """The largest arithmetic expression around the element, functions like ``fminf`` included."""
    top = largest_expression(tree, element)
    while (call := _call_with(top)) is not None and callee_name(tree, call).removeprefix("std::") in FLOAT_NAMES.values():
        top = largest_expression(tree, call)
    return top


def _call_with(argument: Node) -> Node | None:
    arguments = argument.parent
    call = None if arguments is None or arguments.type != "argument_list" else arguments.parent
    return call if call is not None and call.type == "call_expression" else None


def _in_helper(tree: SyntaxTree, element: Node, depth: int) -> Node | None:
    """The place in a helper that the element, or arithmetic of it, is handed to."""
    top = _largest(tree, element)
    call = _call_with(top)
    if call is None or depth == 0:
        return None
    helper, given = _function(tree, callee_name(tree, call).split("::")[-1]), given_arguments(call)
    index = given.index(top) if top in given else len(given)
    if helper is None or index >= len(helper.parameters):
        return None
    return _cut(tree, helper, helper.parameters[index].name, depth - 1)
