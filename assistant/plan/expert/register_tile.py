"""Let each thread of a matrix product compute several elements, from tiles in shared memory.

A block loads a tile of each matrix together, neighbouring threads neighbouring elements, and every element that a thread reads from a
tile serves several sums in registers. Where a thread has registers left, it loads its elements of the next tile ahead. The order of each
sum does not change. The grid has fewer blocks.

Example::

    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    // becomes, for blocks of 16 x 16 threads with 4 x 4 elements each (larger blocks are made smaller where the launch can be edited)
    for (int start = 0; start < n; start += 16) {
        … a_tile[16][64], b_tile[16][64] …
        sum[i][j] += a_reg[i] * b_reg[j];
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil

from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.element_kernel import ElementKernel, element_kernel
from assistant.plan.expert.analysis.flat_matrix import FlatMatrix, flat_matrix
from assistant.plan.expert.analysis.kernel_launches import by_file, of_program
from assistant.plan.expert.analysis.large_gpu import BUSY_BLOCKS
from assistant.plan.expert.analysis.launch_block import fixed_block
from assistant.plan.expert.analysis.launch_cover import covers
from assistant.plan.expert.analysis.predictions import predicted_values, predicted_wavefronts
from assistant.plan.expert.analysis.row_blocks import RowBlocks, row_blocks
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.scaled_loads import with_factors
from assistant.plan.expert.analysis.staged_loads import StagedLoad, staged_loads
from assistant.plan.expert.analysis.workload_block import declared_shapes, launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.bounded_by_launch import bounded_by_launch
from assistant.plan.expert.writing.register_tile_text import RegisterTile, register_tile_edits
from assistant.plan.expert.writing.smaller_blocks import in_smaller_blocks
from assistant.plan.expert.writing.two_axes_launch import Extent, two_axes_launches
from assistant.plan.expert.writing.two_dimensional import two_dimensional
from assistant.plan.expert.writing.untiled import untiled, with_edits_of
from assistant.record import Record

__all__ = ["RegisterTiling"]

_OTHER_TILES = Obstacle(
    DeclineReason.SYNCHRONIZES,
    "the kernel synchronizes its threads already, other than around tiles of the block's size of which each thread loads one element",
)
_TOO_FEW_BLOCKS = Obstacle(
    DeclineReason.NO_GAIN,
    "at this size blocks of several elements a thread would be too few to keep a large GPU busy",
)
_VARIANT_COUNT = 4
"""Sizes, the most promising first, of which tuning finds the best."""
_SHAPES = {64: Dim3(8, 8), 128: Dim3(16, 8), 256: Dim3(16, 16), 512: Dim3(32, 16), 1024: Dim3(32, 32)}
"""Blocks in two dimensions with as many threads as a flat one."""
_LARGEST_BLOCK, _SMALLER_BLOCK = 256, Dim3(16, 16)
"""What takes the place of blocks of more threads, which leave each too few registers for many sums. Our own choice."""
_FACTORS = (1, 2, 4, 8)
_LONGEST_TILE = 128
"""Elements of a block along one axis. Our own limit: with 16 iterations a pair of tiles of 128 floats is 17 KiB."""
_MOST_REGISTERS = 96
"""32-bit registers for sums and for what one iteration multiplies. Our own limit: the rest of 128 is for addresses."""
_MOST_REGISTERS_AHEAD = 88
"""As above, with a thread's elements of the next tile. Measured on an H200 with nvcc 13.0: 8 x 8 floats and 8 of the next tile take 128
registers, so that two blocks of 256 threads fit; 8 more, and it is one block and 1.25x the time."""
_FEWEST_TILES_AHEAD = 4
"""Tiles along the loop from which on loads ahead are worth their lines."""
_WARP, _WORDS_AT_ONCE = 32, 4
"""Threads that load at once, and 32-bit words that each of them loads at most."""
_DEEP, _SHALLOW = 16, 8
"""Iterations for which a tile holds elements; fewer where tiles are many or their elements wide."""
_TILE_BYTES = 24 * 1024
"""Shared memory of a block up to which tiles are deep: two blocks fit into the 48 KiB that are there without asking (CUDA C++
Programming Guide, "Technical Specifications per Compute Capability")."""


class _Form(Record):
    """The kernel as a plain loop behind a bounds check, which is what the new text is made from."""

    original: TransformationContext
    plain: TransformationContext
    block: Dim3
    """Of the new text."""
    matrix: FlatMatrix | RowBlocks | None = None
    """Of a kernel with flat blocks; None where its blocks have two dimensions."""
    is_bounded_by_launch: bool = False
    """The bounds check is ours, by the launch's own size."""


