"""Let several threads of a block share the loop that one thread ran for a column by itself.

Neighbouring threads keep neighbouring columns, so that loads stay side by side, and every column gets 16 threads instead of one, or more
where there are few columns. Their parts of a sum are put together through shared memory, in one order.

Example::

    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rows; r++) sum += a[r * cols + c];
    // becomes, with blocks of 32 x 16 threads for 32 columns
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = threadIdx.y; r < rows; r += 16) sum += a[r * cols + c];
    __shared__ float sum_parts[16][32];
    …
"""

from __future__ import annotations

from assistant.cuda.files import line_end
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import free_name
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file, launches_of, of_program
from assistant.plan.expert.analysis.launch_block import flat_block
from assistant.plan.expert.analysis.launch_variables import is_only_used_here
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.row_kernel import RowKernel, RowLoop, row_kernel
from assistant.plan.expert.analysis.row_reductions import Reduction
from assistant.plan.expert.analysis.row_strides import reads_alike, walks_across_rows
from assistant.plan.expert.analysis.scaled_grids import finer_grid
from assistant.plan.expert.analysis.workload_block import declared_shapes, launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.column_parts import Parts, gathered
from assistant.plan.expert.writing.layout import after_statement, indentation
from assistant.plan.expert.writing.opened_guard import guarded_statements, inside_of, unguardable, without_guard
from assistant.plan.expert.writing.shared_rows import once_for_row, one_start
from assistant.plan.expert.writing.style import style_of

__all__ = ["SplitLoop"]

_USUAL = Dim3(32, 16)
"""A warp's width of columns, so that a warp reads side by side; 512 threads, of which every current GPU holds several blocks at a time."""
_FOR_FEW_COLUMNS = (Dim3(8, 128), Dim3(16, 64), Dim3(32, 32))
"""The fewer columns, the more threads for each: the largest blocks there are. Eight elements are one 32-byte sector or more."""
_WANTED_THREADS = 270_336
"""What 132 SMs of an H200 hold at once, 2,048 each."""
_LEAST_ITERATIONS = 4
"""Of the loop for each thread: with fewer, putting the parts together takes as long."""
_MOST_REGISTERS = 64
"""Of a thread in a block of 1,024, of the 65,536 that an SM has (CUDA C++ Programming Guide, "Technical Specifications")."""


class SplitLoop:
    """A thread a column → 16 to 128 threads a column."""

    technique = "split-loop"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        block = flat_block(context)
        if isinstance(block, Obstacle):
            return context.decline(self.technique, block)
        kernel = row_kernel(context, block)
        if isinstance(kernel, Obstacle):
            return context.decline(self.technique, kernel)
        obstacle = _obstacle(context, kernel)
        if obstacle is not None:
            return context.decline(self.technique, obstacle)
        written = [_rewritten(context, kernel, block, new) for new in _new_blocks(context, kernel)]
        refused = next((each for each in written if isinstance(each, Obstacle)), None)
        if refused is not None:
            return context.decline(self.technique, refused)
        return tuple(each for each in written if isinstance(each, Rewrite))


def _new_blocks(context: TransformationContext, kernel: RowKernel) -> tuple[Dim3, ...]:
    """Columns and threads for each, best first."""
    columns = max((launch.grid.x * launch.block.x for launch in context.launches), default=_WANTED_THREADS)
    bounds = {loop.header.bound for loop in kernel.loops}
    scalars = () if context.recorded is None else (context.recorded.scalar(bound) for bound in bounds)
    rows = min((scalar.highest for scalar in scalars if scalar is not None), default=None)
    registers = 0 if context.resources is None else context.resources.registers_per_thread
    for block in _FOR_FEW_COLUMNS if registers <= _MOST_REGISTERS else ():
        is_long = rows is None or rows >= _LEAST_ITERATIONS * block.y
        if is_long and columns * block.y <= _WANTED_THREADS:
            return (block, _USUAL)
    return (_USUAL,)


def _rewritten(context: TransformationContext, kernel: RowKernel, block: Dim3, new: Dim3) -> Rewrite | Obstacle:
    launches = _launch_edits(context, block, new)
    return launches if isinstance(launches, Obstacle) else _rewrite(context, kernel, launches, new)


def _obstacle(context: TransformationContext, kernel: RowKernel) -> Obstacle | None:
    if kernel.only_for_warps is not None:
        return kernel.only_for_warps
    if not (walks_across_rows(context, kernel) or reads_alike(context, kernel)):
        return Obstacle(
            DeclineReason.NO_GAIN, "neighbouring threads would have to read neighbouring elements, or all the same ones, in this loop"
        )
    if not any(loop.reductions for loop in kernel.loops):
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no loop of the kernel makes a sum or a maximum of what it reads")
    placed = next((each.place for loop in kernel.loops for each in loop.reductions if each.place is not None), None)
    if placed is not None:
        return Obstacle(DeclineReason.ORDER_MATTERS, f"`{placed.name}` would have to be found by another loop than the one for its value")
    if kernel.is_offset and kernel.row.value is not None and "blockDim" not in context.tree.text(kernel.row.value):
        return Obstacle(
            DeclineReason.INDEX_OUT_OF_SIGHT, f"`{kernel.row.name}` is not written with blockDim.x, and blocks get another width"
        )
    if "__launch_bounds__" in context.text[context.kernel.span.start : context.kernel.body.start]:
        return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, "__launch_bounds__ fixes the size of the kernel's blocks")
    if len(kernel.guards) != 1 or inside_of(context, kernel.guards[0]) is None:
        return Obstacle(DeclineReason.GUARD_FORM, "the kernel has no single bounds check, a plain comparison, before its loops")
    return unguardable(context, kernel)


