"""Elements of global memory that a loop updates, and why one could not wait in a register until the loop ends.

Example::

    for accumulator in accumulators_at(context):
        why_unsafe(context, accumulator, loop)   # (), or '`out` is updated atomically at line 8: …'
"""

from __future__ import annotations

from assistant.cuda.accesses import PointerUse, Use, canonical, uses_of
from assistant.cuda.assignments import modified_names
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import loops_around
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.model.recorded_facts import RecordedFacts
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.pointer_roots import Root, global_pointers, may_overlap, root_of, unclear_access
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["Accumulator", "accumulators_at", "target_of", "updated_lines", "why_unsafe"]


class Accumulator(Record):
    """One element of global memory that a loop updates."""

    function: Function
    base: str
    place: str
    """Canonical text of the element."""
    node: Node
    """The assignment or step that updates it."""


def accumulators_at(context: TransformationContext) -> tuple[Accumulator, ...]:
    """Updates inside loops: those on the finding's line first, else those in a loop that covers it."""
    tree = context.tree
    reachable = {context.kernel.name, *context.kernel.device_functions}
    found: list[Accumulator] = []
    for node in tree.find("assignment_expression", "update_expression"):
        function = enclosing_function(tree, node)
        if function is not None and function.name in reachable and loops_around(tree, node):
            accumulator = _accumulator(tree, function, node)
            if accumulator is not None:
                found.append(accumulator)
    on_line = [a for a in found if _covers(a.node, context.line)]
    around = [a for a in found if _covers(loops_around(tree, a.node)[-1], context.line)]
    return tuple(on_line or around)


def updated_lines(context: TransformationContext) -> tuple[int, ...]:
    """Lines of the kernel's own body on which a loop updates an element of global memory."""
    tree = context.tree
    function = enclosing_function(tree, context.body)
    nodes = () if function is None else tree.find("assignment_expression", "update_expression", inside=context.body)
    inside = (node for node in nodes if loops_around(tree, node))
    return tuple(sorted({tree.line(node) for node in inside if function is not None and _accumulator(tree, function, node) is not None}))


def _covers(node: Node, line: int) -> bool:
    return node.start_point[0] + 1 <= line <= node.end_point[0] + 1


def _accumulator(tree: SyntaxTree, function: Function, node: Node) -> Accumulator | None:
    target = node.child_by_field_name("left") or node.child_by_field_name("argument")
    operator = node.child_by_field_name("operator")
    value = node.child_by_field_name("right")
    if target is None or operator is None:
        return None
    target = unparenthesized(target)
    base = next((n for n in tree.find("identifier", inside=target)), None)
    if base is None or target == base or tree.text(base) not in global_pointers(tree, function, target):
        return None
    place = canonical(tree, target)
    is_update = tree.text(operator) != "=" or (value is not None and _mentions(tree, value, place))
    return Accumulator(function, tree.text(base), place, node) if is_update else None


def _mentions(tree: SyntaxTree, node: Node, place: str) -> bool:
    kinds = ("subscript_expression", "pointer_expression", "field_expression")
    return any(canonical(tree, n) == place for n in tree.find(*kinds, inside=node))


def target_of(node: Node) -> Node:
    """The lvalue that an assignment or step changes, without parentheses."""
    target = node.child_by_field_name("left") or node.child_by_field_name("argument")
    return node if target is None else unparenthesized(target)


def why_unsafe(context: TransformationContext, accumulator: Accumulator, loop: Node) -> Obstacle | tuple[ApartAsRecorded, ...]:
    """Why the element could be seen or changed by something else while ``loop`` runs; else which pointers only recorded launches show to be
    apart."""
    tree = context.tree
    return (
        leaves_or_synchronizes(tree, loop)
        or _place_changes(tree, accumulator, loop)
        or _other_use(tree, accumulator, loop)
        or _aliased(tree, accumulator, loop, context.recorded)
    )


def _place_changes(tree: SyntaxTree, accumulator: Accumulator, loop: Node) -> Obstacle | None:
    names = names_in(tree, target_of(accumulator.node)) | hidden_names(tree, target_of(accumulator.node))
    changed = names & modified_names(tree, loop)
    if changed:
        return Obstacle(
            DeclineReason.ELEMENT_CHANGES,
            f"`{tree.text(target_of(accumulator.node))}` is another element in each iteration: `{min(changed)}` changes in the loop",
        )
    for name in names - {accumulator.base}:
        if any(use.kind is not Use.READ for use in uses_of(tree, loop, name) if name in global_pointers(tree, accumulator.function, loop)):
            return Obstacle(DeclineReason.ELEMENT_CHANGES, f"`{name}`, which chooses the element, is changed in the loop")
    return None


def _other_use(tree: SyntaxTree, accumulator: Accumulator, loop: Node) -> Obstacle | None:
    root = root_of(tree, accumulator.function, accumulator.base)
    if not isinstance(root, Root):
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"where `{accumulator.base}` points is not clear")
    variable = accumulator.function.parameter(accumulator.base)
    if root.parameter.is_volatile or (variable is not None and variable.is_volatile):
        return Obstacle(DeclineReason.VOLATILE, f"`{accumulator.base}` is volatile: each access must reach memory")
    if "**" in tree.text(root.parameter.node).replace(" ", ""):
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"`{accumulator.base}` is a pointer to pointers; what they point to may overlap")
    for use in uses_of(tree, loop, accumulator.base):
        line = tree.line(use.node)
        if use.kind is Use.ATOMIC:
            return Obstacle(
                DeclineReason.ATOMIC, f"`{accumulator.base}` is updated atomically at line {line}: other threads add to it at the same time"
            )
        if use.kind is Use.ESCAPE or _is_addressed(tree, use):
            return Obstacle(DeclineReason.POINTER_CHANGES, f"`{accumulator.base}` itself is passed on or changed at line {line}")
        if use.place != accumulator.place:
            return Obstacle(
                DeclineReason.MAY_OVERLAP,
                f"`{tree.text(use.node)}` at line {line} may be the same element as `{tree.text(target_of(accumulator.node))}`",
            )
    return None


def _is_addressed(tree: SyntaxTree, use: PointerUse) -> bool:
    parent = use.node.parent
    return parent is not None and parent.type == "pointer_expression" and tree.text(parent).startswith("&")


def _aliased(
    tree: SyntaxTree, accumulator: Accumulator, loop: Node, recorded: RecordedFacts | None
) -> Obstacle | tuple[ApartAsRecorded, ...]:
    parameter = root_of(tree, accumulator.function, accumulator.base)
    if isinstance(parameter, Root) and not parameter.parameter.is_restrict:
        unclear = unclear_access(tree, accumulator.function, loop)
        if unclear is not None:
            return Obstacle(DeclineReason.POINTER_UNCLEAR, f"where `{unclear}` points is not clear: it may be the same memory")
    if accumulator.base in hidden_names(tree, loop):
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO, f"a macro in the loop uses `{accumulator.base}` too")
    others = global_pointers(tree, accumulator.function, loop) - {accumulator.base}
    found = [may_overlap(tree, accumulator.function, accumulator.base, name, recorded) for name in sorted(others)]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    return obstacle or tuple(dict.fromkeys(each for each in found if isinstance(each, ApartAsRecorded)))
