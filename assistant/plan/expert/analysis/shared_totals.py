"""Sums and maxima that a block makes of one value a thread through shared memory, whatever the steps are.

The steps are not matched, they are followed: with the block's size known, each step is tried for every thread, and the reduction is
understood where the first element ends with each thread's value in it once, and no step reads what another thread writes in it. One loop
may do so for several arrays, and several loops of a kernel one after the other for the same array; a loop around it, with a barrier at its
end, may do so for one value after the other.

Example::

    match shared_totals(context, block):
        case (SharedTotal(parts=(SharedPart(array=array),)),): ...     # `buf`: one reduction
        case Obstacle(): ...                                           # why shuffles cannot take its place
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.accesses import Use, canonical, kind_of
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS, loops_around
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import ElementUse, SharedArray, element_uses, shared_arrays
from assistant.cuda.syntax import Node, unparenthesized, without_comments
from assistant.cuda.variables import Variable, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.block_steps import flat_sizes, is_whole_block, step_counter
from assistant.plan.expert.analysis.combinations import combination_of
from assistant.plan.expert.analysis.leaving import leaving_alone
from assistant.plan.expert.analysis.row_reductions import Combination, is_shuffled
from assistant.plan.expert.analysis.set_anew import until_set_anew
from assistant.plan.expert.analysis.shared_parts import SharedParts, shared_parts
from assistant.plan.expert.analysis.thread_stores import Choice, ThreadStore, is_for_first_thread, is_thread, stores_before
from assistant.plan.expert.analysis.total_steps import element_index, total_steps
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["SharedPart", "SharedTotal", "shared_totals", "totals_of_who_stays"]

_FORM = Obstacle(
    DeclineReason.LOOP_FORM,
    "this is no loop that puts one value of each thread of the block together in the first element of a shared array",
)


class SharedPart(Record):
    """One value of each thread that a loop puts together."""

    array: SharedArray
    store: Node
    """``array[threadIdx.x] = value;``, a statement of the kernel's body; or an ``if`` that stores one value or the other."""
    value: Node | None
    """None where an ``if`` stores."""
    choice: Choice | None
    """What such an ``if``, or ``a ? b : c``, chooses by, and what from; None where there is no choice."""
    before: Node | None
    """``array[threadIdx.x] = 0;`` right before, where the store is an ``if`` without an ``else``: the choice's ``otherwise``."""
    combination: Combination
    local: str | None
    """The author's local that goes along: each step gives it what the thread's element gets, or one thread goes on from its own.

    None where steps know the array alone.
    """

    @property
    def first(self) -> Node:
        """Where storing begins."""
        return self.store if self.before is None else self.before


class SharedTotal(Record):
    """One such reduction."""

    parts: tuple[SharedPart, ...]
    """In the order of their stores, which follow each other."""
    thread: str
    """The thread's index in its block, as the author writes it."""
    loop: Node
    counter: Variable | None
    """What a ``while`` counts by, which nothing else uses; None for a ``for``."""
    alone: Node | None
    """The ``if`` in which one thread goes through the array; None where the block does it in steps."""
    is_repeated: bool
    """A loop around it makes one such value after the other."""


def shared_totals(
    context: TransformationContext, block: Dim3, lent: tuple[SharedArray, ...] = ()
) -> tuple[SharedTotal, ...] | Obstacle | None:
    """The reduction whose loop covers the finding's line, with those that use an array of it again, in source order.

    None where no loop at the line uses shared memory. ``lent``: shared arrays that a helper gets from its callers.
    """
    found = totals_of_who_stays(context, block, lent)
    return found if not isinstance(found, tuple) else _leaving_obstacle(context, found[-1]) or found


def totals_of_who_stays(
    context: TransformationContext, block: Dim3, lent: tuple[SharedArray, ...] = ()
) -> tuple[SharedTotal, ...] | Obstacle | None:
    """The same where some threads of the block may have left before."""
    tree, parts = context.tree, shared_parts(context, block)
    arrays = {array.name: array for array in (*shared_arrays(tree, context.body), *parts.arrays, *lent)}
    loops = list(tree.find("for_statement", "while_statement", inside=context.body))
    here = [loop for loop in loops if loop.start_point[0] < context.line <= loop.end_point[0] + 1]
    if not any(mentions(tree, loop, name) for loop in here for name in arrays):
        return None
    if parts.obstacle is not None and any(mentions(tree, loop, part.name) for loop in here for part in parts.arrays):
        return parts.obstacle
    for loop in here:
        found = _at(context, loop, block, arrays)
        if found is not None:
            return found if isinstance(found, Obstacle) else _with_others(context, found, block, (arrays, parts), loops)
    return _FORM


