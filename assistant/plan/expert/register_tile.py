"""Let each thread of a matrix product compute several elements, from tiles in shared memory.

A block loads a tile of each matrix together, neighbouring threads neighbouring elements, and every element that a thread reads from a
tile serves several sums in registers. The order of each sum does not change. The grid has fewer blocks.

Example::

    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    // becomes, for blocks of 16 x 16 threads with 4 x 4 elements each
    for (int start = 0; start < n; start += 16) {
        … a_tile[16][64], b_tile[16][64] …
        sum[i][j] += a_reg[i] * b_reg[j];
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from assistant.cuda.element_size import element_size_bytes
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.plan.expert.analysis.element_kernel import ElementKernel, element_kernel
from assistant.plan.expert.analysis.kernel_launches import by_file, of_program
from assistant.plan.expert.analysis.launch_block import fixed_block
from assistant.plan.expert.analysis.predictions import predicted_values, predicted_wavefronts
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.staged_loads import StagedLoad, staged_loads
from assistant.plan.expert.analysis.workload_block import launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.register_tile_text import RegisterTile, register_tile_edits
from assistant.plan.expert.writing.untiled import untiled, with_edits_of

__all__ = ["RegisterTiling"]

_OTHER_TILES = Obstacle(
    DeclineReason.SYNCHRONIZES,
    "the kernel synchronizes its threads already, other than around tiles of the block's size of which each thread loads one element",
)
_VARIANT_COUNT = 2
_FACTORS = (1, 2, 4, 8)
_LONGEST_TILE = 128
"""Elements of a block along one axis. Our own limit: with 16 iterations a pair of tiles of 128 floats is 17 KiB."""
_MOST_REGISTERS = 96
"""32-bit registers for sums and for what one iteration multiplies. Our own limit: the rest of 128 is for addresses."""
_DEEP, _SHALLOW = 16, 8
"""Iterations for which a tile holds elements; fewer where tiles are many or their elements wide."""
_TILE_BYTES = 24 * 1024
"""Shared memory of a block up to which tiles are deep: two blocks fit into the 48 KiB that are there without asking (CUDA C++
Programming Guide, "Technical Specifications per Compute Capability")."""
_BUSY_BLOCKS = 264
"""Blocks that keep a large GPU busy: two for each of the 132 multiprocessors of an H100 (NVIDIA H100 data sheet)."""


class RegisterTiling:
    """One element a thread → several, from tiles."""

    technique = "register-tile"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        block = _block(context)
        if isinstance(block, Obstacle):
            return context.decline(self.technique, block)
        if block.y == 1:
            return ()  # no rows and columns of elements
        if not _synchronizes(context):
            return _of_plain(context, block)
        plain = untiled(context, block)
        if plain is None:
            return context.decline(self.technique, _OTHER_TILES)
        made = _of_plain(plain, block)
        if isinstance(made, Decline):
            return replace(made, line=context.line)
        return tuple(replace(r, edits=with_edits_of(context, plain, r.edits), line=context.line) for r in made)


def _of_plain(context: TransformationContext, block: Dim3) -> tuple[Rewrite, ...] | Decline:
    kernel = element_kernel(context, block)
    if isinstance(kernel, Obstacle):
        return context.decline(RegisterTiling.technique, kernel)
    loads = staged_loads(context, kernel)
    if isinstance(loads, Obstacle):
        return context.decline(RegisterTiling.technique, loads)
    return _variants(context, kernel, loads, block)


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


def _variants(
    context: TransformationContext, kernel: ElementKernel, loads: tuple[StagedLoad, ...], block: Dim3
) -> tuple[Rewrite, ...] | Decline:
    made: list[Rewrite] = []
    for factors in _ranked(context, kernel, loads, block)[:_VARIANT_COUNT]:
        grid = coarser_grid(context, factors)
        if isinstance(grid, Obstacle):
            return context.decline(RegisterTiling.technique, grid)
        tile = RegisterTile(kernel, loads, block, factors, _depth(context, loads, block, factors))
        edits, in_others = by_file(context, (*register_tile_edits(context, tile), *grid))
        elements = f"{factors['y']} x {factors['x']}"
        elsewhere = launch_elsewhere(
            context, f"blocks of {block.x} x {block.y} threads for {tile.extent('x')} x {tile.extent('y')} elements"
        )
        names = " and ".join(f"`{name}`" for name in dict.fromkeys(load.base for load in loads))
        made.append(
            Rewrite(
                technique=RegisterTiling.technique,
                kernel=context.kernel.key,
                line=context.tree.line(kernel.loop),
                edits=edits,
                summary=f"Compute {elements} elements in each thread, from tiles of {names} in shared memory"
                + ("; change your launch accordingly." if elsewhere else "."),
                labels=launch_labels(context, elsewhere),
                predictions=_predictions(context, factors),
                assumptions=elsewhere,
                in_others=in_others,
            )
        )
    return tuple(made) or context.decline(
        RegisterTiling.technique, Obstacle(DeclineReason.LIMIT_EXCEEDED, "no tile fits the block's registers and shared memory")
    )


def _predictions(context: TransformationContext, factors: Mapping[str, int]) -> tuple[MetricPrediction, ...]:
    """Each sector loaded once for the block; of a tile's reads those that are left where a value serves several sums."""
    x, y = factors["x"], factors["y"]
    return (*predicted_values(context, {"load_reuse_in_block": 1.0}), *predicted_wavefronts(context, (x + y) / (2 * x * y)))


