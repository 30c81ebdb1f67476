"""Where the members of the text's structs stand: nested structs, arrays and short vectors included.

Natural C layout (System V ABI, §3.1.2; CUDA C++ Programming Guide, "Built-in Vector Types"). A struct whose layout the text alone does
not give (base classes, virtual functions, bit fields, unions, packing) has none.

Example::

    struct_layouts("struct P { float2 at; int id[3]; };")["P"].size_bytes   # 24
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.reading import split_arguments
from assistant.cuda.scopes import scope_inside
from assistant.cuda.structs import ATTRIBUTE, PACKING, declaration_text, struct_names
from assistant.cuda.syntax import KEPT_ANSWERS, Node, SyntaxTree, node_text
from assistant.model.elements import parse_element_type
from assistant.model.structs import ElementLayout, Member

__all__ = ["layout_named", "struct_layouts"]

_Placed = tuple[tuple[Member, ...], int, int]
"""(members, bytes, alignment)."""
_MOST_MEMBERS = 256
"""A struct of more is not taken apart: judging each member by itself would cost more than it shows."""
_INSTANCE = "kernelopt_instance_of_a_template"
_DEEPEST = 8
"""Nesting that is followed; ends a type that names itself."""
_STRUCTS = ("struct_specifier", "class_specifier")
_ALIGNED = re.compile(r"(?:struct|class)\s+(?:__align__|alignas)\s*\(\s*(\d+)\s*\)")
"""An alignment that the struct asks for itself."""
_QUALIFIER = re.compile(r"\b(?:const|volatile|struct|class|enum|typename)\b")
_WITHOUT_STORAGE = frozenset(
    {
        "comment",
        "access_specifier",
        "type_definition",
        "alias_declaration",
        "static_assert_declaration",
        "friend_declaration",
        "using_declaration",
        "template_declaration",
    }
)
_POINTER = "unsigned long"
"""What a pointer is compared as: its 64 bits."""
_ENUM = "unsigned int"
"""An enumeration without a type of its own has four bytes."""


@lru_cache(maxsize=KEPT_ANSWERS)
def struct_layouts(text: str) -> Mapping[str, ElementLayout]:
    """By the struct's name or its ``typedef``, without namespaces; names that two structs have are left out."""
    if PACKING.search(text):
        return {}
    tree = SyntaxTree(text)
    structs = _Structs(tree)
    found: dict[str, ElementLayout] = {}
    for name in structs.names():
        placed = structs.place(name, 0)
        if placed is not None and placed[0] and len(placed[0]) <= _MOST_MEMBERS:
            found[name] = ElementLayout(name, placed[1], placed[0])
    return found


def layout_named(text: str, spelled: str | None) -> ElementLayout | None:
    """The layout of a type as a compiler spells it (``ns::Particle``, ``View<float const>``); None where the text has no such struct."""
    if spelled is None:
        return None
    name = " ".join(_QUALIFIER.sub("", spelled).split())
    if name.endswith(">"):
        return _instance_layout(text, name)
    return struct_layouts(text).get(name.rpartition("::")[2])


@lru_cache(maxsize=KEPT_ANSWERS)
def _instance_layout(text: str, name: str) -> ElementLayout | None:
    """The layout of an instance of the text's struct template of that name, where there is exactly one."""
    head, _, inside = name[:-1].partition("<")
    tag, arguments = head.strip().rpartition("::")[2], split_arguments(inside)
    known = [(found, parameters) for found, parameters in _templates(SyntaxTree(text)) if _tag_of(found).partition("<")[0].strip() == tag]
    templates = [one for one in known if _tag_of(one[0]) == tag]
    if len(known) != 1 or not templates or len(templates[0][1]) != len(arguments):
        return None  # it has specialisations, or defaults that the spelling leaves out
    ((node, parameters),) = templates
    written = node_text(node)
    for parameter, argument in zip(parameters, arguments, strict=True):
        written = re.sub(rf"\b{re.escape(parameter)}\b", argument, written)
    written = re.sub(rf"\b{tag}\b", _INSTANCE, written)
    layout = struct_layouts(f"{text}\n{written};\n").get(_INSTANCE)
    return None if layout is None else replace(layout, name=name)


def _tag_of(node: Node) -> str:
    tag = node.child_by_field_name("name")
    return "" if tag is None else node_text(tag)


def _templates(tree: SyntaxTree) -> Iterator[tuple[Node, list[str]]]:
    """Structs that are templates, with the names of their parameters."""
    for template in tree.find("template_declaration"):
        parameters = template.child_by_field_name("parameters")
        for node in template.named_children:
            if node.type in _STRUCTS and node.child_by_field_name("body") is not None and parameters is not None:
                yield node, [node_text(one).partition("=")[0].split()[-1] for one in parameters.named_children]


