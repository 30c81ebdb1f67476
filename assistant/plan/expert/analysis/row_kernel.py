"""Kernels in which each thread walks through one row: sums, maxima, what is stored along the row, and what is stored once.

A thread's row is ``blockIdx.x * blockDim.x + threadIdx.x``. The loops over the row may be shared by the lanes of a warp where each
iteration does something of its own, adds to a sum, a product, a maximum or a minimum, or puts an element into a short list of the best.

Example::

    match row_kernel(context, block):
        case RowKernel(loops=loops): ...     # (RowLoop(…, reductions=(Reduction('sum', 'float', '+'),)),)
        case Obstacle(): ...                 # why the lanes of a warp cannot share a row
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.cuda.accesses import PointerUse, Use, canonical, uses_of
from assistant.cuda.assignments import assignments
from assistant.cuda.branches import lone_statement
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_effect
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.constant_indices import array_length
from assistant.plan.expert.analysis.kept_list import KeptList, kept_list
from assistant.plan.expert.analysis.memory_uses import changed_own_array, changed_unclearly, memory_uses, object_uses
from assistant.plan.expert.analysis.pointer_roots import pointer_names
from assistant.plan.expert.analysis.row_reductions import Reduction, is_shuffled, reductions_of
from assistant.plan.expert.analysis.summed_arrays import SummedArray, summed_arrays
from assistant.plan.expert.analysis.thread_arrays import changed_arrays, names_of, own_arrays
from assistant.plan.expert.analysis.thread_rows import DealtRows, dealt_rows, thread_row
from assistant.plan.expert.analysis.two_best import TwoBest, two_best
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["RowKernel", "RowLoop", "exchange_obstacle", "may_share_bytes", "row_kernel", "settled_by", "shared_loop", "stores_once"]

_SIDE_EFFECT = re.compile(r"\b(?:atomic[A-Z]\w*|printf)\s*\(")
_LEFT_BY_BREAK = (*LOOPS, "switch_statement")


class RowLoop(Record):
    """A loop over the row that lanes can share."""

    node: Node
    header: CountedHeader
    reductions: tuple[Reduction, ...]
    kept: KeptList | None = None
    """The list that the loop keeps in arrays of the thread's own."""
    summed: tuple[SummedArray, ...] = ()
    """Arrays of the thread's own that the loop adds to."""
    two_best: tuple[TwoBest, ...] = ()

    @property
    def is_exchanged(self) -> bool:
        """Behind the loop the lanes put their parts together."""
        return bool(self.reductions or self.summed or self.two_best) or self.kept is not None


class RowKernel(Record):
    """The parts of such a kernel."""

    function: Function
    row: Variable
    """The local that holds the row."""
    is_offset: bool
    """The rows of a launch begin at another one than the first: ``k + 1 + blockIdx.x * blockDim.x + threadIdx.x``."""
    loops: tuple[RowLoop, ...]
    stores: tuple[Node, ...]
    """Statements that one lane alone must run: they store once for the row."""
    statements: tuple[Node, ...]
    """Everything that runs for a row, in order."""
    guards: tuple[Node, ...]
    """Bounds checks: ``if`` statements that return early, or the one around it all."""
    arrays: tuple[str, ...] = ()
    """Arrays that every thread has one of, which all that share a row have to keep alike."""
    dealt: DealtRows | None = None
    """The grid-stride loop that gives a thread further rows; None where it has one."""

    @property
    def only_for_warps(self) -> Obstacle | None:
        """For edits that put together nothing but reductions, or that need barriers."""
        if self.dealt is not None:
            words = (
                f"threads go through rows `{self.row.name}` in a loop, some once more than others, so not all would reach a barrier in it"
            )
            return Obstacle(DeclineReason.LOOP_FORM, words)
        names = (*self.arrays, *(name for loop in self.loops for each in loop.two_best for name in each.names))
        if not names:
            return None
        words = f"each thread keeps several values of its row in {names_of(names)}, of which those that share the row would have parts"
        return Obstacle(DeclineReason.STORE_FORM, words)


