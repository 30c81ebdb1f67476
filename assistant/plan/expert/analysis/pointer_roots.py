"""Which parameter a pointer inside a function was made from, and whether two pointers of the function can touch the same memory.

Example::

    may_overlap(tree, function, "dst", "a")   # None, or 'line 12 passes memory of `d_x` for both `out` and `a`'
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.assignments import assignments
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, kept
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.model.recorded_facts import RecordedFacts
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded, NoCallers, Overlap, overlap

__all__ = [
    "Private",
    "Root",
    "Unclear",
    "apart_from_others",
    "element_type",
    "global_pointers",
    "may_overlap",
    "pointer_names",
    "root_of",
    "unclear_access",
]

_SAME_KIND = {
    "float": ("float", "float2", "float3", "float4"),
    "double": ("double", "double2"),
    "half": ("half", "__half", "half2", "__half2"),
    "bfloat16": ("__nv_bfloat16", "__nv_bfloat162"),
    "bool": ("bool",),
    "short": ("short", "unsigned short", "int16_t", "uint16_t"),
    "int": ("int", "unsigned", "unsigned int", "int32_t", "uint32_t", "int2", "int3", "int4", "uint2", "uint3", "uint4"),
    "long": ("long", "unsigned long", "long long", "unsigned long long", "size_t", "int64_t", "uint64_t"),
}
"""Types that may name the same object; a lvalue of one kind may not touch memory of another (C++ [basic.lval]).

``char`` is left out on purpose: it may touch anything.
"""
_MAX_STEPS = 8


class Root(Record):
    """The pointer is, or was computed from, this parameter."""

    parameter: Variable


class Private(Record):
    """Not global memory that another parameter could name: a local or shared array, ``__constant__`` memory."""


class Unclear(Record):
    reason: str


def root_of(tree: SyntaxTree, function: Function, name: str) -> Root | Private | Unclear:
    """Follows ``name`` through its initializer to the parameter it was made from."""
    for _ in range(_MAX_STEPS):
        declared = locals_of(tree, function.body).get(name, ())
        parameter = function.parameter(name)
        if len(declared) + (parameter is not None) > 1:
            return Unclear(f"`{name}` names several variables in `{function.name}`")
        if parameter is not None:
            return Root(parameter)
        if not declared:
            return _file_scope(tree, name)
        variable = declared[0]
        if variable.is_shared or (variable.is_array and not variable.is_pointer):
            return Private()
        if variable.value is None or _is_reassigned(tree, function.body, name):
            return Unclear(f"where `{name}` points is not clear")
        bases = names_in(tree, variable.value) & pointer_names(tree, function)
        if len(bases) != 1:
            return Unclear(f"where `{name}` points is not clear")
        name = next(iter(bases))
    return Unclear(f"where `{name}` points is not clear")


@kept
def pointer_names(tree: SyntaxTree, function: Function) -> frozenset[str]:
    """Names of the function's pointers and arrays, ``auto`` locals made from one included."""
    names = {p.name for p in function.parameters if p.is_pointer}
    local = locals_of(tree, function.body)
    names |= {name for name, variables in local.items() if any(v.is_pointer or v.is_array for v in variables)}
    for name, variables in local.items():
        made_from = {n for v in variables if v.type == "auto" and v.value is not None for n in _address_names(tree, v.value)}
        if made_from & names:
            names.add(name)
    return frozenset(names) | _file_scope_arrays(tree)


def global_pointers(tree: SyntaxTree, function: Function, region: Node) -> frozenset[str]:
    """Pointers and arrays mentioned in ``region`` that may be global memory."""
    mentioned = (names_in(tree, region) | hidden_names(tree, region)) & pointer_names(tree, function)
    return frozenset(name for name in mentioned if not isinstance(root_of(tree, function, name), Private))


def unclear_access(tree: SyntaxTree, function: Function, region: Node) -> str | None:
    """An element read or written in ``region`` through something else than a plain pointer or array of the function."""
    known = pointer_names(tree, function)
    for node in tree.find("subscript_expression", "pointer_expression", "field_expression", inside=region):
        spelled = tree.text(node)
        is_plain_member = node.type == "field_expression" and "->" not in spelled
        if is_plain_member or spelled.startswith("&") or "operator" in spelled:
            continue
        base = _pointer_base(tree, node)
        if base is None or base not in known or _is_pointer_to_pointers(tree, function, base):
            return spelled
    return None


def _pointer_base(tree: SyntaxTree, node: Node) -> str | None:
    """The variable that is indexed or dereferenced; None where it is a member, a call or a choice."""
    current: Node | None = node
    while current is not None and current.type != "identifier":
        if current.type == "field_expression" and "->" not in tree.text(current):
            return None
        if current.type == "binary_expression":
            current = current.child_by_field_name("left")
        elif current.type == "cast_expression":
            current = current.child_by_field_name("value")
        elif current.type == "parenthesized_expression":
            current = next(iter(current.named_children), None)
        else:
            current = current.child_by_field_name("argument")
    return None if current is None else tree.text(current)


