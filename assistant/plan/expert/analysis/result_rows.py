"""Kernels in which each thread computes a row of results by a loop whose iterations do not depend on each other.

Such a loop can become a second axis of the launch, with a thread for each result.

Example::

    match result_rows(context):
        case ResultRows(row=row, loop=loop): ...   # `int i = blockIdx.x * …;` and `for (int j = 0; j < m; j++)`
        case Obstacle(): ...                       # why the results of a row have to stay with one thread
"""

from __future__ import annotations

import re

from assistant.cuda.branches import condition_of
from assistant.cuda.constants import integer_constant
from assistant.cuda.functions import Function
from assistant.cuda.loops import LOOPS
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, unparenthesized, without_comments
from assistant.cuda.variables import Variable, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.independent_loop import IndependentLoop
from assistant.plan.expert.analysis.memory_accesses import global_accesses, unknown_sizes
from assistant.plan.expert.analysis.outer_loop import outer_loop, stores_outside
from assistant.plan.expert.analysis.row_strides import element_at
from assistant.plan.expert.analysis.scaled_grids import free_axis
from assistant.plan.expert.analysis.thread_rows import thread_row
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["ResultRows", "is_read_along_loop", "result_rows"]

_INNER_WEIGHT = 16
"""Accesses in a loop inside the iteration, against one outside it: how often it runs is not known."""
_FAR = 8
"""Cost of neighbours that are not next to each other: of 32 bytes that come with one element of 4, one in eight is used."""


class ResultRows(Record):
    """The parts of such a kernel."""

    function: Function
    row: Variable
    """The local with the thread's index in the grid."""
    guard: Node
    """The bounds check: an early return, or the ``if`` around everything behind it."""
    is_around: bool
    row_count: Node
    """``n`` of ``i < n``."""
    loop: IndependentLoop
    stores: tuple[Node, ...]
    """Statements outside the loop that store."""

    @property
    def is_loop_alone(self) -> bool:
        """The loop is the last thing that a thread does for its row, and nothing but the loop stores."""
        later = self.loop.node.next_named_sibling
        while later is not None and later.type == "comment":
            later = later.next_named_sibling
        return not self.stores and later is None


def result_rows(context: TransformationContext, block: Dim3) -> ResultRows | Obstacle:
    """The kernel's parts, or why each row has to stay with one thread."""
    found, free = outer_loop(context), free_axis(context)
    if isinstance(found, Obstacle):
        return found
    function, loop = found
    if free != "y":
        return Obstacle(DeclineReason.GRID_FORM, "the kernel uses the second axis of its grid already")
    row = thread_row(context, function, block)
    if isinstance(row, Obstacle):
        return row
    if row[1]:
        return Obstacle(DeclineReason.INDEX_OUT_OF_SIGHT, f"`{row[0].name}` would have to count from 0, as the threads do")
    stores = stores_outside(context, function, loop)
    if isinstance(stores, Obstacle):
        return stores
    rows = _bounded(context, function, row[0], loop, stores)
    return rows if isinstance(rows, Obstacle) else _unfit(context, rows) or rows


