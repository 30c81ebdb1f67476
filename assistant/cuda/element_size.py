"""Bytes of one element of a CUDA type, as nvcc lays it out; None for a type that the text does not define.

Sizes and alignments: CUDA C++ Programming Guide, "Built-in Vector Types" and "Size and Alignment Requirement".

Example::

    element_size_bytes(tree, "float4")   # 16
"""

from __future__ import annotations

import re

from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node, SyntaxTree, node_text

__all__ = ["element_size_bytes"]

_SCALAR_BYTES = {
    **dict.fromkeys(("char", "signed char", "unsigned char", "uchar", "bool", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(("short", "unsigned short", "ushort", "int16_t", "uint16_t", "half", "__half", "__nv_bfloat16"), 2),
    **dict.fromkeys(("int", "unsigned", "unsigned int", "uint", "float", "int32_t", "uint32_t", "half2", "__half2"), 4),
    **dict.fromkeys(("long long", "unsigned long long", "long", "unsigned long", "size_t", "double", "int64_t", "uint64_t"), 8),
}
_VECTOR = re.compile(r"(char|uchar|short|ushort|int|uint|float|long|ulong|longlong|ulonglong|double)([1-4])")
_VECTOR_BASES = {"long": 8, "ulong": 8, "longlong": 8, "ulonglong": 8}
_QUALIFIER = re.compile(r"\b(const|volatile|struct|std\s*::|typename|__shared__|static)\s*")


def element_size_bytes(tree: SyntaxTree, spelled: str) -> int | None:
    """Bytes of the type as spelled; follows ``typedef``, ``using`` and plain structs of the same text."""
    layout = _layout(tree, spelled, 0)
    return None if layout is None else layout[0]


def _layout(tree: SyntaxTree, spelled: str, depth: int) -> tuple[int, int] | None:
    """(bytes, alignment)."""
    name = " ".join(_QUALIFIER.sub("", spelled).split())
    if depth > 8 or name.endswith("*"):
        return (8, 8) if name.endswith("*") else None
    if name in _SCALAR_BYTES:
        return _SCALAR_BYTES[name], _SCALAR_BYTES[name]
    vector = _VECTOR.fullmatch(name)
    if vector is not None:
        base = _VECTOR_BASES.get(vector[1]) or _SCALAR_BYTES[vector[1]]
        size = base * int(vector[2])
        return size, base if vector[2] == "3" else min(size, 16)
    return _user_layout(tree, name, depth)


def _user_layout(tree: SyntaxTree, name: str, depth: int) -> tuple[int, int] | None:
    for node in tree.find("type_definition", "alias_declaration", "struct_specifier"):
        if node.type == "struct_specifier":
            tag, body = node.child_by_field_name("name"), node.child_by_field_name("body")
            if tag is not None and body is not None and node_text(tag) == name:
                return _struct_layout(tree, node, body, depth)
            continue
        alias = node.child_by_field_name("declarator" if node.type == "type_definition" else "name")
        target = node.child_by_field_name("type")
        if alias is not None and target is not None and node_text(alias) == name:
            body = target.child_by_field_name("body") if target.type == "struct_specifier" else None
            if body is not None:
                return _struct_layout(tree, target, body, depth)
            return _layout(tree, node_text(target), depth + 1)
    return None


def _struct_layout(tree: SyntaxTree, node: Node, body: Node, depth: int) -> tuple[int, int] | None:
    if "align" in node_text(node).split("{")[0] or any(c.type == "base_class_clause" for c in node.children):
        return None
    size, alignment = 0, 1
    scope = scope_inside(tree, None)
    for field in body.named_children:
        if field.type in {"comment", "function_definition"}:
            continue
        kind = field.child_by_field_name("type")
        layout = None if kind is None or field.type != "field_declaration" else _layout(tree, node_text(kind), depth + 1)
        if layout is None:
            return None
        for declarator in field.children_by_field_name("declarator"):
            count = 1
            while declarator.type == "array_declarator":
                bound, inner = declarator.child_by_field_name("size"), declarator.child_by_field_name("declarator")
                value = None if bound is None else evaluate(bound, scope, {})
                if value is None or inner is None:
                    return None
                count, declarator = count * value, inner
            if declarator.type != "field_identifier":
                return None
            size = -(-size // layout[1]) * layout[1] + count * layout[0]
            alignment = max(alignment, layout[1])
    return -(-size // alignment) * alignment, alignment
