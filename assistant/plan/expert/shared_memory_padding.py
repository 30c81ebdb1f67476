"""Lengthen the rows of a shared tile so that a warp walking down a column meets 32 different banks.

Answers KO103. Handles tiles with two or more dimensions and flat tiles ``s[y * W + x]``; declines where anything but element
accesses sees the row length. An array without rows, as those of transforms and scans are, gets one more element after each 32 words.

Example::

    __shared__ float tile[32][32];   ->   __shared__ float tile[32][32 + 1];
    s[2 * stride * t]                ->   s[padded(2 * stride * t)]
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.launch_shape import block_dims
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import ElementUse, SharedArray, element_uses, shared_arrays
from assistant.cuda.syntax import Node, node_text
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.flat_conflicts import spread_of
from assistant.plan.expert.analysis.kernel_launches import known_blocks, launches_of, of_program, template_environment
from assistant.plan.expert.analysis.parameter_numbers import parameter_numbers
from assistant.plan.expert.analysis.predictions import predicted_wavefronts
from assistant.plan.expert.analysis.shared_rows import SharedRows, rows_of
from assistant.plan.expert.analysis.warp_pattern import BANK_BYTES, ideal_wavefront_count, lane_values, wavefront_count
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.padded_index import padded_index
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.record import Record

__all__ = ["SharedMemoryPadding"]

_UNKNOWN_SIZE = 1009
"""Stands for integer parameters in an index: a prime, so that it brings no alignment of its own."""

_PADDING_WORDS = (1, 2, 4, 8, 16)
"""Tried in this order: one word spreads a column over all banks; warps that cover two half rows need rows half of the 32 banks longer."""


class SharedMemoryPadding:
    """``__shared__ float tile[32][32]`` → ``tile[32][32 + 1]``."""

    technique = "shared-memory-padding"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        arrays = _arrays_on_line(context)
        if not arrays:
            return context.decline(
                self.technique,
                Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no access on this line is to a shared array declared in this kernel"),
            )
        results = [self._rewrite(context, array) for array in arrays]
        found = [r for r in results if not isinstance(r, Decline)]
        return found[0] if found else results[0]

    def _rewrite(self, context: TransformationContext, array: SharedArray) -> tuple[Rewrite, ...] | Decline:
        if array.is_dynamic:
            reason = Obstacle(
                DeclineReason.SIZE_UNKNOWN,
                f"{array.name} is dynamic shared memory: its size is chosen at the launch, which would have to change with it",
            )
            return context.decline(self.technique, reason)
        uses = element_uses(context.tree, context.body, array)
        if isinstance(uses, str):
            return context.decline(self.technique, Obstacle(DeclineReason.ROW_LENGTH_MATTERS, uses))
        scope = scope_of(context.tree, context.kernel)
        tile = rows_of(context, array, uses, scope)
        if not isinstance(tile, Obstacle):
            return self._padded(context, tile, scope)
        return self._spread(context, array, uses) if len(array.sizes) == 1 else context.decline(self.technique, tile)

    def _spread(self, context: TransformationContext, array: SharedArray, uses: tuple[ElementUse, ...]) -> tuple[Rewrite, ...] | Decline:
        found = spread_of(context, array, uses, _element_bytes(context, array))
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=tuple(sorted(padded_index(context, array, uses, found.elements))),
                summary=f"Put an unused element after each {found.elements} of {array.name}, so that this access spreads over more banks.",
                labels=(),
                predictions=predicted_wavefronts(context, found.ratio),
            ),
        )

    def _padded(self, context: TransformationContext, tile: SharedRows, scope: Scope) -> tuple[Rewrite, ...] | Decline:
        element_bytes = _element_bytes(context, tile.array)
        if element_bytes is None:
            return context.decline(
                self.technique, Obstacle(DeclineReason.SIZE_UNKNOWN, f"the size of {tile.array.element_type} is not known from this file")
            )
        before = _wavefronts(context, tile, scope, element_bytes, 0)
        if before is None:
            reason = Obstacle(
                DeclineReason.ADDRESS_UNKNOWN,
                f"which elements of {tile.array.name} a warp touches depends on values that are only known while it runs",
            )
            return context.decline(self.technique, reason)
        if before.on_line <= before.ideal_on_line:
            return context.decline(
                self.technique,
                Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"the warp's accesses to {tile.array.name} on this line do not conflict"),
            )
        paddings = (words * _padding_elements(element_bytes) for words in _PADDING_WORDS)
        counted = ((pad, _wavefronts(context, tile, scope, element_bytes, pad)) for pad in paddings)
        better = ((p, w) for p, w in counted if w is not None and w.on_line < before.on_line and w.total < before.total)
        pad, after = next(better, (0, before))
        if not pad:
            reason = Obstacle(
                DeclineReason.NO_GAIN,
                f"rows of {tile.array.name} longer by up to {_PADDING_WORDS[-1]} words do not spread this access over more banks",
            )
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
                summary=f"Lengthen each row of {tile.array.name} by {one}, so that this access spreads over more banks.",
                labels=(),
                predictions=predicted_wavefronts(context, after.on_line / before.on_line),
                assumptions=_assumptions(context, tile),
            ),
        )


def _assumptions(context: TransformationContext, tile: SharedRows) -> tuple[str, ...]:
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


def _element_bytes(context: TransformationContext, array: SharedArray) -> int | None:
    size = element_size_bytes(context.tree, array.element_type)
    if size is not None:
        return size
    names = [p.name for p in context.kernel.template_parameters]
    if array.element_type not in names:
        return None
    program, position = of_program(context), names.index(array.element_type)
    sizes = {
        element_size_bytes(program.tree, site.template_arguments[position])
        for site in program.parsed.launch_sites_of(context.kernel)
        if position < len(site.template_arguments)
    }
    known = [s for s in sizes if s is not None]
    return min(known) if known else BANK_BYTES


def _padding_elements(element_bytes: int) -> int:
    """Fewest elements that lengthen a row by whole words."""
    return max(1, BANK_BYTES // element_bytes)


class _Wavefronts(Record):
    on_line: int
    ideal_on_line: int
    total: int


def _wavefronts(context: TransformationContext, tile: SharedRows, scope: Scope, element_bytes: int, pad: int) -> _Wavefronts | None:
    """First-warp wavefronts of the tile's accesses with rows lengthened by ``pad``; None when none on the line is known."""
    block = next(iter(known_blocks(context)), Dim3(32, 32))
    unknowns = dict.fromkeys(parameter_numbers(context.tree, context.kernel), _UNKNOWN_SIZE) | template_environment(context)
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


def _too_large(context: TransformationContext, tile: SharedRows, element_bytes: int, pad: int) -> Obstacle | None:
    rows = 1
    for length in tile.lengths[:-1]:
        rows *= length
    own = rows * tile.lengths[-1] * element_bytes
    used = own if context.resources is None else max(own, context.resources.static_shared_bytes)
    limit = context.architecture.shared_bytes_per_block_default
    if used + rows * pad * element_bytes <= limit:
        return None
    return Obstacle(
        DeclineReason.LIMIT_EXCEEDED, f"with longer rows the block's static shared memory would exceed its limit of {limit} bytes"
    )


def _edits(context: TransformationContext, tile: SharedRows, pad: int) -> Iterator[TextEdit]:
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
