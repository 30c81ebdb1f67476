"""Rows that the threads of a warp or a block keep in arrays of their own, one in each round of a loop: `v[k] = row[lane + 32 * k];`.

Which element a thread keeps does not matter where all loops agree on it, and where only what the threads have together is looked at
afterwards: then a thread may as well keep neighbours.

Example::

    for (int k = 0; k < N; ++k) { v[k] = row[lane + 32 * k]; sum += v[k]; }
    sum = warp_sum(sum);
    for (int k = 0; k < N; ++k) out[lane + 32 * k] = v[k] / sum;
    kept_rows(context)        # KeptRows(…) with both loops
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from assistant.cuda.branches import condition_of
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import loops_around
from assistant.cuda.names import mentions, names_in, words_in
from assistant.cuda.syntax import Node, binary_parts, node_text, unparenthesized, without_comments
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.dealing import AddressKind, Dealing
from assistant.plan.expert.analysis.dealt_elements import DealtElement, dealt_elements
from assistant.plan.expert.analysis.dealt_loops import DealtLoop, body_obstacle, is_rounded_sum, order_of, sums_of, totals_obstacle
from assistant.plan.expert.analysis.launch_block import SeenBlock, launched_shape
from assistant.plan.expert.analysis.window_coordinates import terms_of
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["KeptLoop", "KeptRows", "kept_rows"]

_BRANCHES = ("if_statement", "conditional_expression")


class KeptLoop(Record):
    """One loop over the rounds."""

    dealt: DealtLoop
    places: tuple[Node, ...]
    """Expressions that are the place of the thread's element, outside of what touches it."""
    rounds: tuple[Node, ...]
    """Where the counter chooses an element of an array that is kept."""
    ends: tuple[tuple[Node, str], ...]
    """Branches in which elements are touched whose place is below a bound."""
    step: str
    """The part of the place that follows from the round: ``32 * k``."""


class KeptRows(Record):
    """All loops over the rounds in which places or kept elements matter."""

    function: Function
    loops: tuple[KeptLoop, ...]
    dealing: Dealing
    seen: SeenBlock
    count: int | None
    """Rounds; None where template arguments or the command line decide."""
    is_rounded: bool
    apart: tuple[ApartAsRecorded, ...]


def kept_rows(context: TransformationContext) -> KeptRows | Obstacle | None:
    """The loop around the finding's line and those like it, or why they must stay; None where the line is in no such loop."""
    tree, function = context.tree, enclosing_function(context.tree, context.body)
    here = [n for n in tree.find("for_statement", inside=context.body) if n.start_point[0] < context.line <= n.end_point[0] + 1]
    header = _rounds(context, here[-1]) if here else None
    if function is None or header is None:
        return None
    seen = launched_shape(context)
    if isinstance(seen, Obstacle):
        return seen
    dealing = _dealing(context, here[-1], header, seen)
    if dealing is None:
        return None
    kept = _kept_arrays(context, header.bound)
    loops = [n for n in tree.find("for_statement", inside=context.body) if _rounds(context, n) is not None and _is_like(context, n, header)]
    stray = next((n for name in kept for n in mentions(tree, context.body, name) if not _is_element(context, n, loops)), None)
    if stray is not None:
        words = f"line {tree.line(stray)} uses `{node_text(stray)}` other than by the counter of a loop over `{header.bound}` rounds"
        return Obstacle(DeclineReason.USED_ELSEWHERE, words)
    found = [_loop(context, function, n, dealing, kept) for n in loops]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    made = tuple(each for each in found if isinstance(each, KeptLoop))
    moved = [n for each in made for n in (*each.places, *(node for e in each.dealt.elements for node in e.nodes))]
    dealt = [each.dealt for each in made]
    obstacle = obstacle or _declared_obstacle(context, dealt) or totals_obstacle(context, dealt, dealing, moved, kept)
    apart = obstacle or order_of(context, function, dealt, dealing)
    if isinstance(apart, Obstacle):
        return apart
    is_rounded = any(is_rounded_sum(context, function, name, how) for each in dealt for name, how in each.sums.items())
    return KeptRows(function, made, dealing, seen, header.trip_count(tree), is_rounded, apart)


def _rounds(context: TransformationContext, loop: Node) -> CountedHeader | None:
    """``for (int k = 0; k < N; ++k)``, where a kept array has N elements."""
    header, start = counted_header(context.tree, loop), loop.child_by_field_name("initializer")
    if header is None or start is None or start.type != "declaration" or (header.first, header.comparison, header.step) != ("0", "<", "1"):
        return None
    return header if _kept_arrays(context, header.bound) else None


