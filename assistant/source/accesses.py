"""How a piece of code touches memory through a pointer: places, reads, writes, escapes.

A place is the canonical text of what is touched, so that ``*p`` and ``p[0]``, ``*(p + i)`` and ``p[i]`` are equal.

Example::

    [use.place for use in uses_of(tree, loop, "out") if use.kind is Use.UPDATE]   # ['out[row]']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from assistant.source.builtins import is_pure
from assistant.source.functions import functions
from assistant.source.macros import changes_something, macro_text
from assistant.source.syntax import KEPT_ANSWERS, Node, SyntaxTree, unparenthesized

__all__ = [
    "PointerUse",
    "Use",
    "callee_name",
    "canonical",
    "modified_names",
    "names_in",
    "takes_values_only",
    "uses_of",
]


class Use(StrEnum):
    READ = "read"
    WRITE = "write"
    """Assigned without looking at the old value."""
    UPDATE = "update"
    """``+=``, ``++`` and their kin."""
    ATOMIC = "atomic"
    ESCAPE = "escape"
    """The pointer itself is copied, passed on, compared or changed."""


@dataclass(frozen=True)
class PointerUse:
    """One mention of a pointer."""

    kind: Use
    place: str | None
    """Canonical text of the element touched; None for an escape."""
    node: Node
    """The lvalue's node, or the identifier for an escape."""


def uses_of(tree: SyntaxTree, region: Node, name: str) -> tuple[PointerUse, ...]:
    """Every mention of the pointer ``name`` inside ``region``, in source order."""
    mentions = (node for node in tree.find("identifier", inside=region) if tree.text(node) == name)
    return tuple(_use(tree, node) for node in mentions if not _is_declaration(node))


def canonical(tree: SyntaxTree, node: Node) -> str:
    """The node's tokens without comments and spaces, ``*p`` and ``*(p + i)`` spelled as subscripts."""
    node = unparenthesized(node)
    if node.type == "pointer_expression" and tree.text(node).startswith("*"):
        target = node.child_by_field_name("argument")
        if target is not None:
            return _dereferenced(tree, unparenthesized(target))
    if node.type == "subscript_expression":
        base = node.child_by_field_name("argument")
        indices = node.child_by_field_name("indices")
        if base is not None and indices is not None:
            return f"{canonical(tree, base)}[{','.join(canonical(tree, i) for i in indices.named_children)}]"
    if not node.children:
        return tree.text(node)
    return " ".join(canonical(tree, child) for child in node.children if child.type != "comment")


def callee_name(tree: SyntaxTree, call: Node) -> str:
    """Name of the called function as written, without template arguments (``std::sqrt``)."""
    function = call.child_by_field_name("function")
    return "" if function is None else tree.text(function).split("<")[0].strip()


def names_in(tree: SyntaxTree, node: Node) -> frozenset[str]:
    """Identifiers that ``node`` mentions, field names excluded."""
    return frozenset(tree.text(n) for n in tree.find("identifier", inside=node))


def modified_names(tree: SyntaxTree, region: Node) -> frozenset[str]:
    """Variables that ``region`` assigns, steps, declares or takes the address or a reference of."""
    return frozenset(_modified(tree, region))


def _modified(tree: SyntaxTree, region: Node) -> Iterator[str]:
    for node in tree.find("assignment_expression", "update_expression", "declaration", "pointer_expression", inside=region):
        if node.type == "declaration":
            for declarator in node.children_by_field_name("declarator"):
                name = next(tree.find("identifier", inside=declarator), None)
                if name is not None:
                    yield tree.text(name)
            continue
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if node.type == "pointer_expression" and not tree.text(node).startswith("&"):
            continue
        while target is not None and target.type in ("field_expression", "parenthesized_expression"):
            target = target.child_by_field_name("argument") or next(iter(target.named_children), None)
        if target is not None and target.type == "identifier":
            yield tree.text(target)
    for call in tree.find("call_expression", inside=region):
        arguments = call.child_by_field_name("arguments")
        if arguments is not None and not takes_values_only(tree, call):
            yield from (tree.text(a) for a in arguments.named_children if a.type == "identifier")


def _dereferenced(tree: SyntaxTree, target: Node) -> str:
    if target.type == "binary_expression" and tree.text(_operator(target)) == "+":
        left, right = target.child_by_field_name("left"), target.child_by_field_name("right")
        if left is not None and right is not None:
            return f"{canonical(tree, left)}[{canonical(tree, right)}]"
    return f"{canonical(tree, target)}[0]"


