"""Let tensor cores compute products of matrices of doubles, from tiles in shared memory.

They do so at twice the rate of the double-precision units on sm_80 and sm_90. A block loads a tile of each matrix together, as
`register_tile.py` does; each of its warps multiplies 32 x 32 elements. Sums are added in another order.

Example::

    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    // becomes, for blocks of 64 x 64 elements and four warps
    for (int start = 0; start < n; start += 16) {
        … a_tile[64][20], b_tile[16][68] …
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 …" : … sum[i][j] … : … a_reg[i], b_reg[j]);
"""

from __future__ import annotations

from math import ceil

from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.plan.expert.analysis.element_kernel import ElementKernel, element_kernel
from assistant.plan.expert.analysis.element_types import launched_types
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.predictions import predicted_values, predicted_wavefronts
from assistant.plan.expert.analysis.products_of_sides import ProductSum, products_of_sides
from assistant.plan.expert.analysis.staged_loads import StagedLoad, staged_loads
from assistant.plan.expert.analysis.workload_block import launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.element_form import ElementForm, block_shape, element_form, launches_with
from assistant.plan.expert.writing.tensor_tile_text import TensorTile, side_bytes, tensor_tile_edits
from assistant.plan.expert.writing.untiled import with_edits_of
from assistant.record import Record

__all__ = ["DoubleTensorCores"]

_PIECE_ROWS = {"sm_80": 8, "sm_90": 16}
"""Rows of one product where tensor cores multiply doubles faster than other units do: 19.5 against 9.7 TFLOP/s on an A100, 67 against 34 on
an H100 and an H200 (NVIDIA's data sheets). On sm_86, sm_89 and sm_120 both have next to none, on a B200 both have 37."""
_SHAPES = ((128, 64, 64, True), (128, 64, 64, False), (256, 128, 64, False), (256, 64, 128, False))
"""(threads, elements along x, along y, whether tiles are loaded ahead) of a block: 32 x 32 elements a warp. Of the first a multiprocessor
holds three (168 registers for one product, ptxas for sm_90); where there are too few blocks for that, products hide its loads, too."""
_LEAST_BLOCKS = 132 // 4
"""With fewer an H100 or H200 has most of its multiprocessors without work. Our own limit."""
_DEEP, _SHALLOW = 16, 8
"""Iterations for which a tile holds elements; fewer where tiles are many."""


class _Size(Record):
    """A size of the tiles."""

    block: Dim3
    x: int
    """Elements of a block along a row."""
    y: int
    loads_ahead: bool

    @property
    def extents(self) -> dict[str, int]:
        return {"x": self.x, "y": self.y}


class DoubleTensorCores:
    """One sum of products of doubles a thread → tiles that warps multiply."""

    technique = "double-tensor-cores"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        if not _has_doubles(context):
            return ()  # nothing that the technique is about
        form = element_form(context)
        if form is None:
            return ()  # no rows and columns of elements
        made = form if isinstance(form, Obstacle) else _of_plain(form)
        return context.decline(self.technique, made) if isinstance(made, Obstacle) else made


def _has_doubles(context: TransformationContext) -> bool:
    """A parameter points to doubles, at some launch at least."""
    elements = (parameter.element_type for parameter in context.kernel.parameters if parameter.element_type is not None)
    return any("double" in launched_types(context, element) for element in elements)


def _of_plain(form: ElementForm) -> tuple[Rewrite, ...] | Obstacle:
    kernel = element_kernel(form.plain, form.block)
    if isinstance(kernel, Obstacle):
        return kernel
    loads = staged_loads(form.plain, kernel, needs_all=False)
    if isinstance(loads, Obstacle):
        return loads
    added = products_of_sides(form.plain.tree, kernel, loads)
    if isinstance(added, Obstacle):
        return added
    return _obstacle(form, kernel, loads, added) or _variants(form, kernel, added)


def _obstacle(form: ElementForm, kernel: ElementKernel, loads: tuple[StagedLoad, ...], added: ProductSum) -> Obstacle | None:
    architecture = form.original.architecture.name
    if architecture not in _PIECE_ROWS:
        return Obstacle(DeclineReason.NO_GAIN, f"tensor cores of {architecture} multiply doubles no faster than its other units do")
    if _is_small(form):
        return Obstacle(DeclineReason.NO_GAIN, "at this size blocks of 64 x 64 elements would be too few to keep a large GPU busy")
    values = {value.name: value for value in kernel.locals.values}
    elements = {f"the elements of `{load.base}`": load.type for load in loads}
    for what, spelled in {f"`{added.name}`": values[added.name].type, **elements}.items():
        found = launched_types(form.original, spelled)
        if found != frozenset(("double",)):
            others = " and ".join(sorted(found - frozenset(("double",))))
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"{what} would have to be double at every launch, and not {others}")
    for value in values.values():
        if value.value is not None and names_in(form.plain.tree, value.value) & values.keys():
            return Obstacle(DeclineReason.LOOP_FORM, f"`{value.name}` starts as what follows from another value of its element")
    return None


