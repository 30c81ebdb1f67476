"""Which row a thread has: the thread's index in the grid, or, in a grid-stride loop, that one and each a grid's width further on.

Example::

    thread_row(context, function, block)      # (`i` of `int i = blockIdx.x * blockDim.x + threadIdx.x;`, False)
    dealt_rows(context, function, block)      # of `for (int i = <the same>; i < n; i += gridDim.x * blockDim.x) { … }`
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.accesses import is_declaration
from assistant.cuda.assignments import changed_names
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.functions import Function
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.variables import Variable, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.thread_arrays import changed_arrays
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["DealtRows", "dealt_rows", "thread_row"]

_TRIAL_PLACES = ((0, 0), (0, 1), (1, 0), (3, 2), (100, 31))
_TRIAL_BLOCKS = (1, 7)
_INDICES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


class DealtRows(Record):
    """A loop over a thread's rows, the last statement of its kernel."""

    loop: Node
    row: Variable
    """The loop's counter."""
    step: Node
    """What is added to the row: as many threads as the grid has."""
    statements: tuple[Node, ...]
    """What runs for a row, in order."""


def thread_row(context: TransformationContext, function: Function, block: Dim3) -> tuple[Variable, bool] | Obstacle:
    """The local with the thread's index in the grid, the only one that knows threads; whether something is added to the index."""
    tree = context.tree
    found: Variable | None = None
    is_offset = False
    for variables in locals_of(tree, function.body).values():
        variable = variables[0]
        if len(variables) > 1 or variable.is_pointer or variable.name in changed_names(tree, function.body):
            continue
        first = _first_row(context, variable, block)
        if first is not None and variable.value is not None and "threadIdx" in node_text(variable.value):
            found, is_offset = variable, first != 0
    if found is None or found.value is None:
        return Obstacle(
            DeclineReason.INDEX_OUT_OF_SIGHT, "no local holds the thread's index in the grid, `blockIdx.x * blockDim.x + threadIdx.x`"
        )
    return _other_use(context, function, (found.value,)) or (found, is_offset)


def dealt_rows(context: TransformationContext, function: Function, block: Dim3) -> DealtRows | Obstacle | None:
    """The kernel's grid-stride loop with loops in it; why its rows cannot be given to other threads; None where it has none."""
    tree, last = context.tree, next((n for n in reversed(function.body.named_children) if n.type != "comment"), None)
    header = None if last is None else counted_header(tree, last)
    start, update, body = (None if last is None else last.child_by_field_name(f) for f in ("initializer", "update", "body"))
    step = None if update is None else update.child_by_field_name("right")
    if last is None or header is None or start is None or start.type != "declaration" or step is None or body is None:
        return None
    row = next((v for v in locals_of(tree, function.body).get(header.variable, ()) if v.node == start), None)
    if row is None or row.value is None or header.step != tree.text(step):
        return None
    places = (row.value, step, *_definition(context, function, row.value), *_definition(context, function, step))
    if not any("threadIdx" in node_text(place) for place in places) or _first_row(context, row, block) != 0:
        return None
    if header.comparison not in ("<", "<=") or not _is_width_of_grid(context, step, block) or not any(tree.find(*LOOPS, inside=body)):
        return None
    known = locals_of(tree, function.body)
    outer = [name for name in changed_names(tree, body) if name in known or function.parameter(name) is not None]
    carried = sorted({*outer, *changed_arrays(tree, function, last)} - locals_of(tree, last).keys())
    if carried:
        words = f"`{carried[0]}` goes from one row of a thread to its next, which would be another one"
        return Obstacle(DeclineReason.ORDER_MATTERS, words)
    statements = body.named_children if body.type == "compound_statement" else (body,)
    inside = tuple(n for n in statements if n.type not in ("comment", "preproc_call"))
    return _other_use(context, function, places) or DealtRows(last, row, step, inside)


def _first_row(context: TransformationContext, variable: Variable, block: Dim3) -> int | None:
    """The row of the launch's first thread, where each thread's is as much higher as its index in the grid; None where it is not."""
    if variable.value is None:
        return None
    scope = scope_of(context.tree, context.kernel)
    sizes = {"blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1} | unknown_sizes(context)
    places = ({"blockIdx.x": b, "threadIdx.x": t} for b, t in _TRIAL_PLACES)
    values = [evaluate(variable.value, scope, {**sizes, **place}) for place in places]
    first = values[0]
    distances = None if first is None else [None if value is None else value - first for value in values]
    return first if distances == [b * block.x + t for b, t in _TRIAL_PLACES] else None


def _is_width_of_grid(context: TransformationContext, step: Node, block: Dim3) -> bool:
    scope = scope_of(context.tree, context.kernel)
    sizes = {"blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1} | unknown_sizes(context)
    return all(evaluate(step, scope, {**sizes, "gridDim.x": blocks}) == blocks * block.x for blocks in _TRIAL_BLOCKS)


def _definition(context: TransformationContext, function: Function, used: Node) -> tuple[Node, ...]:
    """What the local that is used here, and nowhere else, is made from; nothing where it is no such local."""
    tree, name = context.tree, context.tree.text(used)
    found = locals_of(tree, function.body).get(name, ()) if used.type == "identifier" else ()
    is_only_use = all(node == used or is_declaration(node) for node in mentions(tree, function.body, name)) if found else False
    return tuple(variable.value for variable in found if variable.value is not None) if is_only_use else ()


def _other_use(context: TransformationContext, function: Function, places: Sequence[Node]) -> Obstacle | None:
    """Another place where the kernel uses an index of a thread or of a block, or a size."""
    tree = context.tree
    for node in tree.find("field_expression", inside=function.body):
        owner, _, field = tree.text(node).partition(".")
        is_known = any(place.start_byte <= node.start_byte < place.end_byte for place in places)
        if owner.strip() in _INDICES and not is_known and (owner.strip(), field.strip()) not in {("blockIdx", "y"), ("blockIdx", "z")}:
            return Obstacle(
                DeclineReason.BLOCK_SIZE_MATTERS, f"line {tree.line(node)} uses {tree.text(node)} for more than the thread's row"
            )
    return None
