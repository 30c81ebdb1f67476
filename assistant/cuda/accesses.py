"""How a piece of code touches memory: elements of arrays, and every use of a pointer.

A place is the canonical text of what is touched, so that ``*p`` and ``p[0]``, ``*(p + i)`` and ``p[i]`` are equal.

Example::

    [use.place for use in uses_of(tree, loop, "out") if use.kind is Use.UPDATE]   # ['out[row]']
    [(a.base, a.kind) for a in array_accesses(tree, loop)]                           # [('in', Use.READ), ('out', Use.UPDATE)]
"""

from __future__ import annotations

import re
from enum import StrEnum

from assistant.cuda.calls import callee_name, takes_values_only
from assistant.cuda.macro_elements import macro_element
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized, without_comments
from assistant.record import Record

__all__ = ["ArrayAccess", "PointerUse", "Use", "array_accesses", "canonical", "is_declaration", "kind_of", "uses_of"]

_ATOMIC = re.compile(r"atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?")
"""Takes an address and values (CUDA C++ Programming Guide, "Atomic Functions")."""


class Use(StrEnum):
    READ = "read"
    WRITE = "write"
    """Assigned without looking at the old value."""
    UPDATE = "update"
    """``+=``, ``++`` and their kin."""
    ATOMIC = "atomic"
    ESCAPE = "escape"
    """The pointer itself is copied, passed on, compared or changed."""


class PointerUse(Record):
    """One mention of a pointer."""

    kind: Use
    place: str | None
    """Canonical text of the element touched; None for an escape."""
    node: Node
    """The lvalue's node, or the identifier for an escape."""


class ArrayAccess(Record):
    """One element touched through a name: ``a[i][j]``, ``*(a + i)`` or ``*a``."""

    base: str
    """The identifier; an access through any other expression is not reported."""
    indices: tuple[Node, ...]
    """One per dimension, outermost first; empty for ``*a``."""
    kind: Use
    node: Node


def uses_of(tree: SyntaxTree, region: Node, name: str) -> tuple[PointerUse, ...]:
    """Every mention of the pointer ``name`` inside ``region``, in source order."""
    return tuple(_use(tree, node) for node in mentions(tree, region, name) if not is_declaration(node))


def array_accesses(tree: SyntaxTree, inside: Node) -> tuple[ArrayAccess, ...]:
    """Every element touched through a name, in source order; of ``a[i][j]`` the whole, not ``a[i]`` too."""
    found = (_access(tree, node) for node in tree.find("subscript_expression", "pointer_expression", inside=inside))
    return tuple(access for access in found if access is not None)


def kind_of(tree: SyntaxTree, element: Node) -> Use:
    """What is done with an element, or with a member of it."""
    parent = element.parent
    while parent is not None and parent.type in ("parenthesized_expression", "field_expression"):
        element, parent = parent, parent.parent
    if parent is None:
        return Use.ESCAPE
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
        if call is None or call.type != "call_expression" or takes_values_only(tree, call):
            return Use.READ
        return Use.READ if _is_operand_of_atomic(tree, call, element) else Use.ESCAPE
    return Use.READ


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


def _dereferenced(tree: SyntaxTree, target: Node) -> str:
    parts = binary_parts(target)
    if parts is not None and parts[0] == "+":
        return f"{canonical(tree, parts[1])}[{canonical(tree, parts[2])}]"
    return f"{canonical(tree, target)}[0]"


def _operator(node: Node) -> Node:
    operator = node.child_by_field_name("operator")
    return node if operator is None else operator


def is_declaration(node: Node) -> bool:
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
    element = _element(tree, name) or _element_of_macro(tree, name)
    if element is None:
        return PointerUse(Use.ESCAPE, None, name)
    kind = kind_of(tree, element)
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


def _element_of_macro(tree: SyntaxTree, name: Node) -> Node | None:
    """The use of a macro that stands for an element of ``name``."""
    call = None if name.parent is None or name.parent.type != "argument_list" else name.parent.parent
    element = None if call is None or call.type != "call_expression" else macro_element(tree, call)
    return call if element is not None and element.base == name else None


def _is_pointer_sum(tree: SyntaxTree, parent: Node, node: Node) -> bool:
    parts = binary_parts(parent)
    return parts is not None and parts[0] == "+" and parts[1] == node and _is_dereferenced(tree, parent)


def _is_dereferenced(tree: SyntaxTree, node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    return parent is not None and parent.type == "pointer_expression" and tree.text(parent).startswith("*")


def _access(tree: SyntaxTree, node: Node) -> ArrayAccess | None:
    parent = node.parent
    if node.type == "subscript_expression":
        is_subscript = parent is not None and parent.type == "subscript_expression"
        if parent is not None and is_subscript and parent.child_by_field_name("argument") == node:
            return None
        base, indices = _subscripts(node)
    elif node.child_count and tree.text(node.children[0]) == "*":
        base, indices = _pointed(node)
    else:
        return None
    if base is None or base.type != "identifier":
        return None
    return ArrayAccess(tree.text(base), indices, kind_of(tree, node), node)


def _subscripts(node: Node) -> tuple[Node | None, tuple[Node, ...]]:
    indices: list[Node] = []
    base: Node | None = node
    while base is not None and base.type == "subscript_expression":
        subscript = base.child_by_field_name("indices")
        indices[:0] = () if subscript is None else without_comments(subscript)
        base = base.child_by_field_name("argument")
        base = None if base is None else unparenthesized(base)
    return base, tuple(indices)


def _pointed(node: Node) -> tuple[Node | None, tuple[Node, ...]]:
    argument = node.child_by_field_name("argument")
    argument = None if argument is None else unparenthesized(argument)
    if argument is None or argument.type != "binary_expression":
        return argument, ()
    parts = binary_parts(argument)
    return (None, ()) if parts is None or parts[0] != "+" else (unparenthesized(parts[1]), (parts[2],))


def _is_operand_of_atomic(tree: SyntaxTree, call: Node, element: Node) -> bool:
    """Whether a built-in atomic is passed the element's value, not its address."""
    arguments = call.child_by_field_name("arguments")
    given = () if arguments is None else without_comments(arguments)
    return _ATOMIC.fullmatch(callee_name(tree, call)) is not None and element in given[1:]


def _address_kind(tree: SyntaxTree, address: Node) -> Use:
    """Use of ``&p[i]``: only built-in atomics and ``__ldg`` are understood."""
    call = None if address.parent is None else address.parent.parent
    if call is None or call.type != "call_expression":
        return Use.ESCAPE
    name = callee_name(tree, call)
    if name.startswith("atomic"):
        return Use.ATOMIC
    return Use.READ if name == "__ldg" else Use.ESCAPE
