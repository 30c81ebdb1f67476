"""Let threads that are neighbours in a warp touch elements that are neighbours in memory.

Answers KO101 and KO102 by exchanging the roles of x and y: in every built-in variable of the kernel, and in block and grid of
every launch in the program. The same threads do the same work; only who shares a warp with whom changes. Where a kernel has one
dimension, ``dealt_sum``, ``dealt_piece`` and ``element_reorder`` are asked instead.

Example::

    int row = threadIdx.x, col = threadIdx.y;   ->   int row = threadIdx.y, col = threadIdx.x;   // and dim3's x and y exchanged
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.launch_shape import Launch, Shape
from assistant.cuda.syntax import Node, node_text
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import by_file, known_blocks, launches_of, of_program
from assistant.plan.expert.analysis.launch_variables import is_dim3_parameter, is_only_used_here
from assistant.plan.expert.analysis.memory_accesses import WarpCost, unknown_sizes, warp_cost
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.warp_pattern import exchanged_lane, lane_environments
from assistant.plan.expert.analysis.workload_block import DeclaredShape, declared_shapes, guessed_launch, launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.dealt_piece import dealt_piece
from assistant.plan.expert.writing.dealt_sum import dealt_sum
from assistant.plan.expert.writing.element_reorder import reordered

__all__ = ["CoalescingInterchange"]

GRID_Y_LIMIT = 65535
"""Largest ``gridDim.y`` (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""

_DEFAULT_BLOCK = Dim3(16, 16)
_EXCHANGED = {"x": "y", "y": "x"}
_BUILTINS = ("threadIdx", "blockIdx", "blockDim", "gridDim")


class CoalescingInterchange:
    """``row = … threadIdx.x`` → ``row = … threadIdx.y``, with the launch."""

    technique = "coalescing-interchange"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        fields = tuple(_exchangeable_fields(context))
        if not any(node_text(f) == "y" for f in fields):
            result = dealt_sum(context, self.technique) or dealt_piece(context, self.technique) or reordered(context, self.technique)
            return context.decline(self.technique, result) if isinstance(result, Obstacle) else (result,)
        reason = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
        if reason is not None:
            return context.decline(self.technique, reason)
        before, after = _costs(context)
        reason = _no_gain(context, before, after)
        if reason is not None:
            return context.decline(self.technique, reason)
        launch_edits = _launch_edits(of_program(context), declared_shapes(context))
        if isinstance(launch_edits, Obstacle):
            return context.decline(self.technique, launch_edits)
        kernel_edits = tuple(TextEdit(context.tree.span(f), _EXCHANGED[node_text(f)]) for f in fields)
        edits, in_others = by_file(context, (*kernel_edits, *launch_edits))
        elsewhere = launch_elsewhere(context, "x and y of grid and block exchanged") if launch_edits else ()
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=edits,
                summary="Exchange the roles of x and y, so that neighbouring threads touch neighbouring elements"
                + ("; change your launch accordingly." if elsewhere else "."),
                labels=launch_labels(context, elsewhere) if launch_edits else (),
                predictions=predicted_sectors(context, after.line_sectors / before.line_sectors),
                assumptions=(
                    *elsewhere,
                    f"the grid has at most {GRID_Y_LIMIT:,} blocks along the new y; a larger one fails to launch",
                ),
                in_others=in_others,
            ),
        )


def _exchangeable_fields(context: TransformationContext) -> Iterator[Node]:
    """The ``x`` or ``y`` of each built-in variable that the kernel mentions."""
    for node in context.tree.find("field_expression", inside=context.body):
        owner, field = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if owner is not None and field is not None and node_text(owner) in _BUILTINS and node_text(field) in _EXCHANGED:
            yield field


def _costs(context: TransformationContext) -> tuple[WarpCost, WarpCost]:
    block = next((b for b in known_blocks(context)), _DEFAULT_BLOCK)
    sizes = unknown_sizes(context)
    before = [{**sizes, **lane} for lane in lane_environments(block)]
    exchanged = [exchanged_lane(lane) for lane in lane_environments(Dim3(block.y, block.x, block.z))]
    return warp_cost(context, before), warp_cost(context, [{**sizes, **lane} for lane in exchanged])