def row_kernel(context: TransformationContext, block: Dim3) -> RowKernel | Obstacle:
    """The kernel's parts, or why the lanes of a warp cannot share a row."""
    tree = context.tree
    function = enclosing_function(tree, context.body)
    dealt = None if function is None else dealt_rows(context, function, block)
    if isinstance(dealt, Obstacle):
        return dealt
    loop = _loop_asked_about(context, None if dealt is None else dealt.loop)
    if loop is None or function is None or enclosing_function(tree, loop) != function:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "there is no loop over a row at this line of the kernel's own body")
    row = thread_row(context, function, block) if dealt is None else (dealt.row, False)
    if isinstance(row, Obstacle):
        return row
    found = _statements(tree, function, row[0]) if dealt is None else (list(dealt.statements), list[Node]())
    if isinstance(found, Obstacle):
        return found
    statements, guards = found
    loops: list[RowLoop] = []
    stores: list[Node] = []
    arrays = own_arrays(tree, function.body)
    for place, statement in enumerate(statements):
        if statement.type in LOOPS and not _runs_whole(tree, function, statement, arrays):
            each = _row_loop(context, function, statement, statements[:place])
            if isinstance(each, Obstacle):
                return each
            loops.append(each)
        else:
            kind = stores_once(tree, function, statement)
            if isinstance(kind, Obstacle):
                return kind
            if kind and dealt is not None and any(tree.find("continue_statement", "break_statement", inside=statement)):
                return Obstacle(
                    DeclineReason.CONDITIONAL, f"line {tree.line(statement)} stores and goes on to another row in one statement"
                )
            if kind:
                stores.append(statement)
    is_other = _covers(loop, context.line) and all(each.node != loop for each in loops)
    if not loops or (is_other and loop in statements):
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the loop goes over a few elements of the thread's own, not over a row")
    if is_other:
        return Obstacle(DeclineReason.LOOP_FORM, "the loop at this line stands inside another statement")
    mentioned = sorted(name for name in arrays if any(name in names_in(tree, statement) for statement in statements))
    kernel = RowKernel(function, *row, tuple(loops), tuple(stores), tuple(statements), tuple(guards), tuple(mentioned), dealt)
    return exchange_obstacle(context, function, loops, arrays) or kernel


def _runs_whole(tree: SyntaxTree, function: Function, loop: Node, arrays: frozenset[str]) -> bool:
    """A loop over the few elements of the thread's own arrays, which every lane runs for itself."""
    header, lengths = counted_header(tree, loop), [_length(tree, function, name) for name in names_in(tree, loop) & arrays]
    count = None if header is None else header.trip_count(tree)
    return count is not None and count <= max(lengths, default=0)


def _length(tree: SyntaxTree, function: Function, array: str) -> int:
    return array_length(tree, locals_of(tree, function.body)[array][0]) or 0


def _row_loop(context: TransformationContext, function: Function, loop: Node, before: Sequence[Node]) -> RowLoop | Obstacle:
    """The loop with the list that it keeps and the arrays that it adds to; why lanes cannot share it."""
    tree, changed = context.tree, changed_arrays(context.tree, function, loop)
    summed = summed_arrays(tree, function, loop, before)
    if isinstance(summed, Obstacle):
        return summed
    others = tuple(name for name in changed if all(name != each.variable.name for each in summed))
    kept = kept_list(tree, function, loop, others, tuple(before))
    if isinstance(kept, Obstacle):
        return kept
    best = two_best(tree, function, loop)
    known = [name for each in best for name in each.names]
    shared = shared_loop(context, function, loop, (*known, *(changed if kept is not None or not others else ())))
    return shared if isinstance(shared, Obstacle) else replace(shared, kept=kept, summed=summed, two_best=best)


def _loop_asked_about(context: TransformationContext, rows: Node | None) -> Node | None:
    """The loop at the finding's line; the kernel's first one where the finding stands at a launch. Not the loop over the rows."""
    loops = tuple(loop for loop in context.tree.find("for_statement", inside=context.body) if loop != rows)
    is_inside = _covers(context.body, context.line)
    return next((loop for loop in loops if not is_inside or _covers(loop, context.line)), None)


def _covers(node: Node, line: int) -> bool:
    return node.start_point[0] < line <= node.end_point[0] + 1


def _statements(tree: SyntaxTree, function: Function, row: Variable) -> tuple[list[Node], list[Node]] | Obstacle:
    """What runs for each row, in order, and the bounds checks before or around it."""
    outer = [n for n in function.body.named_children if n.type not in ("comment", "preproc_call")]
    found: list[Node] = []
    guards: list[Node] = []
    for statement in outer:
        branch = statement.child_by_field_name("consequence") if statement.type == "if_statement" else None
        only = None if branch is None else lone_statement(branch)
        if only is not None and only.type == "return_statement" and statement.child_by_field_name("alternative") is None:
            guards.append(statement)
            continue
        if branch is not None and branch.type == "compound_statement" and any(tree.find("for_statement", inside=branch)):
            is_last = statement == outer[-1] and statement.child_by_field_name("alternative") is None
            if not is_last or row.name not in names_in(tree, statement.child_by_field_name("condition") or statement):
                return Obstacle(
                    DeclineReason.CONDITIONAL, f"the `if` at line {tree.line(statement)} is more than a bounds check of the row"
                )
            found += [n for n in branch.named_children if n.type not in ("comment", "preproc_call")]
            guards.append(statement)
            continue
        found.append(statement)
    return found, guards