class _Size(Record):
    """A size of the tiles."""

    block: Dim3
    x: int
    """Elements of a thread along a row."""
    y: int

    @property
    def extents(self) -> dict[str, int]:
        return {"x": self.block.x * self.x, "y": self.block.y * self.y}

    @property
    def factors(self) -> dict[str, int]:
        return {"x": self.x, "y": self.y}


class RegisterTiling:
    """One element a thread → several, from tiles."""

    technique = "register-tile"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        block = _block(context)
        if isinstance(block, Obstacle):
            return context.decline(self.technique, block)
        form = _flat_form(context, block) if block.y == 1 else _form(context, block)
        if form is None:
            return ()  # no rows and columns of elements
        if isinstance(form, Obstacle):
            return context.decline(self.technique, form)
        made = _of_plain(form)
        return context.decline(self.technique, made) if isinstance(made, Obstacle) else made


def _form(context: TransformationContext, block: Dim3) -> _Form | Obstacle:
    """Of a kernel with blocks in two dimensions: without tiles, and with a bounds check."""
    plain = untiled(context, block) if _synchronizes(context) else context
    if plain is None:
        return _OTHER_TILES
    kernel = element_kernel(plain, block)
    is_unbounded = isinstance(kernel, Obstacle) and kernel.code is DeclineReason.NO_BOUNDS_CHECK
    has_check = any(plain.tree.find("if_statement", inside=plain.body))
    if is_unbounded and not has_check:
        bounded = bounded_by_launch(plain, block)
        return bounded if isinstance(bounded, Obstacle) else _Form(context, bounded, block, is_bounded_by_launch=True)
    return _Form(context, plain, block)


def _flat_form(context: TransformationContext, block: Dim3) -> _Form | Obstacle | None:
    """Of a kernel with flat blocks whose threads have a row and a column; None for any other with flat blocks."""
    matrix, shape = flat_matrix(context) or row_blocks(context), _SHAPES.get(block.x)
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
    return covers(context, bound) or _Form(context, replace(plain, launches=launches), shape, matrix)


def _of_plain(form: _Form) -> tuple[Rewrite, ...] | Obstacle:
    kernel = element_kernel(form.plain, form.block)
    if isinstance(kernel, Obstacle):
        return kernel
    loads = staged_loads(form.plain, kernel)
    if isinstance(loads, Obstacle):
        return loads
    return _variants(form, kernel, with_factors(form.plain.tree, kernel.function, loads))


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


