"""Launches with fewer threads in each block, whose grids stay: a block works on what it worked on, each of its threads on several items.

Example::

    narrower_blocks(context, 4)   # `k<<<blocks, SIZE>>>` becomes `k<<<blocks, SIZE / 4>>>`, and `dim3 block(256)` becomes `dim3 block(64)`
"""

from __future__ import annotations

from assistant.cuda.launch_shape import Launch
from assistant.cuda.syntax import node_text
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.launch_variables import is_only_used_here
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import is_simple_term

__all__ = ["narrower_blocks", "narrower_words", "whole_warps_of"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""


def whole_warps_of(block: Dim3, count: int) -> Obstacle | None:
    """Why a flat block would not be whole warps with a ``count``-th of its threads; None where it would."""
    if block.y * block.z == 1 and block.x % (count * _LANES) == 0:
        return None
    size = " x ".join(str(edge) for edge in (block.x, block.y, block.z)[: 3 if block.z > 1 else 2 if block.y > 1 else 1])
    words = f"with {count} elements a thread, the block of {size} threads would have to be a multiple of {count * _LANES} in one dimension"
    return Obstacle(DeclineReason.BLOCK_SHAPE, words)


def narrower_words(block: Dim3, count: int) -> str:
    """What a person's own launch has to have, behind "with"."""
    return f"as many blocks, of {block.x // count} threads each"


def narrower_blocks(context: TransformationContext, count: int) -> tuple[TextEdit, ...] | Obstacle:
    """Edits, in the text of `of_program`, that give every flat block a ``count``-th of its threads.

    Why not where a block is made out of sight.
    """
    program = of_program(context)
    edits: set[TextEdit] = set()
    for launch in launches_of(program):
        edit = _narrower(program, launch, count)
        if edit is None:
            place = program.tree.place(launch.site.span)
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the block of the launch on {place} is made elsewhere")
        edits.add(edit)
    for shape in declared_shapes(context):
        if not shape.block or not shape.block[0].text.isdigit():
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the workload {shape.name} declares no block in this form")
        edits.add(TextEdit(shape.block[0].span, str(int(shape.block[0].text) // count)))
    return tuple(sorted(edits))


def _narrower(program: TransformationContext, launch: Launch, count: int) -> TextEdit | None:
    tree, block = program.tree, launch.block
    if not block.components:
        return None
    if block.variable is None or is_only_used_here(program, launch, block):
        return TextEdit(tree.span(block.components[0]), _divided(node_text(block.components[0]), count))
    return TextEdit(tree.span(block.expression), f"{block.variable}.x / {count}")


def _divided(text: str, count: int) -> str:
    plain = text.strip()
    if plain.isdigit():
        return str(int(plain) // count)
    return f"{plain} / {count}" if is_simple_term(plain) else f"({plain}) / {count}"
