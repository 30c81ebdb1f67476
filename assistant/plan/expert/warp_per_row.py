"""Let the lanes of a warp share a row that one thread walked through by itself.

Neighbouring lanes read neighbouring elements, and there are 32 times as many threads. Sums and maxima of the lanes are put together by
shuffles, so that every lane goes on with the same value; what is stored once for the row is stored by the first lane.

Example::

    for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
    y[i] = sum;
    // becomes, with i = (blockIdx.x * blockDim.x + threadIdx.x) / 32 and 32 times the blocks
    for (int j = lane; j < n; j += 32) sum += a[i * n + j] * x[j];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (lane == 0) y[i] = sum;
"""

from __future__ import annotations

from assistant.cuda.files import line_end
from assistant.cuda.names import free_name
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.launch_block import flat_block
from assistant.plan.expert.analysis.memory_uses import memory_uses
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.row_kernel import RowKernel, RowLoop, row_kernel, settled_by
from assistant.plan.expert.analysis.row_reductions import Combination, Reduction
from assistant.plan.expert.analysis.row_strides import reads_alike, walks_along_rows
from assistant.plan.expert.analysis.scaled_grids import finer_grid
from assistant.plan.expert.analysis.two_best import TwoBest
from assistant.plan.expert.analysis.workload_block import launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, before_statement, indentation
from assistant.plan.expert.writing.merged_lists import merged_lists
from assistant.plan.expert.writing.shared_rows import combined, combined_with_place, extreme, once_for_row, one_start
from assistant.plan.expert.writing.style import style_of

