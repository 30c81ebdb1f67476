"""The text of a staged store: tile, guards that let every thread reach the barrier, and the mirrored second half.

Knows nothing of whether staging is right or pays; ``staged_store`` decides that.

Example::

    edits = staging_edits(context, staging)   # the tile, the store into it, the barrier, the store out of it
"""

from __future__ import annotations

import re

from assistant.cuda.comparisons import OPPOSITE
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.files import line_end
from assistant.cuda.names import mentions, words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text
from assistant.model.launch import Dim3
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.analysis.memory_accesses import Access
from assistant.plan.expert.analysis.row_loop import RowLoop
from assistant.plan.expert.analysis.store_position import Position
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation
from assistant.plan.expert.writing.recompute import Partner, Place
from assistant.plan.expert.writing.style import Style, style_of
from assistant.record import Record

__all__ = ["Staging", "edge_text", "negated", "rectangular_place", "staging_edits"]


class Staging(Record):
    """Everything the new text is made from."""

    store: Access
    position: Position
    partner: Partner
    block: Dim3
    loop: RowLoop | None
    """The walk over the tile's rows; None where each thread stores once."""
    pad: int
    """Elements that each row of the tile is longer than the block is wide."""
    ratio: float
    """Sectors of the store after / before."""

    @property
    def is_rectangular(self) -> bool:
        """Threads find their new place by their number in the block."""
        return self.loop is None and self.block.x != self.block.y


def staging_edits(context: TransformationContext, staging: Staging) -> tuple[TextEdit, ...]:
    """The tile, the store into it, the barrier and the store out of it."""
    style, position = style_of(context), staging.position
    last = position.statements[-1]
    indent, newline = indentation(context.text, context.tree.span(last).start), line_end(context.text)
    tile = _tile_name(context)
    width = edge_text(context, staging.block.x)
    height = width if staging.loop is not None else edge_text(context, staging.block.y)
    declared = f"__shared__ {_element_type(context, staging.store)} {tile}[{height}][{style.sum(width, str(staging.pad))}];"
    opening = Span(context.kernel.body.start + 1, context.kernel.body.start + 1)
    store = context.tree.span(staging.store.node)
    row = "threadIdx.y" if staging.loop is None else style.sum("threadIdx.y", staging.loop.counter)
    here = TextEdit(store, f"{tile}[{row}][threadIdx.x]")
    added = "".join(f"{newline}{indent}{line}" for line in _second_half(staging, style, tile, row, width))
    end = context.tree.span(last).end
    wrapping, closing = _wrapping(context, position) if position.returns else ((), "")
    unused = _unused_lines(context, staging)
    kept = (e for e in wrapping if e.span.start not in {u.start for u in unused})
    removed = (TextEdit(u, "") for u in unused)
    return (
        TextEdit(opening, f"{newline}{indent}{declared}"),
        *sorted((*kept, *removed, here)),
        TextEdit(Span(end, end), closing + added),
    )


def _second_half(staging: Staging, style: Style, tile: str, row: str, width: str) -> tuple[str, ...]:
    """The barrier, and the store out of the tile by the mirrored thread."""
    guard = " && ".join(_guard(staging.partner, c, is_negated) for c, is_negated in staging.position.conditions)
    place = staging.partner.place
    final = f"{staging.partner.text(staging.store.node)} = {tile}[{place.y}][{row if staging.loop else place.x}];"
    stored = (f"if ({guard})", f"{style.indent}{final}") if guard else (final,)
    lines = (*staging.partner.declarations, *stored)
    if staging.is_rectangular:
        thread = f"int {thread_name(place)} = threadIdx.y * {width} + threadIdx.x;"
        return ("__syncthreads();", thread, *lines)
    if staging.loop is None:
        return ("__syncthreads();", *lines)
    inner = tuple(f"{style.indent}{line}" for line in lines)
    if len(lines) == 1:
        return ("__syncthreads();", staging.loop.head, *inner)
    return ("__syncthreads();", f"{staging.loop.head} {{", *inner, "}")


