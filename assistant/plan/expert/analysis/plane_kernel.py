"""Kernels whose blocks along one axis of the grid compute results of their own from partly the same data: planes, channels, filters.

The axis has one thread. It is used once, as in `int channel = blockIdx.z;`, or taken apart, as in `int channel = blockIdx.z % channels;`
and `int image = blockIdx.z / channels;`, also by way of a local, `int plane = blockIdx.z;`. What depends on that local could be computed
for several channels by one thread, which then loads once what does not depend on it.

Example::

    match plane_kernel(context):
        case PlaneKernel(index=index): ...     # `channel`, what depends on it, and what the threads of several channels would share
        case Obstacle(): ...                   # why a thread must keep to one
        case None: ...                         # no axis of the grid is used in this way
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.accesses import Use, array_accesses, canonical
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import mentions, names_in
from assistant.cuda.shared_arrays import shared_arrays
from assistant.cuda.syntax import Node, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["PlaneKernel", "plane_kernel"]

_AXES = "zyx"


class PlaneKernel(Record):
    """Such a kernel."""

    function: Function
    index: Variable
    """The local that holds the plane."""
    axis: str
    block: str
    """``blockIdx.z``, or the local that holds it where that is taken apart."""
    modulus: Node | None
    """``channels`` of ``blockIdx.z % channels``; None where the planes have the axis for themselves."""
    quotients: tuple[Node, ...]
    """``blockIdx.z / channels``, wherever it stands."""
    dependent: frozenset[str]
    """Locals that differ from plane to plane, the index included."""
    statements: tuple[Node, ...]
    """Declarations and expressions that depend on the plane, in source order."""
    shared: str
    """A pointer whose elements in a loop are the same for all planes."""
    apart: tuple[ApartAsRecorded, ...]
    """What only recorded launches show."""


def plane_kernel(context: TransformationContext) -> PlaneKernel | Obstacle | None:
    """The kernel's parts; why a thread must keep to one plane; None where no axis of the grid stands for planes."""
    function = enclosing_function(context.tree, context.body)
    found = None if function is None else _index(context, function)
    if function is None or found is None:
        return None
    index, axis, block, modulus, quotients = found
    dependent = _following(context, {index.name})
    statements = tuple(_dependent_statements(context, context.body, dependent))
    obstacle = _obstacle(context, function, dependent, statements)
    if obstacle is not None:
        return obstacle
    shared = _shared(context, function, dependent, statements)
    if shared is None:
        return Obstacle(DeclineReason.NO_GAIN, f"no load in a loop is the same for several values of `{index.name}`")
    apart = _apart(context, function, dependent, statements)
    if isinstance(apart, Obstacle):
        return apart
    return PlaneKernel(function, index, axis, block, modulus, quotients, dependent, statements, shared, apart)


_Index = tuple[Variable, str, str, Node | None, tuple[Node, ...]]


def _index(context: TransformationContext, function: Function) -> _Index | None:
    tree = context.tree
    known = [variables[0] for variables in locals_of(tree, function.body).values() if len(variables) == 1]
    own = [v for v in known if v.value is not None and v.node.parent == function.body and _is_alone_and_kept(context, function, v)]
    for axis in _AXES:
        uses = [n for n in tree.find("field_expression", inside=function.body) if tree.text(n) in _builtins(axis)]
        counted = next((v for v in own if v.value is not None and _plane(context, v.value, f"blockIdx . {axis}") == (v.value, None)), None)
        if counted is not None and uses == [counted.value]:
            named = [n for n in mentions(tree, function.body, counted.name) if not _is_within(n, counted.node)]
            apart = _taken_by(context, function, own, axis, counted.name, named)
            return apart or (counted, axis, f"blockIdx.{axis}", None, ())
        apart = _taken_by(context, function, own, axis, f"blockIdx.{axis}", uses)
        if apart is not None:
            return apart
    return None


