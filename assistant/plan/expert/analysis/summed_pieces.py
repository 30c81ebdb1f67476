"""Loops in which each thread sums up a piece of an array, pieces that follow each other, and only the sum of a warp or block matters.

As with ``own_pieces``, where pieces begin and end is followed with numbers, not matched: in every warp each piece ends where the next
begins.

Example::

    int begin = id * piece, end = min(begin + piece, n);
    for (int i = begin; i < end; i++) s += x[i];
    buf[threadIdx.x] = s;              // and then the block's total
    summed_piece(context)              # SummedPiece(begin=…, end_of_warp='min(begin + 32 * piece, n)', …)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.assignments import Assignment, assignments, changed_names
from assistant.cuda.casts import cast_of
from assistant.cuda.functions import enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.names import mentions, names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import shared_arrays
from assistant.cuda.syntax import Node, binary_parts, node_text, parsed_expression, unparenthesized, without_comments
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.combinations import combination_of
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.kernel_launches import known_blocks, template_environment
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.own_pieces import (
    TRIAL_COUNTS,
    TRIAL_GRIDS,
    TRIAL_PARAMETERS,
    PieceLoop,
    counts_of,
    cut_of,
    first_of,
    grids_of,
    is_empty_return,
    made_of,
    piece_loop,
)
from assistant.plan.expert.analysis.pointer_roots import global_pointers
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch
from assistant.plan.expert.analysis.thread_totals import why_seen_alone
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["SummedPiece", "summed_piece"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
_ENDS = "the pieces of a warp's threads would have to follow each other, each as long as the others but for the end"


class SummedPiece(Record):
    """Such a loop."""

    piece: PieceLoop
    begin: Variable
    """The local with the first element of a piece."""
    end: Node
    """The expression of a piece's end: that of a local, or the loop's own."""
    end_of_warp: str
    """The same for the pieces of a warp's threads together."""
    is_rounded: bool
    """Another order of the elements gives other last digits."""


class _Places(Record):
    """Where pieces begin and end."""

    name: str
    """The local of the beginning."""
    begin: Node
    end: Node
    end_of_warp: Node


def summed_piece(context: TransformationContext) -> SummedPiece | Obstacle | None:
    """The loop around the finding's line; None where it begins at no element of the thread's own, or sums nothing up."""
    piece = piece_loop(context)
    changes = () if piece is None else tuple(_carried(context, piece))
    if piece is None or not changes:
        return None
    obstacle = hidden_builtin(context) or unseen_launch(context) or _block_obstacle(context)
    obstacle = obstacle or _loop_obstacle(context, piece, changes)
    if obstacle is not None:
        return obstacle
    begin, length = _beginning(context, piece)
    if begin is None or length is None:
        words = f"where a piece begins would have to be a local that is the product of `{piece.thread}` and the piece's length"
        return Obstacle(DeclineReason.LOOP_FORM, words)
    end = _end(context, piece)
    obstacle = _use_obstacle(context, piece, begin)
    if obstacle is not None:
        return obstacle
    text = _widened(context, end, length)
    of_warp = parsed_expression(text)
    places = None if of_warp is None or begin.value is None else _Places(begin.name, begin.value, end, of_warp)
    is_by_thread = piece.thread in names_in(context.tree, end) or piece.header.comparison != "<"
    if places is None or is_by_thread or not _do_pieces_meet(context, piece, places):
        return Obstacle(DeclineReason.LOOP_FORM, _ENDS)
    return SummedPiece(piece, begin, end, text, any(_is_rounded(context, change) for change in changes))


def _carried(context: TransformationContext, piece: PieceLoop) -> Iterator[Assignment]:
    """Changes of locals that live on behind the loop."""
    body = piece.loop.child_by_field_name("body")
    if body is None:
        return
    inner, outer = locals_of(context.tree, body), locals_of(context.tree, context.body)
    for change in assignments(context.tree, body):
        name = context.tree.text(change.target)
        if change.target.type == "identifier" and name in outer and name not in inner:
            yield change


def _block_obstacle(context: TransformationContext) -> Obstacle | None:
    if all(block.y * block.z == 1 and block.x % _LANES == 0 for block in known_blocks(context)):
        return None
    return Obstacle(DeclineReason.BLOCK_SHAPE, "all blocks would have to be whole warps in one dimension")


