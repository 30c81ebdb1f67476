"""The rows of a shared array, declared with dimensions or addressed as ``s[y * W + x]``.

Example::

    rows = rows_of(context, array, uses, scope)   # or the sentence that says why it has none
    rows.lengths                                  # (32, 32)
"""

from __future__ import annotations

from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.shared_arrays import ElementUse, SharedArray
from assistant.cuda.syntax import Node, binary_parts, joined, node_text, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.model.source import Span
from assistant.plan.expert.analysis.bounds import Range, range_of
from assistant.plan.expert.analysis.kernel_launches import known_blocks, template_environment
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["SharedRows", "rows_of"]


class SharedRows(Record):
    """A shared array as rows of equal length, with the places in the text that say the length."""

    array: SharedArray
    rows: tuple[tuple[ElementUse, tuple[Node, ...]], ...]
    """Each use with the expressions of its indices; for a flat tile the parts of (row, column)."""
    lengths: tuple[int, ...]
    """Elements along each dimension."""
    size_edits: tuple[tuple[Span, str], ...]
    """Pieces of text that hold the row length, each with what it says."""
    flat_total: Node | None
    """For a flat tile whose declaration is one number: that number."""


def rows_of(context: TransformationContext, array: SharedArray, uses: tuple[ElementUse, ...], scope: Scope) -> SharedRows | Obstacle:
    """The rows of an array; a sentence where it has none, or where an access may leave its row."""
    if len(array.sizes) == 1:
        return _flat_rows(context, array, uses, scope)
    sizes = [s for s in array.sizes if s is not None]
    environment = template_environment(context)
    lengths = [evaluate(s, scope, environment) for s in sizes]
    known = tuple(v for v in lengths if v is not None)
    if len(known) != len(array.sizes):
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"the size of {array.name} is not a constant that this file gives")
    for use in uses:
        if len(known) == 2 and node_text(use.indices[0]) == "0" and not _stays_in_row(context, use.indices[-1], scope, known[-1]):
            return Obstacle(DeclineReason.ROW_LENGTH_MATTERS, f"line {use.line} may walk over the ends of rows through {array.name}[0]")
    span = context.tree.span(sizes[-1])
    return SharedRows(array, tuple((u, u.indices) for u in uses), known, ((span, node_text(sizes[-1])),), None)


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


def _flat_rows(context: TransformationContext, array: SharedArray, uses: tuple[ElementUse, ...], scope: Scope) -> SharedRows | Obstacle:
    size = array.sizes[0]
    ranges = _ranges(context)
    total = None if size is None else range_of(size, scope, ranges)
    if size is None or total is None or total.low != total.high:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"the size of {array.name} is not a constant that this file gives")
    split = [_row_and_column(use.indices[0], scope, ranges) for use in uses]
    known = [s for s in split if s is not None]
    if not known or len(known) != len(split):
        line = uses[split.index(None)].line if uses else array.line
        return Obstacle(DeclineReason.ROW_LENGTH_MATTERS, f"{array.name} has no rows on line {line}: it is addressed by one index")
    lengths = {length for _, _, _, length in known}
    length = lengths.pop()
    if lengths or total.low % length:
        return Obstacle(DeclineReason.ROW_LENGTH_MATTERS, f"{array.name} is addressed with different row lengths")
    for use, (_, _, columns, _) in zip(uses, known, strict=True):
        reach = [range_of(c, scope, ranges) for c in columns]
        bounded = [r for r in reach if r is not None]
        if len(bounded) != len(reach) or sum(r.low for r in bounded) < 0 or sum(r.high for r in bounded) >= length:
            return Obstacle(DeclineReason.ROW_LENGTH_MATTERS, f"the column on line {use.line} may reach into the next row of {array.name}")
    edits = [(context.tree.span(factor), node_text(factor)) for _, factor, _, _ in known]
    factor = _size_factor(size, scope, ranges, length)
    if factor is not None:
        edits.append((context.tree.span(factor), node_text(factor)))
    rows = tuple((use, (row, *columns)) for use, (row, _, columns, _) in zip(uses, known, strict=True))
    return SharedRows(array, rows, (total.low // length, length), tuple(edits), size if factor is None else None)


def _row_and_column(index: Node, scope: Scope, ranges: dict[str, Range]) -> tuple[Node, Node, tuple[Node, ...], int] | None:
    """(row, the factor that is the row length, terms of the column, row length) of ``row * W + column``."""
    terms = joined(index, "+")
    products = [t for t in terms if _length_factor(t, scope, ranges) is not None]
    if len(products) != 1:
        return None
    found = _length_factor(products[0], scope, ranges)
    if found is None:
        return None
    row, factor, length = found
    return row, factor, tuple(t for t in terms if t != products[0]), length


def _length_factor(term: Node, scope: Scope, ranges: dict[str, Range]) -> tuple[Node, Node, int] | None:
    """(row, factor, value) of a product with one constant factor above one."""
    parts = binary_parts(unparenthesized(term))
    if parts is None or parts[0] != "*":
        return None
    _, left, right = parts
    for row, factor in ((left, right), (right, left)):
        value = range_of(factor, scope, ranges)
        if value is not None and value.low == value.high and value.low > 1 and range_of(row, scope, ranges) != value:
            return row, factor, value.low
    return None


def _size_factor(size: Node, scope: Scope, ranges: dict[str, Range], length: int) -> Node | None:
    """The factor of ``H * W`` that is the row length; None where the size is one number."""
    parts = binary_parts(unparenthesized(size))
    if parts is None or parts[0] != "*":
        return None
    right = parts[2]
    value = range_of(right, scope, ranges)
    return right if value == Range(length, length) else None
