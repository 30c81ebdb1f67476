"""Arrays of structures that a kernel reads or writes member by member: how large one is, and which of its members are used.

Example::

    struct_uses(parsed, tree, kernel, bodies)[7]   # (StructUse("p", "Particle", 32, ("x", "vx"), 12),)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from assistant.model.source import Kernel, ParsedSource
from assistant.profile.facts import StructUse
from assistant.source.accesses import ArrayAccess, array_accesses
from assistant.source.element_size import element_size_bytes
from assistant.source.structs import struct_fields
from assistant.source.syntax import Node, SyntaxTree

__all__ = ["struct_uses"]

_VECTOR_MEMBERS = "xyzw"


def struct_uses(parsed: ParsedSource, tree: SyntaxTree, kernel: Kernel, bodies: Sequence[Node]) -> Mapping[int, tuple[StructUse, ...]]:
    """By line. Left out: pointers of which whole elements are copied, and structures whose layout the text does not give."""
    lines: defaultdict[int, list[StructUse]] = defaultdict(list)
    for parameter in kernel.parameters:
        if not parameter.is_pointer or not parameter.element_type:
            continue
        found = [access for body in bodies for access in array_accesses(tree, body) if access.base == parameter.name]
        sizes = _member_bytes(parsed, tree, parameter.element_type)
        size = element_size_bytes(tree, parameter.element_type)
        used = [(tree.line(access.node), _member(tree, access)) for access in found]
        if size is None or not used or any(name not in sizes for _, name in used):
            continue
        used_bytes = sum(sizes[name] for name in {name for _, name in used})
        for line in dict.fromkeys(line for line, _ in used):
            members = tuple(dict.fromkeys(name for here, name in used if here == line))
            lines[line].append(StructUse(parameter.name, parameter.element_type, size, members, used_bytes))
    return {line: tuple(uses) for line, uses in lines.items()}


def _member(tree: SyntaxTree, access: ArrayAccess) -> str:
    """``x`` of ``p[i].x``; empty for a whole element."""
    parent = access.node.parent
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
    """Of ``float4`` and its like; nothing for other types without members."""
    size = element_size_bytes(tree, element_type)
    count = element_type[-1:]
    if size is None or count not in ("2", "3", "4") or element_type.endswith("half2"):
        return {}
    return dict.fromkeys(_VECTOR_MEMBERS[: int(count)], size // int(count))
