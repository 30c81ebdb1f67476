"""Plain structs of CUDA text, field by field: what a by-value argument of that type is made of.

Example::

    struct_fields("struct P { float a, b; int n; };")["P"]   # (('a', 'float'), ('b', 'float'), ('n', 'int'))
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from assistant.cuda.syntax import KEPT_ANSWERS, Node, SyntaxTree, node_text

__all__ = ["ATTRIBUTE", "PACKING", "declaration_text", "struct_fields", "struct_names"]

_WITHOUT_STORAGE = frozenset({"comment", "access_specifier", "type_definition", "alias_declaration", "static_assert_declaration"})
"""Members of a struct that take no room."""
PACKING = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+pack\b", re.MULTILINE)
ATTRIBUTE = re.compile(r"\b(?:alignas|__align__|__attribute__|__declspec|_Alignas)\b|\[\[")
"""What may lay a struct out in another way."""
_FIELD_PARTS = frozenset({"comment", "type_qualifier"})
"""What may stand in a field in addition to its type and its names; anything else (a bit width, ``static``, ``alignas``) is not plain."""


@lru_cache(maxsize=KEPT_ANSWERS)
def struct_fields(text: str) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """(field, type) in order, by the struct's name or its ``typedef``; only structs of which each field is a plain value.

    Left out: base classes, virtual functions, bit fields, arrays, pointers, alignment, templates, and names that two structs have.
    """
    tree = SyntaxTree(text)
    if PACKING.search(text):
        return {}
    found: dict[str, tuple[tuple[str, str], ...] | None] = {}
    for node in tree.find("struct_specifier"):
        fields = None if ATTRIBUTE.search(declaration_text(tree, node)) else _fields(node)
        for name in struct_names(node):
            found[name] = None if name in found else fields
    return {name: fields for name, fields in found.items() if fields is not None}


def declaration_text(tree: SyntaxTree, node: Node) -> str:
    """From the struct's first word to the semicolon behind it, attributes included, which the grammar does not see."""
    span = tree.span(node)
    end = tree.source.find(";", span.end)
    return tree.source[span.start : end if end >= 0 else None]


def struct_names(node: Node) -> tuple[str, ...]:
    """Its tag and its ``typedef``; none for a mere mention or a template."""
    body, tag, parent = node.child_by_field_name("body"), node.child_by_field_name("name"), node.parent
    if body is None or (parent is not None and parent.type == "template_declaration"):
        return ()
    alias = parent.child_by_field_name("declarator") if parent is not None and parent.type == "type_definition" else None
    named = (tag, alias if alias is not None and alias.type == "type_identifier" else None)
    return tuple(dict.fromkeys(node_text(item) for item in named if item is not None))


def _fields(node: Node) -> tuple[tuple[str, str], ...] | None:
    """None where anything but plain values decides the layout."""
    body = node.child_by_field_name("body")
    if body is None or node.has_error or any(child.type == "base_class_clause" for child in node.children):
        return None
    fields: list[tuple[str, str]] = []
    for member in body.named_children:
        if member.type in _WITHOUT_STORAGE or _is_plain_function(member):
            continue
        found = _declared(member)
        if found is None:
            return None
        fields += found
    return tuple(fields) or None


def _is_plain_function(member: Node) -> bool:
    declarator = member.child_by_field_name("declarator")
    is_function = member.type == "function_definition" or (declarator is not None and declarator.type == "function_declarator")
    return is_function and "virtual" not in node_text(member).split()


def _declared(member: Node) -> list[tuple[str, str]] | None:
    kind, names = member.child_by_field_name("type"), member.children_by_field_name("declarator")
    if member.type != "field_declaration" or kind is None or not names:
        return None
    values = member.children_by_field_name("default_value")
    known = {part.id for part in (kind, *names, *values)}
    others = [child for child in member.named_children if child.id not in known and child.type not in _FIELD_PARTS]
    if others or any(name.type != "field_identifier" for name in names):
        return None
    return [(node_text(name), node_text(kind)) for name in names]