def _is_pointer_to_pointers(tree: SyntaxTree, function: Function, name: str) -> bool:
    declared = locals_of(tree, function.body).get(name, ())
    variables = (*declared, *(p for p in function.parameters if p.name == name))
    return any("**" in tree.text(v.declarator).replace(" ", "") for v in variables)


def element_type(tree: SyntaxTree, function: Function, name: str) -> str | None:
    """The element's type; None where the text does not spell it."""
    declared = locals_of(tree, function.body).get(name, ())
    variable = function.parameter(name) or (declared[0] if declared else None)
    if variable is not None and variable.type != "auto":
        return variable.type
    root = root_of(tree, function, name)
    return root.parameter.type if isinstance(root, Root) else None


def may_overlap(
    tree: SyntaxTree, function: Function, written: str, other: str, recorded: RecordedFacts | None = None
) -> Obstacle | ApartAsRecorded | None:
    """Why memory written through ``written`` may be what ``other`` reads or writes; None if it cannot be."""
    roots = (root_of(tree, function, written), root_of(tree, function, other))
    match roots:
        case (Unclear(reason), _) | (_, Unclear(reason)):
            return Obstacle(DeclineReason.POINTER_UNCLEAR, reason)
        case (Root(a), Root(b)) if a.name == b.name:
            return Obstacle(DeclineReason.MAY_OVERLAP, f"`{written}` and `{other}` are both made from `{a.name}`")
        case (Root(a), Root(b)):
            if _types_differ(tree, function, written, other):
                return None
            return _parameters_overlap(tree, function, a, b, recorded)
        case _:
            return None


def apart_from_others(
    tree: SyntaxTree, function: Function, stored: Iterable[str], recorded: RecordedFacts | None
) -> tuple[ApartAsRecorded, ...] | Obstacle:
    """What only recorded launches show to be apart; why not where the function may read elsewhere what it stores through ``stored``."""
    others = global_pointers(tree, function, function.body)
    pairs = [(base, other) for base in sorted(stored) for other in sorted(others - {base})]
    found = [may_overlap(tree, function, base, other, recorded) for base, other in pairs]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    return obstacle or tuple(dict.fromkeys(each for each in found if isinstance(each, ApartAsRecorded)))


def _parameters_overlap(
    tree: SyntaxTree, function: Function, a: Variable, b: Variable, recorded: RecordedFacts | None
) -> Obstacle | ApartAsRecorded | None:
    if a.is_restrict or b.is_restrict:
        return None
    match overlap(tree, function, a.name, b.name, recorded):
        case None | ApartAsRecorded() as found:
            return found
        case Overlap(reason):
            return Obstacle(DeclineReason.MAY_OVERLAP, f"`{a.name}` and `{b.name}` may be the same memory: {reason}")
        case NoCallers(caller):
            return Obstacle(
                DeclineReason.CALLERS_UNKNOWN,
                f"`{a.name}` and `{b.name}` may be the same memory: nothing in this {tree.extent} calls `{caller}`; "
                f"with `__restrict__` on them this could be done",
            )


def _types_differ(tree: SyntaxTree, function: Function, a: str, b: str) -> bool:
    """Both element types are known, of different kinds, and the function makes no pointer into another type."""
    kinds = [_kind(element_type(tree, function, name)) for name in (a, b)]
    if None in kinds or kinds[0] == kinds[1]:
        return False
    casts = tree.find("cast_expression", inside=function.body)
    return "reinterpret_cast" not in tree.text(function.body) and not any(
        (target := cast.child_by_field_name("type")) is not None and "*" in tree.text(target) for cast in casts
    )


def _kind(type_name: str | None) -> str | None:
    return next((kind for kind, names in _SAME_KIND.items() if type_name in names), None)


def _file_scope(tree: SyntaxTree, name: str) -> Private | Unclear:
    for node in tree.root.named_children:
        if node.type == "declaration" and name in names_in(tree, node) and "__constant__" in tree.text(node):
            return Private()
    return Unclear(f"`{name}` is a device variable that a pointer may name too")


@kept
def _file_scope_arrays(tree: SyntaxTree) -> frozenset[str]:
    found: set[str] = set()
    for node in tree.root.named_children:
        if node.type == "declaration" and ("__device__" in tree.text(node) or "__constant__" in tree.text(node)):
            found |= {name for name, variables in locals_of(tree, node).items() if name and variables}
    return frozenset(found)


def _address_names(tree: SyntaxTree, value: Node) -> frozenset[str]:
    """Identifiers of ``p + i`` and ``&p[i]``; none where an element is read instead."""
    is_address = tree.text(value).startswith("&") or not any(tree.find("subscript_expression", inside=value))
    return names_in(tree, value) if is_address else frozenset()


def _is_reassigned(tree: SyntaxTree, body: Node, name: str) -> bool:
    """Assigned another address; stepping along the same buffer (``p++``, ``p += n``) is not."""
    return any(change.operator == "=" and tree.text(change.target) == name for change in assignments(tree, body))