def _no_gain(context: TransformationContext, before: WarpCost, after: WarpCost) -> Obstacle | None:
    if before.line_sectors == 0:
        return Obstacle(
            DeclineReason.ADDRESS_UNKNOWN, "which elements this line touches depends on values that are only known while it runs"
        )
    if after.line_sectors >= before.line_sectors:
        block = next((b for b in known_blocks(context)), _DEFAULT_BLOCK)
        if block.y == 1:
            return Obstacle(
                DeclineReason.BLOCK_SHAPE,
                f"a block of {block.x} x 1 threads has no y to exchange: swap the grid's axes so that x runs along the fastest index",
            )
        return Obstacle(DeclineReason.NO_GAIN, "with x and y exchanged this line would touch as many sectors")
    if after.sectors >= before.sectors:
        return Obstacle(
            DeclineReason.NO_GAIN, "exchanging x and y would cost other accesses of the kernel as many sectors as this one saves"
        )
    if after.wavefronts > before.wavefronts:
        return Obstacle(DeclineReason.NO_GAIN, "exchanging x and y would bring bank conflicts to the shared memory of the kernel")
    widest = max((launch.grid.x for launch in context.launches), default=0)
    return (
        Obstacle(DeclineReason.LIMIT_EXCEEDED, f"the grid has {widest:,} blocks along x, more than fit along y")
        if widest > GRID_Y_LIMIT
        else None
    )


def _launch_edits(program: TransformationContext, declared: tuple[DeclaredShape, ...]) -> tuple[TextEdit, ...] | Obstacle:
    """Edits that exchange x and y of block and grid wherever the kernel is launched; a sentence where that cannot be done."""
    edits: set[TextEdit] = set()
    for launch in launches_of(program):
        for shape in (launch.grid, launch.block):
            found = _shape_edits(program, launch, shape)
            if isinstance(found, Obstacle):
                return found
            edits.update(found)
    for shape in declared:
        found = _declared_edits(shape)
        if isinstance(found, Obstacle):
            return found
        edits.update(found)
    return tuple(sorted(edits))


def _shape_edits(context: TransformationContext, launch: Launch, shape: Shape) -> tuple[TextEdit, ...] | Obstacle:
    tree, place = context.tree, context.tree.place(launch.site.span)
    texts = tuple(node_text(c) for c in shape.components)
    if len(texts) == 1:
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the launch on {place} has one dimension, so x and y cannot be exchanged there")
    if texts and texts[0] == texts[1]:
        return ()
    if shape.variable is not None and not is_only_used_here(context, launch, shape):
        parts = ", ".join(f"{shape.variable}.{axis}" for axis in ("y", "x", "z"))
        short = parts if len(texts) != 2 else parts.rpartition(",")[0]
        return (TextEdit(tree.span(shape.expression), f"dim3({short})"),)
    if not texts:
        return _exchanged_expression(context, launch, shape)
    first, second = tree.span(shape.components[0]), tree.span(shape.components[1])
    return TextEdit(first, texts[1]), TextEdit(second, texts[0])


def _exchanged_expression(context: TransformationContext, launch: Launch, shape: Shape) -> tuple[TextEdit, ...] | Obstacle:
    """For a ``dim3`` parameter of the host function around the launch."""
    name = node_text(shape.expression)
    if not is_dim3_parameter(launch, shape):
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the shape of the launch on {context.tree.place(launch.site.span)} is made elsewhere")
    return (TextEdit(context.tree.span(shape.expression), f"dim3({name}.y, {name}.x, {name}.z)"),)


def _declared_edits(shape: DeclaredShape) -> tuple[TextEdit, ...] | Obstacle:
    edits: list[TextEdit] = []
    for items in (shape.grid, shape.block):
        if len(items) < 2:
            return Obstacle(
                DeclineReason.LAUNCH_FORM,
                f"the workload {shape.name} declares a grid or block of one dimension, so x and y cannot be exchanged there",
            )
        if items[0].text != items[1].text:
            edits += [TextEdit(items[0].span, items[1].text), TextEdit(items[1].span, items[0].text)]
    return tuple(edits)
