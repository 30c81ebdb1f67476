"""Loops in which each thread goes along a row of its own, element by element, in an order that matters.

Neighbouring threads then load elements that are a row apart. Where elements lie is not matched, it is followed: with numbers in the
place of sizes, one iteration further is one element further, and one thread further is as far for every thread.

Example::

    for (int d = 0; d < days; d++) { double today = p[d]; … }     # const double *p = prices + (size_t)a * days;
    row_walk(context)                 # RowWalk(row='a', elements=(WalkedElement('prices', …),), …)
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.assignments import changed_names
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import loops_around
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.launch_block import SeenBlock, launched_block
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.memory_accesses import Access, addresses, global_accesses, unknown_sizes
from assistant.plan.expert.analysis.pointer_roots import apart_from_others, global_pointers, unclear_access
from assistant.plan.expert.analysis.thread_index import is_index_in_grid
from assistant.plan.expert.analysis.tile_loads import is_unconditional
from assistant.plan.expert.analysis.warp_pattern import lane_environments
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["RowWalk", "WalkedElement", "row_walk"]

_TRIAL_COUNTERS = (0, 1, 7)
_TRIAL_LANES = (0, 1, 31)
_SIDE_BY_SIDE = 1


class WalkedElement(Record):
    """An element of the thread's row at the loop's counter."""

    pointer: str
    """The kernel's parameter."""
    offsets: tuple[Node, ...]
    """Expressions whose sum is the element's index."""
    type: str
    size_bytes: int
    is_written: bool
    nodes: tuple[Node, ...]
    """Every place in the loop that names it."""


class RowWalk(Record):
    """Such a loop, and what is in front of it."""

    function: Function
    seen: SeenBlock
    loop: Node
    header: CountedHeader
    counter_type: str
    row: str
    """The local with the thread's index in the grid, which is its row's number."""
    row_type: str
    checks: tuple[Node, ...]
    """Bounds checks that some threads do not pass."""
    elements: tuple[WalkedElement, ...]
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""


def row_walk(context: TransformationContext) -> RowWalk | Obstacle:
    """The loop at the finding's line, or why its elements are not staged."""
    tree = context.tree
    here = [n for n in tree.find("for_statement", inside=context.body) if _covers_line(context, n)]
    around = [n for n in here if not loops_around(tree, n)]
    loop, function = around[0] if around else None, enclosing_function(tree, context.body)
    header = None if loop is None else counted_header(tree, loop)
    if loop is None or function is None or header is None or header.step != "1" or header.comparison != "<":
        return Obstacle(DeclineReason.LOOP_FORM, "the line would have to be in a loop that counts upwards one by one, and in no other one")
    seen = launched_block(context)
    row = _row(context)
    if isinstance(seen, Obstacle):
        return seen
    if row is None:
        return Obstacle(DeclineReason.GUARD_FORM, "a local would have to hold the thread's index in the grid, and be the number of its row")
    obstacle = _loop_obstacle(context, function, loop, header, seen, row.name)
    elements = obstacle or _elements(context, loop, header, seen)
    if isinstance(elements, Obstacle):
        return elements
    stored = {a.base for a in array_accesses(tree, context.body) if a.kind is not Use.READ and a.base in _pointers(context, function)}
    apart = apart_from_others(tree, function, stored, context.recorded)
    if isinstance(apart, Obstacle):
        return apart
    start = loop.child_by_field_name("initializer")
    assert start is not None, "a counted loop starts somewhere"
    kind = next(declared_variables(tree, start)).type
    return RowWalk(function, seen, loop, header, kind, row.name, row.type, _checks(context, loop), elements, apart)


def _covers_line(context: TransformationContext, node: Node) -> bool:
    return node.start_point[0] < context.line <= node.end_point[0] + 1


def _pointers(context: TransformationContext, function: Function) -> frozenset[str]:
    return global_pointers(context.tree, function, context.body)


def _row(context: TransformationContext) -> Variable | None:
    found = locals_of(context.tree, context.body).values()
    return next((all_[0] for all_ in found if len(all_) == 1 and is_index_in_grid(context, all_[0])), None)


def _checks(context: TransformationContext, loop: Node) -> tuple[Node, ...]:
    """The ``if`` around the loop, or those in front of it by which threads leave."""
    around = [n for n in context.tree.ancestors(loop) if n.type == "if_statement"]
    if around:
        return tuple(around)
    before = [n for n in context.body.named_children if n.type == "if_statement" and n.end_byte <= loop.start_byte]
    return tuple(n for n in before if next(context.tree.find("return_statement", inside=n), None) is not None)


