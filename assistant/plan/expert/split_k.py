"""Let several blocks share the rows of each column that one thread adds up.

Blocks along a free axis of the grid take a piece of the rows each, and add their part of the result to global memory, which is set to
zero before the launch where the kernel stored instead of adding. Applies where what the kernel stores is a sum of parts again.

Example::

    for (int r = 0; r < rows; r++) sum += a[r * cols + c];      // <<<blocks, 256>>>
    mean[c] = sum / rows;
    // becomes, with <<<dim3(blocks, 64), 256>>> and cudaMemset(d_mean, 0, cols * sizeof(float)); before it
    const int share = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(rows, begin + share);
    for (int r = begin; r < end; r++) sum += a[r * cols + c];
    atomicAdd(&mean[c], sum / rows);
"""

from __future__ import annotations

from assistant.cuda.branches import condition_of
from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, joined, unparenthesized
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.column_sums import ColumnSums, Result, column_sums
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.launch_block import fixed_block
from assistant.plan.expert.analysis.launch_cover import covers
from assistant.plan.expert.analysis.linear_sums import FLOATING
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.row_strides import reads_alike, walks_across_rows
from assistant.plan.expert.analysis.scaled_grids import deeper_grid, free_axis
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.cleared_outputs import Cleared, cleared
from assistant.plan.expert.writing.dealt_loop import pieces_of_loop
from assistant.plan.expert.writing.layout import zero_of
from assistant.plan.expert.writing.style import is_simple_term
from assistant.workload.recorded_words import apart_assumption

__all__ = ["SplitK"]

_WANTED_THREADS = 270_336
"""What 132 SMs of an H200 hold at once, 2,048 each."""
_LEAST_ITERATIONS = 16
"""Of the loop for each thread, so that there are many loads for each atomic. Our own limit."""
_UNKNOWN_PARTS = 32
"""Blocks for each column where nothing shows how long it is. Our own guess."""
_FEWER = (1, 2, 3)
"""Powers of two by which fewer parts are tried, too: with fewer there are fewer atomics on each element."""


class SplitK:
    """A thread a column → a thread in each of several blocks."""

    technique = "split-k"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = _split(context)
        return context.decline(self.technique, found) if isinstance(found, Obstacle) else found


def _split(context: TransformationContext) -> tuple[Rewrite, ...] | Obstacle:
    block = fixed_block(context)
    if isinstance(block, Obstacle):
        return block
    if block.y * block.z != 1:
        return Obstacle(DeclineReason.BLOCK_SHAPE, f"the block is {block.x} x {block.y} x {block.z}, not one row of threads")
    sums = column_sums(context, block)
    if isinstance(sums, Obstacle):
        return sums
    if not (walks_across_rows(context, sums.kernel) or reads_alike(context, sums.kernel)):
        words = "neighbouring threads would have to read neighbouring elements, or all the same ones, in this loop"
        return Obstacle(DeclineReason.NO_GAIN, words)
    parts = _parts(context, sums)
    if isinstance(parts, Obstacle):
        return parts
    made = [_in_parts(context, sums, count) for count in (parts, *(parts >> shift for shift in _FEWER if parts >> shift > 1))]
    return next((each for each in made if isinstance(each, Obstacle)), None) or tuple(each for each in made if isinstance(each, Rewrite))


def _in_parts(context: TransformationContext, sums: ColumnSums, parts: int) -> Rewrite | Obstacle:
    axis = free_axis(context)
    grid = axis if isinstance(axis, Obstacle) else deeper_grid(context, axis, parts)
    clearing = _clearing(context, sums)
    if isinstance(axis, Obstacle) or isinstance(grid, Obstacle) or isinstance(clearing, Obstacle):
        return next(each for each in (axis, grid, clearing) if isinstance(each, Obstacle))
    return _rewrite(context, sums, parts, (*pieces_of_loop(context, sums.kernel.function, sums.loop.node, axis), *grid, *clearing))


