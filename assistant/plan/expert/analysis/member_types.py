"""What a program's other files say of types: the members of their structs, and what other names of types stand for.

Example::

    member_type(tree, "Params", "h")      # 'float' where a header has `struct Params { float h; };`
    other_aliases(tree)["real"]           # 'float' where it has `typedef float real;`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

from assistant.cuda.structs import struct_names
from assistant.cuda.syntax import KEPT_ANSWERS, Node, SyntaxTree, kept
from assistant.record import Record

__all__ = ["member_type", "other_aliases"]

K = TypeVar("K")
_WORDS = ("struct", "typedef", "using")


class _Types(Record):
    """Of one text; what it says in two ways is left out."""

    members: Mapping[tuple[str, str], str]
    """(struct, member) → type of the value, or of an array's elements."""
    aliases: Mapping[str, str]


def member_type(tree: SyntaxTree, struct: str, member: str) -> str | None:
    """The type as it is spelled; None where no other file says it, or several say different things."""
    key = (struct.split("::")[-1], member)
    return _only((key, types.members[key]) for types in _others(tree) if key in types.members).get(key)


@kept
def other_aliases(tree: SyntaxTree) -> Mapping[str, str]:
    """What names of types stand for, by ``typedef`` and ``using``."""
    return _only(item for types in _others(tree) for item in types.aliases.items())


def _others(tree: SyntaxTree) -> tuple[_Types, ...]:
    return tuple(_types(source.text) for source in tree.others if any(word in source.text for word in _WORDS))


@lru_cache(maxsize=KEPT_ANSWERS)
def _types(text: str) -> _Types:
    tree = SyntaxTree(text)
    members = (
        ((name, tree.text(member)), tree.text(spelled))
        for struct in tree.find("struct_specifier")
        for name in struct_names(struct)
        for spelled, member in _members(tree, struct)
    )
    aliases = (
        (tree.text(name), tree.text(target))
        for node in tree.find("type_definition", "alias_declaration")
        for name in [node.child_by_field_name("declarator") or node.child_by_field_name("name")]
        for target in [node.child_by_field_name("type")]
        if name is not None and target is not None and name.type == "type_identifier"
    )
    return _Types(_only(members), _only(aliases))


def _members(tree: SyntaxTree, struct: Node) -> Iterable[tuple[Node, Node]]:
    """(type, name) of its values and arrays; pointers and references are left out."""
    body = struct.child_by_field_name("body")
    for field in [] if body is None else [child for child in body.named_children if child.type == "field_declaration"]:
        spelled = field.child_by_field_name("type")
        for declarator in field.children_by_field_name("declarator") if spelled is not None else []:
            name = declarator
            while name.type == "array_declarator" and (inner := name.child_by_field_name("declarator")) is not None:
                name = inner
            if spelled is not None and name.type == "field_identifier":
                yield spelled, name


def _only(found: Iterable[tuple[K, str]]) -> dict[K, str]:
    """Those for which all that is found is the same."""
    known: dict[K, set[str]] = {}
    for key, value in found:
        known.setdefault(key, set()).add(value)
    return {key: next(iter(values)) for key, values in known.items() if len(values) == 1}
