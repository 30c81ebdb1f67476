"""Launches with blocks of fewer rows, whose grids stay: each block works on what it worked on, and each of its threads on several rows.

Example::

    shorter_blocks(context, 8)   # `dim3 block(32, 32)` becomes `dim3 block(32, 8)`; where the grid is made of it, only the launch changes
"""

from __future__ import annotations

from assistant.cuda.launch_shape import Launch
from assistant.model.plan import DeclineReason
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.launch_variables import is_only_used_here
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["shorter_blocks"]


def shorter_blocks(context: TransformationContext, rows: int) -> tuple[TextEdit, ...] | Obstacle:
    """Edits, in the text of `of_program`, that give every block ``rows`` rows; why not where a block is made out of sight."""
    program = of_program(context)
    edits: set[TextEdit] = set()
    for launch in launches_of(program):
        edit = _shorter(program, launch, rows)
        if edit is None:
            place = program.tree.place(launch.site.span)
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the block of the launch on {place} is made elsewhere")
        edits.add(edit)
    for shape in declared_shapes(context):
        if len(shape.block) < 2:
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the workload {shape.name} declares no block in this form")
        edits.add(TextEdit(shape.block[1].span, str(rows)))
    return tuple(sorted(edits))


def _shorter(program: TransformationContext, launch: Launch, rows: int) -> TextEdit | None:
    tree, block = program.tree, launch.block
    if len(block.components) < 2:
        return None
    if block.variable is None or is_only_used_here(program, launch, block):
        return TextEdit(tree.span(block.components[1]), str(rows))
    return TextEdit(tree.span(block.expression), f"dim3({block.variable}.x, {rows})")