def _loop_obstacle(
    context: TransformationContext, function: Function, loop: Node, header: CountedHeader, seen: SeenBlock, row: str
) -> Obstacle | None:
    tree, start = context.tree, loop.child_by_field_name("initializer")
    effect = leaves_or_synchronizes(tree, loop)
    jumps = [n for n in tree.find("break_statement", "continue_statement", inside=loop) if loops_around(tree, n)[0] == loop]
    if effect is not None:
        return effect
    if jumps:
        words = f"the loop may leave at line {tree.line(jumps[0])}, and elements behind that may not be there"
        return Obstacle(DeclineReason.LEAVES_EARLY, words)
    if start is None or start.type != "declaration" or changed_names(tree, loop) & {row, header.bound}:
        return Obstacle(DeclineReason.LOOP_FORM, "the loop would have to declare its counter, and leave its bound and the row alone")
    for text_node in (_first(loop), header.bound_node):
        if text_node is None or not _is_common(context, text_node, seen):
            return Obstacle(DeclineReason.BOUND_UNKNOWN, f"all rows would have to have one length, and `{header.bound}` may differ")
    unclear = unclear_access(tree, function, loop)
    return (
        None if unclear is None else Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    )


def _first(loop: Node) -> Node | None:
    start = loop.child_by_field_name("initializer")
    declarators = () if start is None else start.children_by_field_name("declarator")
    return declarators[0].child_by_field_name("value") if declarators else None


def _is_common(context: TransformationContext, node: Node, seen: SeenBlock) -> bool:
    scope = scope_of(context.tree, context.kernel)
    values = {evaluate(node, scope, place) for place in _places(context, seen)}
    return len(values) == 1 and None not in values


def _places(context: TransformationContext, seen: SeenBlock) -> tuple[Mapping[str, int], ...]:
    """Some lanes of a warp."""
    lanes = lane_environments(seen.block)
    return tuple({**unknown_sizes(context), **lanes[lane], "blockIdx.x": 1} for lane in _TRIAL_LANES)


def _elements(context: TransformationContext, loop: Node, header: CountedHeader, seen: SeenBlock) -> tuple[WalkedElement, ...] | Obstacle:
    tree, scope = context.tree, scope_of(context.tree, context.kernel)
    inner = [a for a in global_accesses(context, scope) if loop.start_byte <= a.node.start_byte < loop.end_byte]
    found: dict[tuple[str, tuple[int, ...]], list[Access]] = {}
    for access in inner:
        places = [{**place, header.variable: c} for place in _places(context, seen) for c in _TRIAL_COUNTERS]
        known = addresses(access.offsets, scope, places)
        if known is not None and _is_row_apart(known):
            found.setdefault((access.pointer, known), []).append(access)
    if not found:
        words = "the loop would have to go along rows, one for each thread: neighbouring threads load elements that are far apart"
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
    elements = list[WalkedElement]()
    for (pointer, _), own in found.items():
        element = _element(context, loop, pointer, own)
        if isinstance(element, Obstacle):
            return element
        others = [a for a in inner if a.pointer == pointer and a not in own]
        if others and any(a.is_store for a in (*own, *others)):
            words = f"`{tree.text(others[0].node)}` may be an element that another iteration stores"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
        elements.append(element)
    return tuple(elements)


def _is_row_apart(known: tuple[int, ...]) -> bool:
    """An element further for each iteration, and equally many for each thread."""
    count = len(_TRIAL_COUNTERS)
    rows = [known[at : at + count] for at in range(0, len(known), count)]
    is_along = all(row[place] - row[0] == c for row in rows for place, c in enumerate(_TRIAL_COUNTERS))
    pitch = rows[1][0] - rows[0][0]
    return is_along and pitch > _SIDE_BY_SIDE and rows[2][0] - rows[0][0] == pitch * (_TRIAL_LANES[2] - _TRIAL_LANES[0])


def _element(context: TransformationContext, loop: Node, pointer: str, own: list[Access]) -> WalkedElement | Obstacle:
    tree = context.tree
    kind = next((p.element_type for p in context.kernel.parameters if p.name == pointer), None) or ""
    size = element_size_bytes(tree.program, plain_type(tree, kind))
    if size not in (1, 2, 4, 8):
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the elements of `{pointer}` would have to be numbers of 1, 2, 4 or 8 bytes")
    sure = [a for a in own if is_unconditional(tree, a.node, loop)]
    if not sure:
        words = f"`{tree.text(own[0].node)}` is touched only under a condition, and may not be there otherwise"
        return Obstacle(DeclineReason.CONDITIONAL, words)
    is_written = any(a.is_store for a in own)
    if is_written and (len(own) > 1 or not _is_plain_store(tree, own[0].node)):
        words = f"the element of `{pointer}` would have to be stored once in each iteration, and not be read"
        return Obstacle(DeclineReason.STORE_FORM, words)
    return WalkedElement(pointer, own[0].offsets, kind, size, is_written, tuple(a.node for a in own))


def _is_plain_store(tree: SyntaxTree, node: Node) -> bool:
    parent = node.parent
    operator = None if parent is None else parent.child_by_field_name("operator")
    return parent is not None and parent.type == "assignment_expression" and operator is not None and node_text(operator) == "="
