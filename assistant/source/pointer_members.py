"""What the pointers in a text's structs point to: ``u64 *keys;`` of ``struct Table`` points to ``unsigned long long``.

Example::

    pointer_members("struct T { float *x; int n; };")["T"]     # (PointerMember('x', 'float', 0),)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from assistant.source.struct_layouts import struct_layouts
from assistant.source.syntax import KEPT_ANSWERS, SyntaxTree, node_text

__all__ = ["PointerMember", "pointer_members"]

_DEEPEST = 8
"""Names of names that are followed."""


@dataclass(frozen=True)
class PointerMember:
    """A plain pointer among a struct's members."""

    name: str
    pointee: str
    """As the text spells it, names that it gives to other types replaced."""
    offset_bytes: int


@lru_cache(maxsize=KEPT_ANSWERS)
def pointer_members(text: str) -> Mapping[str, tuple[PointerMember, ...]]:
    """By the struct's name; structs whose layout the text alone does not give are left out."""
    layouts, tree = struct_layouts(text), SyntaxTree(text)
    aliases: dict[str, str] = {}
    for node in tree.find("type_definition", "alias_declaration"):
        alias = node.child_by_field_name("declarator" if node.type == "type_definition" else "name")
        target = node.child_by_field_name("type")
        if alias is not None and target is not None and alias.type == "type_identifier":
            aliases.setdefault(node_text(alias), node_text(target))
    found: dict[str, tuple[PointerMember, ...]] = {}
    for node in tree.find("struct_specifier", "class_specifier"):
        tag, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        layout = None if tag is None else layouts.get(node_text(tag))
        if tag is None or body is None or layout is None:
            continue
        offsets = {member.path: member.offset_bytes for member in layout.members}
        members = list[PointerMember]()
        for field in body.named_children:
            kind = field.child_by_field_name("type")
            for declarator in field.children_by_field_name("declarator") if kind is not None else ():
                name = node_text(declarator).lstrip("*").replace("__restrict__", "").strip()
                if declarator.type == "pointer_declarator" and node_text(declarator).count("*") == 1 and name in offsets:
                    assert kind is not None, "a field without a type has no declarators here"
                    members.append(PointerMember(name, _resolved(node_text(kind), aliases), offsets[name]))
        found[node_text(tag)] = tuple(members)
    return found


def _resolved(name: str, aliases: Mapping[str, str]) -> str:
    for _ in range(_DEEPEST):
        name = aliases.get(name, name)
    return name
