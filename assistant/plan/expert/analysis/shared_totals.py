"""Sums and maxima that a block makes of one value a thread through shared memory, whatever the steps are.

The steps are not matched, they are followed: with the block's size known, each step is tried for every thread, and the reduction is
understood where the first element ends with each thread's value in it once, and no step reads what another thread writes in it.

Example::

    match shared_total(context, block):
        case SharedTotal(array=array, combination=combination): ...    # `buf`, Combination.SUM
        case Obstacle(): ...                                           # why shuffles cannot take its place
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.accesses import Use, canonical, kind_of
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.loops import LOOPS
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import ElementUse, SharedArray, element_uses, shared_arrays
from assistant.cuda.syntax import Node, without_comments
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.block_steps import is_whole_block
from assistant.plan.expert.analysis.combinations import combination_of
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.row_reductions import Combination, can_be_shuffled
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["SharedTotal", "is_first_thread", "shared_total"]

_FORM = Obstacle(
    DeclineReason.LOOP_FORM,
    "this is no loop that puts one value of each thread of the block together in the first element of a shared array",
)


class SharedTotal(Record):
    """The parts of such a reduction."""

    array: SharedArray
    store: Node
    """``array[threadIdx.x] = value;``, a statement of the kernel's body."""
    thread: str
    """The thread's index in its block, as the author writes it."""
    value: Node
    loop: Node
    step: Assignment
    combination: Combination
    alone: Node | None
    """The ``if`` in which one thread goes through the array; None where the block does it in steps."""


def shared_total(context: TransformationContext, block: Dim3, lent: tuple[SharedArray, ...] = ()) -> SharedTotal | Obstacle:
    """The reduction whose loop covers the finding's line; ``lent``: shared arrays that a helper gets from its callers."""
    tree = context.tree
    arrays = {array.name: array for array in (*shared_arrays(tree, context.body), *lent)}
    loops = [n for n in tree.find("for_statement", inside=context.body) if n.start_point[0] < context.line <= n.end_point[0] + 1]
    for loop in loops:
        found = _at(context, loop, block, arrays)
        if found is not None:
            return found if isinstance(found, Obstacle) else _use_obstacle(context, found, block) or found
    return _FORM


