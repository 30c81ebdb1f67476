"""Loops whose iterations do not depend on each other, so that other blocks or other threads of the block may run some of them.

An iteration stores to elements of its own, reads nothing that the loop stores elsewhere, and leaves no local changed.

Example::

    match independent_loop(context, loop):
        case IndependentLoop(): ...   # header, and which pointers only recorded launches show to be apart
        case Obstacle(): ...          # '`run` goes from one iteration to the next'
"""

from __future__ import annotations

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses, canonical
from assistant.cuda.assignments import changed_names, modified_names
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function
from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap, pointer_names, unclear_access
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["IndependentLoop", "independent_in_block", "independent_loop"]

_TRIAL_ITERATIONS = (3, 4, 5, 11, 70)
_TRIAL_INNER = (1, 2, 7)
"""Values of counters and other locals for which elements are compared: no two iterations may meet."""
_PLACE = {"threadIdx": 5, "blockIdx": 3, "blockDim": 32, "gridDim": 40}


class IndependentLoop(Record):
    """Such a loop."""

    node: Node
    header: CountedHeader
    type: str
    """Of the counter."""
    stored: frozenset[str]
    """Pointers that it stores through."""
    read: frozenset[str]
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""


def independent_loop(context: TransformationContext, function: Function, loop: Node) -> IndependentLoop | Obstacle:
    """The loop's parts, or why its iterations must stay in order; it must not touch shared memory."""
    head = _head(context, function, loop)
    return head if isinstance(head, Obstacle) else _by_memory(context, function, loop, head)


def independent_in_block(context: TransformationContext, function: Function, loop: Node) -> IndependentLoop | Obstacle:
    """The same of a loop whose iterations threads of one block may share: it may touch shared memory, and update elements atomically."""
    head = _head(context, function, loop)
    return head if isinstance(head, Obstacle) else _by_arrays(context, function, loop, head)


def _head(context: TransformationContext, function: Function, loop: Node) -> tuple[CountedHeader, str] | Obstacle:
    """The loop's header and its counter's type, where it leaves nothing behind but what it stores."""
    tree, header = context.tree, counted_header(context.tree, loop)
    start = loop.child_by_field_name("initializer")
    kind = None if start is None or start.type != "declaration" else start.child_by_field_name("type")
    if header is None or kind is None or header.step != "1" or header.comparison not in ("<", "<="):
        return Obstacle(DeclineReason.LOOP_FORM, "the loop does not count upwards one by one with a counter of its own")
    body = loop.child_by_field_name("body")
    assert body is not None, "a counted loop has a body"
    left = next((n for n in tree.find("break_statement", inside=body) if _leaves(context, n, loop)), None)
    if left is not None:
        return Obstacle(DeclineReason.LEAVES_EARLY, f"the loop may end early, at line {tree.line(left)}")
    changed = changed_names(tree, body) - locals_of(tree, body).keys() - global_pointers(tree, function, body)
    carried = {name for name in changed if not _is_set_anew(context, function, loop, name)}
    if carried:
        return Obstacle(
            DeclineReason.ORDER_MATTERS,
            f"`{min(carried)}` goes from one iteration to the next: its iterations would have to be independent",
        )
    return leaves_or_synchronizes(tree, loop) or (header, tree.text(kind))


def _is_set_anew(context: TransformationContext, function: Function, loop: Node, name: str) -> bool:
    """Each iteration gives the local a value before it uses it, and nothing behind the loop looks at it."""
    tree, body = context.tree, loop.child_by_field_name("body")
    mentions = [n for n in tree.find("identifier", inside=function.body) if tree.text(n) == name and n.start_byte >= loop.start_byte]
    if body is None or name not in locals_of(tree, function.body) or mentions[-1].end_byte > loop.end_byte:
        return False
    change = mentions[0].parent
    statement = None if change is None else change.parent
    if change is None or statement is None or statement.parent != body or change.child_by_field_name("left") != mentions[0]:
        return False
    operator = change.child_by_field_name("operator")
    is_set = change.type == "assignment_expression" and operator is not None and tree.text(operator) == "="
    is_run = statement.type == "expression_statement" or statement.child_by_field_name("initializer") == change
    return is_set and is_run and not any(n.start_byte < change.end_byte for n in mentions[1:])


def _leaves(context: TransformationContext, jump: Node, loop: Node) -> bool:
    """A ``break`` that leaves this loop, not one inside it."""
    kinds = ("for_statement", "while_statement", "do_statement", "switch_statement")
    return next((a for a in context.tree.ancestors(jump) if a.type in kinds), None) == loop


def _by_memory(
    context: TransformationContext, function: Function, loop: Node, head: tuple[CountedHeader, str]
) -> IndependentLoop | Obstacle:
    tree, header = context.tree, head[0]
    unclear = unclear_access(tree, function, loop)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    pointers = global_pointers(tree, function, loop)
    accesses = [a for a in array_accesses(tree, loop) if a.base in pointers]
    if any(a.kind in (Use.ATOMIC, Use.ESCAPE) for a in accesses):
        return Obstacle(DeclineReason.ATOMIC, "the loop passes an element on or updates one atomically")
    stored = frozenset(a.base for a in accesses if a.kind in (Use.WRITE, Use.UPDATE))
    if not stored:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the outer loop stores nothing")
    for base in sorted(stored):
        obstacle = _meeting(context, loop, header.variable, [a for a in accesses if a.base == base])
        if obstacle is not None:
            return obstacle
    found = [may_overlap(tree, function, base, other, context.recorded) for base in sorted(stored) for other in sorted(pointers - {base})]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    apart = tuple(dict.fromkeys(each for each in found if isinstance(each, ApartAsRecorded)))
    return obstacle or IndependentLoop(loop, header, head[1], stored, pointers - stored, apart)


