"""Deal the iterations of a thread's outer loop to more blocks, along an axis of the grid that is free.

Each block strides over the iterations, so that any number of blocks gives the same result. What the kernel stores before and after the
loop, the first of them store.

Example::

    for (int b = 0; b < n; b++) { … out[b * n + a] = sum; }
    // becomes, with 64 blocks along y
    for (int b = blockIdx.y; b < n; b += gridDim.y) { … out[b * n + a] = sum; }
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.independent_loop import IndependentLoop, independent_loop
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.scaled_grids import deeper_grid, free_axis
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import guessed_launch
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.dealt_loop import dealt_loop
from assistant.workload.recorded_words import apart_assumption

__all__ = ["LoopToGrid"]

_WANTED_BLOCKS = 1056
"""Blocks that fill a large GPU with blocks of 256 threads: 8 for each of the 132 multiprocessors of an H100 (NVIDIA H100 data sheet)."""
_MOST = 1024
"""Blocks along the new axis. Our own limit: each has to be started, whether it finds an iteration or not."""
_UNKNOWN_TRIPS = 64
"""Blocks along the new axis where nothing shows how often the loop runs. Our own guess."""


class LoopToGrid:
    """A loop of each thread → an axis of the grid."""

    technique = "loop-to-grid"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = _loop(context)
        axis = free_axis(context)
        if isinstance(found, Obstacle) or isinstance(axis, Obstacle):
            obstacle = found if isinstance(found, Obstacle) else axis
            assert isinstance(obstacle, Obstacle), "one of them is"
            return context.decline(self.technique, obstacle)
        function, loop = found
        others = _other_stores(context, function, loop)
        if isinstance(others, Obstacle):
            return context.decline(self.technique, others)
        count = _count(context, loop)
        grid = deeper_grid(context, axis, count)
        if isinstance(grid, Obstacle):
            return context.decline(self.technique, grid)
        edits, in_others = by_file(context, (*dealt_loop(context, loop.node, axis), *_once(context, others, axis), *grid))
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.tree.line(loop.node),
                edits=edits,
                summary=f"Deal the iterations of the loop over `{loop.header.variable}` to {count} blocks along {axis}.",
                labels=(Label.HOST_CODE, *((Label.ASSUMPTION,) if loop.apart else ())),
                predictions=_predictions(context, count),
                assumptions=_assumptions(context, loop),
                in_others=in_others,
            ),
        )


def _loop(context: TransformationContext) -> tuple[Function, IndependentLoop] | Obstacle:
    """The only outermost loop of the kernel, if its iterations are independent."""
    tree = context.tree
    obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
    if obstacle is not None:
        return obstacle
    outermost = [n for n in tree.find(*LOOPS, inside=context.body) if not _is_inside_loop(context, n)]
    function = enclosing_function(tree, outermost[0]) if outermost else None
    if function is None or len(outermost) != 1:
        several = "the kernel has several loops one after another" if outermost else "there is no loop in the kernel's own body"
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"{several}, and it takes one whose iterations other blocks can run")
    if any("sync" in tree.text(call) for call in tree.find("call_expression", inside=context.body)) or "__shared__" in tree.text(
        context.body
    ):
        return Obstacle(DeclineReason.SYNCHRONIZES, "the threads of a block work together in shared memory or wait for each other")
    loop = independent_loop(context, function, outermost[0])
    if isinstance(loop, Obstacle):
        return loop
    if not _holds_work(context, loop):
        return Obstacle(
            DeclineReason.NO_GAIN, "an iteration has neither a loop nor several elements to load, so there is little to deal out"
        )
    return function, loop


def _is_inside_loop(context: TransformationContext, node: Node) -> bool:
    return any(ancestor.type in LOOPS for ancestor in context.tree.ancestors(node))


def _holds_work(context: TransformationContext, loop: IndependentLoop) -> bool:
    tree = context.tree
    body = loop.node.child_by_field_name("body")
    has_loop = any(tree.find(*LOOPS, inside=body))
    return has_loop or sum(a.kind is Use.READ for a in array_accesses(tree, loop.node)) > 1


def _other_stores(context: TransformationContext, function: Function, loop: IndependentLoop) -> tuple[Node, ...] | Obstacle:
    """Statements outside the loop that store, each a plain one of something that the kernel does not read."""
    tree = context.tree
    accesses = [a for a in array_accesses(tree, context.body) if a.base in global_pointers(tree, function, a.node)]
    outside = [a for a in accesses if not loop.node.start_byte <= a.node.start_byte < loop.node.end_byte]
    stores = [a for a in outside if a.kind is not Use.READ]
    read = {a.base for a in outside if a.kind is Use.READ}
    for written, others in ((loop.stored, read), ({a.base for a in stores}, read | loop.read)):
        for base in sorted(written):
            apart = [may_overlap(tree, function, base, other) for other in sorted(others - {base})]
            if base in others or any(each is not None for each in apart):
                return Obstacle(
                    DeclineReason.ORDER_MATTERS, f"the kernel reads `{base}` or what it may overlap, and other blocks store to it"
                )
    statements = [_statement(context, a.node) for a in stores]
    for access, statement in zip(stores, statements, strict=True):
        in_block = statement.parent is not None and statement.parent.type == "compound_statement"
        if access.kind is not Use.WRITE or statement.type != "expression_statement" or not in_block:
            what = f"`{tree.text(access.node)}` at line {tree.line(statement)}"
            return Obstacle(DeclineReason.ORDER_MATTERS, f"{what} is outside the loop and would be updated by every block again")
    return tuple(statements)


def _statement(context: TransformationContext, node: Node) -> Node:
    return next(a for a in context.tree.ancestors(node) if a.type.endswith("statement") or a.type == "declaration")


def _count(context: TransformationContext, loop: IndependentLoop) -> int:
    """Blocks along the new axis: as many as fill the GPU, a power of two, no more than there are iterations."""
    blocks = context.launches[0].grid.count if context.launches else 1
    wanted = min(_MOST, -(-_WANTED_BLOCKS // blocks))
    trips = _trips(context, loop)
    limit = _UNKNOWN_TRIPS if trips is None else max(2, trips)
    return max(2, 1 << (min(wanted, limit).bit_length() - 1))


def _trips(context: TransformationContext, loop: IndependentLoop) -> int | None:
    """How often the longest recorded launch goes round the loop; None where nothing shows it."""
    scalars = {} if context.recorded is None else {s.name: int(s.highest) for s in context.recorded.scalars}
    return evaluate(loop.header.bound_node, scope_of(context.tree, context.kernel), scalars)


def _once(context: TransformationContext, statements: tuple[Node, ...], axis: str) -> tuple[TextEdit, ...]:
    """Only the first block along the axis runs them."""
    starts = (context.tree.span(statement).start for statement in dict.fromkeys(statements))
    return tuple(TextEdit(Span(start, start), f"if (blockIdx.{axis} == 0) ") for start in starts)


def _predictions(context: TransformationContext, count: int) -> tuple[MetricPrediction, ...]:
    blocks = next((e.value for e in context.evidence if e.metric == "block_count"), None)
    return () if blocks is None else predicted_values(context, {"block_count": blocks * count})


def _assumptions(context: TransformationContext, loop: IndependentLoop) -> tuple[str, ...]:
    pairs = [(pair.first, pair.second) for pair in loop.apart]
    return (apart_assumption(context.recorded, *pairs),) if context.recorded is not None and pairs else ()
