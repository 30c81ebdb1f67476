"""Loops that the first thread of a block runs alone, of which each thread could run some iterations.

All threads have to get there, what the loop reads has to be the same for all, and nothing that may run at the same time may touch what
the loop stores.

Example::

    match first_thread_loops(context):
        case FirstThreadLoops(loops=loops): ...    # of `if (threadIdx.x == 0) for (int k = 0; k < 64; k++) taps[k] = filter[k];`
        case Obstacle(): ...                       # 'some threads of the block may leave at line 9 already'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.accesses import PointerUse, Use, uses_of
from assistant.cuda.assignments import changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.macros import macro_text
from assistant.cuda.names import mentions, names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized, without_comments
from assistant.cuda.variables import locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.between_barriers import between_barriers, not_reached_by_all
from assistant.plan.expert.analysis.block_values import differs_in_block
from assistant.plan.expert.analysis.independent_loop import IndependentLoop, independent_in_block
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.analysis.launch_block import SeenBlock, launched_shape
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap, pointer_names
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["DealtLoops", "FirstThreadLoops", "first_thread_loops"]

_LANES = 32
"""A loop of as many iterations keeps a warp busy (CUDA C++ Programming Guide, "SIMT Architecture")."""
_NOT_ALONE = Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no loop at this line is one that the first thread of a block runs alone")


class DealtLoops(Record):
    """A loop of the branch, and which of the loops of its nest are dealt out: one, or along y and x."""

    node: Node
    dealt: tuple[IndependentLoop, ...]
    """Outermost first."""
    flat: tuple[Node, ...] = ()
    """Of two loops that go through ``i * n + j`` with all j below n: every such index. One loop over all of them does the same."""


class FirstThreadLoops(Record):
    """A branch that one thread takes, and its loops."""

    branch: Node
    condition: Node
    block: SeenBlock
    loops: tuple[DealtLoops, ...]
    others: tuple[Node, ...]
    """Statements of the branch that the first thread goes on to run alone: all before the loops, or all after them."""
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""


def first_thread_loops(context: TransformationContext) -> FirstThreadLoops | Obstacle:
    """The branch around the loop of the finding's line, or why its threads cannot share it."""
    tree = context.tree
    loop = next((n for n in tree.find("for_statement", inside=context.body) if tree.line(n) == context.line), None)
    function = None if loop is None else enclosing_function(tree, loop)
    block = launched_shape(context)
    if loop is None or function is None or function.body != context.body:
        return _NOT_ALONE
    if isinstance(block, Obstacle):
        return block
    branch = next((a for a in tree.ancestors(loop) if a.type == "if_statement" and _is_first_threads(context, a, block.block)), None)
    condition = None if branch is None else condition_of(branch)
    if branch is None or condition is None or block.block.count <= _LANES:
        return _NOT_ALONE
    if block.block.z > 1:
        return Obstacle(DeclineReason.BLOCK_SHAPE, "the block has three dimensions")
    obstacle = not_reached_by_all(context, function, branch)
    return obstacle or _parts(context, function, (branch, condition), block)


def _is_first_threads(context: TransformationContext, branch: Node, block: Dim3) -> bool:
    """The branch is taken by one thread of each block, at the origin."""
    condition = condition_of(branch)
    if condition is None or branch.child_by_field_name("alternative") is not None:
        return False
    scope = scope_of(context.tree, context.kernel).fixed()
    sizes = {**template_environment(context), **{f"blockDim.{axis}": getattr(block, axis) for axis in "xyz"}, "threadIdx.z": 0}
    places = ((x, y) for y in range(block.y) for x in range(block.x))
    return all(evaluate(condition, scope, {**sizes, "threadIdx.x": x, "threadIdx.y": y}) == int(x == y == 0) for x, y in places)