def _variants(form: _Form, kernel: ElementKernel, loads: tuple[StagedLoad, ...]) -> tuple[Rewrite, ...] | Obstacle:
    made: list[Rewrite] = []
    context, plain = form.original, form.plain
    words = (_widest(plain, loads) + 3) // 4
    ranked = sorted(_fitting(form, kernel, loads), key=lambda size: _promise(form, size, words), reverse=True)
    if not ranked:
        return Obstacle(DeclineReason.LIMIT_EXCEEDED, "no tile fits the block's registers and shared memory")
    if _promise(form, ranked[0], words) <= _promise(form, _Size(form.block, 1, 1), words):
        return _TOO_FEW_BLOCKS
    for size in ranked[:_VARIANT_COUNT]:
        launches = _launches(form, size)
        if isinstance(launches, Obstacle):
            return launches
        depth, is_ahead = _depth(form, kernel, loads, size)
        tile = RegisterTile(kernel, loads, size.block, size.factors, depth, _widest(plain, loads), is_ahead)
        edits, in_others = by_file(context, (*with_edits_of(context, plain, register_tile_edits(plain, tile)), *launches))
        blocks = f"blocks of {size.block.x} x {size.block.y} threads"
        elsewhere = launch_elsewhere(context, f"{blocks} for {tile.extent('x')} x {tile.extent('y')} elements")
        names = " and ".join(f"`{name}`" for name in dict.fromkeys(load.base for load in loads))
        smaller = "" if size.block == form.block else f", in {blocks}"
        made.append(
            Rewrite(
                technique=RegisterTiling.technique,
                kernel=context.kernel.key,
                line=plain.tree.line(kernel.loop) if plain is context else context.line,
                edits=edits,
                summary=f"Compute {size.y} x {size.x} elements in each thread, from tiles of {names} in shared memory{smaller}"
                + ("; change your launch accordingly." if elsewhere else "."),
                labels=launch_labels(context, elsewhere),
                predictions=_predictions(context, size),
                assumptions=elsewhere,
                in_others=in_others,
                numbers=(("rows_per_thread", size.y), ("columns_per_thread", size.x), ("block_threads", size.block.count)),
            )
        )
    return tuple(made)


def _launches(form: _Form, size: _Size) -> tuple[TextEdit, ...] | Obstacle:
    if size.block != form.block:
        return in_smaller_blocks(form.original, form.block, size.block, size.extents)
    if form.matrix is None:
        return coarser_grid(form.original, size.factors)
    extents = {"x": Extent(form.matrix.width, is_inclusive=False), "y": Extent(form.matrix.height, is_inclusive=False)}
    return two_axes_launches(form.original, form.matrix.function, extents, form.block, size.factors)


def _predictions(context: TransformationContext, size: _Size) -> tuple[MetricPrediction, ...]:
    """Each sector loaded once for the block; of a tile's reads those that are left where a value serves several sums."""
    reads = (size.x + size.y) / (2 * size.x * size.y)
    return (*predicted_values(context, {"load_reuse_in_block": 1.0}), *predicted_wavefronts(context, reads))


def _fitting(form: _Form, kernel: ElementKernel, loads: tuple[StagedLoad, ...]) -> Iterator[_Size]:
    """Sizes that fit a block's registers and shared memory."""
    for size in (_Size(block, x, y) for block in _blocks(form) for x in _FACTORS for y in _FACTORS):
        x, y = size.x, size.y
        registers, available = _registers(form, kernel, loads, size), form.plain.architecture.registers_per_sm // size.block.count
        is_balanced = x * y > 1 and max(x, y) <= 4 * min(x, y)
        has_whole_blocks = all(size.extents[axis] % getattr(form.block, axis) == 0 for axis in "xy")
        is_short = max(size.extents.values()) <= _LONGEST_TILE
        if is_balanced and has_whole_blocks and is_short and registers <= min(_MOST_REGISTERS, available - 24):
            yield size


def _registers(form: _Form, kernel: ElementKernel, loads: tuple[StagedLoad, ...], size: _Size) -> int:
    """32-bit registers of a thread for its sums and for what one iteration multiplies."""
    words = (_widest(form.plain, loads) + 3) // 4
    return words * (size.x * size.y * max(1, len(kernel.locals.values)) + sum(getattr(size, load.axis) for load in loads))