def _at(context: TransformationContext, loop: Node, block: Dim3, arrays: Mapping[str, SharedArray]) -> SharedTotal | Obstacle | None:
    tree = context.tree
    steps = [(c, n) for c in assignments(tree, loop) for n in arrays if _mentions(context, c.node, n)]
    if len(steps) != 1:
        return None
    step, array = steps[0][0], arrays[steps[0][1]]
    if loop.parent == context.body:
        alone, place = None, loop
        combination = _block_combination(context, loop, step, array.name, block)
    else:
        alone = _alone(context, loop, block)
        place, combination = alone, None if alone is None else _alone_combination(context, loop, step, array.name, block)
    store = None if place is None else _store_before(context, place, array.name, block)
    if combination is None or store is None:
        return None
    kind = plain_type(tree, " ".join(array.element_type.split()))
    if len(array.sizes) != 1 or not can_be_shuffled(kind):
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{array.name}` of type `{array.element_type}` cannot surely be shuffled")
    return SharedTotal(array, *store, loop, step, combination, alone)


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
    scope, sizes = scope_of(context.tree, context.kernel).fixed(), _sizes(block)
    return all(evaluate(condition, scope, {**sizes, "threadIdx.x": t}) == (1 if t == 0 else 0) for t in range(block.x))


def _is_thread(context: TransformationContext, node: Node, block: Dim3) -> bool:
    """The expression is the thread's index in its flat block."""
    scope, sizes = scope_of(context.tree, context.kernel).fixed(), _sizes(block)
    return all(evaluate(node, scope, {**sizes, "threadIdx.x": t}) == t for t in range(block.x))


def _sizes(block: Dim3) -> dict[str, int]:
    return {"blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1, "threadIdx.y": 0, "threadIdx.z": 0}


def _store_before(context: TransformationContext, place: Node, array: str, block: Dim3) -> tuple[Node, str, Node] | None:
    """(``array[thread] = value;``, the thread, the value), with a barrier between it and ``place``, and nothing else."""
    tree = context.tree
    before = [n for n in context.body.named_children if n.end_byte <= place.start_byte and n.type != "comment"]
    if len(before) < 2 or canonical(tree, before[-1]) != "__syncthreads ( ) ;" or before[-2].type != "expression_statement":
        return None
    change = next(iter(assignments(tree, before[-2])), None)
    if change is None or change.operator != "=" or change.value is None or change.node.parent != before[-2]:
        return None
    base, indices = (change.target.child_by_field_name(f) for f in ("argument", "indices"))
    index = None if indices is None else next(iter(without_comments(indices)), None)
    if base is None or index is None or tree.text(base) != array or not _is_thread(context, index, block):
        return None
    return before[-2], tree.text(index) if index.type == "identifier" else "threadIdx.x", change.value


def _block_combination(context: TransformationContext, loop: Node, step: Assignment, array: str, block: Dim3) -> Combination | None:
    """How the block's steps combine elements; None where they do not make one value of all."""
    tree, body = context.tree, loop.child_by_field_name("body")
    statements = without_comments(body) if body is not None and body.type == "compound_statement" else ()
    barriers = [s for s in statements if canonical(tree, s) == "__syncthreads ( ) ;"]
    branches = [s for s in statements if s.type == "if_statement"]
    others = [s for s in statements if s not in barriers and s not in branches and s.type != "declaration"]
    if len(barriers) != 1 or len(branches) != 1 or others or barriers[0].start_byte < branches[0].start_byte:
        return None
    then = branches[0].child_by_field_name("consequence")
    only = None if then is None else lone_statement(then)
    if only is None or only != step.node.parent or branches[0].child_by_field_name("alternative") is not None:
        return None
    pair = combination_of(tree, step)
    if pair is None or step.target.type != "subscript_expression" or pair[1].type != "subscript_expression":
        return None
    elements = [_index(context, node, array) for node in (step.target, pair[1])]
    condition = condition_of(branches[0])
    if condition is None or elements[0] is None or elements[1] is None:
        return None
    return pair[0] if is_whole_block(context, loop, (condition, elements[0], elements[1]), block) else None


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
    scope: Scope = scope_of(tree, context.kernel).fixed()
    is_all = header.comparison == "<" and header.step == "1" and evaluate(header.bound_node, scope, _sizes(block)) == block.x
    is_plain = index is not None and tree.text(index) == header.variable and header.first in ("0", "1")
    return pair[0] if is_all and is_plain else None


def _use_obstacle(context: TransformationContext, found: SharedTotal, block: Dim3) -> Obstacle | None:
    tree, name = context.tree, found.array.name
    uses = element_uses(tree, context.body, found.array)
    if isinstance(uses, str):
        return Obstacle(DeclineReason.POINTER_UNCLEAR, uses)
    for use in uses:
        if not _is_known(context, found, use):
            return Obstacle(
                DeclineReason.USED_ELSEWHERE,
                f"line {use.line} uses `{tree.text(use.node)}`, and after shuffles `{name}` holds no thread's value",
            )
    for leaving in tree.find("return_statement", "goto_statement", "gnu_asm_expression", inside=context.body):
        if leaving.start_byte < found.loop.end_byte:
            return Obstacle(
                DeclineReason.LEAVES_EARLY, f"a thread may leave at line {tree.line(leaving)}, and the shuffles need all lanes of a warp"
            )
    return None


def _is_known(context: TransformationContext, found: SharedTotal, use: ElementUse) -> bool:
    inside = any(n.start_byte <= use.node.start_byte < n.end_byte for n in (found.store, found.loop))
    is_first = evaluate(use.indices[0], scope_of(context.tree, context.kernel).fixed(), {}) == 0
    is_read = is_first and kind_of(context.tree, use.node) is Use.READ
    is_start = found.alone is not None and found.alone.start_byte <= use.node.start_byte < found.loop.start_byte
    is_later = found.alone is None and use.node.start_byte >= found.loop.end_byte
    in_loop = any(a.type in LOOPS for a in context.tree.ancestors(use.node))
    return inside or (is_read and not in_loop and (is_start or is_later))
