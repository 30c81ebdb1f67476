"""Arrays of structures: how large one is, and which of its members a kernel uses; one that is copied whole is moved by its members.

Example::

    struct_uses(parsed, tree, kernel, bodies)[7]   # (StructUse("p", "Particle", 32, ("x", "vx"), 12),)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from assistant.cuda.accesses import ArrayAccess, array_accesses
from assistant.cuda.code_patterns import Words
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.structs import struct_fields
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Kernel, ParsedSource
from assistant.profile.facts import StructUse

__all__ = ["struct_uses"]

_VECTOR_MEMBERS = "xyzw"
_VECTOR = Words(r"(?:u?(?:char|short|int|long|longlong)|float|double)[234]")
_VECTOR_OF_ONE_ACCESS = Words(r"u?(?:char|short|int|long|longlong)[24]|(?:float|double)[24]|(?:__half|half|__nv_bfloat16)2?")


def struct_uses(parsed: ParsedSource, tree: SyntaxTree, kernel: Kernel, bodies: Sequence[Node]) -> Mapping[int, tuple[StructUse, ...]]:
    """By line. Left out: vectors that one access moves, elements that are arguments, and structures whose layout the text does not give."""
    lines: defaultdict[int, list[StructUse]] = defaultdict(list)
    for parameter in kernel.parameters:
        if not parameter.is_pointer or not parameter.element_type:
            continue
        found = [access for body in bodies for access in array_accesses(tree, body) if access.base == parameter.name]
        sizes = _member_bytes(parsed, tree, parameter.element_type)
        size = element_size_bytes(tree, parameter.element_type)
        whole = tuple(sizes) if _is_moved_by_member(parameter.element_type) else ("",)
        used = [use for access in found for use in _uses(tree, access, parameter.element_type, bodies, whole)]
        if size is None or not used or any(name not in sizes for _, name in used):
            continue
        used_bytes = sum(sizes[name] for name in {name for _, name in used})
        for line in dict.fromkeys(line for line, _ in used):
            members = tuple(dict.fromkeys(name for here, name in used if here == line))
            lines[line].append(StructUse(parameter.name, parameter.element_type, size, members, used_bytes))
    return {line: tuple(uses) for line, uses in lines.items()}


def _is_moved_by_member(element_type: str) -> bool:
    """Whether a copy of an element is an access for each member: ``float2`` and ``float4`` are aligned so that one moves all of it."""
    return element_type not in _VECTOR_OF_ONE_ACCESS


def _uses(
    tree: SyntaxTree, access: ArrayAccess, element_type: str, bodies: Sequence[Node], whole: tuple[str, ...]
) -> list[tuple[int, str]]:
    """(line, member) of an element; through the reference that stands for it (``Particle &p = ps[i]``) where it is bound to one.

    ``whole``: the members that are used where all of it is; of a local copy (``Particle p = ps[i]``) those that the copy is asked for.
    """
    name = _reference_to(tree, access.node)
    if name is None:
        line, member = tree.line(access.node), _member(tree, access.node)
        if member or (access.node.parent is not None and access.node.parent.type == "argument_list"):
            return [(line, member)]
        return [(line, name) for name in _asked_of_copy(tree, access.node, bodies) or whole]
    body = next(body for body in bodies if tree.span(body).start <= tree.span(access.node).start < tree.span(body).end)
    return _uses_of_reference(tree, name, body) + _uses_in_helpers(tree, name, element_type, body, bodies)


def _reference_to(tree: SyntaxTree, element: Node) -> str | None:
    """``p`` of ``Particle &p = ps[i];``."""
    parent = element.parent
    declarator = parent.child_by_field_name("declarator") if parent is not None and parent.type == "init_declarator" else None
    if declarator is None or declarator.type != "reference_declarator" or not declarator.named_children:
        return None
    return tree.text(declarator.named_children[-1])


def _asked_of_copy(tree: SyntaxTree, element: Node, bodies: Sequence[Node]) -> tuple[str, ...]:
    """Members of ``p`` that are used behind ``Particle p = ps[i];``; empty where it is used whole, or this is no such copy."""
    parent = element.parent
    declarator = parent.child_by_field_name("declarator") if parent is not None and parent.type == "init_declarator" else None
    if declarator is None or declarator.type != "identifier":
        return ()
    body = next(body for body in bodies if tree.span(body).start <= tree.span(element).start < tree.span(body).end)
    mentions = [node for node in tree.find("identifier", inside=body) if tree.text(node) == tree.text(declarator) and node != declarator]
    members = [_member(tree, node) for node in mentions]
    return tuple(dict.fromkeys(members)) if all(members) else ()


def _uses_of_reference(tree: SyntaxTree, name: str, body: Node) -> list[tuple[int, str]]:
    """Its members, and empty names for uses of the whole element; arguments of calls aside, and its own declaration."""
    mentions = [node for node in tree.find("identifier", inside=body) if tree.text(node) == name and node.parent is not None]
    kept = [node for node in mentions if node.parent is not None and node.parent.type not in ("argument_list", "reference_declarator")]
    return [(tree.line(node), _member(tree, node)) for node in kept]


def _uses_in_helpers(tree: SyntaxTree, name: str, element_type: str, body: Node, bodies: Sequence[Node]) -> list[tuple[int, str]]:
    """Members used by the functions that the reference is passed to; an empty name where one of them is not a device function here."""
    found: list[tuple[int, str]] = []
    helpers = {helper_name: helper for helper in bodies if (helper_name := _function_name(tree, helper))}
    for node in tree.find("argument_list", inside=body):
        if name not in [tree.text(argument) for argument in node.named_children] or node.parent is None:
            continue
        callee = node.parent.child_by_field_name("function")
        helper = None if callee is None else helpers.get(tree.text(callee))
        if helper is None or helper.parent is None:
            return [*found, (tree.line(node), "")]
        for parameter in tree.find("parameter_declaration", inside=helper.parent):
            declarator = parameter.child_by_field_name("declarator")
            kind = parameter.child_by_field_name("type")
            if kind is not None and tree.text(kind) == element_type and declarator is not None and declarator.named_children:
                found += _uses_of_reference(tree, tree.text(declarator.named_children[-1]), helper)
    return found


def _function_name(tree: SyntaxTree, body: Node) -> str:
    declarator = None if body.parent is None else body.parent.child_by_field_name("declarator")
    name = None if declarator is None else declarator.child_by_field_name("declarator")
    return "" if name is None else tree.text(name)


def _member(tree: SyntaxTree, element: Node) -> str:
    """``x`` of ``p[i].x``; empty for a whole element."""
    parent = element.parent
    field = parent.child_by_field_name("field") if parent is not None and parent.type == "field_expression" else None
    return "" if field is None else tree.text(field)


def _member_bytes(parsed: ParsedSource, tree: SyntaxTree, element_type: str) -> Mapping[str, int]:
    """Bytes of each member; nothing where one of them is not known."""
    declared = struct_fields(parsed.source.text).get(element_type)
    if declared is None:
        return _vector_members(tree, element_type)
    sizes = {name: element_size_bytes(tree, kind) for name, kind in declared}
    known = {name: size for name, size in sizes.items() if size is not None}
    return known if len(known) == len(sizes) else {}


def _vector_members(tree: SyntaxTree, element_type: str) -> Mapping[str, int]:
    """Bytes of each member of ``float4`` and similar types; nothing for other types without members, ``u32`` and ``f64`` among them."""
    size = element_size_bytes(tree, element_type)
    if size is None or element_type not in _VECTOR:
        return {}
    count = int(element_type[-1])
    return dict.fromkeys(_VECTOR_MEMBERS[:count], size // count)