def _with_others(
    context: TransformationContext,
    first: SharedTotal,
    block: Dim3,
    known: tuple[Mapping[str, SharedArray], SharedParts],
    loops: list[Node],
) -> tuple[SharedTotal, ...] | Obstacle:
    """All reductions of the kernel that share arrays with the first one, where nothing else uses these."""
    arrays, parts = known
    others = (_at(context, loop, block, arrays) for loop in loops if loop != first.loop)
    everyone = [first, *(other for other in others if isinstance(other, SharedTotal))]
    found, names = [first], {part.array.name for part in first.parts}
    while joined := [t for t in everyone if t not in found and names & {part.array.name for part in t.parts}]:
        found += joined
        names |= {part.array.name for total in joined for part in total.parts}
    if len(found) > 1 and any(total.is_repeated for total in found):
        return _FORM
    totals = tuple(sorted(found, key=lambda total: total.loop.start_byte))
    uses = (_use_obstacle(context, totals, arrays[name], parts.declarations) for name in sorted(names))
    locals_used = (_local_obstacle(context, total, block) for total in totals)
    return next((o for o in (*uses, *locals_used) if o is not None), None) or totals


def _at(context: TransformationContext, loop: Node, block: Dim3, arrays: Mapping[str, SharedArray]) -> SharedTotal | Obstacle | None:
    tree, counter = context.tree, None
    if _is_in_order(context, loop):
        alone, place, counted = None, loop, step_counter(context, loop)
        if counted is not None and loop.type == "while_statement":
            counter = counted.variable
        steps = _block_steps(context, loop, arrays, block)
    else:
        alone = place = _alone(context, loop, arrays, block)
        steps = _alone_step(context, loop, arrays, block)
    names = [name for name, *_ in steps]
    is_apart = _begins_with_barrier(context, loop)
    stores = {} if place is None else stores_before(context, place, names, counter, block, is_apart=is_apart)
    if not steps or not stores:
        return None
    parts: list[SharedPart] = []
    for name, combination, local in steps:
        array, stored = arrays[name], stores[name]
        if local is not None and not _goes_along(context, array, stored, local):
            words = f"the steps change `{local}` with `{name}`: it would have to be what was stored there, and a local of its type"
            return Obstacle(DeclineReason.LOOP_FORM, words)
        if len(array.sizes) != 1 or not is_shuffled(context, " ".join(array.element_type.split())):
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{array.name}` of type `{array.element_type}` cannot surely be shuffled")
        parts.append(SharedPart(array, stored.node, stored.value, stored.choice, stored.before, combination, local))
    parts.sort(key=lambda part: part.first.start_byte)
    return SharedTotal(tuple(parts), stores[names[0]].thread, loop, counter, alone, bool(loops_around(tree, parts[0].store)))


def _goes_along(context: TransformationContext, array: SharedArray, stored: ThreadStore, local: str) -> bool:
    """The local holds what was stored before the steps, unchanged by its type, and is the kernel's own."""
    variables = locals_of(context.tree, context.body).get(local, ())
    is_stored = stored.value is not None and context.tree.text(unparenthesized(stored.value)) == local
    is_own = len(variables) == 1 and variables[0].node.parent == stored.node.parent and variables[0].type == array.element_type
    return is_stored and is_own and not (variables[0].is_array or variables[0].is_pointer or variables[0].is_volatile)


def _is_in_order(context: TransformationContext, loop: Node) -> bool:
    """The loop is a statement of the function's body, or of a loop's there whose iterations a barrier keeps apart."""
    block = loop.parent
    around = None if block is None or block == context.body else block.parent
    if block is None or around is None:
        return block == context.body
    last = next(iter(reversed(without_comments(block))), None)
    is_apart = last is not None and last != loop and canonical(context.tree, last) == "__syncthreads ( ) ;"
    jumps = context.tree.find("break_statement", "continue_statement", inside=block)
    return around.type in LOOPS and around.parent == context.body and is_apart and not any(jumps)


def _begins_with_barrier(context: TransformationContext, loop: Node) -> bool:
    """Each of its steps waits first, so that nothing has to wait before the loop."""
    body = loop.child_by_field_name("body")
    first = next(iter(without_comments(body)), None) if body is not None and body.type == "compound_statement" else None
    return first is not None and canonical(context.tree, first) == "__syncthreads ( ) ;"


def _alone(context: TransformationContext, loop: Node, arrays: Mapping[str, SharedArray], block: Dim3) -> Node | None:
    """The ``if`` directly around the loop that lets one thread run it."""
    owner = next((a for a in context.tree.ancestors(loop) if a.type == "if_statement"), None)
    branch = None if owner is None else owner.child_by_field_name("consequence")
    if owner is None or owner.parent != context.body or owner.child_by_field_name("alternative") is not None:
        return None
    is_direct = loop in (branch, loop.parent) or loop.parent == branch
    is_asked = any(mentions(context.tree, node, name) for node in (condition_of(owner),) if node is not None for name in arrays)
    return owner if is_direct and not is_asked and is_for_first_thread(context, condition_of(owner), block) else None


def _block_steps(
    context: TransformationContext, loop: Node, arrays: Mapping[str, SharedArray], block: Dim3
) -> tuple[tuple[str, Combination, str | None], ...]:
    """(array, how the block's steps combine its elements, the local that goes along) of each; empty where they do not make one value."""
    tree, body, counter = context.tree, loop.child_by_field_name("body"), step_counter(context, loop)
    statements = without_comments(body) if body is not None and body.type == "compound_statement" else ()
    barriers = [s for s in statements if canonical(tree, s) == "__syncthreads ( ) ;"]
    branches = [s for s in statements if s.type == "if_statement"]
    if counter is None or len(barriers) != 1 or len(branches) != 1:
        return ()
    known = (*barriers, *branches, counter.update.parent)
    others = [s for s in statements if s not in known and s.type != "declaration"]
    is_late = counter.update.start_byte > branches[0].end_byte or loop.type == "for_statement"
    steps = total_steps(tree, branches[0], arrays)
    if others or not is_late:
        return ()
    is_whole = all(is_whole_block(context, counter, (step.condition, step.index, step.other), block) for step in steps)
    is_own = all(step.local is None or is_thread(context, step.index, block) for step in steps)
    return tuple((step.array, step.combination, step.local) for step in steps) if is_whole and is_own else ()


def _alone_step(
    context: TransformationContext, loop: Node, arrays: Mapping[str, SharedArray], block: Dim3
) -> tuple[tuple[str, Combination, str | None], ...]:
    """The same of one thread, which combines all elements, one after the other."""
    tree, header, body = context.tree, counted_header(context.tree, loop), loop.child_by_field_name("body")
    steps = [(c, n) for c in assignments(tree, loop) for n in arrays if mentions(tree, c.node, n)]
    pair = combination_of(tree, steps[0][0]) if len(steps) == 1 else None
    if header is None or pair is None or body is None or lone_statement(body) != steps[0][0].node.parent:
        return ()
    index = element_index(tree, pair[1], steps[0][1])
    scope, sizes = scope_of(tree, context.kernel).fixed(), flat_sizes(context, block)
    is_all = header.comparison == "<" and header.step == "1" and evaluate(header.bound_node, scope, sizes) == block.x
    is_plain = index is not None and tree.text(index) == header.variable and header.first in ("0", "1")
    if not is_all or not is_plain or steps[0][0].target.type != "identifier":
        return ()
    name, total = steps[0][1], steps[0][0].target
    firsts = [n for n in _before(context, loop, "subscript_expression") if canonical(tree, n) == f"{name}[0]"]
    is_begun = _is_begun_with(context, loop, total, firsts, pair[0])
    if header.first == "0":
        is_twice = pair[0] in (Combination.MAXIMUM, Combination.MINIMUM) and is_begun
        return ((name, pair[0], None),) if not firsts or is_twice else ()
    if is_begun:
        return ((name, pair[0], None),)
    is_own = not firsts and not _changes_before(context, loop, total)
    return ((name, pair[0], tree.text(total)),) if is_own else ()


def _before(context: TransformationContext, loop: Node, *types: str) -> list[Node]:
    """What of these types the one thread comes to between its ``if`` and its loop."""
    owner = next((a for a in context.tree.ancestors(loop) if a.type == "if_statement"), None)
    return [] if owner is None else [n for n in context.tree.find(*types, inside=owner) if n.start_byte < loop.start_byte]


def _changes_before(context: TransformationContext, loop: Node, total: Node) -> list[Assignment]:
    tree, nodes = context.tree, _before(context, loop, "assignment_expression", "update_expression")
    return [c for node in nodes for c in assignments(tree, node) if c.node == node and tree.text(c.target) == tree.text(total)]


def _is_begun_with(context: TransformationContext, loop: Node, total: Node, firsts: list[Node], combination: Combination) -> bool:
    """The thread's total is the first element, or is put together with it, before the loop; nothing else looks at that element there."""
    tree, changes = context.tree, _changes_before(context, loop, total)
    if len(firsts) != 1 or len(changes) > 1:
        return False
    if not changes:
        declared = firsts[0].parent
        name = None if declared is None else declared.child_by_field_name("declarator")
        is_whole = declared is not None and declared.child_by_field_name("value") == firsts[0]
        return is_whole and name is not None and tree.text(name) == tree.text(total)
    is_set = changes[0].operator == "=" and changes[0].value is not None and unparenthesized(changes[0].value) == firsts[0]
    return is_set or combination_of(tree, changes[0]) == (combination, firsts[0])


def _use_obstacle(
    context: TransformationContext, totals: tuple[SharedTotal, ...], array: SharedArray, pointers: tuple[Node, ...]
) -> Obstacle | None:
    """``pointers``: declarations of pointers that have a part of the array for themselves."""
    own = [(total, part) for total in totals for part in total.parts if part.array.name == array.name]
    uses = element_uses(context.tree, context.body, array, pointers)
    if isinstance(uses, str):
        return Obstacle(DeclineReason.POINTER_UNCLEAR, uses)
    for use in uses:
        if not _is_known(context, own, use):
            return Obstacle(
                DeclineReason.USED_ELSEWHERE,
                f"line {use.line} uses `{context.tree.text(use.node)}`, and after shuffles `{array.name}` holds no thread's value",
            )
    return None


def _is_known(context: TransformationContext, own: list[tuple[SharedTotal, SharedPart]], use: ElementUse) -> bool:
    at = use.node.start_byte
    if any(n.start_byte <= at < n.end_byte for total, part in own for n in (part.first, part.store, total.loop)):
        return True
    before = [(total, part) for total, part in own if part.first.start_byte < at]
    is_first = evaluate(use.indices[0], scope_of(context.tree, context.kernel).fixed(), {}) == 0
    if not before or not is_first or kind_of(context.tree, use.node) is not Use.READ:
        return False
    total = before[-1][0]
    is_start = total.alone is not None and total.alone.start_byte <= at < total.loop.start_byte
    is_later = total.alone is None and at >= total.loop.end_byte
    outside = tuple(context.tree.ancestors(total.loop))
    return (is_start or is_later) and not any(a.type in LOOPS and a not in outside for a in context.tree.ancestors(use.node))


def _local_obstacle(context: TransformationContext, total: SharedTotal, block: Dim3) -> Obstacle | None:
    """Why a local that goes along may be looked at by other threads than the first, which alone has the total in it after shuffles."""
    tree = context.tree
    for local in (part.local for part in total.parts if part.local is not None):
        later = (use for use in mentions(tree, context.body, local) if use.start_byte >= total.loop.end_byte)
        for use in until_set_anew(context, later):
            if not _is_of_first_thread(context, use, block):
                words = f"line {tree.line(use)} uses `{local}`, in which the first thread alone has a part of the total after shuffles"
                return Obstacle(DeclineReason.USED_ELSEWHERE, words)
    return None


def _is_of_first_thread(context: TransformationContext, use: Node, block: Dim3) -> bool:
    for around in context.tree.ancestors(use):
        then = around.child_by_field_name("consequence") if around.type == "if_statement" else None
        is_inside = then is not None and then.start_byte <= use.start_byte < then.end_byte
        if is_inside and is_for_first_thread(context, condition_of(around), block):
            return True
    return False


def _leaving_obstacle(context: TransformationContext, last: SharedTotal) -> Obstacle | None:
    leaving = leaving_alone(context, context.body, last.loop.end_byte)
    if leaving is None:
        return None
    words = f"a thread may leave at line {context.tree.line(leaving)}, and the shuffles need all lanes of a warp"
    return Obstacle(DeclineReason.LEAVES_EARLY, words)
