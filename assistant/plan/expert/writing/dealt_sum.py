"""Deal the pieces of a warp's threads out one by one where each thread sums its own piece up, and only their total matters.

The warp keeps the elements that its threads had, so that its total stays what it was but for the order of the additions.

Example::

    int begin = id * piece, end = min(begin + piece, n);
    for (int i = begin; i < end; i++) s += x[i];
    // becomes
    int begin = (id - id % 32) * piece, end = min(begin + 32 * piece, n);
    for (int i = begin + id % 32; i < end; i += 32) s += x[i];
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import known_blocks
from assistant.plan.expert.analysis.memory_accesses import global_accesses, unknown_sizes, warp_cost
from assistant.plan.expert.analysis.own_pieces import LARGE_COUNT
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.summed_pieces import SummedPiece, summed_piece
from assistant.plan.expert.analysis.warp_pattern import lane_environments
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import style_of

__all__ = ["dealt_sum"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""


def dealt_sum(context: TransformationContext, technique: str) -> Rewrite | Obstacle | None:
    """The rewrite, or why the threads must keep their pieces; None where they sum none up."""
    summed = summed_piece(context)
    if summed is None or isinstance(summed, Obstacle):
        return summed
    ratio = _ratio(context)
    if ratio >= 1:
        return Obstacle(DeclineReason.NO_GAIN, "giving the threads of a warp each other's elements would touch as many sectors")
    return Rewrite(
        technique=technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=tuple(sorted(_edits(context, summed))),
        summary="Deal the elements of a warp's pieces out one by one, so that neighbouring threads take neighbouring ones.",
        labels=(Label.REASSOCIATION,) if summed.is_rounded else (),
        predictions=predicted_sectors(context, ratio),
    )


def _ratio(context: TransformationContext) -> float:
    """Sectors of the line, after and before: as counted where that is known, else for pieces that are far apart."""
    counted = {fact.metric: fact.value for fact in reversed(context.evidence)}
    own, ideal = (counted.get(f"global_{kind}per_request", 0.0) for kind in ("sectors_", "ideal_sectors_"))
    if own and ideal:
        return ideal / own
    block = next(iter(known_blocks(context)), Dim3(256))
    sizes = dict.fromkeys(unknown_sizes(context), LARGE_COUNT) | {"gridDim.x": 1}
    before = warp_cost(context, [{**sizes, **lane} for lane in lane_environments(block)]).line_sectors
    # 32 lanes of size_bytes side by side fill size_bytes sectors of 32 bytes
    elements = global_accesses(context, scope_of(context.tree, context.kernel))
    after = sum(each.size_bytes for each in elements if each.line == context.line)
    return after / before if before else 1.0


def _edits(context: TransformationContext, summed: SummedPiece) -> Iterator[TextEdit]:
    tree, piece, space = context.tree, summed.piece, style_of(context).space
    start, update = (piece.loop.child_by_field_name(field) for field in ("initializer", "update"))
    assert start is not None and update is not None and summed.begin.value is not None, "the loop has been read"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    lane = f"{piece.thread} % {_LANES}"
    for mention in mentions(tree, summed.begin.value, piece.thread):
        yield TextEdit(tree.span(mention), f"({piece.thread} - {lane})")
    yield TextEdit(tree.span(summed.end), summed.end_of_warp)
    yield TextEdit(tree.span(first), f"{summed.begin.name} + {lane}")
    yield TextEdit(tree.span(update), f"{piece.header.variable}{space}+={space}{_LANES}")