class _Structs:
    """The types that one text defines."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._tree = tree
        self._scope: Scope = scope_inside(tree, None)
        self._bodies: dict[str, Node | None] = {}
        self._aliases: dict[str, str] = {}
        self._enums = {node_text(n) for e in tree.find("enum_specifier") if (n := e.child_by_field_name("name")) is not None}
        for node in tree.find(*_STRUCTS):
            for name in struct_names(node):
                self._bodies[name] = None if name in self._bodies else node
        for node in tree.find("type_definition", "alias_declaration"):
            alias = node.child_by_field_name("declarator" if node.type == "type_definition" else "name")
            target = node.child_by_field_name("type")
            if alias is not None and target is not None and alias.type == "type_identifier":
                self._aliases.setdefault(node_text(alias), node_text(target))

    def names(self) -> tuple[str, ...]:
        return tuple(self._bodies)

    def place(self, spelled: str, depth: int) -> _Placed | None:
        name = " ".join(_QUALIFIER.sub("", spelled).split())
        element = parse_element_type(name)
        if element is not None:
            return (Member("", element, 1, 0),), element.size_bytes, element.alignment_bytes
        name = name.rpartition("::")[2]
        if depth > _DEEPEST:
            return None
        if name in self._bodies:
            node = self._bodies[name]
            return None if node is None else self._struct(node, depth)
        if name in self._enums:
            return self.place(_ENUM, depth + 1)
        return self.place(self._aliases[name], depth + 1) if name in self._aliases else None

    def _struct(self, node: Node, depth: int) -> _Placed | None:
        body = node.child_by_field_name("body")
        is_derived = any(child.type == "base_class_clause" for child in node.children)
        whole = declaration_text(self._tree, node)
        asked = _ALIGNED.match(whole)
        if body is None or node.has_error or is_derived or ATTRIBUTE.search(whole, 0 if asked is None else asked.end()):
            return None
        members, end, alignment = list[Member](), 0, 1 if asked is None else int(asked[1])
        for field in body.named_children:
            if field.type in _WITHOUT_STORAGE or _is_plain_function(field) or _is_static(field):
                continue
            for name, count, placed in self._declared(field, depth):
                if placed is None:
                    return None
                inner, size, inner_alignment = placed
                end = _aligned(end, inner_alignment)
                members += _moved(inner, name, count, size, end)
                end, alignment = end + size * count, max(alignment, inner_alignment)
                if len(members) > _MOST_MEMBERS:
                    return None
        return tuple(members), _aligned(end, alignment), alignment

    def _declared(self, field: Node, depth: int) -> Iterator[tuple[str, int, _Placed | None]]:
        """(name, array length, layout of one) of each member that the declaration declares; a layout None ends it."""
        kind, declarators = field.child_by_field_name("type"), field.children_by_field_name("declarator")
        is_plain = field.type == "field_declaration" and kind is not None and declarators
        if not is_plain or kind is None or any(child.type == "bitfield_clause" for child in field.children):
            yield "", 1, None
            return
        for declarator in declarators:
            count = 1
            while declarator.type == "array_declarator":
                bound, inner = declarator.child_by_field_name("size"), declarator.child_by_field_name("declarator")
                value = None if bound is None else evaluate(bound, self._scope, {})
                if value is None or value < 1 or inner is None:
                    yield "", 1, None
                    return
                count, declarator = count * value, inner
            is_pointer = declarator.type == "pointer_declarator" and "(" not in node_text(declarator)
            name = node_text(declarator).lstrip("* ") if is_pointer else node_text(declarator)
            if "[" in name if is_pointer else declarator.type != "field_identifier":
                yield "", 1, None
                return
            yield name, count, self._pointer(declarator, kind) if is_pointer else self.place(node_text(kind), depth + 1)

    def _pointer(self, declarator: Node, kind: Node) -> _Placed | None:
        """To a value; what pointers to pointers point to is not known."""
        placed = self.place(_POINTER, 0)
        if placed is None or node_text(declarator).count("*") > 1:
            return placed
        target = self.place(node_text(kind), 0)
        is_plain = target is not None and len(target[0]) == 1 and not target[0][0].path
        points_to = target[0][0].element.name if target is not None and is_plain else node_text(kind)
        members, size_bytes, alignment_bytes = placed
        return tuple(replace(member, points_to=points_to) for member in members), size_bytes, alignment_bytes


def _moved(inner: tuple[Member, ...], name: str, count: int, size: int, begin: int) -> list[Member]:
    """The members of ``count`` values, each of ``size`` bytes, as members of the struct in which they stand at ``begin``."""
    if len(inner) == 1 and not inner[0].path:
        return [replace(inner[0], path=name, count=count, offset_bytes=begin)]
    found = list[Member]()
    for index in range(min(count, _MOST_MEMBERS + 1)):
        prefix = f"{name}[{index}]" if count > 1 else name
        found += [replace(m, path=f"{prefix}.{m.path}", offset_bytes=begin + index * size + m.offset_bytes) for m in inner]
    return found


def _is_plain_function(member: Node) -> bool:
    """A member function, which takes no room unless it is virtual; a pointer to a function is none."""
    declarator = member.child_by_field_name("declarator")
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator") and declarator.named_children:
        declarator = declarator.named_children[-1]
    inner = None if declarator is None else declarator.child_by_field_name("declarator")
    is_named = (
        declarator is not None and declarator.type == "function_declarator" and not (inner and inner.type == "parenthesized_declarator")
    )
    return (member.type == "function_definition" or is_named) and "virtual" not in node_text(member).split()


def _is_static(member: Node) -> bool:
    return member.type == "field_declaration" and "static" in [node_text(child) for child in member.named_children]


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
