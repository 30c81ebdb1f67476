"""Statically sized ``__shared__`` arrays of a kernel and how it addresses them.

Example::

    arrays = shared_arrays(tree, body)
    uses = element_uses(tree, body, arrays[0])   # or the sentence that says why they cannot be followed
"""

from __future__ import annotations

from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.record import Record

__all__ = ["ElementUse", "SharedArray", "element_uses", "shared_arrays"]


class SharedArray(Record):
    """One array declared ``__shared__`` in the kernel's body."""

    name: str
    element_type: str
    sizes: tuple[Node | None, ...]
    """One per dimension, outermost first; None where the brackets are empty."""
    declarator: Node
    line: int
    is_dynamic: bool
    """``extern __shared__``: sized by the launch."""


class ElementUse(Record):
    """One fully subscripted mention of a shared array."""

    indices: tuple[Node, ...]
    node: Node
    line: int


def shared_arrays(tree: SyntaxTree, body: Node) -> tuple[SharedArray, ...]:
    """The arrays in source order."""
    found: list[SharedArray] = []
    for declaration in tree.find("declaration", inside=body):
        words = node_text(declaration).split()
        if not {"__shared__"} & {node_text(c) for c in declaration.children} and "__shared__" not in words:
            continue
        kind = declaration.child_by_field_name("type")
        for declarator in declaration.children_by_field_name("declarator"):
            array = None if kind is None else _array(tree, declarator, node_text(kind), "extern" in words)
            if array is not None:
                found.append(array)
    return tuple(found)


def element_uses(tree: SyntaxTree, body: Node, array: SharedArray, known: tuple[Node, ...] = ()) -> tuple[ElementUse, ...] | str:
    """Every use of the array as one element each, but for those in ``known``; a sentence with the line where it is used in another way."""
    found: list[ElementUse] = []
    for mention in mentions(tree, body, array.name):
        if any(_is_inside(mention, node) for node in (array.declarator, *known)):
            continue
        line = tree.line(mention)
        element, indices = _subscripted(mention)
        if len(indices) != len(array.sizes):
            return f"{array.name} is not used element by element on line {line}, where its row length matters"
        if _is_address_taken(element):
            return f"the address of an element of {array.name} is taken on line {line}, where its row length may matter"
        found.append(ElementUse(indices, element, line))
    return tuple(found)


def _array(tree: SyntaxTree, declarator: Node, element_type: str, is_dynamic: bool) -> SharedArray | None:
    if declarator.type == "init_declarator":
        return None
    node, sizes = declarator, list[Node | None]()
    while node.type == "array_declarator":
        sizes.insert(0, node.child_by_field_name("size"))
        inner = node.child_by_field_name("declarator")
        if inner is None:
            return None
        node = inner
    if not sizes or node.type != "identifier":
        return None
    line = tree.line(declarator)
    return SharedArray(node_text(node), element_type, tuple(sizes), declarator, line, is_dynamic)


def _subscripted(mention: Node) -> tuple[Node, tuple[Node, ...]]:
    """The largest subscript expression on the mention, and its indices from the outermost dimension in."""
    node, indices = mention, list[Node]()
    parent = node.parent
    while parent is not None and parent.type == "subscript_expression" and parent.child_by_field_name("argument") == node:
        inside = parent.child_by_field_name("indices")
        index = parent.child_by_field_name("index") if inside is None else inside
        if index is None:
            break
        indices.append(index.named_children[0] if index.type == "subscript_argument_list" else index)
        node, parent = parent, parent.parent
    return node, tuple(indices)


def _is_address_taken(element: Node) -> bool:
    address = element.parent
    if address is None or address.type != "pointer_expression" or not node_text(address).startswith("&"):
        return False
    return not _is_atomic(address)


def _is_atomic(address: Node) -> bool:
    call = None if address.parent is None else address.parent.parent
    function = None if call is None else call.child_by_field_name("function")
    return function is not None and node_text(function).startswith("atomic")


def _is_inside(node: Node, other: Node) -> bool:
    return other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
