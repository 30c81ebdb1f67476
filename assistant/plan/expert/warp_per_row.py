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

from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.files import line_end
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.launch_shape import block_dims
from assistant.cuda.literals import is_literal_of
from assistant.cuda.names import free_name
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file, known_blocks, launches_of
from assistant.plan.expert.analysis.memory_accesses import global_accesses, unknown_sizes
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.row_kernel import RowKernel, RowLoop, row_kernel
from assistant.plan.expert.analysis.row_reductions import Combination, Reduction
from assistant.plan.expert.analysis.scaled_grids import finer_grid
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import guessed_launch, launch_elsewhere
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, before_statement, indentation
from assistant.plan.expert.writing.style import style_of

__all__ = ["WarpPerRow"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
_IDENTITIES = {Combination.SUM: "0", Combination.PRODUCT: "1"}
"""What a lane starts with where only one may have the value from before the loop. A maximum may have it in every lane."""


class WarpPerRow:
    """A thread a row → a warp a row."""

    technique = "warp-per-row"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        block = _block(context)
        if isinstance(block, Obstacle):
            return context.decline(self.technique, block)
        kernel = row_kernel(context, block)
        if isinstance(kernel, Obstacle):
            return context.decline(self.technique, kernel)
        obstacle = _no_gain(context, kernel)
        if obstacle is not None:
            return context.decline(self.technique, obstacle)
        grid = finer_grid(context, _LANES)
        if isinstance(grid, Obstacle):
            return context.decline(self.technique, grid)
        return (_rewrite(context, kernel, grid),)


def _block(context: TransformationContext) -> Dim3 | Obstacle:
    """The block of all launches: whole warps in one dimension."""
    obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
    if obstacle is not None:
        return obstacle
    launches = launches_of(context)
    blocks = {block_dims(launch) for launch in launches} if launches else {*known_blocks(context)}
    block = blocks.pop() if len(blocks) == 1 else None
    if block is None:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "the block's size is not one constant for all launches, and it has to hold whole warps")
    if block.y * block.z != 1 or block.x % _LANES:
        return Obstacle(DeclineReason.BLOCK_SHAPE, f"the block is {block.x} x {block.y} x {block.z}, not whole warps in one dimension")
    return block


def _no_gain(context: TransformationContext, kernel: RowKernel) -> Obstacle | None:
    """Where neighbouring rows lie next to each other, threads of a warp read side by side already."""
    along_row = along_rows = 0
    for loop in kernel.loops:
        for row_stride, step_stride in _strides(context, kernel, loop):
            along_row += step_stride in (-1, 1)
            along_rows += row_stride in (-1, 1) and step_stride not in (-1, 0, 1)
    if along_row > along_rows:
        return None
    return Obstacle(DeclineReason.NO_GAIN, "no row is walked element by element, so the lanes of a warp would not read side by side")


def _strides(context: TransformationContext, kernel: RowKernel, loop: RowLoop) -> Iterator[tuple[int, int]]:
    """(from row to row, from iteration to iteration) of each access of the loop whose address is known, in elements."""
    scope, counter, row = scope_of(context.tree, context.kernel), loop.header.variable, kernel.row.name
    sizes = {**unknown_sizes(context), counter: 7, row: 3}
    for access in global_accesses(context, scope):
        if not loop.node.start_byte <= access.node.start_byte < loop.node.end_byte:
            continue
        places = (sizes, {**sizes, row: 4}, {**sizes, counter: 8})
        here, next_row, next_step = (_index(access.offsets, scope, place) for place in places)
        if here is not None and next_row is not None and next_step is not None:
            yield next_row - here, next_step - here


def _index(offsets: tuple[Node, ...], scope: Scope, place: dict[str, int]) -> int | None:
    values = [evaluate(offset, scope, place) for offset in offsets]
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _rewrite(context: TransformationContext, kernel: RowKernel, grid: tuple[TextEdit, ...]) -> Rewrite:
    tree = context.tree
    lane, offset = (free_name(tree, kernel.function.node, *names) for names in (("lane", "warp_lane"), ("offset", "distance")))
    edits = [*_row_edits(context, kernel, lane), *grid]
    for loop in kernel.loops:
        edits += _loop_edits(context, kernel, loop, lane, offset)
    edits += [_one_lane(context, group, lane) for group in _neighbours(kernel.stores)]
    own, in_others = by_file(context, edits)
    elsewhere = launch_elsewhere(context, f"{_LANES} times as many blocks")
    is_exact = all(reduction.is_exact for loop in kernel.loops for reduction in loop.reductions)
    labels = (*((Label.ASSUMPTION,) if elsewhere else (Label.HOST_CODE,)), *(() if is_exact else (Label.REASSOCIATION,)))
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
    divided = f"{text} / {_LANES}" if value.type == "parenthesized_expression" else f"({text}) / {_LANES}"
    declared = after_statement(tree, kernel.row.node, f"const int {lane} = threadIdx.x % {_LANES};")
    return [TextEdit(tree.span(value), divided), *declared]


