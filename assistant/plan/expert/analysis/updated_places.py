"""What the address of an atomic names: an element of an array, or a member of one, by a reference or pointer to the element, too.

Example::

    Cluster<D>& mine = clusters[label[i]];
    atomicAdd(&mine.sum[d], x);                # place_of: base 'clusters', index `label[i]`, member 'sum' of type float[D]
"""

from __future__ import annotations

from assistant.cuda.assignments import assignments
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.struct_members import number_in
from assistant.record import Record

__all__ = ["Member", "Place", "place_of"]


class Member(Record):
    """A number in each of the structs that a pointer points to, or an array of them."""

    path: str
    """``sum``, ``force.x``."""
    type: str
    bound: str | None
    """Elements of the array; None where it is none."""
    index: Node | None
    """Which of the array."""


class Place(Record):
    """An element of an array in global memory."""

    base: str
    """The pointer."""
    index: Node | None
    """Which element, where one expression says so."""
    cast: str | None = None
    """The type that the address is cast to."""
    member: Member | None = None
    alias: Variable | None = None
    """The local that refers or points to the element."""


def place_of(tree: SyntaxTree, function: Function, address: Node) -> Place | None:
    """The element; None where the address is written in another way."""
    node = unparenthesized(address)
    if node.type == "cast_expression":
        value, kind = node.child_by_field_name("value"), node.child_by_field_name("type")
        inner = None if value is None else place_of(tree, function, value)
        if inner is None or kind is None or inner.member is not None:
            return None
        return Place(inner.base, inner.index, tree.text(kind).replace("*", "").strip(), alias=inner.alias)
    if node.type == "pointer_expression" and tree.text(node).startswith("&"):
        element = node.child_by_field_name("argument")
        return None if element is None else _of_element(tree, function, unparenthesized(element))
    parts = binary_parts(node)
    if parts is not None and parts[0] == "+" and parts[1].type == "field_expression":
        return _of_member(tree, function, parts[1], parts[2])
    return _pointed(tree, function, node)


def _pointed(tree: SyntaxTree, function: Function, node: Node) -> Place | None:
    """``base``, ``base + i`` and ``&base[i]``; a local that points there."""
    if node.type == "identifier":
        return _named(tree, function, tree.text(node), None, is_pointer=True)
    parts = binary_parts(node)
    if parts is not None and parts[0] == "+" and parts[1].type == "identifier":
        return _named(tree, function, tree.text(parts[1]), parts[2], is_pointer=True)
    element = node.child_by_field_name("argument") if node.type == "pointer_expression" and tree.text(node).startswith("&") else None
    return None if element is None else _item(tree, function, unparenthesized(element))


def _of_element(tree: SyntaxTree, function: Function, node: Node) -> Place | None:
    base, index = _subscript(node)
    if base is not None and base.type == "field_expression":
        return _of_member(tree, function, base, index)
    return _of_member(tree, function, node, None) if node.type == "field_expression" else _item(tree, function, node)


def _of_member(tree: SyntaxTree, function: Function, node: Node, index: Node | None) -> Place | None:
    """``struct.path`` or ``struct.path[index]``."""
    path: list[str] = []
    arrow = False
    while node.type == "field_expression":
        inner, field, operator = (node.child_by_field_name(f) for f in ("argument", "field", "operator"))
        if inner is None or field is None or operator is None or arrow:
            return None
        path.insert(0, tree.text(field))
        arrow, node = tree.text(operator) == "->", unparenthesized(inner)
    place = _pointed(tree, function, node) if arrow else _item(tree, function, node)
    if place is None or place.member is not None or len(path) > 2:
        return None
    parameter = function.parameter(place.base)
    name = ".".join(path)
    number = None if parameter is None else number_in(tree, parameter.type, name)
    if number is None or (number.bound is None) != (index is None):
        return None
    return Place(place.base, place.index, None, Member(name, number.type, number.bound, index), place.alias)


def _item(tree: SyntaxTree, function: Function, node: Node) -> Place | None:
    """``base[i]``, ``*base``, or a reference to such an element."""
    if node.type == "identifier":
        return _named(tree, function, tree.text(node), None, is_pointer=False)
    if node.type == "pointer_expression" and tree.text(node).startswith("*"):
        inner = node.child_by_field_name("argument")
        return None if inner is None else _pointed(tree, function, unparenthesized(inner))
    base, index = _subscript(node)
    return None if base is None or base.type != "identifier" else _named(tree, function, tree.text(base), index, is_pointer=True)


def _subscript(node: Node) -> tuple[Node | None, Node | None]:
    base, indices = (node.child_by_field_name(f) for f in ("argument", "indices"))
    is_one = node.type == "subscript_expression" and base is not None and indices is not None and indices.named_child_count == 1
    return (base, indices.named_children[0]) if is_one and indices is not None else (None, None)


def _named(tree: SyntaxTree, function: Function, name: str, index: Node | None, *, is_pointer: bool) -> Place | None:
    """The place of a pointer (and ``index`` behind it) or a reference: of a parameter, or of the one that a local is set to once."""
    if function.parameter(name) is not None:
        return Place(name, index) if is_pointer else None
    found = locals_of(tree, function.body).get(name, ())
    value = found[0].value if len(found) == 1 else None
    is_fitting = value is not None and (found[0].indirection == 1 if is_pointer else found[0].is_reference and not found[0].is_pointer)
    is_changed = any(tree.text(change.target) == name for change in assignments(tree, function.body))
    if value is None or not is_fitting or is_changed or found[0].is_shared or found[0].is_array:
        return None
    aimed = unparenthesized(value)
    place = _pointed(tree, function, aimed) if is_pointer else _item(tree, function, aimed)
    if place is None or place.alias is not None or place.index is None:
        return None
    return Place(place.base, place.index if index is None else None, alias=found[0])
