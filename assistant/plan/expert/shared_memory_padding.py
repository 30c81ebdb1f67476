"""Lengthen the rows of a shared tile so that a warp walking down a column meets 32 different banks.

Answers KO103. Handles tiles with two or more dimensions and flat tiles ``s[y * W + x]``; declines where anything but element
accesses sees the row length.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.model.launch import Dim3
from assistant.model.plan import Decline, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.bounds import Range, range_of
from assistant.plan.expert.analysis.launch_shape import block_dims, known_blocks, launches_of, template_environment
from assistant.plan.expert.analysis.predictions import predicted_wavefronts
from assistant.plan.expert.analysis.warp_pattern import BANK_BYTES, ideal_wavefront_count, lane_values, wavefront_count
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.source.element_size import element_size_bytes
from assistant.source.integers import Scope, evaluate
from assistant.source.scopes import scope_of
from assistant.source.shared_arrays import ElementUse, SharedArray, element_uses, shared_arrays
from assistant.source.syntax import Node, node_text, unparenthesized

__all__ = ["SharedMemoryPadding"]

_UNKNOWN_SIZE = 1009
"""Stands for integer parameters in an index: a prime, so that it brings no alignment of its own."""


@dataclass(frozen=True)
class _Tile:
    """A shared array with rows, however it is written."""

    array: SharedArray
    rows: tuple[tuple[ElementUse, tuple[Node, ...]], ...]
    """Each use with the expressions of its indices; for a flat tile the parts of (row, column)."""
    lengths: tuple[int, ...]
    """Elements along each dimension."""
    size_edits: tuple[tuple[Span, str], ...]
    """Pieces of text that hold the row length, each with what it says."""
    flat_total: Node | None
    """For a flat tile whose declaration is one number: that number."""


class SharedMemoryPadding:
    """``__shared__ float tile[32][32]`` → ``tile[32][32 + 1]``."""

    technique = "shared-memory-padding"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        arrays = _arrays_on_line(context)
        if not arrays:
            return context.decline(self.technique, "no access on this line is to a shared array declared in this kernel")
        results = [self._rewrite(context, array) for array in arrays]
        found = [r for r in results if not isinstance(r, Decline)]
        return found[0] if found else results[0]

    def _rewrite(self, context: TransformationContext, array: SharedArray) -> tuple[Rewrite, ...] | Decline:
        if array.is_dynamic:
            reason = f"{array.name} is dynamic shared memory: its size is chosen at the launch, which would have to change with it"
            return context.decline(self.technique, reason)
        uses = element_uses(context.tree, context.body, array)
        if isinstance(uses, str):
            return context.decline(self.technique, uses)
        scope = scope_of(context.tree, context.kernel)
        tile = _tile(context, array, uses, scope)
        if isinstance(tile, str):
            return context.decline(self.technique, tile)
        return self._padded(context, tile, scope)

    def _padded(self, context: TransformationContext, tile: _Tile, scope: Scope) -> tuple[Rewrite, ...] | Decline:
        element_bytes = _element_bytes(context, tile.array)
        if element_bytes is None:
            return context.decline(self.technique, f"the size of {tile.array.element_type} is not known from this file")
        pad = _padding_elements(element_bytes)
        before, after = _wavefronts(context, tile, scope, element_bytes, 0), _wavefronts(context, tile, scope, element_bytes, pad)
        if before is None or after is None:
            reason = f"which elements of {tile.array.name} a warp touches depends on values that are only known while it runs"
            return context.decline(self.technique, reason)
        if before.on_line <= before.ideal_on_line:
            return context.decline(self.technique, f"the warp's accesses to {tile.array.name} on this line do not conflict")
        if after.on_line >= before.on_line or after.total >= before.total:
            reason = f"a longer row of {tile.array.name} does not spread this access over more banks"
            return context.decline(self.technique, reason)
        reason = _too_large(context, tile, element_bytes, pad)
        if reason is not None:
            return context.decline(self.technique, reason)
        one = "one element" if pad == 1 else f"{pad} elements"
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=tuple(sorted(_edits(context, tile, pad))),
                summary=f"Lengthen each row of {tile.array.name} by {one}, so that a column spreads over all banks.",
                labels=(),
                predictions=predicted_wavefronts(context, after.on_line / before.on_line),
                assumptions=_assumptions(context, tile),
            ),
        )


def _assumptions(context: TransformationContext, tile: _Tile) -> tuple[str, ...]:
    """For a flat tile, whose columns are bounded by the block: where the block's size is known from."""
    is_written = all(block_dims(launch) is not None for launch in launches_of(context)) and launches_of(context)
    if len(tile.array.sizes) > 1 or is_written:
        return ()
    return (f"{tile.array.name} keeps its rows apart for the block sizes that were seen running",)


def _arrays_on_line(context: TransformationContext) -> tuple[SharedArray, ...]:
    """Arrays that the finding's line mentions and that are declared once, those with most dimensions first."""
    names = {node_text(n) for n in context.tree.find("identifier", inside=context.body) if context.tree.line(n) == context.line}
    arrays = shared_arrays(context.tree, context.body)
    on_line = (a for a in arrays if a.name in names and sum(b.name == a.name for b in arrays) == 1)
    return tuple(sorted(on_line, key=lambda a: -len(a.sizes)))


def _tile(context: TransformationContext, array: SharedArray, uses: tuple[ElementUse, ...], scope: Scope) -> _Tile | str:
    if len(array.sizes) == 1:
        return _flat_tile(context, array, uses, scope)
    sizes = [s for s in array.sizes if s is not None]
    environment = template_environment(context)
    lengths = [evaluate(s, scope, environment) for s in sizes]
    known = tuple(v for v in lengths if v is not None)
    if len(known) != len(array.sizes):
        return f"the size of {array.name} is not a constant that this file gives"
    for use in uses:
        if len(known) == 2 and node_text(use.indices[0]) == "0" and not _stays_in_row(context, use.indices[-1], scope, known[-1]):
            return f"line {use.line} may walk over the ends of rows through {array.name}[0]"
    span = context.tree.span(sizes[-1])
    return _Tile(array, tuple((u, u.indices) for u in uses), known, ((span, node_text(sizes[-1])),), None)


def _stays_in_row(context: TransformationContext, index: Node, scope: Scope, length: int) -> bool:
    found = range_of(index, scope, _ranges(context))
    return found is not None and found.low >= 0 and found.high < length


def _ranges(context: TransformationContext) -> dict[str, Range]:
    """Built-ins over every block the kernel is started with, and constant template parameters."""
    ranges = {name: Range(value, value) for name, value in template_environment(context).items()}
    blocks = known_blocks(context)
    for axis in ("x", "y", "z"):
        sizes: list[int] = [getattr(block, axis) for block in blocks]
        if sizes:
            ranges[f"threadIdx.{axis}"] = Range(0, max(sizes) - 1)
            ranges[f"blockDim.{axis}"] = Range(min(sizes), max(sizes))
    return ranges


