"""Let each thread move 16 bytes with one access, or 8, in a kernel that works element by element or in loops that sum elements up.

Where the pointers are aligned and all elements are there, vectors; otherwise the same elements one by one, so that every pointer and every
length stays right. A grid that had a thread for each element is divided by the elements of a thread.

Example::

    if (i < n) y[i] = 2 * x[i];
    // becomes
    if (aligned && first + 4 <= n) {
        alignas(16) float x4[4];
        *reinterpret_cast<float4 *>(x4) = *reinterpret_cast<const float4 *>(x + first);
        …
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.accesses import Use, array_accesses
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.dealt_loops import dealt_loops
from assistant.plan.expert.analysis.elementwise_kernel import ElementwiseKernel, elementwise_kernel
from assistant.plan.expert.analysis.first_items import first_item
from assistant.plan.expert.analysis.kept_rows import kept_rows
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.launch_block import fixed_block
from assistant.plan.expert.analysis.narrower_blocks import narrower_blocks, narrower_words, whole_warps_of
from assistant.plan.expert.analysis.pointer_roots import may_overlap
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import guessed_launch, launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.kept_rows_text import kept_row_edits
from assistant.plan.expert.writing.vector_loops_text import vector_loop_edits
from assistant.plan.expert.writing.vector_text import VectorKernel, vector_edits
from assistant.plan.expert.writing.vector_types import VectorTypes
from assistant.plan.expert.writing.vector_widths import narrower_types, vector_types
from assistant.workload.recorded_words import apart_assumption, room_assumption

__all__ = ["VectorizedAccess"]

_NUMBER = "elements_per_access"


class VectorizedAccess:
    """An element a thread and access → 16 bytes, or 8; which is left to tuning."""

    technique = "vectorized-access"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = _of_elements(context)
        if isinstance(found, Obstacle):
            found = _of_loops(context) or _of_kept_rows(context) or found
        return context.decline(self.technique, found) if isinstance(found, Obstacle) else found


def _of_elements(context: TransformationContext) -> tuple[Rewrite, ...] | Obstacle:
    """Of a kernel that works element by element."""
    obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
    kernel = obstacle or elementwise_kernel(context)
    if isinstance(kernel, Obstacle):
        return kernel
    types = _order_obstacle(context, kernel) or vector_types(context, kernel.function, ((p.name, p.type) for p in kernel.pointers))
    if isinstance(types, Obstacle):
        return types
    launches = [(width, _launches(context, kernel, width.count)) for width in narrower_types(types)]
    made = tuple(_rewrite(context, VectorKernel(kernel, width), found) for width, found in launches if not isinstance(found, Obstacle))
    return made or [found for _, found in launches if isinstance(found, Obstacle)][-1]


def _launches(context: TransformationContext, kernel: ElementwiseKernel, count: int) -> tuple[TextEdit, ...] | Obstacle:
    """A ``count``-th of the threads: fewer blocks, or where each block has to keep its elements fewer threads in it."""
    if kernel.loop is not None:
        return ()
    if not kernel.keeps_span:
        return coarser_grid(context, {"x": count})
    block = fixed_block(context)
    if isinstance(block, Obstacle):
        return block
    unplain = Obstacle(DeclineReason.GUARD_FORM, f"`{kernel.index}` would have to be a block's first element and `threadIdx.x` added to it")
    is_plain = first_item(context, kernel.start, count) is not None
    return whole_warps_of(block, count) or (narrower_blocks(context, count) if is_plain else unplain)


def _of_loops(context: TransformationContext) -> tuple[Rewrite, ...] | Obstacle | None:
    """Of loops in which a warp, a block or the grid shares elements; None where the line is in none."""
    dealt = dealt_loops(context)
    if dealt is None or isinstance(dealt, Obstacle):
        return dealt
    elements = tuple(element for each in dealt.loops for element in each.elements)
    types = vector_types(context, dealt.function, ((e.base, e.type) for e in elements))
    if isinstance(types, Obstacle):
        return types
    pairs = [(pair.first, pair.second) for pair in dealt.apart]
    apart = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
    there = (room_assumption(context.recorded, *dealt.unsure),) if dealt.unsure and context.recorded is not None else ()
    names = ", ".join(dict.fromkeys(f"`{element.base}`" for element in elements))
    return tuple(
        Rewrite(
            technique=VectorizedAccess.technique,
            kernel=context.kernel.key,
            line=context.tree.line(dealt.loops[0].loop),
            edits=vector_loop_edits(context, dealt, width),
            summary=f"Give each thread {width.count} neighbouring elements of {names} at a time, moved by one access each.",
            labels=(*((Label.ASSUMPTION,) if apart or there else dealt.seen.labels), *((Label.REASSOCIATION,) if dealt.is_rounded else ())),
            predictions=predicted_values(context, _after(width)),
            assumptions=(*dealt.seen.assumptions, *apart, *there),
            numbers=((_NUMBER, width.count),),
        )
        for width in narrower_types(types)
    )


def _of_kept_rows(context: TransformationContext) -> tuple[Rewrite, ...] | Obstacle | None:
    """Of loops in which a warp or a block keeps a row in arrays of its threads; None where the line is in none."""
    rows = kept_rows(context)
    if rows is None or isinstance(rows, Obstacle):
        return rows
    elements = tuple(element for each in rows.loops for element in each.dealt.elements)
    types = vector_types(context, rows.function, ((e.base, e.type) for e in elements))
    if isinstance(types, Obstacle):
        return types
    pairs = [(pair.first, pair.second) for pair in rows.apart]
    apart = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
    names = ", ".join(dict.fromkeys(f"`{element.base}`" for element in elements))
    made = tuple(
        Rewrite(
            technique=VectorizedAccess.technique,
            kernel=context.kernel.key,
            line=context.tree.line(rows.loops[0].dealt.loop),
            edits=kept_row_edits(context, rows, width),
            summary=f"Keep {width.count} neighbouring elements of {names} in each thread, moved by one access each.",
            labels=(*((Label.ASSUMPTION,) if apart else rows.seen.labels), *((Label.REASSOCIATION,) if rows.is_rounded else ())),
            predictions=predicted_values(context, _after(width)),
            assumptions=(*rows.seen.assumptions, *apart),
            numbers=((_NUMBER, width.count),),
        )
        for width in narrower_types(types)
        if rows.count is None or rows.count >= width.count
    )
    return made or Obstacle(DeclineReason.NO_GAIN, f"a thread keeps {rows.count} elements of a row, too few for a vector")


def _order_obstacle(context: TransformationContext, kernel: ElementwiseKernel) -> Obstacle | None:
    """Why all loads before all stores is another order; none where each element is a thread's own whatever the pointers name."""
    tree = context.tree
    accesses = [a for node in kernel.statements for a in array_accesses(tree, node)]
    for pointer in (p for p in kernel.pointers if p.is_written):
        first = min(a.node.start_byte for a in accesses if a.base == pointer.name and a.kind is not Use.READ)
        for other in (p for p in kernel.pointers if p.name != pointer.name):
            later = [a for a in accesses if a.base == other.name and (a.node.start_byte > first or a.kind is not Use.READ)]
            is_value = all(_is_value_of_store(a.node, first) for a in later)
            overlap = None if is_value else may_overlap(tree, kernel.function, pointer.name, other.name, context.recorded)
            if overlap is not None:
                text = f"`{other.name}` is used after `{pointer.name}` was stored to, and they may be the same memory"
                return Obstacle(DeclineReason.MAY_OVERLAP, text)
    return None


