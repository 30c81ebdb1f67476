"""Launches with larger blocks, and as many fewer of them, where what the block is made from serves other launches, too.

Example::

    larger_blocks(context, {"y": 4})
    # k<<<grid, block>>>   ->   k<<<dim3(grid.x, (grid.y + 3) / 4, grid.z), dim3(block.x, 4 * block.y)>>>
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.launch_shape import Launch, block_dims
from assistant.cuda.syntax import node_text
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.launch_variables import is_only_used_here
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import is_simple_term

__all__ = ["common_block", "larger_blocks"]


def common_block(context: TransformationContext) -> tuple[int, ...] | None:
    """Threads along each axis of the block that all launches have by the text alone, as many as are written; None where it is not known, or
    a workload block declares it."""
    program = of_program(context)
    launches = launches_of(program)
    blocks = {block_dims(launch) for launch in launches}
    block = blocks.pop() if len(blocks) == 1 else None
    if block is None or declared_shapes(context):
        return None
    return (block.x, block.y, block.z)[: _axis_count(block)]


def larger_blocks(context: TransformationContext, factors: Mapping[str, int]) -> tuple[TextEdit, ...] | Obstacle:
    """Edits, in the text of `of_program`, of every launch: ``factors`` times as many threads a block along these axes, and grids to match.

    Why not where a grid or a block is made out of sight. The kernel has to ask whether an index is in bounds.
    """
    program = of_program(context)
    grid = coarser_grid(context, factors)
    if isinstance(grid, Obstacle):
        return grid
    edits: set[TextEdit] = set(grid)
    for launch in launches_of(program):
        edit = _larger(program, launch, factors)
        if edit is None:
            place = program.tree.place(launch.site.span)
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the block of the launch on {place} is made elsewhere")
        edits.add(edit)
    return tuple(sorted(edits))


def _larger(program: TransformationContext, launch: Launch, factors: Mapping[str, int]) -> TextEdit | None:
    block, dims = launch.block, block_dims(launch)
    if dims is None or (block.variable is not None and is_only_used_here(program, launch, block)):
        return None
    axes = "xyz"[: _axis_count(dims)]
    if block.variable is None and len(axes) > 1:
        parts = [node_text(component) for component in block.components]
    else:
        parts = [node_text(block.expression)] if block.variable is None else [f"{block.variable}.{axis}" for axis in axes]
    made = [_multiplied(part, factors.get(axis, 1)) for part, axis in zip(parts, axes, strict=False)]
    return TextEdit(program.tree.span(block.expression), f"dim3({', '.join(made)})" if len(made) > 1 else made[0])


def _axis_count(block: Dim3) -> int:
    return 3 if block.z > 1 else 2 if block.y > 1 else 1


def _multiplied(text: str, factor: int) -> str:
    plain = text.strip()
    if factor == 1:
        return plain
    if plain.isdigit():
        return str(int(plain) * factor)
    return f"{factor} * {plain}" if is_simple_term(plain) else f"{factor} * ({plain})"