def _loop_obstacle(context: TransformationContext, piece: PieceLoop, changes: tuple[Assignment, ...]) -> Obstacle | None:
    """Why another thread of the warp cannot sum an element up."""
    tree, body = context.tree, piece.loop.child_by_field_name("body")
    assert body is not None, "a counted loop has a body"
    if piece.loop.parent != context.body:
        return Obstacle(DeclineReason.LOOP_FORM, "the loop would have to be a statement of the kernel's body, to which every thread gets")
    if next(tree.find("break_statement", inside=body), None) is not None:
        return Obstacle(DeclineReason.LEAVES_EARLY, "the loop may end early, and other threads would have its other elements")
    names = {tree.text(change.target) for change in changes}
    others = changed_names(tree, body) - locals_of(tree, body).keys() - names
    if others:
        return Obstacle(DeclineReason.ORDER_MATTERS, f"the loop would have to do nothing but sum up, and changes `{min(others)}` too")
    effects = leaves_or_synchronizes(tree, piece.loop) or _stores_obstacle(context, piece) or _names_obstacle(context, piece, names)
    if effects is not None:
        return effects
    for change in changes:
        obstacle = _sum_obstacle(context, piece, change, names)
        if obstacle is not None:
            return obstacle
    return None


def _stores_obstacle(context: TransformationContext, piece: PieceLoop) -> Obstacle | None:
    """Elements that change before the loop's end may not be there yet for another thread."""
    tree, function = context.tree, enclosing_function(context.tree, piece.loop)
    pointers = frozenset[str]() if function is None else global_pointers(tree, function, context.body)
    for access in array_accesses(tree, context.body):
        is_before = access.node.start_byte < piece.loop.end_byte and access.kind is not Use.READ
        if is_before and (access.base in pointers or access.node.start_byte >= piece.loop.start_byte):
            line = tree.line(access.node)
            return Obstacle(DeclineReason.ORDER_MATTERS, f"nothing would have to be stored until the loop ends, and line {line} does")
    return None


def _names_obstacle(context: TransformationContext, piece: PieceLoop, sums: set[str]) -> Obstacle | None:
    """What an iteration uses is another thing in another thread."""
    tree, body = context.tree, piece.loop.child_by_field_name("body")
    assert body is not None, "a counted loop has a body"
    own, inner = locals_of(tree, context.body), locals_of(tree, body)
    shared, changed = {array.name for array in shared_arrays(tree, context.body)}, changed_names(tree, context.body)
    places = made_of(context, piece.thread)
    for name in sorted(names_in(tree, body) - inner.keys() - sums - {piece.header.variable}):
        is_own = name in own and (name in changed or any(v.is_array for v in own[name]))
        if name in places or name in shared or is_own:
            return Obstacle(DeclineReason.ORDER_MATTERS, f"an iteration uses `{name}`, and another thread would run it")
    return None


def _sum_obstacle(context: TransformationContext, piece: PieceLoop, change: Assignment, names: set[str]) -> Obstacle | None:
    tree, name = context.tree, context.tree.text(change.target)
    pair = combination_of(tree, change)
    uses = [use for use in mentions(tree, piece.loop, name) if not change.node.start_byte <= use.start_byte < change.node.end_byte]
    if pair is None or uses or names_in(tree, pair[1]) & names:
        words = f"`{name}` would have to become a sum, a product, a maximum or a minimum of the elements, by one statement"
        return Obstacle(DeclineReason.ORDER_MATTERS, words)
    return why_seen_alone(context, piece.loop, name, pair[0])


def _is_rounded(context: TransformationContext, change: Assignment) -> bool:
    pair = combination_of(context.tree, change)
    variables = locals_of(context.tree, context.body).get(context.tree.text(change.target), ())
    is_exact = all(plain_type(context.tree, v.type) not in ("float", "double", "auto") for v in variables)
    return pair is not None and pair[0] in (Combination.SUM, Combination.PRODUCT) and not is_exact


def _beginning(context: TransformationContext, piece: PieceLoop) -> tuple[Variable | None, Node | None]:
    """The local with a piece's first element, and the piece's length in it."""
    first = first_of(piece.loop)
    found = () if first is None else locals_of(context.tree, context.body).get(node_text(first), ())
    if len(found) != 1 or found[0].value is None or found[0].name in changed_names(context.tree, context.body):
        return None, None
    parts = binary_parts(unparenthesized(found[0].value))
    if parts is None or parts[0] != "*":
        return None, None
    sides = [side for side in parts[1:] if _plain(side) != piece.thread]
    return (found[0], unparenthesized(sides[0])) if len(sides) == 1 else (None, None)


def _plain(node: Node) -> str:
    """The text without a conversion to another type."""
    cast = cast_of(unparenthesized(node))
    return node_text(unparenthesized(node) if cast is None else unparenthesized(cast.value))


def _end(context: TransformationContext, piece: PieceLoop) -> Node:
    declared = locals_of(context.tree, context.body).get(piece.header.bound, ())
    value = declared[0].value if len(declared) == 1 else None
    return piece.header.bound_node if value is None else value


