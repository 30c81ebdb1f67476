"""How a loop deals its elements out to the threads of a warp, of a block or of the grid: with numbers in the place of sizes, followed.

Example::

    # for (int i = threadIdx.x; i < n; i += blockDim.x), in blocks of 256 threads
    dealt = dealing_of(context, loop, Dim3(256))
    dealt.group, dealt.lane        # 256, 'threadIdx.x'
    dealt.agrees(context, node)    # every thread of a group has the same number there
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.thread_loops import start_of, stride_of
from assistant.cuda.variables import declared_variables
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.memory_accesses import addresses, unknown_sizes
from assistant.plan.expert.analysis.window_coordinates import terms_of
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["AddressKind", "Dealing", "dealing_of"]

_WARP_THREADS = 32
"""CUDA C++ Programming Guide, "SIMT Architecture"."""
_TEMPLATE_NUMBER = 7
"""Stands for a template argument that differs between launches: no number of threads that share elements."""
_TRIAL_BLOCKS = (0, 1, 3)
_TRIAL_GRID = 4
_TRIAL_COUNTERS = (0, 1, 100)
_MANY_COUNTERS = 2048
"""Elements of which none may have another one's place: twice the threads of the largest block."""


class AddressKind(StrEnum):
    """What an element's place depends on, of the threads that share a loop's elements."""

    OF_COUNTER = "of counter"
    """On the loop's counter, one element further for one more."""
    COMMON = "common"
    """On nothing that differs between the threads or iterations."""
    LOADED = "loaded"
    """On what stands in memory."""
    OTHER = "other"


class Dealing(Record):
    """How one loop deals its elements out."""

    header: CountedHeader
    type: str
    """Of the counter."""
    low: str
    """Where the elements begin; empty for 0."""
    lane: str
    """The thread's place among those that share the elements."""
    stride: str
    block: Dim3
    group: int
    """Neighbouring threads that share the elements; a block's where the grid does."""
    is_grid: bool
    counts_rounds: bool = False
    """The counter counts rounds, in each of which every thread of the group has one element."""

    def is_like(self, other: Dealing) -> bool:
        """Both give each thread the same elements."""
        own, its = ((d.type, d.low, d.lane, d.end, d.stride) for d in (self, other))
        return own == its

    @property
    def end(self) -> str:
        """The element behind the last one, as written."""
        return self.header.bound if self.header.comparison == "<" else f"{self.header.bound} + 1"

    @property
    def owners(self) -> str:
        """Who shares the elements, as a noun."""
        return "grid" if self.is_grid else "warp" if self.group == 32 else "block" if self.group == self.block.count else "group"

    def agrees(self, context: TransformationContext, node: Node) -> bool:
        """The expression is a number that all threads which share elements have in common."""
        return _agrees(context, node, self.block, self.group, is_grid=self.is_grid)

    def are_apart(self, context: TransformationContext, indices: tuple[Node, ...], counter: str) -> bool:
        """Every element of the loop has a place of its own, as tried with numbers."""
        scope, place = scope_of(context.tree, context.kernel), _place(context, self.block, 0, 0)
        rows = ([evaluate(index, scope, {**place, counter: c}) for index in indices] for c in range(_MANY_COUNTERS))
        found = [tuple(row) for row in rows]
        return not any(None in row for row in found) and len(set(found)) == len(found)

    def address_kind(self, context: TransformationContext, offsets: tuple[Node, ...], counter: str) -> AddressKind:
        """What the sum of the offsets depends on."""
        scope = scope_of(context.tree, context.kernel)
        is_element, is_common = True, True
        for members in _members(self.block, self.group, is_grid=self.is_grid):
            places = [({**_place(context, self.block, *member), counter: c}, c) for member in members for c in _TRIAL_COUNTERS]
            found = addresses(offsets, scope, [place for place, _ in places])
            if found is None:
                is_loaded = any(next(context.tree.find("subscript_expression", inside=o), None) is not None for o in offsets)
                return AddressKind.LOADED if is_loaded else AddressKind.OTHER
            is_common = is_common and len(set(found)) == 1
            elements = [self._element(place, c) for place, c in places]
            is_element = is_element and len({at - element for at, element in zip(found, elements, strict=True)}) == 1
        return AddressKind.OF_COUNTER if is_element else AddressKind.COMMON if is_common else AddressKind.OTHER

    def _element(self, place: Mapping[str, int], counter: int) -> int:
        """The element that a thread has at a value of the counter."""
        if not self.counts_rounds:
            return counter
        x, y, z = (place[f"threadIdx.{axis}"] for axis in "xyz")
        return (x + self.block.x * (y + self.block.y * z)) % self.group + self.group * counter

    def varies(self, context: TransformationContext, node: Node, counter: str) -> bool:
        """The expression is no number that the threads and iterations have in common."""
        return self.address_kind(context, (node,), counter) is not AddressKind.COMMON