def _launch_edits(context: TransformationContext, block: Dim3, new: Dim3) -> tuple[TextEdit, ...] | Obstacle:
    """The new block at every launch, and a grid with a block for each of its columns."""
    program = of_program(context)
    grid = finer_grid(context, block.x // new.x, block) if block.x > new.x else ()
    if isinstance(grid, Obstacle):
        return grid
    blocks = [edit for launch in launches_of(context) for edit in _block_edits(program, launch, new)]
    for shape in declared_shapes(context):
        if len(shape.block) != 1:
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the workload {shape.name} declares a block of more than one number")
        blocks.append(TextEdit(shape.block[0].span, f"{new.x}, {new.y}"))
    return (*grid, *blocks)


def _block_edits(program: TransformationContext, launch: Launch, new: Dim3) -> tuple[TextEdit, ...]:
    """``dim3 block(256)`` → ``dim3 block(32, 16)``; in place of what the launch names where that serves other launches, too."""
    tree, shape = program.tree, launch.block
    if shape.variable is None or shape.fields or not is_only_used_here(program, launch, shape):
        return (TextEdit(tree.span(shape.expression), f"dim3({new.x}, {new.y})"),)
    first, last = tree.span(shape.components[0]), tree.span(shape.components[-1])
    return (TextEdit(Span(first.start, last.end), f"{new.x}, {new.y}"),)


def _rewrite(context: TransformationContext, kernel: RowKernel, launches: tuple[TextEdit, ...], new: Dim3) -> Rewrite:
    tree, value = context.tree, kernel.row.value
    assert value is not None, "a row is computed"
    inside = inside_of(context, kernel.guards[0])
    assert inside is not None, "asked before"
    is_general = "blockDim" in tree.text(value)  # it holds for blocks of any width
    index = () if is_general else (TextEdit(tree.span(value), f"blockIdx.x * {new.x} + threadIdx.x"),)
    edits = [*index, *launches, *guarded_statements(context, kernel, inside)]
    for loop in kernel.loops:
        edits += _loop_edits(context, kernel, loop, new)
    edits += once_for_row(context, kernel.function, kernel.stores, f"threadIdx.y == 0 && {inside}", "__syncthreads();")
    own, in_others = by_file(context, without_guard(context, kernel.guards[0], edits))
    elsewhere = launch_elsewhere(context, f"blocks of {new.x} x {new.y} threads for {new.x} columns")
    is_exact = all(reduction.is_exact for loop in kernel.loops for reduction in loop.reductions)
    labels = (*launch_labels(context, elsewhere), *(() if is_exact else (Label.REASSOCIATION,)))
    block_count = next((e.value for e in context.evidence if e.metric == "block_count"), None)
    threads = next((launch.block.x for launch in context.launches), new.x)
    return Rewrite(
        technique=SplitLoop.technique,
        kernel=context.kernel.key,
        line=tree.line(kernel.loops[0].node),
        edits=own,
        summary=f"Let {new.y} threads of a block share the loop of each column"
        + ("; change your launch accordingly." if elsewhere else "."),
        labels=labels,
        predictions=() if block_count is None else predicted_values(context, {"block_count": block_count * max(1, threads // new.x)}),
        assumptions=elsewhere,
        in_others=in_others,
    )


def _loop_edits(context: TransformationContext, kernel: RowKernel, loop: RowLoop, new: Dim3) -> list[TextEdit]:
    tree, header = context.tree, loop.header
    start, update = (loop.node.child_by_field_name(field) for field in ("initializer", "update"))
    assert start is not None and update is not None, "a counted loop has both"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    begins = "threadIdx.y" if header.first == "0" else f"{header.first} + threadIdx.y"
    edits = [TextEdit(tree.span(first), begins), TextEdit(tree.span(update), f"{header.variable} += {new.y}")]
    for reduction in loop.reductions:
        edits += one_start(context, kernel.function, loop, reduction, "threadIdx.y != 0")
    if loop.reductions:
        edits += after_statement(tree, loop.node, _gathered(context, kernel, loop, new))
    return edits


def _gathered(context: TransformationContext, kernel: RowKernel, loop: RowLoop, new: Dim3) -> str:
    """Every thread of a column gets the whole of what its threads have in parts."""
    indent = indentation(context.text, context.tree.span(loop.node).start)
    parts = [Parts(reduction, _array_name(context, kernel, loop, reduction)) for reduction in loop.reductions]
    return f"{line_end(context.text)}{indent}".join(gathered(context, parts, new))


def _array_name(context: TransformationContext, kernel: RowKernel, loop: RowLoop, reduction: Reduction) -> str:
    style, name = style_of(context), reduction.name.replace(".", "_")
    array = free_name(context.tree, kernel.function.node, style.name(name, "parts"), style.name(name, "of", "threads"))
    return f"{array}{kernel.loops.index(loop) + 1}" if _is_reduced_twice(kernel, reduction.name) else array


def _is_reduced_twice(kernel: RowKernel, name: str) -> bool:
    return sum(reduction.name == name for loop in kernel.loops for reduction in loop.reductions) > 1
