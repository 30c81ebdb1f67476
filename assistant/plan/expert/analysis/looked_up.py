"""Tables that a kernel looks values up in: small arrays that it only reads, at places that its data decide.

Example::

    out[i] = gamma[picture[i]];
    [(table.base, table.size.text) for table in looked_up(context)]    # [('gamma', '256')]
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.assignments import assignments
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import loops_around
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.pointer_roots import Root, element_type, global_pointers, may_overlap, root_of
from assistant.plan.expert.analysis.stored_pointers import stored_pointers
from assistant.plan.expert.analysis.table_sizes import TableSize, table_size
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["Table", "looked_up"]

_MAX_DEPTH = 6
"""Deepest chain of definitions that is followed."""


class _Lookup(Record):
    """One place that reads an element."""

    base: str
    node: Node
    element_type: str
    index: None = None
    """An index may say how many elements could be asked for, and not how many there are to be copied."""


class Table(Record):
    """Such a table."""

    base: str
    type: str
    """Of its elements, as the text spells it."""
    size: TableSize
    loads: tuple[Node, ...]
    apart: tuple[ApartAsRecorded, ...]
    """What only recorded launches show to be apart."""


def looked_up(context: TransformationContext) -> tuple[Table, ...] | Obstacle:
    """All tables of the kernel where the context's line reads one, or why that one has to stay where it is; none where it reads none."""
    tree, function = context.tree, enclosing_function(context.tree, context.body)
    if function is None:
        return ()
    lookups = _lookups(context, function)
    bases = dict.fromkeys(lookup.base for lookup in lookups)
    found: list[Table] = []
    at_line = {lookup.base for lookup in lookups if _is_at_line(context, lookup.node)}
    for base in bases if at_line else ():
        own = tuple(lookup for lookup in lookups if lookup.base == base)
        table = _table(context, function, own, element_type(tree, function, base) or own[0].element_type)
        if isinstance(table, Table):
            found.append(table)
        elif base in at_line:
            return table
    return tuple(found)


def _lookups(context: TransformationContext, function: Function) -> tuple[_Lookup, ...]:
    tree, found = context.tree, list[_Lookup]()
    for access in array_accesses(tree, context.body):
        node = access.node
        is_plain = node.type == "subscript_expression" and len(access.indices) == 1 and not hidden_names(tree, node)
        if access.kind is not Use.READ or not is_plain or access.base not in global_pointers(tree, function, node):
            continue
        kind = element_type(tree, function, access.base)
        is_parameter = isinstance(root_of(tree, function, access.base), Root) and function.parameter(access.base) is not None
        if kind is not None and kind != "auto" and is_parameter and _is_from_memory(context, function, access.indices[0], 0):
            found.append(_Lookup(access.base, node, plain_type(tree, kind)))
    return tuple(found)


def _is_at_line(context: TransformationContext, node: Node) -> bool:
    tree = context.tree
    inner = loops_around(tree, node)[:1]
    places = (node, *inner)
    return any(tree.line(place) <= context.line <= place.end_point[0] + 1 for place in places)


def _is_from_memory(context: TransformationContext, function: Function, index: Node, depth: int) -> bool:
    """An element of global memory decides the index."""
    tree = context.tree
    accesses = array_accesses(tree, index)
    if any(access.base in global_pointers(tree, function, access.node) for access in accesses):
        return True
    local, names = locals_of(tree, function.body), names_in(tree, index)
    values = [variable.value for name in names for variable in local.get(name, ()) if variable.value is not None]
    values += [
        change.value for change in assignments(tree, function.body) if tree.text(change.target) in names and change.value is not None
    ]
    return depth < _MAX_DEPTH and any(_is_from_memory(context, function, value, depth + 1) for value in values)


def _table(context: TransformationContext, function: Function, own: tuple[_Lookup, ...], kind: str) -> Table | Obstacle:
    tree, base, apart = context.tree, own[0].base, dict[ApartAsRecorded, None]()
    for other in sorted(stored_pointers(tree, function, function.body)):
        if other == base:
            return Obstacle(DeclineReason.ELEMENT_CHANGES, f"the kernel changes `{base}`, which would have to stay as it is")
        found = may_overlap(tree, function, other, base, context.recorded)
        if isinstance(found, Obstacle):
            return found
        apart |= {} if found is None else {found: None}
    size = table_size(context, own)
    if isinstance(size, Obstacle):
        return size
    if size.is_parameter:
        words = f"`{base}` has as many elements as `{size.text}` says at run time, and an array in shared memory needs a constant number"
        return Obstacle(DeclineReason.SIZE_UNKNOWN, words)
    return Table(base, kind, size, tuple(lookup.node for lookup in own), tuple(apart))
