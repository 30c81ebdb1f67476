"""Kernels that one thread runs: loops whose iterations a block's threads could share, and what is stored once.

Example::

    match serial_kernel(context):
        case SerialKernel(loops=loops): ...    # `for (int i = 0; i < n; i++) sum += x[i];` of a kernel launched as <<<1, 1>>>
        case Obstacle(): ...                   # why its threads could not share the loops
"""

from __future__ import annotations

from assistant.cuda.accesses import Use
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import block_dims
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.kernel_launches import launches_of
from assistant.plan.expert.analysis.memory_uses import memory_uses
from assistant.plan.expert.analysis.row_kernel import RowLoop, exchange_obstacle, shared_loop, stores_once
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["SerialKernel", "is_for_many_threads", "serial_kernel"]

_INDICES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


class SerialKernel(Record):
    """The parts of such a kernel."""

    function: Function
    loops: tuple[RowLoop, ...]
    stores: tuple[Node, ...]
    """Statements that one thread alone must run."""


def serial_kernel(context: TransformationContext) -> SerialKernel | Obstacle:
    """The kernel's parts, or why a block's threads cannot share its loops."""
    obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or _launch_obstacle(context)
    function = enclosing_function(context.tree, context.body)
    if obstacle is not None or function is None:
        return obstacle or Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the kernel's body cannot be read")
    indices = sorted(names_in(context.tree, function.body) & _INDICES)
    if indices:
        words = (
            f"one thread runs the kernel, which asks for {indices[0]} all the same: its loops would have to stand in its body without that"
        )
        return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, words)
    loops: list[RowLoop] = []
    stores: list[Node] = []
    for statement in (n for n in function.body.named_children if n.type not in ("comment", "preproc_call")):
        part = shared_loop(context, function, statement) if statement.type in LOOPS else stores_once(context.tree, function, statement)
        if isinstance(part, Obstacle):
            return part
        if isinstance(part, RowLoop):
            loops.append(part)
        elif part:
            stores.append(statement)
    kernel = SerialKernel(function, tuple(loops), tuple(stores))
    if not any(loop.reductions for loop in loops):
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no loop of the kernel's own body makes a sum or a maximum of what it reads")
    return exchange_obstacle(context, function, loops) or _store_obstacle(context, kernel) or kernel


def is_for_many_threads(context: TransformationContext) -> bool:
    """Whether the kernel looks at its thread's place, and blocks of several threads are launched."""
    blocks = {block_dims(launch) for launch in launches_of(context)}
    return bool(blocks - {None, Dim3(1)}) and bool(names_in(context.tree, context.body) & _INDICES)


def _launch_obstacle(context: TransformationContext) -> Obstacle | None:
    for launch in launches_of(context):
        grid = [evaluate(component, launch.scope, {}) for component in launch.grid.components]
        if block_dims(launch) != Dim3(1) or not grid or any(count != 1 for count in grid):
            return Obstacle(DeclineReason.BLOCK_SHAPE, "not every launch of the kernel is of one block of one thread")
    return None if launches_of(context) else Obstacle(DeclineReason.LAUNCH_UNKNOWN, "no launch of the kernel is in sight")


def _store_obstacle(context: TransformationContext, kernel: SerialKernel) -> Obstacle | None:
    """Why other threads would look at what the first one stores."""
    tree, function = context.tree, kernel.function
    for name, uses in memory_uses(tree, function, function.body).items():
        stored = any(_is_inside(use.node, store) and use.kind is not Use.READ for store in kernel.stores for use in uses)
        looped = any(_is_inside(use.node, loop.node) for loop in kernel.loops for use in uses)
        is_read = any(use.kind is Use.READ for use in uses)
        if stored and (looped or is_read):
            return Obstacle(
                DeclineReason.ORDER_MATTERS,
                f"`{name}` is stored once and read elsewhere in the kernel, which threads would have to wait for",
            )
    return None


def _is_inside(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte
