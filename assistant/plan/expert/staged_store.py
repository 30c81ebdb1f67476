"""Collect a block's results in a shared tile and write them out in the order of memory.

Answers KO101 and KO102 on a store whose neighbours in a warp lie a row apart, in kernels with square blocks where the store is
the last thing a thread does: a transpose, or anything that reads along rows and writes along columns. After the barrier each
thread stores the result of its mirror image in the block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.model.launch import Dim3
from assistant.model.plan import Decline, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.element_size import element_size_bytes
from assistant.plan.expert.launch_shape import block_dims, launches_of, template_environment
from assistant.plan.expert.memory_accesses import Access, addresses, global_accesses, unknown_sizes, warp_cost
from assistant.plan.expert.predictions import predicted_sectors
from assistant.plan.expert.recompute import Partner, partner_of
from assistant.plan.expert.store_position import Position, position_of
from assistant.plan.expert.style import indentation_of, style_of
from assistant.plan.expert.tile_checks import hidden_builtin, uncontrolled_launch
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.values import node_text, scope_of
from assistant.plan.expert.warp_pattern import lane_environments, sector_count
from assistant.plan.expert.workload_block import declared_shapes
from assistant.source.syntax import Node

__all__ = ["StagedStore"]

_SMALLEST_EDGE = 8
"""Below it a row of the tile does not fill a 32-byte sector of 4-byte elements."""


@dataclass(frozen=True)
class _Staging:
    store: Access
    position: Position
    partner: Partner
    edge: int
    ratio: float
    """Sectors of the store after / before."""


class StagedStore:
    """``out[x * h + y] = v`` → ``tile[threadIdx.y][threadIdx.x] = v``, a barrier, and the store by the mirrored thread."""

    technique = "staged-store"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        staging = _staging(context)
        if isinstance(staging, str):
            return context.decline(self.technique, staging)
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=_edits(context, staging),
                summary=f"Collect the block's {staging.store.pointer} in a shared tile and store it row by row.",
                labels=(),
                predictions=predicted_sectors(context, staging.ratio),
                assumptions=(
                    f"every launch has blocks of {staging.edge} x {staging.edge} threads, as all launches in this file do",
                ),
            ),
        )


def _staging(context: TransformationContext) -> _Staging | str:
    scope = scope_of(context.tree, context.kernel)
    stores = [a for a in global_accesses(context, scope) if a.line == context.line and a.is_store]
    if len(stores) != 1:
        return "this line is not one plain store to global memory" if not stores else "this line stores to several places"
    position = position_of(context, stores[0].node)
    if isinstance(position, str):
        return position
    reason = hidden_builtin(context) or uncontrolled_launch(context)
    edge = _square_edge(context)
    if reason is not None or isinstance(edge, str):
        return edge if reason is None and isinstance(edge, str) else str(reason)
    ratio = _gain(context, stores[0], edge)
    if isinstance(ratio, str):
        return ratio
    partner = partner_of(context, stores[0].node, tuple(c for c, _ in position.conditions), position.statements[0].start_byte)
    if isinstance(partner, str):
        return partner
    reason = _too_large(context, stores[0], edge)
    return _Staging(stores[0], position, partner, edge, ratio) if reason is None else reason


def _square_edge(context: TransformationContext) -> int | str:
    """The edge of the block where every launch of the text has the same square one."""
    blocks = [block_dims(launch) for launch in launches_of(context)]
    for shape in declared_shapes(context):
        sizes = [int(item.text) if item.text.isdigit() else None for item in shape.block]
        known = [s for s in sizes if s is not None]
        blocks.append(Dim3(*known) if known and len(known) == len(sizes) else None)
    found = {b for b in blocks if b is not None}
    if not found or None in blocks:
        return "the size of the block is not a constant of this file, and the tile must match it"
    if len(found) > 1:
        return "the kernel is launched with blocks of different sizes, and the tile must match each"
    block = found.pop()
    if block.x != block.y or block.z != 1:
        return f"the block is {block.x} x {block.y} threads; mirrored threads need a square one"
    return block.x if block.x >= _SMALLEST_EDGE else f"rows of {block.x} threads are too short to fill a sector"


def _gain(context: TransformationContext, store: Access, edge: int) -> float | str:
    """Sectors of the store after / before; a sentence where staging it would not help, or exchanging x and y helps more."""
    scope, sizes = scope_of(context.tree, context.kernel), unknown_sizes(context)
    lanes = [{**sizes, **lane} for lane in lane_environments(Dim3(edge, edge))]
    mirrored = [{**lane, "threadIdx.x": lane["threadIdx.y"], "threadIdx.y": lane["threadIdx.x"]} for lane in lanes]
    exchanged = [
        {**lane, **{f"{b}.{a}": lane[f"{b}.{o}"] for b in ("blockIdx", "blockDim") for a, o in (("x", "y"), ("y", "x"))}}
        for lane in mirrored
    ]
    before, after = addresses(store.offsets, scope, lanes), addresses(store.offsets, scope, mirrored)
    if before is None or after is None:
        return "where this line stores depends on values that are only known while it runs"
    old, new = sector_count(before, store.size_bytes), sector_count(after, store.size_bytes)
    if new >= old:
        return "neighbouring threads already store to neighbouring elements, as far as a tile could arrange it"
    total = warp_cost(context, lanes).sectors
    if warp_cost(context, exchanged).sectors <= total - old + new:
        return "exchanging x and y would mend this store without a tile"
    return new / old


def _too_large(context: TransformationContext, store: Access, edge: int) -> str | None:
    used = 0 if context.resources is None else context.resources.static_shared_bytes
    limit = context.architecture.shared_bytes_per_block_default
    if used + edge * (edge + 1) * store.size_bytes <= limit:
        return None
    return f"with a tile the block's static shared memory would exceed its limit of {limit} bytes"


def _edits(context: TransformationContext, staging: _Staging) -> tuple[TextEdit, ...]:
    style, position = style_of(context), staging.position
    last = position.statements[-1]
    indent, newline = indentation_of(context, last), style.newline
    tile = _tile_name(context)
    declared = f"__shared__ {_element_type(context, staging.store)} {tile}[{_edge_text(context, staging.edge)}]"
    declared += f"[{style.sum(_edge_text(context, staging.edge), '1')}];"
    opening = Span(context.kernel.body.start + 1, context.kernel.body.start + 1)
    store = context.tree.span(staging.store.node)
    here = TextEdit(store, f"{tile}[threadIdx.y][threadIdx.x]")
    target = staging.partner.text(staging.store.node)
    guard = " && ".join(_guard(staging.partner, c, is_negated) for c, is_negated in position.conditions)
    final = f"{target} = {tile}[threadIdx.x][threadIdx.y];"
    tail = [
        "__syncthreads();",
        *staging.partner.declarations,
        *((f"if ({guard})", f"{style.indent}{final}") if guard else (final,)),
    ]
    added = "".join(f"{newline}{indent}{line}" for line in tail)
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


def _unused_lines(context: TransformationContext, staging: _Staging) -> tuple[Span, ...]:
    """Whole lines that declare one local which only the moved store needed, directly or through such locals."""
    gone = [context.tree.span(staging.store.node)]
    lines: dict[str, Span] = {}
    for name in reversed(tuple(staging.partner.names)):
        mentions = [m for m in context.tree.find("identifier", inside=context.body) if node_text(m) == name]
        line = None if not mentions else _own_line(context, mentions[0])
        spans = [context.tree.span(m) for m in mentions]
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
    indent = indentation_of(context, position.returns[0])
    returns = Span(context.tree.span(position.returns[0]).start, context.tree.span(position.returns[-1]).end)
    end = context.tree.span(position.statements[-1]).end
    guard = " && ".join(negated(c) for c, is_negated in position.conditions if is_negated)
    lines = (returns.end + m.end() for m in re.finditer("\n", context.text[returns.end : end]))
    shifts = tuple(TextEdit(Span(at, at), style.indent) for at in lines if context.text[at : at + 1] not in {"\n", "\r", "#", ""})
    is_single = len(position.statements) == 1
    opened = TextEdit(returns, f"if ({guard})" if is_single else f"if ({guard}) {{")
    return (opened, *shifts), "" if is_single else f"{style.newline}{indent}}}"


def _guard(partner: Partner, condition: Node, is_negated: bool) -> str:
    if is_negated:
        return negated(condition, partner)
    text = partner.text(condition)
    return f"({text})" if "||" in text else text


_OPPOSITE = {">=": "<", "<": ">=", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


def negated(condition: Node, partner: Partner | None = None) -> str:
    """The opposite of a condition: ``x >= w || y >= h`` → ``x < w && y < h``."""
    write = node_text if partner is None else partner.text
    operator = condition.child_by_field_name("operator")
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    if condition.type == "binary_expression" and operator is not None and left is not None and right is not None:
        if node_text(operator) == "||":
            return f"{negated(left, partner)} && {negated(right, partner)}"
        if node_text(operator) in _OPPOSITE:
            whole = write(condition)
            between = whole[len(write(left)) : len(whole) - len(write(right))]
            return f"{write(left)}{between.replace(node_text(operator), _OPPOSITE[node_text(operator)])}{write(right)}"
    return f"!({write(condition)})"


def _tile_name(context: TransformationContext) -> str:
    taken = {node_text(n) for n in context.tree.find("identifier", "field_identifier", "type_identifier")}
    return next(name for name in ("tile", "staged", "tile_out", "staged_out", "tile_", "staged_") if name not in taken)


def _edge_text(context: TransformationContext, edge: int) -> str:
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