def _by_arrays(
    context: TransformationContext, function: Function, loop: Node, head: tuple[CountedHeader, str]
) -> IndependentLoop | Obstacle:
    tree, header = context.tree, head[0]
    unclear = unclear_access(tree, function, loop)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    accesses = [a for a in array_accesses(tree, loop) if a.base in pointer_names(tree, function)]
    obstacle = _only_for_its_thread(context, function, loop, accesses)
    if obstacle is not None:
        return obstacle
    stored = frozenset(a.base for a in accesses if a.kind is not Use.READ)
    if not stored:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the loop stores nothing")
    meetings = (_meeting(context, loop, header.variable, [a for a in accesses if a.base == base]) for base in sorted(stored))
    obstacle = next((each for each in meetings if each is not None), None)
    pointers = global_pointers(tree, function, loop)
    pairs = [(base, other) for base in sorted(stored & pointers) for other in sorted(pointers - {base})]
    found = [may_overlap(tree, function, base, other, context.recorded) for base, other in pairs]
    obstacle = obstacle or next((each for each in found if isinstance(each, Obstacle)), None)
    apart = tuple(dict.fromkeys(each for each in found if isinstance(each, ApartAsRecorded)))
    return obstacle or IndependentLoop(loop, header, head[1], stored, frozenset(a.base for a in accesses) - stored, apart)


def _only_for_its_thread(context: TransformationContext, function: Function, loop: Node, accesses: list[ArrayAccess]) -> Obstacle | None:
    """Why another thread could not do what an access of the loop does."""
    tree, local = context.tree, locals_of(context.tree, function.body)
    for access in accesses:
        spelled = tree.text(access.node)
        if access.kind is Use.ESCAPE:
            return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, f"the loop passes `{spelled}` on, so what happens to it cannot be seen")
        if any(v.is_array and not v.is_shared and not v.is_pointer for v in local.get(access.base, ())):
            return Obstacle(DeclineReason.STORE_FORM, f"the loop uses `{access.base}`, an array that each thread has for itself")
        if access.kind is Use.ATOMIC and not _is_statement(access.node):
            return Obstacle(
                DeclineReason.ATOMIC, f"what the atomic on `{spelled}` returns is used, which depends on the order of iterations"
            )
    return None


def _is_statement(element: Node) -> bool:
    """The call around the element is a statement of its own: ``atomicAdd(&a[i], v);``."""
    node: Node | None = element
    while node is not None and node.type != "call_expression":
        node = node.parent
    return node is not None and node.parent is not None and node.parent.type == "expression_statement"


def _meeting(context: TransformationContext, loop: Node, counter: str, accesses: list[ArrayAccess]) -> Obstacle | None:
    """Why two iterations may touch the same element through one pointer."""
    tree = context.tree
    if any(a.kind is not Use.WRITE for a in accesses) and len({canonical(tree, a.node) for a in accesses}) > 1:
        places = " and ".join(f"`{text}`" for text in dict.fromkeys(tree.text(a.node) for a in accesses))
        return Obstacle(DeclineReason.ORDER_MATTERS, f"one iteration may read what another stores, through {places}")
    for access in accesses:
        touched = [_elements(context, loop, access, {counter: value}) for value in _TRIAL_ITERATIONS]
        known = [elements for elements in touched if elements is not None]
        if len(known) < len(touched):
            return Obstacle(
                DeclineReason.ADDRESS_UNKNOWN, f"whether each iteration has a `{tree.text(access.node)}` of its own is not clear"
            )
        if len(frozenset[tuple[int, ...]]().union(*known)) < sum(len(elements) for elements in known):
            return Obstacle(DeclineReason.ORDER_MATTERS, f"several iterations touch the same `{tree.text(access.node)}`")
    return None


def _elements(
    context: TransformationContext, loop: Node, access: ArrayAccess, counter: dict[str, int]
) -> frozenset[tuple[int, ...]] | None:
    """Elements that one iteration touches, for some values of the counters inside it; None where they do not follow."""
    if not access.indices:
        return None
    scope = scope_of(context.tree, context.kernel)
    places = {f"{owner}.{axis}": number for owner, number in _PLACE.items() for axis in "xyz"}
    named = frozenset[str]().union(*(names_in(context.tree, index) for index in access.indices)) - counter.keys()
    inner = {name for name in named if scope.definition(name) is None and name in scope.writes}
    found: set[tuple[int, ...]] = set()
    for number in _TRIAL_INNER:
        outside = dict.fromkeys(inner - modified_names(context.tree, loop), _TRIAL_INNER[0])
        known = {**unknown_sizes(context), **places, **dict.fromkeys(inner, number), **outside, **counter}
        element = [evaluate(index, scope, known) for index in access.indices]
        if None in element:
            return None
        found.add(tuple(index for index in element if index is not None))
    return frozenset(found)