def _parts(context: TransformationContext, sums: ColumnSums) -> int | Obstacle:
    """Blocks for each column, a power of two: as many as fill the GPU and leave each thread some rows."""
    rows = _row_count(context, sums)
    threads = max((launch.grid.count * launch.block.count for launch in context.launches), default=None)
    by_rows = _UNKNOWN_PARTS if rows is None else rows // _LEAST_ITERATIONS
    by_threads = _UNKNOWN_PARTS if threads is None else _WANTED_THREADS // threads
    if by_rows < 2:
        few = f"a column has {rows} rows, and would have to have {2 * _LEAST_ITERATIONS} or more to be shared by two blocks"
        return Obstacle(DeclineReason.NO_GAIN, few)
    if by_threads < 2:
        return Obstacle(DeclineReason.NO_GAIN, f"the launch has {threads} threads already, as many as a large GPU runs at once")
    return 1 << (min(by_rows, by_threads).bit_length() - 1)


def _row_count(context: TransformationContext, sums: ColumnSums) -> int | None:
    """Iterations of the longest recorded launch; None where nothing shows them."""
    header = sums.loop.header
    scalars = {} if context.recorded is None else {s.name: int(s.highest) for s in context.recorded.scalars}
    written = header.trip_count(context.tree)
    return evaluate(header.bound_node, scope_of(context.tree, context.kernel), scalars) if written is None else written


def _clearing(context: TransformationContext, sums: ColumnSums) -> tuple[TextEdit, ...] | Obstacle:
    """Host code that sets to zero what the kernel stored without looking at what was there."""
    fresh = [result for result in sums.results if result.operator == "=" and result.start is None]
    if not fresh:
        return ()
    count = _column_count(context, sums)
    names = {parameter.name for parameter in context.kernel.parameters}
    if count is None or (context.tree.text(count) not in names and names & names_in(context.tree, count)):
        words = f"`{sums.kernel.row.name}` would have to be compared with one constant or parameter, the number of columns"
        return Obstacle(DeclineReason.GUARD_FORM, words)
    obstacle = covers(context, count)
    text = context.tree.text(count)
    return obstacle or cleared(context, tuple(Cleared(result.base, result.spelled, text) for result in fresh))


def _column_count(context: TransformationContext, sums: ColumnSums) -> Node | None:
    """``cols`` of ``if (c >= cols) return;`` or ``if (c < cols) {``: exactly the first ``cols`` elements are stored."""
    kernel = sums.kernel
    condition = condition_of(kernel.guards[0]) if len(kernel.guards) == 1 and not kernel.is_offset else None
    if condition is None:
        return None
    is_early = any(context.tree.find("return_statement", inside=kernel.guards[0]))
    parts = binary_parts(unparenthesized(condition))
    is_one = len(joined(condition, "||" if is_early else "&&")) == 1
    if parts is None or not is_one or parts[0] != (">=" if is_early else "<"):
        return None
    return parts[2] if context.tree.text(parts[1]) == kernel.row.name else None


def _rewrite(context: TransformationContext, sums: ColumnSums, parts: int, launches: tuple[TextEdit, ...]) -> Rewrite:
    tree = context.tree
    stores = [edit for result in sums.results for edit in _store_edits(context, result)]
    own, in_others = by_file(context, (*launches, *stores))
    is_exact = not any(result.kind in FLOATING for result in sums.results)
    stored = " and ".join(f"`{result.base}`" for result in sums.results)
    pairs = [(pair.first, pair.second) for pair in sums.apart]
    block_count = next((e.value for e in context.evidence if e.metric == "block_count"), None)
    return Rewrite(
        technique=SplitK.technique,
        kernel=context.kernel.key,
        line=tree.line(sums.loop.node),
        edits=own,
        summary=f"Let {parts} blocks share the rows of each column, and each add its part to {stored}.",
        labels=(
            Label.HOST_CODE,
            *(() if is_exact else (Label.REASSOCIATION, Label.NON_DETERMINISM)),
            *((Label.ASSUMPTION,) if pairs else ()),
        ),
        predictions=() if block_count is None else predicted_values(context, {"block_count": block_count * parts}),
        assumptions=(apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else (),
        in_others=in_others,
        numbers=(("blocks_per_column", parts),),
    )


def _store_edits(context: TransformationContext, result: Result) -> tuple[TextEdit, ...]:
    """An atomic in the place of the store; a sum that started with the element starts at zero."""
    tree, value = context.tree, context.tree.text(result.value)
    if result.operator == "-=":
        value = f"-{value}" if is_simple_term(value) else f"-({value})"
    edits = [TextEdit(tree.span(result.change), f"atomicAdd(&{tree.text(result.target)}, {value})")]
    if result.start is not None and result.start.value is not None:
        edits.append(TextEdit(tree.span(result.start.value), zero_of(tree, result.start.type)))
    return tuple(edits)