def _variants(form: ElementForm, kernel: ElementKernel, added: ProductSum) -> tuple[Rewrite, ...] | Obstacle:
    context, plain = form.original, form.plain
    piece_rows = _PIECE_ROWS[context.architecture.name]
    rows = "x" if _is_stored_along_rows(plain, kernel) else "y"
    made: list[Rewrite] = []
    obstacle = Obstacle(DeclineReason.BLOCK_SHAPE, "blocks of 128 or 256 threads would have to take the place of the launch's")
    for size in _sizes(form):
        depth = next((each for each in (_DEEP, _SHALLOW) if _shared_bytes(added, size, each) <= _available_bytes(context)), None)
        launches = launches_with(form, size.block, size.extents)
        if isinstance(launches, Obstacle) or depth is None:
            obstacle = launches if isinstance(launches, Obstacle) else obstacle
            continue
        tile = TensorTile(kernel, added, size.block, size.extents, depth, rows, piece_rows, size.loads_ahead)
        edits, in_others = by_file(context, (*with_edits_of(context, plain, tensor_tile_edits(plain, tile)), *launches))
        blocks = f"blocks of {size.block.x} x {size.block.y} threads"
        elsewhere = launch_elsewhere(context, f"{blocks} for {size.x} x {size.y} elements")
        names = " and ".join(f"`{name}`" for name in dict.fromkeys(side.load.base for product in added.products for side in product))
        change = "; change your launch accordingly." if elsewhere else "."
        made.append(
            Rewrite(
                technique=DoubleTensorCores.technique,
                kernel=context.kernel.key,
                line=plain.tree.line(kernel.loop) if plain is context else context.line,
                edits=edits,
                summary=f"Multiply tiles of {names} in double tensor cores, {size.y} x {size.x} elements in each of {blocks}{change}",
                labels=launch_labels(context, elsewhere),
                predictions=_predictions(context),
                assumptions=elsewhere,
                in_others=in_others,
                numbers=_numbers(size),
            )
        )
    return tuple(made) or obstacle


def _numbers(size: _Size) -> tuple[tuple[str, int], ...]:
    shape = (("block_rows", size.y), ("block_columns", size.x), ("block_threads", size.block.count))
    return (*shape, ("tiles_ahead", int(size.loads_ahead)))


def _predictions(context: TransformationContext) -> tuple[MetricPrediction, ...]:
    """Each sector loaded once for the block; of a tile's reads those that are left where a lane's 8 serve 8 products of 16 x 8 x 4."""
    return (*predicted_values(context, {"load_reuse_in_block": 1.0}), *predicted_wavefronts(context, 1 / 32))


def _sizes(form: ElementForm) -> list[_Size]:
    """Those whose blocks the launches can have."""
    is_fixed = form.matrix is None and (form.is_bounded_by_launch or bool(form.original.kernel.launch_bounds))
    found: list[_Size] = []
    for threads, x, y, loads_ahead in _SHAPES:
        block = form.block if form.block.count == threads else None if is_fixed else block_shape(threads)
        if block is not None and x % block.x == 0 and y % block.y == 0 and x % form.block.x == 0 and y % form.block.y == 0:
            found.append(_Size(block, x, y, loads_ahead))
    return found


def _is_small(form: ElementForm) -> bool:
    """The launch that cost most has too few elements."""
    if not form.plain.launches:
        return False
    grid, (_, x, y, _) = form.plain.launches[0].grid, _SHAPES[0]
    return ceil(grid.x * form.block.x / x) * ceil(grid.y * form.block.y / y) * grid.z < _LEAST_BLOCKS


def _shared_bytes(added: ProductSum, size: _Size, depth: int) -> int:
    sides = {(side.axis, side.text): side for product in added.products for side in product}.values()
    return sum(side_bytes(size.extents[side.axis], depth, walks_along_loop=side.load.walks_along_loop) for side in sides)


def _available_bytes(context: TransformationContext) -> int:
    return context.architecture.shared_bytes_per_block_default


def _is_stored_along_rows(context: TransformationContext, kernel: ElementKernel) -> bool:
    """Neighbouring rows (y) are neighbours in memory where the result is stored."""
    scope = scope_of(context.tree, context.kernel)
    for statement in (*kernel.after, *kernel.guard.stores):
        for assignment in context.tree.find("assignment_expression", inside=statement):
            target = assignment.child_by_field_name("left")
            indices = None if target is None else target.child_by_field_name("indices")
            if indices is None or len(indices.named_children) != 1:
                continue
            sizes = {**unknown_sizes(context), kernel.rows.name: 3, kernel.columns.name: 5}
            here, below = (evaluate(indices.named_children[0], scope, {**sizes, kernel.rows.name: row}) for row in (3, 4))
            return here is not None and below is not None and abs(below - here) == 1
    return False