def _bounded(
    context: TransformationContext, function: Function, row: Variable, loop: IndependentLoop, stores: tuple[Node, ...]
) -> ResultRows | Obstacle:
    """With the one bounds check of the row, and nothing in the kernel that a thread for each result could not do as well."""
    tree = context.tree
    why = Obstacle(DeclineReason.GUARD_FORM, f"one bounds check would have to compare `{row.name}` alone with the number of rows")
    guards = [n for n in without_comments(function.body) if n.type == "if_statement"]
    if len(guards) != 1 or guards[0].child_by_field_name("alternative") is not None:
        return why
    guard = guards[0]
    is_around = guard.start_byte <= loop.node.start_byte < guard.end_byte
    condition = condition_of(guard)
    parts = None if condition is None else binary_parts(unparenthesized(condition))
    if parts is None or parts[0] != ("<" if is_around else ">=") or tree.text(parts[1]) != row.name:
        return why
    if not is_around and not any(tree.find("return_statement", inside=guard)):
        return why
    branch = guard.child_by_field_name("consequence")
    inner = () if not is_around or branch is None else without_comments(branch) if branch.type == "compound_statement" else (branch,)
    for statement in (*(n for n in without_comments(function.body) if n != guard), *inner):
        if statement.type == "preproc_call":
            continue
        if statement not in (loop.node, *stores) and (statement.type != "declaration" or "(" in tree.text(statement).partition("=")[0]):
            what = f"line {tree.line(statement)} does more than declare something or store it for the row"
            return Obstacle(DeclineReason.LOOP_FORM, f"{what}, and a thread for each result would do it again")
    return ResultRows(function, row, guard, is_around, parts[2], loop, stores)


def _unfit(context: TransformationContext, rows: ResultRows) -> Obstacle | None:
    tree, loop = context.tree, rows.loop
    name, body = loop.header.variable, loop.node.child_by_field_name("body")
    if rows.function.parameter(name) is not None or len(locals_of(tree, rows.function.body).get(name, ())) > 1:
        return Obstacle(DeclineReason.LOOP_FORM, f"`{name}` has another meaning outside the loop")
    if not _begins_inside(context, loop.header.first, rows.row.name):
        return Obstacle(DeclineReason.LOOP_FORM, f"`{name}` would have to begin at a number or at the row, not at `{loop.header.first}`")
    skips = (n for n in tree.find("continue_statement", inside=body) if _belongs_to(context, n, loop.node))
    skipped = next(skips, None)
    if skipped is not None:
        return Obstacle(DeclineReason.LOOP_FORM, f"the `continue` on line {tree.line(skipped)} would have to be an `if` around the rest")
    before = loop.node.prev_named_sibling
    if before is not None and before.type == "preproc_call":
        return Obstacle(DeclineReason.LOOP_FORM, "a `#pragma` before the loop sets how it is compiled")
    return None


def _begins_inside(context: TransformationContext, first: str, row: str) -> bool:
    """At a number, at the row or behind it, so that no thread of the second axis would have to begin below 0."""
    known = integer_constant(context.tree, re.sub(rf"\b{row}\b", "0", first))
    return known is not None and known >= 0 and "-" not in first


def _belongs_to(context: TransformationContext, jump: Node, loop: Node) -> bool:
    return next((a for a in context.tree.ancestors(jump) if a.type in LOOPS), None) == loop


def is_read_along_loop(context: TransformationContext, rows: ResultRows) -> bool:
    """Neighbours in memory follow each other along the loop rather than from row to row: neighbouring threads should take iterations."""
    scope, counter, row = scope_of(context.tree, context.kernel), rows.loop.header.variable, rows.row.name
    costs = {counter: 0, row: 0}
    for access in global_accesses(context, scope):
        if not rows.loop.node.start_byte <= access.node.start_byte < rows.loop.node.end_byte:
            continue
        inner = [a for a in context.tree.ancestors(access.node) if a.type in LOOPS and a.start_byte > rows.loop.node.start_byte]
        counters = dict.fromkeys(_counters(context, inner), 2)
        place = {**unknown_sizes(context), **counters, counter: 7, row: 3}
        here = element_at(access.offsets, scope, place)
        for name in costs:
            there = element_at(access.offsets, scope, {**place, name: place[name] + 1})
            distance = _FAR if here is None or there is None else abs(there - here)
            costs[name] += min(distance, _FAR) * (_INNER_WEIGHT if inner else 1)
    return costs[counter] < costs[row]


def _counters(context: TransformationContext, loops: list[Node]) -> list[str]:
    starts = (loop.child_by_field_name("initializer") for loop in loops)
    return [name for start in starts if start is not None for name in locals_of(context.tree, start)]