def _ranked(context: TransformationContext, kernel: ElementKernel, loads: tuple[StagedLoad, ...], block: Dim3) -> list[Mapping[str, int]]:
    """Elements for each thread that fit, the most promising first."""
    return sorted(_fitting(context, kernel, loads, block), key=lambda f: _promise(context, f), reverse=True)


def _fitting(
    context: TransformationContext, kernel: ElementKernel, loads: tuple[StagedLoad, ...], block: Dim3
) -> Iterator[Mapping[str, int]]:
    words = max((_bytes(context, load) + 3) // 4 for load in loads)
    for x in _FACTORS:
        for y in _FACTORS:
            registers = words * (x * y * max(1, len(kernel.locals.values)) + sum(x if load.axis == "x" else y for load in loads))
            available = context.architecture.registers_per_sm // (block.x * block.y)
            is_balanced = x * y > 1 and max(x, y) <= 4 * min(x, y)
            if is_balanced and registers <= min(_MOST_REGISTERS, available - 24) and max(block.x * x, block.y * y) <= _LONGEST_TILE:
                yield {"x": x, "y": y}


def _promise(context: TransformationContext, factors: Mapping[str, int]) -> float:
    """Products for each load from a tile, less where too few blocks are left to keep the GPU busy."""
    x, y = factors["x"], factors["y"]
    grid = context.launches[0].grid if context.launches else None
    blocks = _BUSY_BLOCKS if grid is None else -(-grid.x // x) * -(-grid.y // y) * grid.z
    return x * y / (x + y) * min(1.0, blocks / _BUSY_BLOCKS)


def _depth(context: TransformationContext, loads: tuple[StagedLoad, ...], block: Dim3, factors: Mapping[str, int]) -> int:
    extents = {"x": block.x * factors["x"], "y": block.y * factors["y"]}
    distinct = {load.key(context.tree): load for load in loads}.values()
    row_bytes = sum(extents[load.axis] * _bytes(context, load) for load in distinct)
    return _DEEP if row_bytes * _DEEP <= _TILE_BYTES else _SHALLOW


def _bytes(context: TransformationContext, load: StagedLoad) -> int:
    """Of an element; of a template parameter the largest that a launch gives."""
    names = [p.name for p in context.kernel.template_parameters]
    program = of_program(context)
    sites = program.parsed.launch_sites_of(context.kernel) if load.type in names else ()
    given = [site.template_arguments[names.index(load.type)] for site in sites if len(site.template_arguments) > names.index(load.type)]
    return max((element_size_bytes(program.tree, kind) or 4 for kind in given or [load.type]), default=4)
