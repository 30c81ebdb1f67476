"""Loops by which a warp, a block or the grid deals elements that lie side by side out to its threads, one by one, and sums them up.

Which thread gets which element does not matter where each element is worked on for itself, and where nothing looks at less than all
that the threads have summed up: then a thread may as well take several neighbours.

Example::

    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += row[i];
    total = block_sum(sum, buffer);
    dealt_loops(context)      # DealtLoops(…), or an Obstacle where `out[threadIdx.x] = sum;` follows
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, enclosing_function, functions
from assistant.cuda.loops import LOOPS, loops_around
from assistant.cuda.names import mentions, names_in, words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, kept, node_text, unparenthesized, without_comments
from assistant.cuda.thread_loops import begins_by_thread
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.combinations import combination_of, guarded_combination_of
from assistant.plan.expert.analysis.common_values import CommonValues
from assistant.plan.expert.analysis.counted_tables import counted_tables
from assistant.plan.expert.analysis.dealing import Dealing, dealing_of
from assistant.plan.expert.analysis.dealt_elements import DealtElement, dealt_elements, touches
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.followed_totals import FollowedTotals, NotWholeError, SummingLoop
from assistant.plan.expert.analysis.followed_values import shared_names
from assistant.plan.expert.analysis.launch_block import SeenBlock, launched_shape
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap, unclear_access
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.template_types import instance_types
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["DealtLoop", "DealtLoops", "body_obstacle", "dealt_loops", "is_rounded_sum", "order_of", "sums_of", "totals_obstacle"]

_WARP_CALLS = ("__shfl", "__ballot", "__any", "__all", "__match", "__reduce", "__activemask", "__syncwarp", "__syncthreads")
_FUSED = ("fma", "fmaf", "std::fma", "__fmaf_rn", "__fma_rn")
_ORDERED = (Combination.SUM, Combination.PRODUCT)


class DealtLoop(Record):
    """One such loop."""

    loop: Node
    counter: str
    statements: tuple[Node, ...]
    elements: tuple[DealtElement, ...]
    sums: Mapping[str, Combination]


class DealtLoops(Record):
    """All loops of a kernel that deal the same elements out in the same way."""

    function: Function
    loops: tuple[DealtLoop, ...]
    dealing: Dealing
    seen: SeenBlock
    is_rounded: bool
    """Another order of the elements gives other last digits."""
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""
    unsure: tuple[str, ...]
    """Pointers to elements that are read under conditions alone: nothing but recorded launches shows that the others are there."""


def dealt_loops(context: TransformationContext) -> DealtLoops | Obstacle | None:
    """The loop around the finding's line and those like it, or why they must stay; None where the line is in no such loop."""
    function = enclosing_function(context.tree, context.body)
    here = [n for n in context.tree.find("for_statement", inside=context.body) if _covers_line(context, n)]
    loop = here[-1] if here else None
    if loop is None or function is None or not begins_by_thread(context.tree, scope_of(context.tree, context.kernel), loop):
        return None
    seen = launched_shape(context)
    if isinstance(seen, Obstacle):
        return seen
    dealing = dealing_of(context, loop, seen.block)
    if isinstance(dealing, Obstacle):
        return dealing
    own = _loop(context, function, loop, dealing)
    if isinstance(own, Obstacle):
        return own
    others = (_loop(context, function, n, dealing) for n in _alike(context, loop, dealing))
    loops = _placed_together(context, own, [other for other in others if isinstance(other, DealtLoop)], dealing)
    obstacle = totals_obstacle(context, loops, dealing)
    apart = obstacle or order_of(context, function, loops, dealing)
    if isinstance(apart, Obstacle):
        return apart
    added = [pair for each in loops for pair in each.sums.items()]
    added += [(table, Combination.SUM) for each in loops for table in _tables(context, each, dealing)]
    is_rounded = any(is_rounded_sum(context, function, name, how) for name, how in added)
    return DealtLoops(function, loops, dealing, seen, is_rounded, apart, _unsure(loops))


def _unsure(loops: tuple[DealtLoop, ...]) -> tuple[str, ...]:
    """Bases of elements that no loop before touches for certain."""
    sure, found = set[tuple[str, str]](), dict[str, None]()
    for each in loops:
        sure |= {(e.base, e.offset) for e in each.elements if e.is_sure}
        found |= {e.base: None for e in each.elements if (e.base, e.offset) not in sure}
    return tuple(found)


