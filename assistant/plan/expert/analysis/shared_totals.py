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

from collections.abc import Iterator, Mapping

from assistant.cuda.accesses import Use, canonical, kind_of
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS, loops_around
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import ElementUse, SharedArray, element_uses, shared_arrays
from assistant.cuda.syntax import Node, unparenthesized, without_comments
from assistant.cuda.variables import Variable
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.block_steps import flat_sizes, is_whole_block, step_counter
from assistant.plan.expert.analysis.combinations import combination_of
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.row_reductions import Combination, can_be_shuffled
from assistant.plan.expert.analysis.shared_parts import SharedParts, shared_parts
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Choice", "SharedPart", "SharedTotal", "choice_of", "is_first_thread", "shared_totals"]

_FORM = Obstacle(
    DeclineReason.LOOP_FORM,
    "this is no loop that puts one value of each thread of the block together in the first element of a shared array",
)


class Choice(Record):
    """``condition ? then : otherwise``."""

    condition: Node
    then: Node
    otherwise: Node


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
    step: Assignment
    combination: Combination

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


class _Store(Record):
    node: Node
    thread: str
    value: Node | None
    choice: Choice | None
    before: Node | None = None


def shared_totals(
    context: TransformationContext, block: Dim3, lent: tuple[SharedArray, ...] = ()
) -> tuple[SharedTotal, ...] | Obstacle | None:
    """The reduction whose loop covers the finding's line, with those that use an array of it again, in source order.

    None where no loop at the line uses shared memory. ``lent``: shared arrays that a helper gets from its callers.
    """
    tree, parts = context.tree, shared_parts(context, block)
    arrays = {array.name: array for array in (*shared_arrays(tree, context.body), *parts.arrays, *lent)}
    loops = list(tree.find("for_statement", "while_statement", inside=context.body))
    here = [loop for loop in loops if loop.start_point[0] < context.line <= loop.end_point[0] + 1]
    if not any(_mentions(context, loop, name) for loop in here for name in arrays):
        return None
    if parts.obstacle is not None and any(_mentions(context, loop, part.name) for loop in here for part in parts.arrays):
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
    obstacles = (_use_obstacle(context, totals, arrays[name], parts.declarations) for name in sorted(names))
    return next((o for o in obstacles if o is not None), None) or _leaving_obstacle(context, totals[-1]) or totals


