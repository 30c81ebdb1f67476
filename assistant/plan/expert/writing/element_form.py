"""Kernels of which each thread computes one element, as a plain loop behind a bounds check, and their launches with tiles of elements.

What such a kernel has of tiles already, or of an index that rows and columns follow from, is written out of it first. Example::

    match element_form(context):
        case ElementForm() as form: element_kernel(form.plain, form.block)
        case Obstacle(): ...       # why not
        case None: ...             # its threads have no row and column
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import DeclineReason
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.element_kernel import element_kernel
from assistant.plan.expert.analysis.flat_matrix import FlatMatrix, flat_matrix
from assistant.plan.expert.analysis.launch_block import fixed_block
from assistant.plan.expert.analysis.launch_cover import covers
from assistant.plan.expert.analysis.row_blocks import RowBlocks, row_blocks
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.bounded_by_launch import bounded_by_launch
from assistant.plan.expert.writing.smaller_blocks import in_smaller_blocks
from assistant.plan.expert.writing.two_axes_launch import Extent, two_axes_launches
from assistant.plan.expert.writing.two_dimensional import two_dimensional
from assistant.plan.expert.writing.untiled import untiled
from assistant.record import Record

__all__ = ["ElementForm", "block_shape", "element_form", "launches_with"]

_OTHER_TILES = Obstacle(
    DeclineReason.SYNCHRONIZES,
    "the kernel synchronizes its threads already, other than around tiles of the block's size of which each thread loads one element",
)
_SHAPES = {64: Dim3(8, 8), 128: Dim3(16, 8), 256: Dim3(16, 16), 512: Dim3(32, 16), 1024: Dim3(32, 32)}
"""Blocks in two dimensions with as many threads as a flat one."""


class ElementForm(Record):
    """The kernel as a plain loop behind a bounds check, which is what the new text is made from."""

    original: TransformationContext
    plain: TransformationContext
    block: Dim3
    """Of the new text."""
    matrix: FlatMatrix | RowBlocks | None = None
    """Of a kernel with flat blocks; None where its blocks have two dimensions."""
    is_bounded_by_launch: bool = False
    """The bounds check is ours, by the launch's own size."""


def element_form(context: TransformationContext) -> ElementForm | Obstacle | None:
    """The kernel in that form; None where it has flat blocks, and its threads no row and column."""
    block = _block(context)
    if isinstance(block, Obstacle):
        return block
    return _flat_form(context, block) if block.y == 1 else _form(context, block)


def block_shape(thread_count: int) -> Dim3 | None:
    """A block in two dimensions of so many threads."""
    return _SHAPES.get(thread_count)


def launches_with(form: ElementForm, block: Dim3, extents: Mapping[str, int]) -> tuple[TextEdit, ...] | Obstacle:
    """Every launch with blocks of ``block`` threads, and a grid of tiles of ``extents`` (x, y) elements; or why that cannot be."""
    factors = {axis: extents[axis] // getattr(block, axis) for axis in "xy"}
    if form.matrix is not None:
        bounds = {"x": Extent(form.matrix.width, is_inclusive=False), "y": Extent(form.matrix.height, is_inclusive=False)}
        return two_axes_launches(form.original, form.matrix.function, bounds, block, factors)
    if block != form.block:
        return in_smaller_blocks(form.original, form.block, block, extents)
    return coarser_grid(form.original, factors)


def _form(context: TransformationContext, block: Dim3) -> ElementForm | Obstacle:
    """Of a kernel with blocks in two dimensions: without tiles, and with a bounds check."""
    plain = untiled(context, block) if _synchronizes(context) else context
    if plain is None:
        return _OTHER_TILES
    kernel = element_kernel(plain, block)
    is_unbounded = isinstance(kernel, Obstacle) and kernel.code is DeclineReason.NO_BOUNDS_CHECK
    has_check = any(plain.tree.find("if_statement", inside=plain.body))
    if is_unbounded and not has_check:
        bounded = bounded_by_launch(plain, block)
        return bounded if isinstance(bounded, Obstacle) else ElementForm(context, bounded, block, is_bounded_by_launch=True)
    return ElementForm(context, plain, block)


def _flat_form(context: TransformationContext, block: Dim3) -> ElementForm | Obstacle | None:
    """Of a kernel with flat blocks whose threads have a row and a column; None for any other with flat blocks."""
    matrix, shape = flat_matrix(context) or row_blocks(context), block_shape(block.x)
    plain = None if matrix is None else two_dimensional(context, matrix)
    if matrix is None or plain is None or shape is None:
        return None
    if declared_shapes(context):
        return Obstacle(DeclineReason.LAUNCH_FORM, "a workload block declares the launch, which the edit would have to give a second axis")
    sizes = {} if context.recorded is None else {s.name: int(s.highest) for s in context.recorded.scalars}
    scope = scope_of(context.tree, context.kernel)
    width, height = (evaluate(node, scope, sizes) for node in (matrix.width, matrix.height))
    launches = () if width is None or height is None else (LaunchConfig(Dim3(-(-width // shape.x), -(-height // shape.y)), shape),)
    bound = matrix.count if isinstance(matrix, FlatMatrix) else matrix.width
    return covers(context, bound) or ElementForm(context, replace(plain, launches=launches), shape, matrix)


def _synchronizes(context: TransformationContext) -> bool:
    return any("sync" in context.tree.text(n) for n in context.tree.find("call_expression", inside=context.body))


def _block(context: TransformationContext) -> Dim3 | Obstacle:
    """The block of all launches, in two dimensions."""
    block = fixed_block(context)
    if isinstance(block, Obstacle):
        return block
    if block.z != 1 or block.x * block.y < context.architecture.warp_size:
        return Obstacle(
            DeclineReason.BLOCK_SHAPE, f"the block is {block.x} x {block.y} x {block.z}; a tile needs a warp or more in two dimensions"
        )
    return block