__all__ = ["WarpPerRow"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
_ALL_THREADS = 270_336
"""What 132 SMs of an H200 hold at once, 2,048 each."""
_FEW_BLOCKS = "KO111"
_NOT_ALONG_ROWS = Obstacle(DeclineReason.NO_GAIN, "no row is walked element by element, so the lanes of a warp would not read side by side")

_NO_ROWS = (DeclineReason.NO_GAIN, DeclineReason.NOTHING_TO_CHANGE)
_OFFSET = Obstacle(
    DeclineReason.INDEX_OUT_OF_SIGHT, "the row is the thread's index and something else, which would have to be added after the division"
)


class WarpPerRow:
    """A thread a row → a warp a row."""

    technique = "warp-per-row"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        block = flat_block(context)
        if isinstance(block, Obstacle):
            return () if block.code is DeclineReason.BLOCK_SHAPE else context.decline(self.technique, block)
        kernel = row_kernel(context, block)
        if not isinstance(kernel, Obstacle) and not (walks_along_rows(context, kernel) or _compares_all(context, kernel)):
            kernel = _NOT_ALONG_ROWS
        if isinstance(kernel, Obstacle):
            is_of_blocks = context.finding.code == _FEW_BLOCKS and kernel.code in _NO_ROWS
            return () if is_of_blocks else context.decline(self.technique, kernel)
        if kernel.is_offset:
            return context.decline(self.technique, _OFFSET)
        grid = () if kernel.dealt is not None and _fills_a_gpu(context) else finer_grid(context, _LANES, block)
        if isinstance(grid, Obstacle):
            return context.decline(self.technique, grid)
        return (_rewrite(context, kernel, grid),)


def _fills_a_gpu(context: TransformationContext) -> bool:
    """Every launch that was seen has as many threads as a large GPU holds."""
    counts = [launch.grid.count * launch.block.count for launch in context.launches]
    return bool(counts) and min(counts) >= _ALL_THREADS


def _compares_all(context: TransformationContext, kernel: RowKernel) -> bool:
    """Few threads keep the best of what all of them read, and which it is: the nearest of one set to each of another."""
    keeps_best = any(loop.kept is not None or loop.two_best or any(each.place for each in loop.reductions) for loop in kernel.loops)
    return context.finding.code == _FEW_BLOCKS and keeps_best and reads_alike(context, kernel)


def _rewrite(context: TransformationContext, kernel: RowKernel, grid: tuple[TextEdit, ...]) -> Rewrite:
    tree = context.tree
    lane, offset = (free_name(tree, kernel.function.node, *names) for names in (("lane", "warp_lane"), ("offset", "distance")))
    edits = [*_row_edits(context, kernel, lane), *grid]
    for loop in kernel.loops:
        edits += _loop_edits(context, kernel, loop, lane, offset)
    edits += once_for_row(context, kernel.function, kernel.stores, f"{lane} == 0", "__syncwarp();")
    own, in_others = by_file(context, edits)
    elsewhere = launch_elsewhere(context, f"{_LANES} times as many blocks")
    reduced = [each for loop in kernel.loops for each in (*loop.reductions, *(array.element("") for array in loop.summed))]
    keeps_nan = any(loop.kept is not None and loop.kept.keeps_nan for loop in kernel.loops)
    labels = (
        *launch_labels(context, elsewhere),
        *(() if all(each.is_exact for each in reduced) else (Label.REASSOCIATION,)),
        *((Label.NAN_BEHAVIOUR,) if keeps_nan else ()),
    )
    return Rewrite(
        technique=WarpPerRow.technique,
        kernel=context.kernel.key,
        line=tree.line(kernel.loops[0].node),
        edits=own,
        summary=f"Let the {_LANES} lanes of a warp share each row" + ("; change your launch accordingly." if elsewhere else "."),
        labels=labels,
        predictions=predicted_sectors(context, _sector_ratio(context)),
        assumptions=elsewhere,
        in_others=in_others,
    )


def _sector_ratio(context: TransformationContext) -> float:
    """Sectors after / before, where the finding cites how many a request needs at least."""
    values = {e.metric: e.value for e in reversed(context.evidence)}
    actual, ideal = values.get("global_sectors_per_request"), values.get("global_ideal_sectors_per_request")
    return ideal / actual if actual and ideal else 1.0


def _row_edits(context: TransformationContext, kernel: RowKernel, lane: str) -> list[TextEdit]:
    tree, value = context.tree, kernel.row.value
    assert value is not None, "a row is computed"
    text = tree.text(value)
    divided = f"{text} / {_LANES}" if value.type in ("identifier", "parenthesized_expression") else f"({text}) / {_LANES}"
    declared = f"const int {lane} = threadIdx.x % {_LANES};"
    if kernel.dealt is None:
        return [TextEdit(tree.span(value), divided), *after_statement(tree, kernel.row.node, declared)]
    step, text = kernel.dealt.step, tree.text(kernel.dealt.step)
    is_sum = step.type not in ("identifier", "parenthesized_expression") and set(text) & set("+-")
    further = TextEdit(tree.span(step), f"({text}) / {_LANES}" if is_sum else f"{text} / {_LANES}")
    return [TextEdit(tree.span(value), divided), further, *before_statement(tree, kernel.dealt.loop, declared)]


def _loop_edits(context: TransformationContext, kernel: RowKernel, loop: RowLoop, lane: str, offset: str) -> list[TextEdit]:
    tree, header = context.tree, loop.header
    start, update = (loop.node.child_by_field_name(field) for field in ("initializer", "update"))
    assert start is not None and update is not None, "a counted loop has both"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    begins = lane if header.first == "0" else f"{header.first} + {lane}"
    edits = [TextEdit(tree.span(first), begins), TextEdit(tree.span(update), f"{header.variable} += {_LANES}")]
    for reduction in loop.reductions:
        edits += one_start(context, kernel.function, loop, reduction, f"{lane} != 0")
    if loop.reductions or loop.two_best:
        edits += after_statement(tree, loop.node, _exchange(context, kernel, loop, offset))
    if loop.summed:
        edits += after_statement(tree, loop.node, _exchanged_arrays(context, kernel, loop, offset))
    if loop.kept is not None:
        merged = merged_lists(context, kernel.function, loop.kept, lane, offset)
        indent = indentation(context.text, tree.span(loop.node).start)
        edits += after_statement(tree, loop.node, f"{line_end(context.text)}{indent}".join(merged))
    return edits


def _exchange(context: TransformationContext, kernel: RowKernel, loop: RowLoop, offset: str) -> str:
    """The lanes' parts become one value that all of them have; then they may overwrite what others have read."""
    style, newline = style_of(context), line_end(context.text)
    indent = indentation(context.text, context.tree.span(loop.node).start)
    lines = [line for reduction in loop.reductions for line in _exchanged(context, kernel, reduction, offset)]
    lines += [line for best in loop.two_best for line in _exchanged_two(context, kernel, best, offset)]
    whole = f"{newline}{indent}".join(style.headed(f"for (int {offset} = {_LANES // 2}; {offset} > 0; {offset} /= 2)", lines))
    return f"{whole}{newline}{indent}__syncwarp();" if _is_overwritten_after(context, kernel, loop) else whole


def _exchanged_two(context: TransformationContext, kernel: RowKernel, best: TwoBest, offset: str) -> tuple[str, ...]:
    """Of two pairs the second best is the worse one of the best, or the better one of the second best."""
    style, first, second = style_of(context), best.first.name, best.second.name
    other, other_second = (free_name(context.tree, kernel.function.node, style.name("other", name)) for name in (first, second))
    is_maximum, kind = best.is_maximum, best.type
    better, worse = (Combination.MAXIMUM, Combination.MINIMUM) if is_maximum else (Combination.MINIMUM, Combination.MAXIMUM)
    reduction = Reduction(best.first, better, first, kind, best.place)
    runner_up = extreme(kind, better, extreme(kind, worse, first, other), extreme(kind, better, second, other_second))
    lines = [
        f"{best.first.type} {other} = {_of_other_lane(first, offset)};",
        f"{best.second.type} {other_second} = {_of_other_lane(second, offset)};",
        f"{second} = {runner_up};",
    ]
    if best.place is None:
        return (*lines, combined(reduction, other))
    where = free_name(context.tree, kernel.function.node, style.name("other", best.place.name))
    lines.insert(2, f"{best.place.type} {where} = {_of_other_lane(best.place.name, offset)};")
    return (*lines, *combined_with_place(reduction, other, where, style))


def _exchanged_arrays(context: TransformationContext, kernel: RowKernel, loop: RowLoop, offset: str) -> str:
    """The lanes' arrays become one that all of them have."""
    style, index = style_of(context), free_name(context.tree, kernel.function.node, "k", "i", "j", "place")
    lines: list[str] = []
    for length in dict.fromkeys(array.length for array in loop.summed):
        elements = [array.element(index) for array in loop.summed if array.length == length]
        exchanges = [combined(each, _of_other_lane(each.name, offset)) for each in elements]
        inner = style.headed(f"for (int {offset} = {_LANES // 2}; {offset} > 0; {offset} /= 2)", exchanges)
        lines += ["#pragma unroll", f"for (int {index} = 0; {index} < {length}; {index}++)", *(style.indent + line for line in inner)]
    return f"{line_end(context.text)}{indentation(context.text, context.tree.span(loop.node).start)}".join(lines)


def _is_overwritten_after(context: TransformationContext, kernel: RowKernel, loop: RowLoop) -> bool:
    """Whether a lane stores behind the loop what another lane may have read up to its end."""
    for uses in memory_uses(context.tree, kernel.function, kernel.function.body).values():
        meeting = settled_by(uses, kernel.loops)
        if meeting is not None and meeting.node == loop.node and any(use.node.start_byte < loop.node.end_byte for use in uses):
            return True
    return False


def _exchanged(context: TransformationContext, kernel: RowKernel, reduction: Reduction, offset: str) -> tuple[str, ...]:
    if reduction.place is None:
        return (combined(reduction, _of_other_lane(reduction.name, offset)),)
    style, place = style_of(context), reduction.place
    value, where = (free_name(context.tree, kernel.function.node, style.name("other", n)) for n in (reduction.name, place.name))
    return (
        f"{reduction.type} {value} = {_of_other_lane(reduction.name, offset)};",
        f"{place.type} {where} = {_of_other_lane(place.name, offset)};",
        *combined_with_place(reduction, value, where, style),
    )


def _of_other_lane(name: str, offset: str) -> str:
    return f"__shfl_xor_sync(0xffffffff, {name}, {offset})"