def _kept_arrays(context: TransformationContext, size: str) -> frozenset[str]:
    """Arrays that each thread has one of, with so many elements."""
    found: set[str] = set()
    for name, variables in locals_of(context.tree, context.body).items():
        sizes = [v.declarator.child_by_field_name("size") for v in variables if v.is_array and not v.is_shared and v.value is None]
        if len(variables) == 1 and sizes and sizes[0] is not None and node_text(sizes[0]) == size:
            found.add(name)
    return frozenset(found)


def _is_like(context: TransformationContext, loop: Node, header: CountedHeader) -> bool:
    other = counted_header(context.tree, loop)
    return other is not None and other.bound == header.bound


def _is_element(context: TransformationContext, name: Node, loops: list[Node]) -> bool:
    """The declaration, or ``v[k]`` in a loop whose counter is ``k``."""
    parent = name.parent
    if parent is not None and parent.type == "array_declarator":
        return True
    indices = None if parent is None or parent.type != "subscript_expression" else parent.child_by_field_name("indices")
    loop = next((n for n in loops if n.start_byte <= name.start_byte < n.end_byte), None)
    header = None if loop is None else counted_header(context.tree, loop)
    return header is not None and indices is not None and [node_text(n) for n in indices.named_children] == [header.variable]


def _dealing(context: TransformationContext, loop: Node, header: CountedHeader, seen: SeenBlock) -> Dealing | None:
    """The warp or the block whose threads have neighbouring elements in each round; None where an element is not placed like that."""
    body = loop.child_by_field_name("body")
    for group in sorted({32, seen.block.count}):
        kind = next((v.type for v in locals_of(context.tree, loop).get(header.variable, ())), "int")
        tried = Dealing(header, kind, "", "", "", seen.block, group, is_grid=False, counts_rounds=True)
        if seen.block.count % group or body is None:
            continue
        for node in context.tree.find("binary_expression", inside=body):
            lane = [each for _, each in terms_of(node) if header.variable not in names_in(context.tree, each)]
            lane = [each for each in lane if tried.varies(context, each, header.variable)]
            own = [each for _, each in terms_of(node) if tried.varies(context, each, header.variable)]
            if len(lane) == 1 and tried.address_kind(context, tuple(own), header.variable) is AddressKind.OF_COUNTER:
                return replace(tried, lane=node_text(lane[0]))
    return None


def _loop(context: TransformationContext, function: Function, loop: Node, dealing: Dealing, kept: frozenset[str]) -> KeptLoop | Obstacle:
    """One of the loops; one that touches no memory stays as it is, but for the places in it."""
    tree, body, header = context.tree, loop.child_by_field_name("body"), counted_header(context.tree, loop)
    if body is None or header is None:
        return Obstacle(DeclineReason.LOOP_FORM, f"the loop at line {tree.line(loop)} does nothing")
    sums = body_obstacle(context, function, loop, body, dealing) or sums_of(context, loop, body, kept)
    if isinstance(sums, Obstacle):
        return sums
    counter = header.variable
    elements = dealt_elements(context, function, loop, counter, dealing)
    if isinstance(elements, Obstacle) and elements.code is not DeclineReason.NOTHING_TO_CHANGE:
        return elements
    elements = () if isinstance(elements, Obstacle) else elements
    touched = [node for e in elements for node in e.nodes]
    places = tuple(_places(context, body, counter, dealing, touched))
    rounds = tuple(
        n.parent
        for name in sorted(kept)
        for n in mentions(tree, body, name)
        if n.parent is not None and n.parent.type == "subscript_expression"
    )
    known = [*touched, *places, *rounds]
    stray = next((n for n in mentions(tree, body, counter) if not any(k.start_byte <= n.start_byte < k.end_byte for k in known)), None)
    if stray is not None:
        words = f"line {tree.line(stray)} uses `{counter}` for more than the element's place and the arrays that keep elements"
        return Obstacle(DeclineReason.ORDER_MATTERS, words)
    ends = _ends(context, loop, elements, places, dealing)
    if isinstance(ends, Obstacle):
        return ends
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    dealt = DealtLoop(loop, counter, statements, elements, sums)
    step = next((node_text(t) for p in (*places, *_indices(touched)) for _, t in terms_of(p) if counter in names_in(tree, t)), "")
    return KeptLoop(dealt, places, rounds, ends, step)