def _neighbours(stores: tuple[Node, ...]) -> list[list[Node]]:
    """The statements in groups that follow each other in the text."""
    groups: list[list[Node]] = []
    for store in stores:
        if groups and groups[-1][-1].next_named_sibling == store:
            groups[-1].append(store)
        else:
            groups.append([store])
    return groups


def _one_lane(context: TransformationContext, group: list[Node], lane: str) -> TextEdit:
    """The statements for the first lane alone, in braces where there are several or one that branches."""
    tree, newline, step = context.tree, line_end(context.text), style_of(context).indent
    span = Span(tree.span(group[0]).start, tree.span(group[-1]).end)
    text, indent = context.text[span.start : span.end], indentation(context.text, span.start)
    if len(group) == 1 and group[0].type == "expression_statement":
        return TextEdit(Span(span.start, span.start), f"if ({lane} == 0) ")
    lines = [line.rstrip("\r") for line in text.split("\n")]
    moved = [f"{indent}{step}{lines[0]}", *(step + line if line.strip() else line for line in lines[1:])]
    return TextEdit(span, newline.join((f"if ({lane} == 0) {{", *moved, f"{indent}}}")))


def _loop_edits(context: TransformationContext, kernel: RowKernel, loop: RowLoop, lane: str, offset: str) -> list[TextEdit]:
    tree, header = context.tree, loop.header
    start, update = (loop.node.child_by_field_name(field) for field in ("initializer", "update"))
    assert start is not None and update is not None, "a counted loop has both"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    begins = lane if header.first == "0" else f"{header.first} + {lane}"
    edits = [TextEdit(tree.span(first), begins), TextEdit(tree.span(update), f"{header.variable} += {_LANES}")]
    for reduction in loop.reductions:
        identity = _IDENTITIES.get(reduction.combination)
        if identity is not None and not _starts_with(context, kernel, loop, reduction, identity):
            edits += before_statement(tree, loop.node, f"if ({lane} != 0) {reduction.variable.name} = {identity};")
    if loop.reductions:
        edits += after_statement(tree, loop.node, _exchange(context, loop, offset))
    return edits


def _starts_with(context: TransformationContext, kernel: RowKernel, loop: RowLoop, reduction: Reduction, identity: str) -> bool:
    """The local has the identity where the loop begins: it was declared with it, and nothing changed it since."""
    tree, variable = context.tree, reduction.variable
    if variable.value is None or not is_literal_of(tree.text(variable.value), int(identity)):
        return False
    changes = (c for c in assignments(tree, kernel.function.body) if tree.text(c.target) == variable.name)
    return not any(change.node.end_byte <= loop.node.start_byte for change in changes)


def _exchange(context: TransformationContext, loop: RowLoop, offset: str) -> str:
    """The lanes' parts become one value that all of them have."""
    style, newline = style_of(context), line_end(context.text)
    indent = indentation(context.text, context.tree.span(loop.node).start)
    lines = [_combined(reduction, offset) for reduction in loop.reductions]
    head = f"for (int {offset} = {_LANES // 2}; {offset} > 0; {offset} /= 2)"
    if len(lines) == 1:
        return f"{head}{newline}{indent}{style.indent}{lines[0]}"
    inner = "".join(f"{newline}{indent}{style.indent}{line}" for line in lines)
    return f"{head} {{{inner}{newline}{indent}}}"


def _combined(reduction: Reduction, offset: str) -> str:
    name, kind = reduction.variable.name, reduction.variable.type
    other = f"__shfl_xor_sync(0xffffffff, {name}, {offset})"
    match reduction.combination:
        case Combination.SUM:
            return f"{name} += {other};"
        case Combination.PRODUCT:
            return f"{name} *= {other};"
        case Combination.MAXIMUM | Combination.MINIMUM as extreme:
            call = {"float": f"f{extreme}f", "double": f"f{extreme}"}.get(kind, str(extreme))
            return f"{name} = {call}({name}, {other});"