def _is_value_of_store(node: object, first: int) -> bool:
    """The element is read by the very assignment that stores first."""
    parent = getattr(node, "parent", None)
    while parent is not None and parent.type != "expression_statement":
        parent = parent.parent
    return parent is not None and parent.start_byte <= first < parent.end_byte


def _rewrite(context: TransformationContext, vector: VectorKernel, launches: tuple[TextEdit, ...]) -> Rewrite:
    edits, in_others = by_file(context, (*vector_edits(context, vector), *launches))
    names = ", ".join(dict.fromkeys(f"`{pointer.name}`" for pointer in vector.kernel.pointers))
    block = fixed_block(context) if vector.kernel.keeps_span else None
    change = narrower_words(block, vector.count) if isinstance(block, Dim3) else f"a thread for {vector.count} elements"
    elsewhere = launch_elsewhere(context, change) if launches else ()
    labels = launch_labels(context, elsewhere) if launches else ()
    return Rewrite(
        technique=VectorizedAccess.technique,
        kernel=context.kernel.key,
        line=context.tree.line(vector.kernel.statements[0]),
        edits=edits,
        summary=f"Compute {vector.count} neighbouring elements in each thread; load and store those of {names} by one access each.",
        labels=labels,
        predictions=predicted_values(context, _after(vector.types)),
        assumptions=elsewhere,
        in_others=in_others,
        numbers=((_NUMBER, vector.count),),
    )


def _after(types: VectorTypes) -> Mapping[str, float]:
    return {"global_access_bytes": float(max(types.sizes.values()) * types.count)}