def _flat_tile(context: TransformationContext, array: SharedArray, uses: tuple[ElementUse, ...], scope: Scope) -> _Tile | str:
    size = array.sizes[0]
    ranges = _ranges(context)
    total = None if size is None else range_of(size, scope, ranges)
    if size is None or total is None or total.low != total.high:
        return f"the size of {array.name} is not a constant that this file gives"
    split = [_row_and_column(use.indices[0], scope, ranges) for use in uses]
    known = [s for s in split if s is not None]
    if not known or len(known) != len(split):
        line = uses[split.index(None)].line if uses else array.line
        return f"{array.name} has no rows on line {line}: it is addressed by one index"
    lengths = {length for _, _, _, length in known}
    length = lengths.pop()
    if lengths or total.low % length:
        return f"{array.name} is addressed with different row lengths"
    for use, (_, _, columns, _) in zip(uses, known, strict=True):
        reach = [range_of(c, scope, ranges) for c in columns]
        bounded = [r for r in reach if r is not None]
        if len(bounded) != len(reach) or sum(r.low for r in bounded) < 0 or sum(r.high for r in bounded) >= length:
            return f"the column on line {use.line} may reach into the next row of {array.name}"
    edits = [(context.tree.span(factor), node_text(factor)) for _, factor, _, _ in known]
    factor = _size_factor(size, scope, ranges, length)
    if factor is not None:
        edits.append((context.tree.span(factor), node_text(factor)))
    rows = tuple((use, (row, *columns)) for use, (row, _, columns, _) in zip(uses, known, strict=True))
    return _Tile(array, rows, (total.low // length, length), tuple(edits), size if factor is None else None)


def _row_and_column(index: Node, scope: Scope, ranges: dict[str, Range]) -> tuple[Node, Node, tuple[Node, ...], int] | None:
    """(row, the factor that is the row length, terms of the column, row length) of ``row * W + column``."""
    terms = tuple(_terms(unparenthesized(index)))
    products = [t for t in terms if _length_factor(t, scope, ranges) is not None]
    if len(products) != 1:
        return None
    found = _length_factor(products[0], scope, ranges)
    if found is None:
        return None
    row, factor, length = found
    return row, factor, tuple(t for t in terms if t != products[0]), length


def _terms(node: Node) -> Iterator[Node]:
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    is_sum = node.type == "binary_expression" and operator is not None and node_text(operator) == "+"
    if not is_sum or left is None or right is None:
        yield node
        return
    yield from _terms(unparenthesized(left))
    yield from _terms(unparenthesized(right))


def _length_factor(term: Node, scope: Scope, ranges: dict[str, Range]) -> tuple[Node, Node, int] | None:
    """(row, factor, value) of a product with one constant factor above one."""
    term = unparenthesized(term)
    operator = term.child_by_field_name("operator")
    left, right = term.child_by_field_name("left"), term.child_by_field_name("right")
    if operator is None or left is None or right is None or node_text(operator) != "*":
        return None
    for row, factor in ((left, right), (right, left)):
        value = range_of(factor, scope, ranges)
        if value is not None and value.low == value.high and value.low > 1 and range_of(row, scope, ranges) != value:
            return row, factor, value.low
    return None


def _size_factor(size: Node, scope: Scope, ranges: dict[str, Range], length: int) -> Node | None:
    """The factor of ``H * W`` that is the row length; None where the size is one number."""
    size = unparenthesized(size)
    operator, right = size.child_by_field_name("operator"), size.child_by_field_name("right")
    if operator is None or right is None or node_text(operator) != "*":
        return None
    value = range_of(right, scope, ranges)
    return right if value == Range(length, length) else None


def _element_bytes(context: TransformationContext, array: SharedArray) -> int | None:
    size = element_size_bytes(context.tree, array.element_type)
    if size is not None:
        return size
    names = [p.name for p in context.kernel.template_parameters]
    if array.element_type not in names:
        return None
    position = names.index(array.element_type)
    sizes = {
        element_size_bytes(context.tree, site.template_arguments[position])
        for site in context.parsed.launch_sites_of(context.kernel)
        if position < len(site.template_arguments)
    }
    known = [s for s in sizes if s is not None]
    return min(known) if known else BANK_BYTES


def _padding_elements(element_bytes: int) -> int:
    """Fewest elements that lengthen a row by whole words."""
    return max(1, BANK_BYTES // element_bytes)


@dataclass(frozen=True)
class _Wavefronts:
    on_line: int
    ideal_on_line: int
    total: int


def _wavefronts(context: TransformationContext, tile: _Tile, scope: Scope, element_bytes: int, pad: int) -> _Wavefronts | None:
    """First-warp wavefronts of the tile's accesses with rows lengthened by ``pad``; None when none on the line is known."""
    block = next(iter(known_blocks(context)), Dim3(32, 32))
    unknowns = {p.name: _UNKNOWN_SIZE for p in context.kernel.parameters if not p.is_pointer} | template_environment(context)
    lengths = (*tile.lengths[:-1], tile.lengths[-1] + pad)
    on_line = ideal = total = 0
    for use, indices in tile.rows:
        linear = lane_values(block, unknowns, lambda lane, parts=indices: _linear(parts, lengths, scope, lane))
        if linear is None:
            continue
        count = wavefront_count(linear, element_bytes)
        total += count
        if use.line == context.line:
            on_line += count
            ideal += ideal_wavefront_count(linear, element_bytes)
    return _Wavefronts(on_line, ideal, total) if on_line else None


def _linear(indices: tuple[Node, ...], lengths: tuple[int, ...], scope: Scope, lane: dict[str, int]) -> int | None:
    """Element offset; parts beyond the number of dimensions add to the column."""
    values = [evaluate(i, scope, lane) for i in indices]
    known = [v for v in values if v is not None]
    if len(known) != len(values):
        return None
    offset = known[0]
    for length, value in zip(lengths[1:], known[1:], strict=False):
        offset = offset * length + value
    if len(known) < len(lengths):
        return offset * lengths[-1]
    return offset + sum(known[len(lengths) :])


def _too_large(context: TransformationContext, tile: _Tile, element_bytes: int, pad: int) -> str | None:
    rows = 1
    for length in tile.lengths[:-1]:
        rows *= length
    own = rows * tile.lengths[-1] * element_bytes
    used = own if context.resources is None else max(own, context.resources.static_shared_bytes)
    limit = context.architecture.shared_bytes_per_block_default
    if used + rows * pad * element_bytes <= limit:
        return None
    return f"with longer rows the block's static shared memory would exceed its limit of {limit} bytes"


def _edits(context: TransformationContext, tile: _Tile, pad: int) -> Iterator[TextEdit]:
    style = style_of(context)
    is_flat = len(tile.array.sizes) == 1
    for span, text in tile.size_edits:
        term = text if is_simple_term(text) else f"({text})"
        longer = style.sum(term, str(pad))
        yield TextEdit(span, f"({longer})" if is_flat and not text.startswith("(") else longer)
    if tile.flat_total is not None:
        total = node_text(tile.flat_total)
        term = total if is_simple_term(total) else f"({total})"
        yield TextEdit(context.tree.span(tile.flat_total), style.sum(term, str(tile.lengths[0] * pad)))