def _covers_line(context: TransformationContext, node: Node) -> bool:
    return node.start_point[0] < context.line <= node.end_point[0] + 1


def _alike(context: TransformationContext, loop: Node, dealing: Dealing) -> Iterator[Node]:
    """Other loops of the same statements that deal the same elements out."""
    for node in context.tree.find("for_statement", inside=context.body):
        if node != loop and node.parent == loop.parent and begins_by_thread(context.tree, scope_of(context.tree, context.kernel), node):
            other = dealing_of(context, node, dealing.block)
            if isinstance(other, Dealing) and other.is_like(dealing):
                yield node


def _placed_together(context: TransformationContext, own: DealtLoop, others: list[DealtLoop], dealing: Dealing) -> tuple[DealtLoop, ...]:
    """The loop and those others whose pointers and bound are declared before the first of them."""
    everyone = sorted((own, *others), key=lambda each: each.loop.start_byte)
    known = [each for each in everyone if each.loop.start_byte >= _declared_until(context, own, dealing)]
    return tuple(each for each in known if _declared_until(context, each, dealing) <= known[0].loop.start_byte)


def _declared_until(context: TransformationContext, each: DealtLoop, dealing: Dealing) -> int:
    """Where the last of the locals that vectors need is declared or changed."""
    names = words_in(" ".join((dealing.low, dealing.end, *(e.start for e in each.elements))))
    declared = [v.node.end_byte for name in names for v in locals_of(context.tree, context.body).get(name, ())]
    changed = [c.node.end_byte for c in assignments(context.tree, context.body) if node_text(c.target) in names]
    return max((*declared, *changed), default=0)


def _loop(context: TransformationContext, function: Function, loop: Node, dealing: Dealing) -> DealtLoop | Obstacle:
    body = loop.child_by_field_name("body")
    if body is None:
        return Obstacle(DeclineReason.LOOP_FORM, "the loop does nothing")
    counter = _counter_of(loop)
    obstacle = body_obstacle(context, function, loop, body, dealing) or _shared_obstacle(context, body, counter, dealing)
    sums = obstacle or sums_of(context, loop, body)
    if isinstance(sums, Obstacle):
        return sums
    elements = dealt_elements(context, function, loop, counter, dealing)
    if isinstance(elements, Obstacle):
        return elements
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    return DealtLoop(loop, counter, statements, elements, sums)


def _counter_of(loop: Node) -> str:
    start = loop.child_by_field_name("initializer")
    name = None if start is None else start.children_by_field_name("declarator")[0].child_by_field_name("declarator")
    return "" if name is None else node_text(name)


def body_obstacle(context: TransformationContext, function: Function, loop: Node, body: Node, dealing: Dealing) -> Obstacle | None:
    tree = context.tree
    effect = leaves_or_synchronizes(tree, loop)
    if effect is not None:
        return effect
    if any(tree.find(*LOOPS, "break_statement", "continue_statement", "switch_statement", inside=body)):
        return Obstacle(DeclineReason.LOOP_FORM, f"line {tree.line(body)} loops, or leaves, for one element")
    if "printf" in tree.text(body):
        return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, "the loop prints")
    called = (callee_name(tree, call).split("::")[-1] for call in tree.find("call_expression", inside=body))
    looking = next((name for name in called if name.startswith(_WARP_CALLS) or name in _looking_around(tree.program)), None)
    if looking is not None:
        return Obstacle(DeclineReason.WARP_MATTERS, f"`{looking}` in the loop depends on which thread has an element")
    tables = counted_tables(context, loop, is_grid=dealing.is_grid)
    if isinstance(tables, Obstacle):
        return tables
    unclear = unclear_access(tree, function, body)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    return None


@kept
def _looking_around(tree: SyntaxTree) -> frozenset[str]:
    """Functions that ask for the thread's place, or exchange values with other threads, themselves or by what they call."""
    found = frozenset[str]()
    texts = {f.name: node_text(f.body) for f in functions(tree) if not f.is_kernel}
    while True:
        words = ("threadIdx", *_WARP_CALLS)
        more = {n for n, text in texts.items() if any(w in text for w in words) or words_in(text) & found}
        if more <= found:
            return found
        found |= more


