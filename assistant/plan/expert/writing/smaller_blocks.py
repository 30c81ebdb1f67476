"""Launches with smaller blocks, each of which has as many elements as a tile of the new kernel: the edits of every block and grid.

Example::

    in_smaller_blocks(context, Dim3(32, 32), Dim3(16, 16), {"x": 64, "y": 64})
    # dim3 block(32, 32), grid((n + 31) / 32, (m + 31) / 32)  ->  dim3 block(16, 16), grid((n + 63) / 64, (m + 63) / 64)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.cuda.integers import Scope
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, node_text
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.launch_variables import is_declared_here, is_only_used_here
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["in_smaller_blocks"]

_MOST_STEPS = 8
"""Definitions that a grid is followed through."""


def in_smaller_blocks(
    context: TransformationContext, before: Dim3, block: Dim3, extents: Mapping[str, int]
) -> tuple[TextEdit, ...] | Obstacle:
    """Every launch of blocks ``before`` with ``block``, and a grid of tiles of ``extents`` (x, y) elements; or why that cannot be."""
    program = of_program(context)
    launches = launches_of(program)
    if declared_shapes(context) or not launches:
        return Obstacle(DeclineReason.LAUNCH_FORM, "the launch, whose blocks would have to be smaller, is not written in the program")
    edits: set[TextEdit] = set()
    follows: set[frozenset[str]] = set()
    for launch in launches:
        if len(launch.block.components) < 2 or launch.block.fields:
            place = program.tree.place(launch.site.span)
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the block of the launch on {place} is made elsewhere")
        edits.update(_block_edits(program, launch, block))
        follows.add(_axes_that_follow(program, launch))
    if len(follows) > 1:
        return Obstacle(DeclineReason.GRID_FORM, "some launches compute their grid from the block's size, others do not")
    (following,) = follows
    factors: dict[str, int] = {}
    for axis in "xy":
        factors[axis], rest = divmod(extents[axis], getattr(block if axis in following else before, axis))
        if rest or not factors[axis]:
            return Obstacle(DeclineReason.GRID_FORM, "the grid would not have a whole number of the tiles")
    grids = coarser_grid(context, factors)
    return grids if isinstance(grids, Obstacle) else (*sorted(edits), *grids)


def _block_edits(program: TransformationContext, launch: Launch, block: Dim3) -> Iterator[TextEdit]:
    """Where the block is this kernel's alone, its numbers; else another one at the launch."""
    shape = launch.block
    if shape.variable is not None and not _is_own(program, launch):
        yield TextEdit(program.tree.span(shape.expression), f"dim3({block.x}, {block.y})")
        return
    for node, size in zip(shape.components, (block.x, block.y), strict=False):
        yield TextEdit(program.tree.span(node), str(size))


def _is_own(program: TransformationContext, launch: Launch) -> bool:
    """Whether the block's variable says nothing but how this kernel is launched: its blocks, and its grid."""
    tree, grid = program.tree, launch.grid
    if is_only_used_here(program, launch, launch.block):
        return True
    if launch.function is None or (grid.variable is not None and not is_only_used_here(program, launch, grid)):
        return False
    own = [each.site.block.span for each in launches_of(program)] + [tree.span(node) for node in grid.components]
    mentions = [node for node in tree.find("identifier", inside=launch.function) if node_text(node) == launch.block.variable]
    return all(is_declared_here(node) or any(span.contains(tree.span(node)) for span in own) for node in mentions)


def _axes_that_follow(program: TransformationContext, launch: Launch) -> frozenset[str]:
    """Axes along which the grid is computed from a block that is edited where it is declared."""
    name = launch.block.variable
    if name is None or not _is_own(program, launch):
        return frozenset()
    components = zip(launch.grid.components, "xyz", strict=False)
    return frozenset(axis for node, axis in components if _mentions(program, node, name, launch.scope, _MOST_STEPS))


def _mentions(program: TransformationContext, node: Node, name: str, scope: Scope, steps: int) -> bool:
    names = names_in(program.tree, node)
    if name in names or f"{name}." in node_text(node):
        return True
    definitions = (scope.definition(other) for other in names)
    return steps > 0 and any(_mentions(program, each, name, scope, steps - 1) for each in definitions if each is not None)