def _operator(node: Node) -> Node:
    operator = node.child_by_field_name("operator")
    return node if operator is None else operator


def _is_declaration(node: Node) -> bool:
    """True for the name in a declarator, as against a mention of the variable."""
    parent = node.parent
    if parent is None:
        return False
    declarators = (
        "pointer_declarator",
        "array_declarator",
        "reference_declarator",
        "parameter_declaration",
        "declaration",
        "init_declarator",
    )
    if parent.type not in declarators:
        return False
    return parent.child_by_field_name("value") != node and parent.child_by_field_name("size") != node


def _use(tree: SyntaxTree, name: Node) -> PointerUse:
    element = _element(tree, name)
    if element is None:
        return PointerUse(Use.ESCAPE, None, name)
    parent = element.parent
    while parent is not None and parent.type == "parenthesized_expression":
        element, parent = parent, parent.parent
    kind = Use.ESCAPE if parent is None else _kind(tree, element, parent)
    return PointerUse(kind, None if kind is Use.ESCAPE else canonical(tree, element), unparenthesized(element))


def _element(tree: SyntaxTree, name: Node) -> Node | None:
    """The largest lvalue expression that ``name`` is the base of; None when the pointer itself is used."""
    node, parent = name, name.parent
    element: Node | None = None
    while parent is not None:
        is_member = parent.type in ("subscript_expression", "field_expression")
        is_deref = parent.type == "pointer_expression" and element is None and tree.text(parent).startswith("*")
        if is_deref or (is_member and parent.child_by_field_name("argument") == node):
            element = parent
        elif element is None and (parent.type == "update_expression" or _is_pointer_sum(tree, parent, node)):
            pass
        elif parent.type != "parenthesized_expression":
            break
        node, parent = parent, parent.parent
    return element


def _is_pointer_sum(tree: SyntaxTree, parent: Node, node: Node) -> bool:
    if parent.type != "binary_expression":
        return False
    return parent.child_by_field_name("left") == node and tree.text(_operator(parent)) == "+" and _is_dereferenced(tree, parent)


def _is_dereferenced(tree: SyntaxTree, node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    return parent is not None and parent.type == "pointer_expression" and tree.text(parent).startswith("*")


def _kind(tree: SyntaxTree, element: Node, parent: Node) -> Use:
    if parent.type == "assignment_expression" and parent.child_by_field_name("left") == element:
        return Use.WRITE if tree.text(_operator(parent)) == "=" else Use.UPDATE
    if parent.type == "update_expression":
        return Use.UPDATE
    if parent.type == "pointer_expression":
        return _address_kind(tree, parent)
    if parent.type == "init_declarator":
        declarator = parent.child_by_field_name("declarator")
        is_reference = declarator is not None and declarator.type == "reference_declarator"
        return Use.ESCAPE if is_reference else Use.READ
    if parent.type == "argument_list":
        call = parent.parent
        is_call = call is not None and call.type == "call_expression"
        return Use.ESCAPE if is_call and call is not None and not takes_values_only(tree, call) else Use.READ
    return Use.READ


def _address_kind(tree: SyntaxTree, address: Node) -> Use:
    """Use of ``&p[i]``: only built-in atomics and ``__ldg`` are understood."""
    call = None if address.parent is None else address.parent.parent
    if call is None or call.type != "call_expression":
        return Use.ESCAPE
    name = callee_name(tree, call)
    if name.startswith("atomic"):
        return Use.ATOMIC
    return Use.READ if name == "__ldg" else Use.ESCAPE


def takes_values_only(tree: SyntaxTree, call: Node) -> bool:
    """True if the call cannot change its arguments: a built-in, a cast, a harmless macro, or a function of this text."""
    name = callee_name(tree, call).split("::")[-1]
    known = [f for f in functions(tree) if f.name == name]
    if known:
        return not any(p.is_reference for f in known for p in f.parameters)
    macro = macro_text(tree, name)
    if macro is not None:
        return not changes_something(macro)
    return is_pure(name) or name in _type_parameters(tree)


@lru_cache(maxsize=KEPT_ANSWERS)
def _type_parameters(tree: SyntaxTree) -> frozenset[str]:
    return frozenset(tree.text(n) for n in tree.find("type_identifier"))
