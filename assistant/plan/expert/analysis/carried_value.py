"""Whether a register can hold what a loop's next iteration reads of what this one stores, and what it holds at first.

Example::

    match carried_value(context, function, element):
        case CarriedValue(first=first): ...   # 'y[0]', before the loop
        case Obstacle(): ...                  # '`y` is stored at line 9, too, …'
"""

from __future__ import annotations

from dataclasses import replace

from assistant.cuda.accesses import Use, array_accesses, uses_of
from assistant.cuda.assignments import modified_names
from assistant.cuda.carried_elements import CarriedElement, Places
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.loop_entry import entry_condition, runs_at_least_once
from assistant.plan.expert.analysis.pointer_roots import Root, element_type, global_pointers, may_overlap, root_of, unclear_access
from assistant.plan.expert.analysis.tile_loads import is_unconditional
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["CarriedValue", "carried_value"]


class CarriedValue(Record):
    """A value that can be carried in a register."""

    element: CarriedElement
    loads: tuple[Node, ...]
    type: str
    stored_before: Node | None
    """An assignment before the loop to the element that its first iteration reads; None: there is none in sight."""
    guard: str | None
    """Condition under which the loop runs at all, where the element may not be there otherwise."""
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""

    def with_load(self, load: Node) -> CarriedValue:
        return replace(self, loads=(*self.loads, load))


def carried_value(context: TransformationContext, function: Function, element: CarriedElement) -> CarriedValue | Obstacle:
    """How the value is carried, or why it cannot be."""
    tree = context.tree
    apart = _changed_elsewhere(context, function, element)
    obstacle = _wrong_order(tree, element) or leaves_or_synchronizes(tree, element.loop) or (apart if isinstance(apart, Obstacle) else None)
    kind = element_type(tree, function, element.base)
    if obstacle is not None or isinstance(apart, Obstacle):
        return obstacle or _unclear(element.base)
    if kind is None or kind == "auto":
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the text does not spell the type of the elements of `{element.base}`")
    stored = _stored_before(tree, element)
    if stored is None and not is_unconditional(tree, element.load, element.loop):
        why = f"not every iteration comes to `{tree.text(element.load)}`, and nothing shows that it is there before the loop"
        return Obstacle(DeclineReason.CONDITIONAL, why)
    if stored is not None or runs_at_least_once(tree, element.loop, function):
        return CarriedValue(element, (element.load,), kind, stored, None, apart)
    guard = entry_condition(tree, element.loop, element.header, function)
    if guard is None:
        return Obstacle(DeclineReason.CONDITIONAL, "the loop may not run at all, and whether it does cannot be asked before it")
    return CarriedValue(element, (element.load,), kind, None, guard, apart)


def _wrong_order(tree: SyntaxTree, element: CarriedElement) -> Obstacle | None:
    """Why not every iteration reads the element first and then stores the next one."""
    load, store, loop = element.load, element.store, element.loop
    statement = None if store.parent is None else store.parent.parent
    if statement is None or statement.type != "expression_statement":
        return Obstacle(DeclineReason.STORE_FORM, f"the store of `{tree.text(store)}` is part of a larger expression")
    if not is_unconditional(tree, store, loop):
        return Obstacle(DeclineReason.CONDITIONAL, f"not every iteration comes to `{tree.text(store)}`")
    if load.start_byte > statement.end_byte:
        return Obstacle(
            DeclineReason.ELEMENT_CHANGES, f"`{tree.text(load)}` is read after `{tree.text(store)}` is stored, so both values are needed"
        )
    return None


def _changed_elsewhere(
    context: TransformationContext, function: Function, element: CarriedElement
) -> Obstacle | tuple[ApartAsRecorded, ...]:
    """Why something else in the loop might change the element; else what only recorded launches show to be apart."""
    tree, base, loop = context.tree, element.base, element.loop
    root = root_of(tree, function, base)
    if not isinstance(root, Root) or base in hidden_names(tree, loop) or base in modified_names(tree, loop):
        return _unclear(base)
    if root.parameter.is_volatile or any(v.is_volatile for v in (function.parameter(base),) if v is not None):
        return Obstacle(DeclineReason.VOLATILE, f"`{base}` is volatile: each access must reach memory")
    for use in uses_of(tree, loop, base):
        if use.kind is Use.ESCAPE:
            return _unclear(base)
        if use.kind is not Use.READ and use.node != element.store:
            return Obstacle(
                DeclineReason.MAY_OVERLAP, f"`{base}` is stored at line {tree.line(use.node)}, too, perhaps to the same element"
            )
    if not root.parameter.is_restrict and unclear_access(tree, function, loop) is not None:
        return _unclear(base)
    written = {n for n in global_pointers(tree, function, loop) - {base} if any(u.kind is not Use.READ for u in uses_of(tree, loop, n))}
    found = [may_overlap(tree, function, base, name, context.recorded) for name in sorted(written)]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    return obstacle or tuple(dict.fromkeys(each for each in found if isinstance(each, ApartAsRecorded)))


def _unclear(base: str) -> Obstacle:
    return Obstacle(DeclineReason.POINTER_UNCLEAR, f"where `{base}` points in the loop, or what else changes its elements, is not clear")


def _stored_before(tree: SyntaxTree, element: CarriedElement) -> Node | None:
    """The last assignment before the loop, in its own block, to the element that the first iteration reads."""
    places, changed = Places(tree, element.loop, element.header), frozenset[str]()
    load = next(a for a in array_accesses(tree, element.loop) if a.node == element.load)
    sibling = element.loop.prev_named_sibling
    while sibling is not None:
        stores = [a for a in array_accesses(tree, sibling) if a.base == element.base and a.kind is Use.WRITE]
        is_plain = sibling.type == "expression_statement" and bool(stores) and not names_in(tree, stores[0].node) & changed
        if is_plain and places.are_same_at_first(load, stores[0]):
            return stores[0].node
        changed |= modified_names(tree, sibling)
        sibling = sibling.prev_named_sibling
    return None