def _parts(context: TransformationContext, function: Function, branch: tuple[Node, Node], block: SeenBlock) -> FirstThreadLoops | Obstacle:
    tree, body = context.tree, branch[0].child_by_field_name("consequence")
    assert body is not None, "an if has a consequence"
    statements = [n for n in (without_comments(body) if body.type == "compound_statement" else (body,)) if n.type != "preproc_call"]
    loops: list[DealtLoops] = []
    for statement in statements:
        if statement.type == "for_statement":
            found = _dealt(context, function, statement, block.block)
            if isinstance(found, Obstacle):
                return found
            loops.append(found)
    others = [n for n in statements if n.type != "for_statement"]
    if not loops:
        return Obstacle(DeclineReason.LOOP_FORM, "the first thread asks for something else before its loop")
    if any(loops[0].node.start_byte < each.start_byte < loops[-1].node.start_byte for each in others) or _on_both_sides(loops, others):
        return Obstacle(DeclineReason.CONDITIONAL, "the first thread does other things between its loops, or before and after them")
    declared = [name for each in others for name in locals_of(tree, each) if any(name in names_in(tree, loop.node) for loop in loops)]
    if declared:
        return Obstacle(DeclineReason.CONDITIONAL, f"the loops use `{declared[0]}`, which only the first thread has")
    apart = _at_the_same_time(context, function, loops, [*others, *between_barriers(tree, function, branch[0])])
    if isinstance(apart, Obstacle):
        return apart
    return FirstThreadLoops(*branch, block, tuple(loops), tuple(others), apart)


def _on_both_sides(loops: Sequence[DealtLoops], others: Sequence[Node]) -> bool:
    return len({each.start_byte < loops[0].node.start_byte for each in others}) > 1


def _dealt(context: TransformationContext, function: Function, loop: Node, block: Dim3) -> DealtLoops | Obstacle:
    """Which loops of the nest threads share: of a block in two dimensions the two innermost, otherwise one that is long enough."""
    tree = context.tree
    nest = tuple(_nest(tree, loop)) or (loop,)
    flat = _flat_indices(tree, nest) if block.y == 1 else ()
    chosen = nest[-2:] if block.y > 1 or flat else (_long_enough(tree, nest),)
    found = [independent_in_block(context, function, each) for each in chosen]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    differing = None if obstacle is not None else differs_in_block(context, function, loop)
    if differing is not None:
        words = f"the loop at line {tree.line(loop)} uses `{differing}`, of which other threads may have another value"
        return Obstacle(DeclineReason.INDEX_OUT_OF_SIGHT, words)
    return obstacle or DealtLoops(loop, tuple(each for each in found if isinstance(each, IndependentLoop)), flat)


def _nest(tree: SyntaxTree, loop: Node) -> Iterator[Node]:
    """The loop and those that are all that the one around them does, outermost first."""
    outer: tuple[str, ...] = ()
    node: Node | None = loop
    while node is not None and node.type == "for_statement":
        header = counted_header(tree, node)
        if header is None or _depends_on(tree, header, outer):
            return
        yield node
        outer = (*outer, header.variable)
        body = node.child_by_field_name("body")
        node = None if body is None else lone_statement(body)


def _flat_indices(tree: SyntaxTree, nest: tuple[Node, ...]) -> tuple[Node, ...]:
    """Every ``i * n + j`` of the two loops of a nest, where their counters are used in nothing else and j goes from 0 to n."""
    headers = [header for each in nest if (header := counted_header(tree, each)) is not None]
    body = nest[-1].child_by_field_name("body")
    if len(nest) != 2 or body is None or any((h.first, h.comparison, h.step) != ("0", "<", "1") for h in headers):
        return ()
    outer, inner = headers
    if not all(_is_one_factor(tree, header.bound_node) for header in headers):
        return ()
    found = tuple(
        n for n in tree.find("binary_expression", inside=body) if _is_flat(tree, n, (outer.variable, inner.bound, inner.variable))
    )
    used = [n for header in headers for n in mentions(tree, body, header.variable)]
    return found if all(any(n.start_byte <= u.start_byte < n.end_byte for n in found) for u in used) else ()


