"""Deal the elements of an array out one by one where each thread took a piece of them.

Threads that are neighbours then touch elements that are neighbours in each iteration. The launch stays as it is.

Example::

    for (int i = begin; i < end; i++) y[i] = …;      // begin = id * piece
    // becomes, without `piece`, `begin` and `end`
    for (int i = id; i < n; i += gridDim.x * blockDim.x) y[i] = …;
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import known_blocks
from assistant.plan.expert.analysis.memory_accesses import global_accesses, unknown_sizes, warp_cost
from assistant.plan.expert.analysis.own_pieces import OwnPiece, own_piece
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.warp_pattern import lane_environments
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import style_of
from assistant.workload.recorded_words import apart_assumption

__all__ = ["dealt_piece"]


def dealt_piece(context: TransformationContext, technique: str) -> Rewrite | Obstacle | None:
    """The rewrite, or why the threads must keep their pieces; None where they have none."""
    piece = own_piece(context)
    if piece is None or isinstance(piece, Obstacle):
        return piece
    block = next(iter(known_blocks(context)), Dim3(256))
    before = warp_cost(context, [{**unknown_sizes(context), "gridDim.x": 1, **lane} for lane in lane_environments(block)]).line_sectors
    # 32 lanes of size_bytes side by side fill size_bytes sectors of 32 bytes
    elements = global_accesses(context, scope_of(context.tree, context.kernel))
    after = sum(each.size_bytes for each in elements if each.line == context.line)
    if after >= before:
        return Obstacle(DeclineReason.NO_GAIN, "giving the threads other elements would touch as many sectors")
    pairs = [(pair.first, pair.second) for pair in piece.apart]
    return Rewrite(
        technique=technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=tuple(sorted((*_head_edits(context, piece), *_removed(context, piece)))),
        summary=f"Deal the elements below `{piece.count}` out one by one, so that neighbouring threads take neighbouring ones.",
        labels=(Label.ASSUMPTION,) if pairs else (),
        predictions=predicted_sectors(context, after / before),
        assumptions=(apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else (),
    )


def _head_edits(context: TransformationContext, piece: OwnPiece) -> Iterator[TextEdit]:
    tree, space = context.tree, style_of(context).space
    start, condition, update = (piece.loop.child_by_field_name(field) for field in ("initializer", "condition", "update"))
    assert start is not None and condition is not None and update is not None, "a counted loop has all three"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    yield TextEdit(tree.span(first), piece.thread)
    yield TextEdit(tree.span(condition), f"{piece.header.variable}{space}<{space}{piece.count}")
    yield TextEdit(tree.span(update), f"{piece.header.variable}{space}+={space}gridDim.x{space}*{space}blockDim.x")


def _removed(context: TransformationContext, piece: OwnPiece) -> Iterator[TextEdit]:
    """Statements about the pieces, which nothing needs any more."""
    kept = [n for n in piece.before if n.type == "declaration"]
    removed = [n for n in piece.before if n.type != "declaration"]
    body = piece.loop.child_by_field_name("body")
    while unused := [n for n in kept if not _is_needed(context, n, [k for k in kept if k != n], body, piece.thread)]:
        kept.remove(unused[0])
        removed.append(unused[0])
    yield from (TextEdit(_whole_lines(context, node), "") for node in removed)


def _is_needed(context: TransformationContext, declaration: Node, others: list[Node], body: Node | None, thread: str) -> bool:
    names = [variable.name for variable in declared_variables(context.tree, declaration)]
    places = [*others, *(() if body is None else (body,))]
    return thread in names or any(mentions(context.tree, place, name) for place in places for name in names)


def _whole_lines(context: TransformationContext, node: Node) -> Span:
    """The statement with its lines, where nothing else than a comment stands in them."""
    text, span = context.text, context.tree.span(node)
    start, stop = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
    rest = text[span.end : stop].strip()
    is_alone = not text[start : span.start].strip() and (not rest or rest.startswith("//"))
    return Span(start, stop) if is_alone else span