def _at(context: TransformationContext, loop: Node, block: Dim3, arrays: Mapping[str, SharedArray]) -> SharedTotal | Obstacle | None:
    tree = context.tree
    steps = [(c, n) for c in assignments(tree, loop) for n in arrays if _mentions(context, c.node, n)]
    if not steps or len({name for _, name in steps}) != len(steps):
        return None
    counter = None
    if _is_in_order(context, loop):
        alone, place, counted = None, loop, step_counter(context, loop)
        if counted is not None and loop.type == "while_statement":
            counter = counted.variable
        combinations = [_block_combination(context, loop, step, name, block) for step, name in steps]
    else:
        alone = _alone(context, loop, block)
        place, combinations = alone, [_alone_combination(context, loop, steps[0][0], steps[0][1], block)]
    if place is None or len(combinations) != len(steps):
        return None
    stores = _stores_before(context, place, [name for _, name in steps], counter, block, is_apart=_begins_with_barrier(context, loop))
    if not stores:
        return None
    parts: list[SharedPart] = []
    for (step, name), combination in zip(steps, combinations, strict=True):
        if combination is None:
            return None
        array = arrays[name]
        if len(array.sizes) != 1 or not can_be_shuffled(plain_type(tree, " ".join(array.element_type.split()))):
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{array.name}` of type `{array.element_type}` cannot surely be shuffled")
        stored = stores[name]
        parts.append(SharedPart(array, stored.node, stored.value, stored.choice, stored.before, step, combination))
    parts.sort(key=lambda part: part.store.start_byte)
    return SharedTotal(tuple(parts), stores[steps[0][1]].thread, loop, counter, alone, bool(loops_around(tree, parts[0].store)))


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


def _mentions(context: TransformationContext, node: Node, name: str) -> bool:
    return any(context.tree.text(n) == name for n in context.tree.find("identifier", inside=node))


def _alone(context: TransformationContext, loop: Node, block: Dim3) -> Node | None:
    """The ``if`` directly around the loop that lets one thread run it."""
    owner = next((a for a in context.tree.ancestors(loop) if a.type == "if_statement"), None)
    branch = None if owner is None else owner.child_by_field_name("consequence")
    if owner is None or owner.parent != context.body or owner.child_by_field_name("alternative") is not None:
        return None
    is_direct = loop in (branch, loop.parent) or loop.parent == branch
    return owner if is_direct and is_first_thread(context, condition_of(owner), block) else None


def is_first_thread(context: TransformationContext, condition: Node | None, block: Dim3) -> bool:
    """The condition holds for the block's first thread and no other."""
    if condition is None:
        return False
    scope, sizes = scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block)
    return all(evaluate(condition, scope, {**sizes, "threadIdx.x": t}) == (1 if t == 0 else 0) for t in range(block.x))


def _is_thread(context: TransformationContext, node: Node, block: Dim3) -> bool:
    """The expression is the thread's index in its flat block."""
    scope, sizes = scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block)
    return all(evaluate(node, scope, {**sizes, "threadIdx.x": t}) == t for t in range(block.x))


def _stores_before(
    context: TransformationContext, place: Node, names: list[str], counter: Variable | None, block: Dim3, *, is_apart: bool
) -> dict[str, _Store]:
    """``array[thread] = value;`` for each array, with a barrier between them and ``place``, and nothing else; empty otherwise.

    ``is_apart``: ``place`` begins with a barrier itself.
    """
    tree = context.tree
    ignored = None if counter is None else counter.node
    siblings = context.body.named_children if place.parent is None else place.parent.named_children
    before = [n for n in siblings if n.end_byte <= place.start_byte and n.type != "comment" and n != ignored]
    if before and canonical(tree, before[-1]) == "__syncthreads ( ) ;":
        before.pop()
    elif not is_apart:
        return {}
    found: dict[str, _Store] = {}
    while before and len(found) < len(names):
        statement = before.pop()
        stored = _store(context, statement, block) or _stored_over(context, before[-1:], statement, block)
        if stored is None or stored[0] in found:
            return {}
        found[stored[0]] = stored[1]
        before = before if stored[1].before is None else before[:-1]
    return found if found.keys() == {*names} else {}


def _stored_over(context: TransformationContext, before: list[Node], statement: Node, block: Dim3) -> tuple[str, _Store] | None:
    """(the array, an ``if`` that stores a value over the one that the statement before it stored)."""
    then, condition = _branch_store(context, statement, "consequence", block), condition_of(statement)
    otherwise = _stored(context, before[0], block) if before else None
    if statement.type != "if_statement" or statement.child_by_field_name("alternative") is not None:
        return None
    if then is None or otherwise is None or condition is None or then[:2] != otherwise[:2]:
        return None
    if any(_mentions(context, node, then[0]) for node in (condition, then[2], otherwise[2])):
        return None
    return then[0], _Store(statement, then[1], None, Choice(condition, then[2], otherwise[2]), before[0])


def _store(context: TransformationContext, statement: Node, block: Dim3) -> tuple[str, _Store] | None:
    """(the array, ``array[thread] = value;`` or an ``if`` of which both branches are such a store)."""
    if statement.type != "if_statement":
        stored = _stored(context, statement, block)
        if stored is None:
            return None
        name, thread, value = stored
        return name, _Store(statement, thread, value, choice_of(value))
    then, otherwise = (_branch_store(context, statement, field, block) for field in ("consequence", "alternative"))
    condition = condition_of(statement)
    if condition is None or then is None or otherwise is None or then[:2] != otherwise[:2]:
        return None
    return then[0], _Store(statement, then[1], None, Choice(condition, then[2], otherwise[2]))


def choice_of(value: Node) -> Choice | None:
    """The parts of ``a ? b : c``."""
    value = unparenthesized(value)
    condition, then, otherwise = (value.child_by_field_name(f) for f in ("condition", "consequence", "alternative"))
    if value.type != "conditional_expression" or condition is None or then is None or otherwise is None:
        return None
    return Choice(unparenthesized(condition), then, otherwise)


def _branch_store(context: TransformationContext, statement: Node, field: str, block: Dim3) -> tuple[str, str, Node] | None:
    branch = statement.child_by_field_name(field)
    if branch is not None and branch.type == "else_clause":
        branch = next(iter(without_comments(branch)), None)
    only = None if branch is None else lone_statement(branch)
    return None if only is None else _stored(context, only, block)


def _stored(context: TransformationContext, statement: Node, block: Dim3) -> tuple[str, str, Node] | None:
    """(the array, the thread, the value) of ``array[thread] = value;``."""
    tree, change = context.tree, next(iter(assignments(context.tree, statement)), None)
    if statement.type != "expression_statement" or change is None or change.operator != "=" or change.value is None:
        return None
    base, indices = (change.target.child_by_field_name(f) for f in ("argument", "indices"))
    index = None if indices is None else next(iter(without_comments(indices)), None)
    if change.node.parent != statement or base is None or index is None or not _is_thread(context, index, block):
        return None
    return tree.text(base), tree.text(index) if index.type == "identifier" else "threadIdx.x", change.value


def _block_combination(context: TransformationContext, loop: Node, step: Assignment, array: str, block: Dim3) -> Combination | None:
    """How the block's steps combine elements; None where they do not make one value of all."""
    tree, body, counter = context.tree, loop.child_by_field_name("body"), step_counter(context, loop)
    statements = without_comments(body) if body is not None and body.type == "compound_statement" else ()
    barriers = [s for s in statements if canonical(tree, s) == "__syncthreads ( ) ;"]
    branches = [s for s in statements if s.type == "if_statement"]
    if counter is None or len(barriers) != 1 or len(branches) != 1:
        return None
    known = (*barriers, *branches, counter.update.parent)
    others = [s for s in statements if s not in known and s.type != "declaration"]
    is_late = counter.update.start_byte > branches[0].end_byte or loop.type == "for_statement"
    if others or not is_late or not _is_plain_step(context, branches[0], step):
        return None
    pair = combination_of(tree, step)
    if pair is None or step.target.type != "subscript_expression" or pair[1].type != "subscript_expression":
        return None
    elements = [_index(context, node, array) for node in (step.target, pair[1])]
    condition = condition_of(branches[0])
    if condition is None or elements[0] is None or elements[1] is None:
        return None
    return pair[0] if is_whole_block(context, counter, (condition, elements[0], elements[1]), block) else None


def _is_plain_step(context: TransformationContext, branch: Node, step: Assignment) -> bool:
    """The branch does the step, and others like it, each an assignment to an element."""
    then = branch.child_by_field_name("consequence")
    if then is None or branch.child_by_field_name("alternative") is not None:
        return False
    statements = without_comments(then) if then.type == "compound_statement" else (then,)
    changes = [change.node.parent for change in assignments(context.tree, then)]
    return step.node.parent in statements and changes == [*statements]


def _index(context: TransformationContext, element: Node, array: str) -> Node | None:
    base, indices = (element.child_by_field_name(f) for f in ("argument", "indices"))
    known = None if indices is None else without_comments(indices)
    return known[0] if base is not None and context.tree.text(base) == array and known is not None and len(known) == 1 else None


def _alone_combination(context: TransformationContext, loop: Node, step: Assignment, array: str, block: Dim3) -> Combination | None:
    """How one thread combines all elements, one after the other."""
    tree, header = context.tree, counted_header(context.tree, loop)
    pair, body = combination_of(tree, step), loop.child_by_field_name("body")
    if header is None or pair is None or body is None or step.target.type != "identifier" or lone_statement(body) != step.node.parent:
        return None
    index = _index(context, pair[1], array) if pair[1].type == "subscript_expression" else None
    scope, sizes = scope_of(tree, context.kernel).fixed(), flat_sizes(context, block)
    is_all = header.comparison == "<" and header.step == "1" and evaluate(header.bound_node, scope, sizes) == block.x
    is_plain = index is not None and tree.text(index) == header.variable and header.first in ("0", "1")
    return pair[0] if is_all and is_plain else None


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


def _leaving_obstacle(context: TransformationContext, last: SharedTotal) -> Obstacle | None:
    for leaving in _leaving(context):
        if leaving.start_byte < last.loop.end_byte:
            line = context.tree.line(leaving)
            return Obstacle(DeclineReason.LEAVES_EARLY, f"a thread may leave at line {line}, and the shuffles need all lanes of a warp")
    return None


def _leaving(context: TransformationContext) -> Iterator[Node]:
    return context.tree.find("return_statement", "goto_statement", "gnu_asm_expression", inside=context.body)