def _unused_lines(context: TransformationContext, staging: Staging) -> tuple[Span, ...]:
    """Whole lines that declare one local which only the moved store needed, directly or through such locals."""
    gone = [context.tree.span(staging.store.node)]
    lines: dict[str, Span] = {}
    for name in reversed(tuple(staging.partner.names)):
        found = mentions(context.tree, context.body, name)
        line = None if not found else _own_line(context, found[0])
        spans = [context.tree.span(m) for m in found]
        if line is not None and all(line.contains(s) or any(g.contains(s) for g in gone) for s in spans):
            lines[name] = line
            gone.append(line)
    return tuple(sorted(lines.values()))


def _own_line(context: TransformationContext, name: Node) -> Span | None:
    """The line of a declaration that declares ``name`` alone and shares its line with nothing; None for any other."""
    declaration = next((a for a in context.tree.ancestors(name) if a.type == "declaration"), None)
    if declaration is None or len(declaration.children_by_field_name("declarator")) != 1:
        return None
    span = context.tree.span(declaration)
    line = Span(context.text.rfind("\n", 0, span.start) + 1, context.text.find("\n", span.end) + 1)
    return line if context.text[line.start : line.end].strip() == context.text[span.start : span.end] else None


def _wrapping(context: TransformationContext, position: Position) -> tuple[tuple[TextEdit, ...], str]:
    """Early returns turned into a condition around the rest, so that every thread reaches the barrier; and what closes it."""
    style = style_of(context)
    indent = indentation(context.text, context.tree.span(position.returns[0]).start)
    returns = Span(context.tree.span(position.returns[0]).start, context.tree.span(position.returns[-1]).end)
    end = context.tree.span(position.statements[-1]).end
    guard = " && ".join(negated(c) for c, is_negated in position.conditions if is_negated)
    lines = (returns.end + m.end() for m in re.finditer("\n", context.text[returns.end : end]))
    shifts = tuple(TextEdit(Span(at, at), style.indent) for at in lines if context.text[at : at + 1] not in {"\n", "\r", "#", ""})
    is_single = len(position.statements) == 1
    opened = TextEdit(returns, f"if ({guard})" if is_single else f"if ({guard}) {{")
    return (opened, *shifts), "" if is_single else f"{line_end(context.text)}{indent}}}"


def _guard(partner: Partner, condition: Node, is_negated: bool) -> str:
    if is_negated:
        return negated(condition, partner)
    text = partner.text(condition)
    return f"({text})" if "||" in text else text


def negated(condition: Node, partner: Partner | None = None) -> str:
    """The opposite of a condition: ``x >= w || y >= h`` → ``x < w && y < h``."""
    write = node_text if partner is None else partner.text
    parts = binary_parts(condition)
    if parts is not None:
        operator, left, right = parts
        if operator == "||":
            return f"{negated(left, partner)} && {negated(right, partner)}"
        if operator in OPPOSITE:
            whole = write(condition)
            between = whole[len(write(left)) : len(whole) - len(write(right))]
            return f"{write(left)}{between.replace(operator, OPPOSITE[operator])}{write(right)}"
    return f"!({write(condition)})"


def _tile_name(context: TransformationContext) -> str:
    taken = words_in(context.text)
    return next(name for name in ("tile", "staged", "tile_out", "staged_out", "tile_", "staged_") if name not in taken)


def rectangular_place(context: TransformationContext, block: Dim3) -> Place:
    """Threads counted down the columns of the tile instead of along its rows."""
    taken = words_in(context.text)
    name = next(n for n in ("thread", "threadInBlock", "thread_", "thread_in_block", "thread__") if n not in taken)
    height = edge_text(context, block.y)
    return Place(f"{name} / {height}", f"{name} % {height}", None)


def thread_name(place: Place) -> str:
    """The variable that a rectangular place counts threads with."""
    return place.x.split()[0]


def edge_text(context: TransformationContext, edge: int) -> str:
    """A constant that the kernel itself uses for the block's edge, else the number."""
    constants = {**scope_of(context.tree, context.kernel).constants, **template_environment(context)}
    for node in context.tree.find("identifier", inside=context.body):
        if constants.get(node_text(node)) == edge:
            return node_text(node)
    return str(edge)


def _element_type(context: TransformationContext, store: Access) -> str:
    parameter = next(p for p in context.kernel.parameters if p.name == store.pointer)
    element = parameter.element_type or "float"
    return element if element_size_bytes(context.tree, element) or store.size_bytes else "float"