def dealing_of(context: TransformationContext, loop: Node, block: Dim3) -> Dealing | Obstacle:
    """How such a loop deals its elements out, or why that is not understood."""
    header, start, stride = counted_header(context.tree, loop), start_of(loop), stride_of(context.tree, loop)
    declared = loop.child_by_field_name("initializer")
    if header is None or start is None or stride is None or declared is None or header.comparison not in ("<", "<="):
        return Obstacle(DeclineReason.LOOP_FORM, "the loop would have to count upwards to a bound with a counter of its own")
    found = _shared_out(context, header, start, stride, block)
    if found is None:
        words = "the loop would have to give neighbouring threads neighbouring elements"
        return Obstacle(DeclineReason.LOOP_FORM, f"{words}, and go on by as many as its warp, its block or the grid has threads")
    low, lane, group, is_grid = found
    kind = next(declared_variables(context.tree, declared)).type
    if low and ("unsigned" in kind or kind.startswith(("size_t", "uint"))):
        return Obstacle(DeclineReason.TYPE_UNKNOWN, "the loop begins behind element 0 with an unsigned counter: its length may be below 0")
    return Dealing(header, kind, low, lane, node_text(stride), block, group, is_grid)


def _shared_out(
    context: TransformationContext, header: CountedHeader, start: Node, stride: Node, block: Dim3
) -> tuple[str, str, int, bool] | None:
    """(where the elements begin, the thread's place, threads of the group in a block, whether all blocks share them)."""
    scope = scope_of(context.tree, context.kernel)
    step = evaluate(stride, scope, _place(context, block, 0, 0))
    is_grid = step == block.count * _TRIAL_GRID
    group = block.count if is_grid else step
    if group is None or group < 2 or block.count % group:
        return None
    terms = terms_of(start)
    lane = tuple(term for term in terms if is_grid or not _agrees(context, term[1], block, group, is_grid=False))
    low = tuple(term for term in terms if term not in lane)
    if any(sign != "+" for sign, _ in (*lane, *low)) or not lane:
        return None
    for index in _TRIAL_BLOCKS:
        for thread in range(block.count):
            values = [evaluate(node, scope, _place(context, block, index, thread)) for _, node in lane]
            wanted = index * block.count + thread if is_grid else thread % group
            if None in values or sum(v for v in values if v is not None) != wanted:
                return None
    if not _agrees(context, header.bound_node, block, group, is_grid=is_grid):
        return None
    return " + ".join(node_text(n) for _, n in low), " + ".join(node_text(n) for _, n in lane), group, is_grid


def _place(context: TransformationContext, block: Dim3, index: int, thread: int) -> dict[str, int]:
    place = {"x": thread % block.x, "y": thread // block.x % block.y, "z": thread // (block.x * block.y)}
    numbers = (p.name for p in context.kernel.template_parameters if p.kind not in ("typename", "class"))
    return {
        **dict.fromkeys(numbers, _TEMPLATE_NUMBER),
        **unknown_sizes(context),
        "warpSize": _WARP_THREADS,
        **{f"blockDim.{axis}": getattr(block, axis) for axis in "xyz"},
        **{f"threadIdx.{axis}": value for axis, value in place.items()},
        **{f"blockIdx.{axis}": index if axis == "x" else 0 for axis in "xyz"},
        **{f"gridDim.{axis}": _TRIAL_GRID if axis == "x" else 1 for axis in "xyz"},
    }


def _members(block: Dim3, group: int, *, is_grid: bool) -> Iterator[tuple[tuple[int, int], ...]]:
    """(block, thread) of some that share their elements, group by group."""
    if is_grid:
        yield tuple((index, thread) for index in _TRIAL_BLOCKS for thread in (0, 1, block.count - 1))
        return
    for index in _TRIAL_BLOCKS:
        for first in {0, block.count - group}:
            yield tuple((index, first + thread) for thread in (0, 1, group // 2, group - 1))


def _agrees(context: TransformationContext, node: Node, block: Dim3, group: int, *, is_grid: bool) -> bool:
    """The expression is a number that all threads which share elements agree on."""
    scope = scope_of(context.tree, context.kernel)
    for members in _members(block, group, is_grid=is_grid):
        values = {evaluate(node, scope, _place(context, block, index, thread)) for index, thread in members}
        if len(values) != 1 or None in values:
            return False
    return True