def _taken_by(
    context: TransformationContext, function: Function, own: list[Variable], axis: str, block: str, uses: list[Node]
) -> _Index | None:
    """The local that holds what is left of the block's number, which nothing uses but to take it apart."""
    spelled = " . ".join(block.split("."))
    for variable in own:
        found = None if variable.value is None else _plane(context, variable.value, spelled)
        if found is None or found[1] is None:
            continue
        quotients = tuple(_quotients(context, function, found[1], spelled))
        known = [found[0], *(parts[1] for node in quotients if (parts := binary_parts(node)) is not None)]
        if all(node in known for node in uses):
            return variable, axis, block, found[1], quotients
    return None


def _is_alone_and_kept(context: TransformationContext, function: Function, variable: Variable) -> bool:
    changed = any(context.tree.text(change.target) == variable.name for change in assignments(context.tree, function.body))
    return not changed and len(variable.node.children_by_field_name("declarator")) == 1


def _is_within(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte < outer.end_byte


def _builtins(axis: str) -> tuple[str, ...]:
    return tuple(f"{name}.{axis}" for name in ("threadIdx", "blockIdx", "blockDim", "gridDim"))


def _plane(context: TransformationContext, value: Node, block: str) -> tuple[Node, Node | None] | None:
    """(`blockIdx.z`, None), or with what it is taken modulo of."""
    value = unparenthesized(value)
    parts = binary_parts(value)
    counted, modulus = (parts[1], parts[2]) if parts is not None and parts[0] == "%" else (value, None)
    is_name = modulus is None or modulus.type == "identifier"
    return (counted, modulus) if is_name and canonical(context.tree, counted) == block else None


def _quotients(context: TransformationContext, function: Function, modulus: Node | None, block: str) -> Iterator[Node]:
    """`blockIdx.z / channels`, in declarations of the kernel's body."""
    for node in context.tree.find("binary_expression", inside=function.body) if modulus is not None else ():
        parts = binary_parts(node)
        if parts is None or modulus is None or parts[0] != "/" or canonical(context.tree, parts[1]) != block:
            continue
        if context.tree.text(parts[2]) == context.tree.text(modulus):
            yield node


def _following(context: TransformationContext, names: set[str]) -> frozenset[str]:
    """These names and every local whose value follows from them; conditions that do are looked at elsewhere."""
    tree, found = context.tree, set(names)
    variables = [v for each in locals_of(tree, context.body).values() for v in each]
    changes = assignments(tree, context.body)
    count = 0
    while count != len(found):
        count = len(found)
        found |= {v.name for v in variables if v.value is not None and names_in(tree, v.value) & found}
        found |= {tree.text(c.target) for c in changes if _is_local(c) and c.value is not None and names_in(tree, c.value) & found}
    return frozenset(found)


def _is_local(change: Assignment) -> bool:
    return change.target.type == "identifier"


def _dependent_statements(context: TransformationContext, node: Node, dependent: frozenset[str]) -> Iterator[Node]:
    """Of a statement and what it holds, but for the heads of loops and branches."""
    if node.type in ("declaration", "expression_statement"):
        if names_in(context.tree, node) & dependent:
            yield node
    elif node.type in ("compound_statement", "else_clause"):
        for child in node.named_children:
            yield from _dependent_statements(context, child, dependent)
    elif node.type in ("if_statement", *LOOPS):
        branches = (node.child_by_field_name(field) for field in ("consequence", "alternative", "body"))
        for branch in (each for each in branches if each is not None):
            yield from _dependent_statements(context, branch, dependent)


def _obstacle(
    context: TransformationContext, function: Function, dependent: frozenset[str], statements: tuple[Node, ...]
) -> Obstacle | None:
    tree = context.tree
    effect = leaves_or_synchronizes(tree, function.body) if any(shared_arrays(tree, function.body)) else None
    if effect is not None or any(shared_arrays(tree, function.body)):
        return effect or Obstacle(DeclineReason.SYNCHRONIZES, "the block shares memory, which would have to hold several planes")
    for name in sorted(dependent):
        known = locals_of(tree, function.body).get(name, ())
        if len(known) != 1 or known[0].is_array or known[0].is_reference or known[0].type == "auto":
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{name}` is not declared once, as a plain variable")
    for mention in (n for name in sorted(dependent) for n in mentions(tree, function.body, name)):
        if not any(s.start_byte <= mention.start_byte < s.end_byte for s in statements):
            line = tree.line(mention)
            return Obstacle(
                DeclineReason.CONDITIONAL, f"`{tree.text(mention)}` decides at line {line} what is done, not only with which data"
            )
    for statement in statements:
        obstacle = _statement_obstacle(context, function, statement, dependent)
        if obstacle is not None:
            return obstacle
    return None


def _statement_obstacle(context: TransformationContext, function: Function, statement: Node, dependent: frozenset[str]) -> Obstacle | None:
    tree, line = context.tree, context.tree.line(statement)
    if hidden_names(tree, statement) & dependent:
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO, f"a macro at line {line} holds a variable that differs from plane to plane")
    if statement.type == "declaration":
        is_plain = len(statement.children_by_field_name("declarator")) == 1 and "static" not in tree.text(statement).split()
        return None if is_plain else Obstacle(DeclineReason.STORE_FORM, f"line {line} declares several variables at once")
    change = next(iter(assignments(tree, statement)), None)
    if change is None or change.node.parent != statement:
        return Obstacle(DeclineReason.STORE_FORM, f"line {line} is no assignment that could be done for several planes")
    if change.target.type == "identifier" and tree.text(change.target) in dependent:
        return None
    stored = next((a for a in array_accesses(tree, change.target) if a.node == change.target), None)
    if stored is None or change.operator != "=" or stored.base not in global_pointers(tree, function, change.target):
        return Obstacle(DeclineReason.STORE_FORM, f"line {line} stores in another way than by `=` to an element of global memory")
    others = [a for a in array_accesses(tree, function.body) if a.base == stored.base and a.kind is not Use.WRITE]
    if others:
        return Obstacle(DeclineReason.ORDER_MATTERS, f"line {tree.line(others[0].node)} reads `{stored.base}`, which the kernel stores to")
    return None


def _apart(
    context: TransformationContext, function: Function, dependent: frozenset[str], statements: tuple[Node, ...]
) -> tuple[ApartAsRecorded, ...] | Obstacle:
    """Why a thread may find changed what it has stored itself, for a plane that it computes twice: what others read, none may store."""
    tree, of_thread = context.tree, _following(context, {"threadIdx"})
    accesses = [a for node in statements for a in array_accesses(tree, node)]
    own = [a for a in accesses if a.kind is Use.READ and names_in(tree, a.node) & dependent and names_in(tree, a.node) & of_thread]
    stored = {a.base for a in accesses if a.kind is Use.WRITE}
    pairs = [(written, read) for written in sorted(stored) for read in sorted({a.base for a in own} - stored)]
    found = [may_overlap(tree, function, written, read, context.recorded) for written, read in pairs]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    return obstacle or tuple(dict.fromkeys(each for each in found if isinstance(each, ApartAsRecorded)))


def _shared(context: TransformationContext, function: Function, dependent: frozenset[str], statements: tuple[Node, ...]) -> str | None:
    """Of the loads in loops one that does not depend on the plane, where others of the same statement do."""
    tree = context.tree
    known = locals_of(tree, function.body)
    for statement in statements:
        if not any(a.type in LOOPS for a in tree.ancestors(statement)):
            continue
        values = [v.value for name in sorted(names_in(tree, statement) - dependent) for v in known.get(name, ())]
        in_loops = (n for n in values if n is not None and any(a.type in LOOPS for a in tree.ancestors(n)))
        accesses = (a for node in (statement, *in_loops) for a in array_accesses(tree, node))
        for load in accesses:
            is_global = load.kind is Use.READ and load.base in global_pointers(tree, function, load.node)
            if is_global and not names_in(tree, load.node) & dependent:
                return load.base
    return None