def shared_loop(context: TransformationContext, function: Function, loop: Node, kept: Sequence[str] = ()) -> RowLoop | Obstacle:
    """The loop as one whose iterations threads can share; why not otherwise. ``kept``: locals that they put together."""
    tree, header = context.tree, counted_header(context.tree, loop)
    start = loop.child_by_field_name("initializer")
    if header is None or header.step != "1" or header.comparison not in ("<", "<=") or start is None or start.type != "declaration":
        return Obstacle(
            DeclineReason.LOOP_FORM, f"the loop at line {tree.line(loop)} does not count upwards one by one with a counter of its own"
        )
    if _may_end_early(tree, loop) or hidden_effect(tree, loop) is not None:
        return Obstacle(
            DeclineReason.LEAVES_EARLY, f"the loop at line {tree.line(loop)} may end early, or a macro or assembly hides what it does"
        )
    reductions = reductions_of(tree, function, loop, _shuffled_parameters(context), kept)
    if isinstance(reductions, Obstacle):
        return reductions
    return _store_obstacle(context, function, loop, header, kept) or RowLoop(loop, header, reductions)


def _may_end_early(tree: SyntaxTree, loop: Node) -> bool:
    """A ``break`` may end a loop or a ``switch`` inside."""
    if any(tree.find("return_statement", "goto_statement", "gnu_asm_expression", inside=loop)):
        return True
    ended = (next(a for a in tree.ancestors(node) if a.type in _LEFT_BY_BREAK) for node in tree.find("break_statement", inside=loop))
    return loop in ended


def _shuffled_parameters(context: TransformationContext) -> frozenset[str]:
    """Template parameters that every launch of the program gives a type that can be shuffled."""
    return frozenset(parameter.name for parameter in context.kernel.template_parameters if is_shuffled(context, parameter.name))


def _store_obstacle(
    context: TransformationContext, function: Function, loop: Node, header: CountedHeader, kept: Sequence[str]
) -> Obstacle | None:
    """Why two lanes would write one element."""
    tree, own = context.tree, changed_own_array(context.tree, function, loop)
    if own is not None:
        words = f"each thread keeps several values of its row in `{own}`, of which those that share the row would have parts"
        return Obstacle(DeclineReason.STORE_FORM, words)
    unclear = _unclear(tree, function, loop)
    if unclear is not None:
        return unclear
    names = sorted(pointer_names(tree, function) - set(kept) - own_arrays(tree, loop))
    found = {**{name: uses_of(tree, loop, name) for name in names}, **object_uses(tree, function, loop)}
    for name, uses in found.items():
        for use in uses:
            if use.kind is Use.ESCAPE:
                return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, f"the loop passes `{name}` on, so what happens to it cannot be seen")
            if use.kind is Use.READ or use.kind is Use.ATOMIC:
                continue
            if name in own_arrays(tree, function.body):
                words = (
                    f"each thread keeps several values of its row in `{name}`: the lanes of a warp would have to put their lists together"
                )
                return Obstacle(DeclineReason.STORE_FORM, words)
            if header.variable not in names_in(tree, use.node):
                return Obstacle(
                    DeclineReason.OTHER_TECHNIQUE_FIRST,
                    f"every iteration stores to `{tree.text(use.node)}`: keep the running value in a register first",
                )
    return None


def stores_once(tree: SyntaxTree, function: Function, statement: Node) -> bool | Obstacle:
    """Whether one lane alone has to run the statement, as it stores; False where all lanes may, which keep arrays of their own alike."""
    arrays = own_arrays(tree, function.body)
    is_whole = statement.type in LOOPS and _runs_whole(tree, function, statement, arrays)
    if any(tree.find(*(() if is_whole else LOOPS), "return_statement", "goto_statement", inside=statement)):
        return Obstacle(DeclineReason.CONDITIONAL, f"a loop or a return stands inside the statement at line {tree.line(statement)}")
    text, unclear = tree.text(statement), _unclear(tree, function, statement)
    if unclear is not None:
        return unclear
    uses = [use for name in pointer_names(tree, function) - arrays for use in uses_of(tree, statement, name)]
    uses += [use for each in object_uses(tree, function, statement).values() for use in each]
    is_store = any(use.kind in (Use.WRITE, Use.UPDATE, Use.ATOMIC) for use in uses) or _SIDE_EFFECT.search(text) is not None
    if any(use.kind is Use.ESCAPE for use in uses) and statement.type != "declaration" and _SIDE_EFFECT.search(text) is None:
        return Obstacle(DeclineReason.POINTER_CHANGES, f"line {tree.line(statement)} passes a pointer on")
    if is_store and statement.type == "declaration":
        return Obstacle(DeclineReason.STORE_FORM, f"line {tree.line(statement)} declares something from what it stores")
    if is_store and any(_outlives(tree, statement, change.target, arrays) for change in assignments(tree, statement)):
        return Obstacle(DeclineReason.STORE_FORM, f"line {tree.line(statement)} stores and changes a local in one statement")
    return is_store


