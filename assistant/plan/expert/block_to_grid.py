"""Let many blocks share the elements that the threads of one block add up.

Each block adds its share of the result to global memory, which is set to zero before the launch. Applies where everything that the kernel
makes of its sums is a sum of parts again.

Example::

    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];        // <<<1, 256>>>
    …
    if (threadIdx.x == 0) *mean = cache[0] / n;
    // becomes, with <<<264, 256>>> and cudaMemset(d_mean, 0, sizeof(float)); before it
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += x[i];
    …
    if (threadIdx.x == 0) atomicAdd(mean, cache[0] / n);
"""

from __future__ import annotations

from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import node_text
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file, launches_of, of_program
from assistant.plan.expert.analysis.large_gpu import BUSY_BLOCKS
from assistant.plan.expert.analysis.launch_variables import is_only_used_here
from assistant.plan.expert.analysis.linear_sums import FLOATING
from assistant.plan.expert.analysis.one_block_kernel import OneBlockKernel, Output, one_block_kernel
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.cleared_outputs import Cleared, cleared
from assistant.plan.expert.writing.style import style_of
from assistant.workload.recorded_words import apart_assumption

__all__ = ["BlockToGrid"]

_LEAST_ITERATIONS = 4
"""Of the loop for each thread: with fewer, putting the parts together takes as long."""


class BlockToGrid:
    """One block → as many as fill the GPU."""

    technique = "block-to-grid"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        kernel = one_block_kernel(context)
        if isinstance(kernel, Obstacle):
            return context.decline(self.technique, kernel)
        count = _count(context, kernel)
        if count < 2:
            few = f"so few elements that a thread of the one block takes fewer than {2 * _LEAST_ITERATIONS}"
            return context.decline(self.technique, Obstacle(DeclineReason.NO_GAIN, f"the kernel was seen with {few}"))
        fresh = [output for output in kernel.outputs if output.operator == "="]
        spelled = {parameter.name: parameter.element_type for parameter in context.kernel.parameters}
        bases = {output.base: spelled.get(output.base) or output.type for output in fresh}
        results = tuple(Cleared(base, kind, str(sum(output.base == base for output in fresh))) for base, kind in bases.items())
        clearing = cleared(context, results)
        if isinstance(clearing, Obstacle):
            return context.decline(self.technique, clearing)
        return (_rewrite(context, kernel, clearing, count),)


def _count(context: TransformationContext, kernel: OneBlockKernel) -> int:
    """Blocks: as many as leave each thread some iterations of the longest recorded launch, and no more than fill the GPU."""
    scalars = {} if context.recorded is None else {s.name: int(s.highest) for s in context.recorded.scalars}
    elements = evaluate(kernel.header.bound_node, scope_of(context.tree, context.kernel), scalars)
    # every further block would add to the result once more
    return BUSY_BLOCKS if elements is None else min(BUSY_BLOCKS, elements // (_LEAST_ITERATIONS * kernel.block.x))


def _rewrite(context: TransformationContext, kernel: OneBlockKernel, clearing: tuple[TextEdit, ...], count: int) -> Rewrite:
    program = of_program(context)
    grids = [_grid_edit(program, launch, count) for launch in launches_of(context)]
    stores = [_store_edit(context, output) for output in kernel.outputs]
    own, in_others = by_file(context, (*_loop_edits(context, kernel), *stores, *grids, *clearing))
    is_exact = not any(output.type in FLOATING for output in kernel.outputs)
    stored = " and ".join(f"`{base}`" for base in dict.fromkeys(output.base for output in kernel.outputs))
    pairs = [(pair.first, pair.second) for pair in kernel.apart]
    return Rewrite(
        technique=BlockToGrid.technique,
        kernel=context.kernel.key,
        line=context.tree.line(kernel.loop),
        edits=own,
        summary=f"Let {count} blocks share the elements of one, and each add its part to {stored}.",
        labels=(
            Label.HOST_CODE,
            *(() if is_exact else (Label.REASSOCIATION, Label.NON_DETERMINISM)),
            *((Label.ASSUMPTION,) if pairs else ()),
        ),
        predictions=predicted_values(context, {"block_count": float(count)}),
        assumptions=(apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else (),
        in_others=in_others,
    )


def _grid_edit(program: TransformationContext, launch: Launch, count: int) -> TextEdit:
    """The new number of blocks; in place of what the launch names where that serves other launches, too."""
    tree, grid = program.tree, launch.grid
    is_own = grid.variable is not None and not grid.fields and is_only_used_here(program, launch, grid)
    is_written = grid.variable is None and len(grid.components) > 1
    node = next(iter(grid.components), grid.expression) if is_own or is_written else grid.expression
    return TextEdit(tree.span(node), str(count))


def _loop_edits(context: TransformationContext, kernel: OneBlockKernel) -> tuple[TextEdit, ...]:
    tree, header, space = context.tree, kernel.header, style_of(context).space
    start, update = (kernel.loop.child_by_field_name(field) for field in ("initializer", "update"))
    assert start is not None and update is not None, "a counted loop has both"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    times = f"{space}*{space}"
    begins = f"blockIdx.x{times}{header.step}{space}+{space}{node_text(first)}"
    return (
        TextEdit(tree.span(first), begins),
        TextEdit(tree.span(update), f"{header.variable}{space}+={space}{header.step}{times}gridDim.x"),
    )


def _store_edit(context: TransformationContext, output: Output) -> TextEdit:
    tree = context.tree
    target = tree.text(output.target)
    address = output.base if target.startswith("*") else f"&{target}"
    return TextEdit(tree.span(output.node), f"atomicAdd({address}, {tree.text(output.value)})")