def _widened(context: TransformationContext, end: Node, length: Node) -> str:
    """The end of a piece that is as long as those of a warp's threads together."""
    whole, text = context.tree.span(end), context.tree.text(end)
    same = [n for n in context.tree.find(length.type, inside=end) if node_text(n) == node_text(length)]
    for node in reversed(same):
        span = context.tree.span(node)
        text = f"{text[: span.start - whole.start]}{_LANES} * {node_text(node)}{text[span.end - whole.start :]}"
    return text


def _use_obstacle(context: TransformationContext, piece: PieceLoop, begin: Variable) -> Obstacle | None:
    """Something else looks at where the piece begins or ends, or some threads leave before."""
    tree = context.tree
    before = [n for n in without_comments(context.body) if n.end_byte <= piece.loop.start_byte]
    ends = frozenset({piece.header.bound, *counts_of(context)})
    for statement in before:
        is_known = cut_of(context, statement) is not None or is_empty_return(statement, piece.loop, ends)
        leaves = next(tree.find("return_statement", "goto_statement", inside=statement), None) is not None
        uses = names_in(tree, statement) & {begin.name, piece.header.bound}
        if not is_known and (leaves or (uses and statement.type != "declaration")):
            words = f"line {tree.line(statement)} would have to leave the pieces alone, and every thread would have to get to the loop"
            return Obstacle(DeclineReason.LOOP_FORM, words)
    for name in (begin.name, *({piece.header.bound} & locals_of(tree, context.body).keys())):
        if any(use.start_byte >= piece.loop.end_byte for use in mentions(tree, context.body, name)):
            return Obstacle(DeclineReason.USED_ELSEWHERE, f"`{name}` is used behind the loop, and would be that of the warp")
    declared = [d for d in before if d.type == "declaration"]
    for variable in (v for d in declared for all_ in locals_of(tree, d).values() for v in all_):
        is_other = variable.name not in (begin.name, piece.header.bound) and variable.value is not None
        if is_other and variable.value is not None and names_in(tree, variable.value) & {begin.name, piece.header.bound}:
            return Obstacle(DeclineReason.USED_ELSEWHERE, f"`{variable.name}` is made of where the thread's piece begins or ends")
    return None


def _do_pieces_meet(context: TransformationContext, piece: PieceLoop, places: _Places) -> bool:
    """In each warp tried with numbers, each piece ends where the next begins, and the last where 32 of them end."""
    others = unknown_sizes(context)
    trials = [
        {**dict.fromkeys(others, other), **template_environment(context), **counted, "blockDim.x": block.x, "gridDim.x": grid}
        for block in known_blocks(context)
        for grid in grids_of(context) or TRIAL_GRIDS
        for counted in ({}, *({name: size} for name in counts_of(context) for size in TRIAL_COUNTS))
        for other in TRIAL_PARAMETERS
    ]
    warps = [(trial, warp * _LANES) for trial in trials for warp in {0, 1, trial["blockDim.x"] * trial["gridDim.x"] // _LANES - 1}]
    return bool(warps) and all(_do_meet_in(context, piece, places, trial, first) for trial, first in warps)


def _do_meet_in(context: TransformationContext, piece: PieceLoop, places: _Places, sizes: Mapping[str, int], first: int) -> bool:
    scope = scope_of(context.tree, context.kernel)
    starts, ends = list[int](), list[int]()
    for thread in range(first, first + _LANES):
        start = evaluate(places.begin, scope, {**sizes, piece.thread: thread})
        end = None if start is None else _end_at(context, piece, places.end, {**sizes, piece.thread: thread, places.name: start})
        if start is None or end is None:
            return False
        starts.append(start)
        ends.append(end)
    length, limit = starts[1] - starts[0], max(ends)
    place = {**sizes, piece.thread: first, places.name: starts[0]}
    named = {node_text(name): evaluate(name, scope, place) for name in context.tree.find("identifier", inside=places.end)}
    known = {name: value for name, value in named.items() if value is not None}
    of_warp = _end_at(context, piece, places.end_of_warp, {**place, **known})
    are_even = all(after - before == length for before, after in pairwise(starts))
    do_meet = all(max(a, e) == max(a, min(a + length, limit)) for a, e in zip(starts, ends, strict=True))
    return length >= 0 and are_even and do_meet and of_warp is not None and max(starts[0], of_warp) == max(starts[0], limit)


def _end_at(context: TransformationContext, piece: PieceLoop, end: Node, place: Mapping[str, int]) -> int | None:
    """Where a piece ends, cut off as the kernel does."""
    scope = scope_of(context.tree, context.kernel)
    before = (n for n in without_comments(context.body) if n.end_byte <= piece.loop.start_byte)
    cuts = [cut[1] for n in before if (cut := cut_of(context, n)) is not None and cut[0] == piece.header.bound]
    values = [evaluate(node, scope, place) for node in (end, *cuts)]
    return None if None in values else min(v for v in values if v is not None)
