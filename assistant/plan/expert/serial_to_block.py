"""Let the threads of a block share the loops of a kernel that one thread runs.

Each thread takes every 256th element, so that neighbours read side by side; their parts of a sum are put together by shuffles and an
element of shared memory for each warp, in one order, so that every thread goes on with the whole.

Example::

    for (int i = 0; i < n; i++) sum += x[i];       // <<<1, 1>>>
    *total = sum;
    // becomes, with <<<1, 256>>>
    for (int i = threadIdx.x; i < n; i += 256) sum += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    __shared__ float warp_sum[8];
    …
    if (threadIdx.x == 0) *total = sum;
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.files import line_end
from assistant.cuda.names import free_name
from assistant.model.plan import Decline, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file, launches_of, of_program
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.row_kernel import RowLoop
from assistant.plan.expert.analysis.row_reductions import Reduction
from assistant.plan.expert.analysis.serial_kernel import SerialKernel, is_for_many_threads, serial_kernel
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, indentation
from assistant.plan.expert.writing.shared_rows import combined, combined_with_place, once_for_row, one_start
from assistant.plan.expert.writing.style import style_of

__all__ = ["SerialToBlock"]

_LANES = 32
_THREADS, _MOST_THREADS = 256, 1024
_Arrays = Mapping[str, tuple[str, str]]
"""By a local: its type, and the shared array with each warp's part."""
_LONG = 8 * _MOST_THREADS
"""Iterations that keep a block of the largest size busy."""


class SerialToBlock:
    """One thread → a block."""

    technique = "serial-to-block"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        if is_for_many_threads(context):
            return ()  # the usual kernel, of which there is nothing to say
        kernel = serial_kernel(context)
        if isinstance(kernel, Obstacle):
            return context.decline(self.technique, kernel)
        return (_rewrite(context, kernel, _threads(context, kernel)),)


def _threads(context: TransformationContext, kernel: SerialKernel) -> int:
    scalars = [None if context.recorded is None else context.recorded.scalar(loop.header.bound) for loop in kernel.loops]
    longest = max((scalar.highest for scalar in scalars if scalar is not None), default=0)
    return _MOST_THREADS if longest >= _LONG else _THREADS


def _rewrite(context: TransformationContext, kernel: SerialKernel, threads: int) -> Rewrite:
    program = of_program(context)
    edits = [TextEdit(program.tree.span(launch.block.expression), str(threads)) for launch in launches_of(context)]
    for loop in kernel.loops:
        edits += _loop_edits(context, kernel, loop, threads)
    edits += once_for_row(context, kernel.function, kernel.stores, "threadIdx.x == 0", "__syncthreads();")
    own, in_others = by_file(context, edits)
    is_exact = all(reduction.is_exact for loop in kernel.loops for reduction in loop.reductions)
    return Rewrite(
        technique=SerialToBlock.technique,
        kernel=context.kernel.key,
        line=context.tree.line(kernel.loops[0].node),
        edits=own,
        summary=f"Let the {threads} threads of a block share the loops of one thread.",
        labels=(Label.HOST_CODE, *(() if is_exact else (Label.REASSOCIATION,))),
        predictions=predicted_values(context, {"block_threads": float(threads), "idle_lane_ratio": 0.0}),
        in_others=in_others,
    )


def _loop_edits(context: TransformationContext, kernel: SerialKernel, loop: RowLoop, threads: int) -> list[TextEdit]:
    tree, header = context.tree, loop.header
    start, update = (loop.node.child_by_field_name(field) for field in ("initializer", "update"))
    assert start is not None and update is not None, "a counted loop has both"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    begins = "threadIdx.x" if header.first == "0" else f"{header.first} + threadIdx.x"
    edits = [TextEdit(tree.span(first), begins), TextEdit(tree.span(update), f"{header.variable} += {threads}")]
    for reduction in loop.reductions:
        edits += one_start(context, kernel.function, loop, reduction, "threadIdx.x != 0")
    if loop.reductions:
        newline = f"{line_end(context.text)}{indentation(context.text, tree.span(loop.node).start)}"
        edits += after_statement(tree, loop.node, newline.join(_gathered(context, kernel, loop, threads // _LANES)))
    return edits


def _gathered(context: TransformationContext, kernel: SerialKernel, loop: RowLoop, warps: int) -> list[str]:
    """Every thread gets the whole of what all have in parts."""
    tree, style = context.tree, style_of(context)
    offset, warp = (free_name(tree, context.body, *names) for names in (("offset", "distance"), ("warp", "warp_index")))
    parts = {name: (kind, _array(context, kernel, loop, name)) for r in loop.reductions for name, kind in _kept(r)}
    shuffled = [line for r in loop.reductions for line in _of_other_lane(context, r, offset)]
    joined = [line for r in loop.reductions for line in _of_other_warp(context, r, parts, warp)]
    return [
        *style.headed(f"for (int {offset} = {_LANES // 2}; {offset} > 0; {offset} /= 2)", shuffled),
        *(f"__shared__ {kind} {array}[{warps}];" for kind, array in parts.values()),
        *style.headed(f"if (threadIdx.x % {_LANES} == 0)", [f"{a}[threadIdx.x / {_LANES}] = {n};" for n, (_, a) in parts.items()]),
        "__syncthreads();",
        *(f"{name} = {array}[0];" for name, (_, array) in parts.items()),
        *style.headed(f"for (int {warp} = 1; {warp} < {warps}; {warp}++)", joined),
    ]


def _kept(reduction: Reduction) -> tuple[tuple[str, str], ...]:
    """Names and types of the locals that hold a thread's part."""
    place = reduction.place
    return ((reduction.name, reduction.type), *(() if place is None else ((place.name, place.type),)))


def _of_other_lane(context: TransformationContext, reduction: Reduction, offset: str) -> tuple[str, ...]:
    others = [f"__shfl_down_sync(0xffffffff, {name}, {offset})" for name, _ in _kept(reduction)]
    if len(others) == 1:
        return (combined(reduction, others[0]),)
    style = style_of(context)
    names = [free_name(context.tree, context.body, style.name("other", name)) for name, _ in _kept(reduction)]
    declared = (f"{kind} {name} = {other};" for (_, kind), name, other in zip(_kept(reduction), names, others, strict=True))
    value, place = names
    return (*declared, *combined_with_place(reduction, value, place, style))


def _of_other_warp(context: TransformationContext, reduction: Reduction, parts: _Arrays, warp: str) -> tuple[str, ...]:
    others = [f"{parts[name][1]}[{warp}]" for name, _ in _kept(reduction)]
    if len(others) == 1:
        return (combined(reduction, others[0]),)
    value, place = others
    return combined_with_place(reduction, value, place, style_of(context))


def _array(context: TransformationContext, kernel: SerialKernel, loop: RowLoop, local: str) -> str:
    style, name = style_of(context), local.replace(".", "_")
    array = free_name(context.tree, context.body, style.name("warp", name), style.name("warp", "parts", name))
    is_again = sum(of == local for each in kernel.loops for one in each.reductions for of, _ in _kept(one)) > 1
    return f"{array}{kernel.loops.index(loop) + 1}" if is_again else array
