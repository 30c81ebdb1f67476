"""Let a block make prefix sums with shuffles, where it makes them in steps through shared memory with barriers in each.

Declines where a thread may leave before, where a block is one warp, and where code behind the steps looks for more in the array than what
the threads up to it brought.

Example::

    temp[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int v = t >= d ? temp[t - d] : 0;
        __syncthreads();
        temp[t] += v;
        __syncthreads();
    }
    if (i < n) out[i] = temp[t];
    // becomes
    int sum = i < n ? in[i] : 0;
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, offset);
        if (t % 32 >= offset)
            sum += left;
    }
    if (t % 32 == 31)
        temp[t / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < t / 32; warp++)
        sum += temp[warp];
    if (i < n) out[i] = sum;
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assistant.cuda.files import line_end
from assistant.cuda.functions import enclosing_function
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.block_helpers import BlockHelper, block_helper
from assistant.plan.expert.analysis.element_types import launched_types
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.launch_block import seen_block
from assistant.plan.expert.analysis.launched_extents import constant_arguments
from assistant.plan.expert.analysis.narrower_blocks import narrower_blocks, narrower_words
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.scanned_items import scanned_items
from assistant.plan.expert.analysis.shared_scan import SharedScan, shared_scan
from assistant.plan.expert.analysis.workload_block import launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.block_scan_text import ScanBlock, row_of_warps, scan_lines, scan_names
from assistant.plan.expert.writing.layout import indentation, without_line
from assistant.plan.expert.writing.scanned_items_text import scanned_item_edits
from assistant.plan.expert.writing.vector_types import VectorTypes
from assistant.plan.expert.writing.vector_widths import narrower_types, vector_types

__all__ = ["BlockScan"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
_NUMBER = "items_per_thread"
_WORDS = {
    Combination.SUM: "prefix sums",
    Combination.PRODUCT: "prefix products",
    Combination.MAXIMUM: "running maxima",
    Combination.MINIMUM: "running minima",
}


class BlockScan:
    """Steps through shared memory → shuffles in each warp, and the totals of the warps before."""

    technique = "block-scan"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        helper = block_helper(context)
        if isinstance(helper, BlockHelper):
            return self._rewritten(context, helper)
        seen = seen_block(context) if helper is None else helper
        return (
            context.decline(self.technique, seen)
            if isinstance(seen, Obstacle)
            else self._rewritten(context, BlockHelper(context, seen, ()))
        )

    def _rewritten(self, context: TransformationContext, where: BlockHelper) -> tuple[Rewrite, ...] | Decline:
        """``where``: the function that the steps stand in, the kernel or a helper, and its block."""
        block = where.seen.block
        if block.x <= _LANES:
            return context.decline(
                self.technique, Obstacle(DeclineReason.BLOCK_SHAPE, "the block is one warp: there is something to gain in larger ones only")
            )
        given = constant_arguments(where.inside) if not where.seen.assumptions else {}
        scan = shared_scan(where.inside, block, where.lent, given)
        if scan is None:
            return ()
        if isinstance(scan, Obstacle):
            return context.decline(self.technique, scan)
        plain = _rewrite(context, where, scan)
        of_items = tuple(_of_items(context, where, scan, plain)) if where.inside is context else ()
        return (*of_items[:1], plain, *of_items[1:])


def _of_items(context: TransformationContext, where: BlockHelper, scan: SharedScan, plain: Rewrite) -> Iterator[Rewrite]:
    """The same by threads that have several items each, with which all of the kernel's launches have to be seen."""
    block = where.seen.block
    items = None if where.seen.assumptions or block.y * block.z > 1 else scanned_items(context, scan, block)
    function = enclosing_function(context.tree, context.body)
    types = None if items is None or function is None else vector_types(context, function, {**items.inputs, **items.outputs}.items())
    if items is None or not isinstance(types, VectorTypes):
        return
    for width in narrower_types(types):
        launches = narrower_blocks(context, width.count)
        if block.x % (width.count * _LANES) or block.x // width.count <= _LANES or isinstance(launches, Obstacle):
            continue
        edits = scanned_item_edits(context, scan, items, ScanBlock(block, width.count), width)
        own, in_others = by_file(context, (*edits, *launches))
        elsewhere = launch_elsewhere(context, narrower_words(block, width.count))
        yield replace(
            plain,
            edits=own,
            in_others=in_others,
            summary=f"{plain.summary.rstrip('.')}, of {width.count} neighbouring elements in each thread.",
            labels=(*launch_labels(context, elsewhere), *plain.labels),
            assumptions=elsewhere,
            numbers=((_NUMBER, width.count),),
        )


def _rewrite(context: TransformationContext, where: BlockHelper, scan: SharedScan) -> Rewrite:
    is_exact = launched_types(where.inside, scan.array.element_type).isdisjoint(("float", "double"))
    is_rounded = scan.combination in (Combination.SUM, Combination.PRODUCT) and not is_exact
    return Rewrite(
        technique=BlockScan.technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=tuple(sorted(_edits(where.inside, scan, where.seen.block, waits_again=where.inside is not context))),
        summary=f"Make the {_WORDS[scan.combination]} of `{scan.array.name}` with shuffles.",
        labels=(*where.seen.labels, *((Label.REASSOCIATION,) if is_rounded else ())),
        predictions=predicted_values(context, {"barrier_steps": 0.0}),
        assumptions=where.seen.assumptions,
    )


def _edits(context: TransformationContext, scan: SharedScan, block: Dim3, *, waits_again: bool) -> Iterator[TextEdit]:
    tree, shape = context.tree, ScanBlock(block)
    names = scan_names(context, scan, shape)
    span = Span(tree.span(scan.fill.statement).start, tree.span(scan.last).end)
    newline = f"{line_end(context.text)}{indentation(context.text, span.start)}"
    yield TextEdit(span, newline.join(scan_lines(context, scan, names, shape, waits_again=waits_again)))
    for read in scan.reads:
        yield TextEdit(tree.span(read.node), names.of(read.part))
    for declaration in {counter.node.id: counter.node for counter in scan.counters}.values():
        yield _without_counters(context, declaration, {counter.name for counter in scan.counters})
    if not scan.array.is_dynamic:
        yield TextEdit(tree.span(scan.array.declarator), f"{scan.array.name}[{row_of_warps(context, scan.array, shape)}]")


def _without_counters(context: TransformationContext, declaration: Node, names: set[str]) -> TextEdit:
    """The declaration without these names, or nothing where it has no other."""
    variables = [*declared_variables(context.tree, declaration)]
    spans = [context.tree.span(variable.declarator) for variable in variables]
    left = [context.text[span.start : span.end] for span, v in zip(spans, variables, strict=True) if v.name not in names]
    return (
        TextEdit(Span(spans[0].start, spans[-1].end), ", ".join(left))
        if left
        else without_line(context.text, context.tree.span(declaration))
    )