def _unclear(tree: SyntaxTree, function: Function, region: Node) -> Obstacle | None:
    changed = changed_unclearly(tree, function, region)
    words = f"whether every thread has a `{changed}` of its own is not clear from this file"
    return None if changed is None else Obstacle(DeclineReason.POINTER_UNCLEAR, words)


def _outlives(tree: SyntaxTree, statement: Node, target: Node, arrays: frozenset[str]) -> bool:
    """What is assigned is a local of all lanes, or an element of an array of theirs, which the statement does not declare."""
    owner = target
    while owner.type in ("subscript_expression", "field_expression") and (inner := owner.child_by_field_name("argument")) is not None:
        owner = inner
    name = tree.text(owner)
    return (owner == target or name in arrays) and owner.type == "identifier" and name not in locals_of(tree, statement)


def exchange_obstacle(
    context: TransformationContext, function: Function, loops: Sequence[RowLoop], alike: frozenset[str] = frozenset()
) -> Obstacle | None:
    """Why a lane would read what another lane wrote: an element that the kernel stores is read at another place of the row.

    What is read before the lanes exchange a sum or a maximum is read before what they store afterwards (`settled_by`). ``alike``: arrays
    of their own that all lanes fill alike, or put together.
    """
    tree, body = context.tree, function.body
    for name, uses in memory_uses(tree, function, body).items():
        meeting = settled_by(uses, loops)
        later = [use for use in uses if meeting is None or use.node.start_byte >= meeting.node.end_byte]
        stored = [use for use in later if use.kind in (Use.WRITE, Use.UPDATE)]
        later = [use for use in later if any(may_share_bytes(tree, use, store) for store in stored)]
        written = {canonical(tree, use.node) for use in stored}
        headers = {
            (each.header.variable, each.header.first, each.header.bound)
            for each in loops
            if any(use.kind is not Use.ESCAPE and each.node.start_byte <= use.node.start_byte < each.node.end_byte for use in later)
        }
        read = {canonical(tree, use.node) for use in later if use.kind in (Use.READ, Use.UPDATE)}
        if written and (read - written or (read & written and len(headers) > 1)):
            return Obstacle(
                DeclineReason.ORDER_MATTERS,
                f"`{name}` is written and read at different places of the row, with no sum or maximum of the row in between",
            )
    for variables in locals_of(tree, body).values():
        array = next((v for v in variables if v.is_array and not v.is_shared and v.name not in alike), None)
        if array is not None and any(
            array.name in names_in(tree, each.node) and array.node.end_byte <= each.node.start_byte for each in loops
        ):
            return Obstacle(DeclineReason.ORDER_MATTERS, f"the loop uses the local array `{array.name}`, which each lane would have one of")
    if "sync" in tree.text(body):
        return Obstacle(DeclineReason.SYNCHRONIZES, "the kernel synchronizes its threads already")
    return None


def settled_by(uses: Sequence[PointerUse], loops: Sequence[RowLoop]) -> RowLoop | None:
    """The last loop with a sum or a maximum before the first store through a pointer with these uses: all lanes meet there."""
    first = min((use.node.start_byte for use in uses if use.kind in (Use.WRITE, Use.UPDATE)), default=None)
    return next((each for each in reversed(loops) if first is not None and each.is_exchanged and each.node.end_byte <= first), None)


def may_share_bytes(tree: SyntaxTree, one: PointerUse, other: PointerUse) -> bool:
    """False for different members of structs: ``bodies[j].position`` and ``bodies[i].velocity.x``."""
    return all(a == b for a, b in zip(_members(tree, one), _members(tree, other), strict=False))


def _members(tree: SyntaxTree, use: PointerUse) -> list[str]:
    """Names of the members that the use goes on to, from the element inwards."""
    found: list[str] = []
    node, parent = use.node, use.node.parent
    while parent is not None and parent.type == "field_expression" and parent.child_by_field_name("argument") == node:
        member = parent.child_by_field_name("field")
        found.append("" if member is None else tree.text(member))
        node, parent = parent, parent.parent
    return found