def _is_one_factor(tree: SyntaxTree, bound: Node) -> bool:
    """It may stand in a product as it is: a macro's text too."""
    text = (macro_text(tree, tree.text(bound)) or tree.text(bound)).strip()
    return bound.type in ("identifier", "number_literal") and (text.isalnum() or text.isidentifier() or text.startswith("("))


def _is_flat(tree: SyntaxTree, node: Node, names: tuple[str, str, str]) -> bool:
    """``i * n + j``, in any order."""
    parts, (outer, count, inner) = binary_parts(node), names
    if parts is None or parts[0] != "+":
        return False
    for row, column in ((parts[1], parts[2]), (parts[2], parts[1])):
        product = binary_parts(unparenthesized(row))
        if product is not None and product[0] == "*" and tree.text(column) == inner:
            return {tree.text(product[1]), tree.text(product[2])} == {outer, count}
    return False


def _depends_on(tree: SyntaxTree, header: CountedHeader, outer: tuple[str, ...]) -> bool:
    return any(name in names_in(tree, header.bound_node) or name in header.first for name in outer)


def _long_enough(tree: SyntaxTree, nest: tuple[Node, ...]) -> Node:
    """The innermost loop, whose iterations touch neighbours, unless it is short and one around it is longer."""
    counts = [(header.trip_count(tree) if (header := counted_header(tree, each)) is not None else None) for each in nest]
    lengths = [_LANES if count is None else min(count, _LANES) for count in counts]
    return max(reversed(list(zip(lengths, nest, strict=True))), key=lambda pair: pair[0])[1]


def _at_the_same_time(
    context: TransformationContext, function: Function, loops: Sequence[DealtLoops], others: Sequence[Node]
) -> tuple[ApartAsRecorded, ...] | Obstacle:
    """What only recorded launches show to be apart; why not where other statements touch what the loops do."""
    tree = context.tree
    stored = frozenset(name for loop in loops for each in loop.dealt for name in each.stored)
    read = frozenset(name for loop in loops for each in loop.dealt for name in each.read)
    named = frozenset(name for loop in loops for name in names_in(tree, loop.node))
    apart = [pair for loop in loops for each in loop.dealt for pair in each.apart]
    for other in others:
        if "fence" in tree.text(other):
            return Obstacle(DeclineReason.SYNCHRONIZES, f"a fence at line {tree.line(other)} orders what the first thread alone has stored")
        touched = {name: uses_of(tree, other, name) for name in pointer_names(tree, function)}
        changed = frozenset(name for name, uses in touched.items() if any(_may_change(tree, use, other) for use in uses))
        meeting = {name for name, uses in touched.items() if uses and name in stored} | (changed & read)
        meeting |= (changed_names(tree, other) - locals_of(tree, other).keys()) & named
        if meeting:
            words = f"line {tree.line(other)} uses `{min(meeting)}`, with no barrier between it and the loop"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
        mentioned = global_pointers(tree, function, other)
        found = [*_pairs(context, function, stored, mentioned), *_pairs(context, function, changed, read)]
        obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
        if obstacle is not None:
            return obstacle
        apart += [each for each in found if isinstance(each, ApartAsRecorded)]
    return tuple(dict.fromkeys(apart))


def _may_change(tree: SyntaxTree, use: PointerUse, statement: Node) -> bool:
    """The use stores, or passes the pointer to a call; another pointer that is made from it has uses of its own."""
    if use.kind is not Use.ESCAPE:
        return use.kind is not Use.READ
    inside = (a for a in tree.ancestors(use.node) if statement.start_byte <= a.start_byte and a.end_byte <= statement.end_byte)
    return any(ancestor.type == "call_expression" for ancestor in inside)


def _pairs(
    context: TransformationContext, function: Function, stored: frozenset[str], others: frozenset[str]
) -> list[Obstacle | ApartAsRecorded]:
    pairs = [(one, other) for one in sorted(stored) for other in sorted(others - {one})]
    found = (may_overlap(context.tree, function, one, other, context.recorded) for one, other in pairs)
    return [each for each in found if each is not None]