def _shared_obstacle(context: TransformationContext, body: Node, counter: str, dealing: Dealing) -> Obstacle | None:
    """Elements of shared memory that several iterations store, and now the same thread does."""
    tree, shared = context.tree, shared_names(context.tree, context.body)
    uses = [a for a in array_accesses(tree, body) if a.base in shared]
    for store in (a for a in uses if a.kind not in (Use.READ, Use.ATOMIC)):
        is_alone = store.kind is Use.WRITE and not any(a.base == store.base and a != store for a in uses)
        if not is_alone or not dealing.are_apart(context, store.indices, counter):
            words = (
                f"`{tree.text(store.node)}` would have to be another element of shared memory in each iteration, which nothing reads in it"
            )
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
    return None


def sums_of(
    context: TransformationContext, loop: Node, body: Node, arrays: frozenset[str] = frozenset()
) -> dict[str, Combination] | Obstacle:
    """What lives on behind the loop: one sum, product, maximum or minimum of the elements each. ``arrays`` hold some."""
    tree, inner = context.tree, locals_of(context.tree, body)
    outer = {name for name, found in locals_of(tree, context.body).items() if not any(v.is_pointer or v.is_shared for v in found)}
    parts = (c for c in assignments(tree, body) if c.target.type != "identifier")
    member = next((c for c in parts if node_text(_root(c.target)) in outer - inner.keys() - arrays), None)
    if member is not None:
        return Obstacle(DeclineReason.ORDER_MATTERS, f"`{tree.text(member.target)}` is a part of a local that lives on, and no plain sum")
    changes = [c for c in assignments(tree, body) if c.target.type == "identifier" and node_text(c.target) not in inner]
    names = {node_text(c.target) for c in changes}
    sums: dict[str, Combination] = {}
    for change in changes:
        name = node_text(change.target)
        pair, guarded = combination_of(tree, change), guarded_combination_of(tree, change)
        whole = change.node if guarded is None else guarded[0]
        pair = (pair or _fused(context, change)) if guarded is None else guarded[1:]
        uses = [u for u in mentions(tree, loop, name) if not whole.start_byte <= u.start_byte < whole.end_byte]
        if change.operator == "++" and not uses and name not in sums:
            sums[name] = Combination.SUM
            continue
        if name in sums or pair is None or uses or names_in(tree, pair[1]) & names:
            words = f"`{name}` would have to become a sum, a product, a maximum or a minimum of the elements, by one statement"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
        sums[name] = pair[0]
    return sums


def _fused(context: TransformationContext, change: Assignment) -> tuple[Combination, Node] | None:
    """``sum = fmaf(a, b, sum)``, with one of the factors."""
    given = () if change.value is None or change.value.type != "call_expression" else given_arguments(change.value)
    if len(given) != 3 or change.operator != "=" or callee_name(context.tree, unparenthesized(change.value or change.node)) not in _FUSED:
        return None
    name = node_text(change.target)
    is_added = node_text(unparenthesized(given[2])) == name and not any(name in names_in(context.tree, factor) for factor in given[:2])
    return (Combination.SUM, given[0]) if is_added else None


def _root(target: Node) -> Node:
    """The variable of ``total.x`` or ``a[i]``."""
    while target.type != "identifier" and (inner := target.child_by_field_name("argument") or next(iter(target.named_children), None)):
        target = inner
    return target


def totals_obstacle(
    context: TransformationContext,
    loops: Sequence[DealtLoop],
    dealing: Dealing,
    moved: Sequence[Node] = (),
    own: frozenset[str] = frozenset(),
) -> Obstacle | None:
    """Why it matters which of the group's threads has an element. ``moved``: what is another place then; ``own``: arrays of elements."""
    summing = [SummingLoop(each.loop, each.sums) for each in loops]
    followed = FollowedTotals(context, dealing.block, summing, dealing.group, is_grid=dealing.is_grid)
    try:
        followed.follow()
    except NotWholeError as error:
        text = " ".join(str(error).split())
        words = f"`{text if len(text) <= 40 else text[:37] + '...'}` looks at less than the {dealing.owners}'s total"
        why = "an atomicAdd of each block's to one element would not" if dealing.is_grid else "other elements for a thread would change it"
        return Obstacle(DeclineReason.USED_ELSEWHERE, f"{words}: {why}")
    common = CommonValues(context, dealing, followed)
    for each in loops:
        differing = common.differing(each.loop, frozenset({*each.sums, each.counter, *own}), moved)
        if differing:
            words = f"the loop at line {context.tree.line(each.loop)} uses `{differing[0]}`, which may be another value in another thread"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
    return None