def _has_room_ahead(form: _Form, kernel: ElementKernel, loads: tuple[StagedLoad, ...], size: _Size, depth: int) -> bool:
    """Each thread has registers left for its elements of the next tile, several and as many as any other, and there are tiles enough."""
    context = form.plain
    distinct = {load.key(context.tree): load for load in loads}.values()
    counts = [(depth * size.extents[load.axis], (_bytes(context, load) + 3) // 4) for load in distinct]
    trips = kernel.header.trip_count(context.tree)
    is_shared_evenly = all(count % size.block.count == 0 and count > size.block.count for count, _ in counts)
    if not is_shared_evenly or (trips is not None and trips < _FEWEST_TILES_AHEAD * depth):
        return False
    registers = _registers(form, kernel, loads, size) + sum(count // size.block.count * words for count, words in counts)
    return registers <= min(_MOST_REGISTERS_AHEAD, context.architecture.registers_per_sm // size.block.count - 24)


def _blocks(form: _Form) -> Iterator[Dim3]:
    """That of the launches, and a smaller one where they can be edited."""
    yield form.block
    if form.matrix is not None or form.is_bounded_by_launch or form.block.count <= _LARGEST_BLOCK or form.original.kernel.launch_bounds:
        return
    extents = {"x": _LONGEST_TILE, "y": _LONGEST_TILE}
    if not isinstance(in_smaller_blocks(form.original, form.block, _SMALLER_BLOCK, extents), Obstacle):
        yield _SMALLER_BLOCK


def _promise(form: _Form, size: _Size, words: int) -> Fraction:
    """Products for each wavefront that a warp's loads from the tiles take, less where too few blocks are left to keep the GPU busy; of
    large ones fewer do. ``words``: 32-bit words of the widest element."""
    grid = form.plain.launches[0].grid if form.plain.launches else None
    x, y = (Fraction(size.extents[axis], getattr(form.block, axis)) for axis in "xy")
    larger = max(Fraction(1), Fraction(size.block.count, _LARGEST_BLOCK))
    blocks = BUSY_BLOCKS if grid is None else ceil(grid.x / x) * ceil(grid.y / y) * grid.z
    return size.x * size.y / _wavefronts(size, words) * min(Fraction(1), Fraction(blocks * larger, BUSY_BLOCKS))


def _wavefronts(size: _Size, words: int) -> Fraction:
    """Of a warp's loads from both tiles for one iteration, 128 bytes each: elements of one row are the same for all threads of it, those of
    a column differ from thread to thread (CUDA C++ Programming Guide, "Shared Memory", of compute capability 5.x and later)."""
    across = Fraction(size.x * words * min(size.block.x, _WARP), _WARP)
    return ceil(Fraction(size.y * words, _WORDS_AT_ONCE)) + max(Fraction(1), across)


def _depth(form: _Form, kernel: ElementKernel, loads: tuple[StagedLoad, ...], size: _Size) -> tuple[int, bool]:
    """Iterations for which a tile holds elements, and whether each thread loads the next tile ahead: in tiles of fewer, if need be."""
    distinct = {load.key(form.plain.tree): load for load in loads}.values()
    row_bytes = sum(size.extents[load.axis] * _bytes(form.plain, load) for load in distinct)
    depths = (_DEEP, _SHALLOW) if row_bytes * _DEEP <= _TILE_BYTES else (_SHALLOW,)
    ahead = next((depth for depth in depths if _has_room_ahead(form, kernel, loads, size, depth)), None)
    return (depths[0], False) if ahead is None else (ahead, True)


def _widest(context: TransformationContext, loads: tuple[StagedLoad, ...]) -> int:
    """Bytes of an element of the widest tile."""
    return max(_bytes(context, load) for load in loads)


def _bytes(context: TransformationContext, load: StagedLoad) -> int:
    """Of an element; of a template parameter the largest that a launch gives."""
    names = [p.name for p in context.kernel.template_parameters]
    program = of_program(context)
    sites = program.parsed.launch_sites_of(context.kernel) if load.type in names else ()
    given = [site.template_arguments[names.index(load.type)] for site in sites if len(site.template_arguments) > names.index(load.type)]
    return max((element_size_bytes(program.tree, kind) or 4 for kind in given or [load.type]), default=4)
