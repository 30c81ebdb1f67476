"""Tables that every thread goes through with its window: the weights of a convolution, a small picture that is looked for.

Example::

    [(table.base, table.counters) for table in tables_of(context, window)]    # [('wgt', ('i', 'j'))]
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.loops import loops_around
from assistant.cuda.syntax import Node
from assistant.plan.expert.analysis.pointer_roots import Root, element_type, global_pointers, root_of
from assistant.plan.expert.analysis.window_loads import Window, asked_of
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Table", "tables_of"]

_LARGEST = 1024
"""Elements of a table that a block copies. Our own limit: four for each thread of a block of 256, as many as its tile may have."""


class Table(Record):
    """Elements of global memory that only the window's counters choose among."""

    base: str
    element: str
    """Their type."""
    loads: tuple[Node, ...]
    counters: tuple[str, ...]
    """In the order of the loops, outermost first."""
    count: int


def tables_of(context: TransformationContext, window: Window) -> tuple[Table, ...]:
    """Every table that each thread loads whole, whatever its place."""
    tree, found = context.tree, dict[str, Table]()
    accesses = array_accesses(tree, context.body)
    stored = {a.base for a in accesses if a.kind is not Use.READ}
    for access in accesses:
        if access.node.start_byte < window.loop.start_byte or access.node.end_byte > window.loop.end_byte or len(access.indices) != 1:
            continue
        if access.base in stored or access.base == window.base or tree.text(access.node) in found:
            continue
        table = _table(context, window, access.node, access.base, access.indices[0])
        if table is not None:
            found[tree.text(access.node)] = table
    bases = [table.base for table in found.values()]
    return tuple(table for table in found.values() if bases.count(table.base) == 1)


def _table(context: TransformationContext, window: Window, load: Node, base: str, index: Node) -> Table | None:
    tree, roots = context.tree, window.names.roots(index)
    counters = tuple(name for name in _counters(context, window, load) if name in roots)
    if not counters or roots != frozenset(counters) or base not in global_pointers(tree, window.function, load):
        return None
    element, asked = element_type(tree, window.function, base), asked_of(context, window, load)
    is_inside = any(
        (d := window.names.definition(name)) is not None and d.start_byte >= window.loop.start_byte
        for name in tree.find("identifier", inside=index)
    )
    count = 1
    for name in counters:
        count *= window.names.ranges[name].last - window.names.ranges[name].first + 1
    is_parameter = isinstance(root_of(tree, window.function, base), Root)
    if element in (None, "auto") or asked != () or is_inside or not is_parameter or count > _LARGEST:
        return None
    alike = tuple(n for n in tree.find(load.type, inside=window.loop) if tree.text(n) == tree.text(load))
    return Table(base, element or "", alike, counters, count)


def _counters(context: TransformationContext, window: Window, load: Node) -> list[str]:
    """Counters of the window's loops around a load, outermost first."""
    inside = [loop for loop in loops_around(context.tree, load) if window.loop.start_byte <= loop.start_byte]
    order = [name for loop in reversed(inside) for name in window.names.ranges if name in _declared(context, loop)]
    return order if len(order) == len(inside) else []


def _declared(context: TransformationContext, loop: Node) -> frozenset[str]:
    start = loop.child_by_field_name("initializer")
    return frozenset() if start is None else frozenset(context.tree.text(n) for n in context.tree.find("identifier", inside=start))