def _tables(context: TransformationContext, each: DealtLoop, dealing: Dealing) -> Iterator[str]:
    """Of sums."""
    found = counted_tables(context, each.loop, is_grid=dealing.is_grid)
    return (table for table, name in (() if isinstance(found, Obstacle) else found.items()) if name in ("atomicAdd", "atomicSub"))


def is_rounded_sum(context: TransformationContext, function: Function, name: str, how: Combination) -> bool:
    found = locals_of(context.tree, context.body).get(name, ())
    types = (instance_types(context.tree, function, v.type) or {v.type} for v in found)
    return how in _ORDERED and any(plain_type(context.tree, each) in ("float", "double", "auto") for of in types for each in of)


def order_of(
    context: TransformationContext, function: Function, loops: Sequence[DealtLoop], dealing: Dealing
) -> tuple[ApartAsRecorded, ...] | Obstacle:
    """What only recorded launches show to be apart; why an element may not be there yet, or still be needed, where it changes threads."""
    tree, pointers = context.tree, global_pointers(context.tree, function, context.body)
    shared = shared_names(tree, context.body)
    everything = [a for a in touches(tree, context.body) if a.base in pointers | shared]
    inside = [(a, each) for a in everything for each in loops if _is_inside(a.node, each.loop)]
    outside = [a for a in everything if not any(_is_inside(a.node, each.loop) for each in loops)]
    apart: dict[ApartAsRecorded, None] = {}
    for access, each in inside:
        others = [a for a, its in inside if its == each and a.base != access.base and access.kind is not Use.READ]
        for other in (*others, *(a for a in outside if not _is_ordered(context, a, each, dealing))):
            found = _meeting(context, function, access, other)
            if isinstance(found, Obstacle):
                line, its = tree.line(other.node), tree.line(each.loop)
                words = f"lines {its} and {line} may touch one element in one thread, and no barrier of the {dealing.owners} is between"
                return Obstacle(DeclineReason.ORDER_MATTERS, words) if other in outside else found
            if found is not None:
                apart[found] = None
    return tuple(apart)


def _meeting(
    context: TransformationContext, function: Function, first: ArrayAccess, second: ArrayAccess
) -> Obstacle | ApartAsRecorded | None:
    """Why two accesses of which one stores may be to the same element."""
    if first.kind is Use.READ and second.kind is Use.READ:
        return None
    if first.base == second.base:
        return Obstacle(DeclineReason.ORDER_MATTERS, f"`{first.base}` is touched twice")
    if {first.base, second.base} & shared_names(context.tree, context.body):
        return None
    return may_overlap(context.tree, function, first.base, second.base, context.recorded)


def _is_ordered(context: TransformationContext, access: ArrayAccess, each: DealtLoop, dealing: Dealing) -> bool:
    """The threads that share elements wait for each other between the access and the loop, or other blocks add to it at any time."""
    if dealing.is_grid and access.base not in shared_names(context.tree, context.body):
        return access.kind is Use.ATOMIC
    first, last = sorted((access.node.start_byte, each.loop.start_byte))
    return not loops_around(context.tree, each.loop) and any(first < barrier < last for barrier in _barriers(context, dealing))


def _is_inside(node: Node, loop: Node) -> bool:
    return loop.start_byte <= node.start_byte < loop.end_byte


def _barriers(context: TransformationContext, dealing: Dealing) -> Iterator[int]:
    """Where the threads that share elements wait for each other."""
    names = ("__syncthreads", *(("__syncwarp", "__shfl", "__reduce") if dealing.group <= 32 else ()))
    waiting = {f.name for f in functions(context.tree.program) if any(word in node_text(f.body) for word in names)}
    for call in context.tree.find("call_expression", inside=context.body):
        called = callee_name(context.tree, call)
        if called.startswith(names) or called.split("::")[-1] in waiting:
            yield call.start_byte