def _indices(touched: list[Node]) -> Iterator[Node]:
    for node in touched:
        indices = node.child_by_field_name("indices")
        yield from () if indices is None else indices.named_children


def _places(context: TransformationContext, body: Node, counter: str, dealing: Dealing, touched: list[Node]) -> Iterator[Node]:
    """The largest sums that are the place of the thread's element."""
    found: list[Node] = []
    for node in context.tree.find("binary_expression", inside=body):
        is_inside = any(t.start_byte <= node.start_byte < t.end_byte for t in (*touched, *found))
        is_sum = (parts := binary_parts(node)) is not None and parts[0] == "+"
        if (
            is_sum
            and not is_inside
            and dealing.address_kind(context, (node,), counter) is AddressKind.OF_COUNTER
            and _is_from_zero(node, counter)
        ):
            found.append(node)
    yield from found


def _is_from_zero(place: Node, counter: str) -> bool:
    """Nothing but a term of the thread and one of the round."""
    return len(terms_of(place)) == 2 and any(counter in words_in(node_text(term)) for _, term in terms_of(place))


def _ends(
    context: TransformationContext, loop: Node, elements: tuple[DealtElement, ...], places: tuple[Node, ...], dealing: Dealing
) -> tuple[tuple[Node, str], ...] | Obstacle:
    """Branches on bounds under which elements are touched: vectors are where all of their elements are within."""
    tree, found = context.tree, dict[int, tuple[Node, str]]()
    for node in (node for each in elements for node in each.nodes):
        child = node
        for ancestor in takewhile(lambda n: n != loop, tree.ancestors(node)):
            is_choice = ancestor.type in _BRANCHES and child != ancestor.child_by_field_name("condition")
            end = _end(context, ancestor, child, places, dealing) if is_choice else None
            if end is not None:
                found[ancestor.id] = ancestor, end
            elif is_choice or (ancestor.type == "binary_expression" and node_text(ancestor.children[1]) in ("&&", "||")):
                words = f"`{tree.text(node)}` is touched under a condition that is no bound of its place, and may not be there otherwise"
                return Obstacle(DeclineReason.CONDITIONAL, words)
            child = ancestor
    return tuple(found.values())


def _end(context: TransformationContext, branch: Node, child: Node, places: tuple[Node, ...], dealing: Dealing) -> str | None:
    """``n`` of ``place < n ? … : 0`` and of ``if (place < n) …``, for what stands in its first branch."""
    condition = condition_of(branch) if branch.type == "if_statement" else branch.child_by_field_name("condition")
    parts = None if condition is None else binary_parts(unparenthesized(condition))
    if parts is None or parts[0] != "<" or child != branch.child_by_field_name("consequence"):
        return None
    left, right = unparenthesized(parts[1]), unparenthesized(parts[2])
    declared = [p for p in places if p.parent is not None and p.parent.type == "init_declarator"]
    names = {node_text(n) for p in declared if p.parent is not None and (n := p.parent.child_by_field_name("declarator")) is not None}
    is_place = left in places or node_text(left) in names
    is_common = not (names_in(context.tree, right) & {*names, dealing.header.variable}) and not _names_local(context, right, branch)
    return node_text(right) if is_place and is_common else None


def _names_local(context: TransformationContext, node: Node, branch: Node) -> bool:
    """The expression names a local of the loop around it."""
    loop = loops_around(context.tree, branch)
    return bool(loop) and bool(names_in(context.tree, node) & locals_of(context.tree, loop[0]).keys())


def _declared_obstacle(context: TransformationContext, loops: list[DealtLoop]) -> Obstacle | None:
    """The check of alignment stands before the first of the loops."""
    first = min(each.loop.start_byte for each in loops)
    other = next((each.loop for each in loops if each.loop.parent != loops[0].loop.parent), None)
    if other is not None:
        return Obstacle(
            DeclineReason.LOOP_FORM, f"the loop at line {context.tree.line(other)} would have to stand in the block of the others"
        )
    for name in sorted(words_in(" ".join(e.start for each in loops for e in each.elements))):
        if any(v.node.end_byte > first for v in locals_of(context.tree, context.body).get(name, ())):
            return Obstacle(DeclineReason.ADDRESS_UNKNOWN, f"`{name}` would have to be declared before the first loop over the row")
    return None
