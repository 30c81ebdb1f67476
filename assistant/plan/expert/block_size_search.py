"""Try other block sizes for a kernel that does not care how many threads a block has.

Answers KO105, KO111, KO112 and KO127; KO101 and KO102 where a block is narrower than a warp, whose accesses lie in several rows then. The
kernel uses its thread and block indices only as one global index, guards it, and has no shared memory and no barrier: every size gives
the same result and only speed decides, which tuning finds out. Of a kernel whose threads work together, the size is changed where the
program gives it a name that kernel and launches share: then other powers of two are tried, and the judge says which of them are right.
A kernel of which each warp works for itself may have any number of whole warps a block, where its text follows that number.

Launches in other files of the program are changed too, as one edit of several files. Where the text only
declares a launch (a workload block), the real one is elsewhere: the edit is advice to change it, which only a
person can follow, and a declared shape that was guessed is not built upon.

Example::

    k<<<(n + 63) / 64, 64>>>(…)   ->   k<<<(n + 255) / 256, 256>>>(…)
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator

from assistant.build.occupancy import occupancy
from assistant.cuda.syntax import Node, binary_parts, node_text, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.build import Occupancy
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.block_axes import Axis, axes_of
from assistant.plan.expert.analysis.block_indices import builtin_fields, is_global_index, largest_block, plain_text
from assistant.plan.expert.analysis.kernel_launches import by_file, launches_of, of_program
from assistant.plan.expert.analysis.larger_blocks import common_block, larger_blocks
from assistant.plan.expert.analysis.named_block import NamedBlock, named_block
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.thread_exchange import block_dependence, hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.warp_blocks import WARP_SIZE, warp_blocks_of
from assistant.plan.expert.analysis.warp_units import dependence_on_warps, largest_of
from assistant.plan.expert.analysis.workload_block import DeclaredShape, declared_shapes, guessed_launch, launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["BlockSizeSearch"]

_VARIANT_COUNT = 6
_SIZES = {
    "KO105": ((256,), (128,), (512,), (64,), (1024,), (192,), (384,)),
    "KO111": ((128,), (64,), (32,), (96,)),
    "KO112": ((256,), (128,), (512,), (64,), (1024,), (192,), (384,)),
    "KO127": ((512,), (256,), (384,), (128,)),
}
"""Block sizes worth a try per finding, most promising first: multiples of the warp that all current GPUs can hold several of."""
_PLANE_SIZES = {
    "KO105": ((32, 8), (32, 4), (16, 16), (32, 16)),
    "KO111": ((32, 4), (32, 2), (32, 1), (8, 8)),
    "KO112": ((32, 8), (32, 4), (16, 16)),
    "KO127": ((32, 16), (64, 8), (32, 8), (128, 2)),
    "KO101": ((32, 8), (64, 4), (128, 2)),
    "KO102": ((32, 8), (64, 4), (128, 2)),
}
_SOLID_SIZES = {
    "KO105": ((32, 4, 2), (32, 2, 2), (16, 4, 4), (32, 4, 4)),
    "KO111": ((32, 2, 1), (32, 1, 1), (8, 4, 2)),
    "KO112": ((32, 4, 2), (32, 2, 2), (16, 4, 4)),
    "KO127": ((32, 4, 4), (32, 8, 2), (32, 4, 2)),
    "KO101": ((32, 4, 2), (32, 2, 4), (64, 2, 2)),
    "KO102": ((32, 4, 2), (32, 2, 4), (64, 2, 2)),
}
_BY_DIMENSIONS = {1: _SIZES, 2: _PLANE_SIZES, 3: _SOLID_SIZES}
_LEAST_SHARED = 64
"""Threads of a block that work together: steps of trees, and of warps within a block, are written for a power of two of several warps."""
_OF_GROUPS = (DeclineReason.WARP_MATTERS, DeclineReason.BLOCK_SIZE_MATTERS)
"""Reasons against other blocks that whole warps may still meet."""
_NO_SIZE = Obstacle(DeclineReason.LIMIT_EXCEEDED, "no other block size fits the kernel's registers, launch bounds and finding")
_WRONG_WAYS = {"KO111": operator.ge, "KO127": operator.le}
"""Of a new size to the present one, threads a block."""
_AXIS_NAMES = ("block_width", "block_height", "block_depth")
_OF_ROWS = ("KO101", "KO102")
"""Findings that a block as wide as a warp answers where it was narrower: its accesses lie in one row then."""
_QUOTIENT = re.compile(r"(\w+)/[\w.\[\]>-]+")
"""``plane / shape.depth``, without its blanks."""
_Axes = tuple[Axis, ...]
"""The axes of a launch or of a declared workload."""
_CEILING = re.compile(r"(?P<head>\"?\s*ceil\(.*/\s*)(?P<size>\d+)(?P<tail>\s*\)\s*\"?)")


class BlockSizeSearch:
    """``k<<<(n + 31) / 32, 32>>>`` → ``k<<<(n + 255) / 256, 256>>>``, and other sizes."""

    technique = "block-size-search"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        sites = _all_axes(context)
        if context.finding.code in _OF_ROWS and not _is_narrow(context, sites):
            return ()
        reason = _fixed_block(context) or guessed_launch(context)
        if reason is not None:
            warps = self._of_warps(context) if reason.code in _OF_GROUPS else reason
            if not isinstance(warps, Obstacle):
                return warps
            named = named_block(context) if reason.code is DeclineReason.BLOCK_SIZE_MATTERS else None
            why = warps if reason.code is DeclineReason.WARP_MATTERS else reason
            return tuple(self._of_name(context, named) if named else ()) or context.decline(self.technique, why)
        if isinstance(sites, Obstacle):
            return tuple(self._larger(context)) or context.decline(self.technique, sites)
        variants = tuple(self._variants(context, sites))
        return variants or context.decline(self.technique, _NO_SIZE)

    def _variants(self, context: TransformationContext, sites: tuple[_Axes, ...]) -> Iterator[Rewrite]:
        current = tuple(axis.size for axis in sites[0])
        for sizes in _candidates(context, current, largest_block(context)):
            changes = {edit for axes in sites for axis, size in zip(axes, sizes, strict=True) for edit in axis.edits(size)}
            if len({edit.span for edit in changes}) < len(changes):
                continue  # one constant holds both sizes of a block that would not be square
            edits, in_others = by_file(context, changes)
            name = " x ".join(map(str, sizes))
            elsewhere = launch_elsewhere(context, f"blocks of {name} threads and a grid to match")
            yield Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=edits,
                summary=f"Launch blocks of {name} threads instead of {' x '.join(map(str, current))}"
                + ("; change your launch accordingly." if elsewhere else "."),
                labels=launch_labels(context, elsewhere),
                predictions=_predictions(context, current, sizes),
                assumptions=elsewhere,
                in_others=in_others,
                numbers=_numbers(sizes),
            )

    def _larger(self, context: TransformationContext) -> Iterator[Rewrite]:
        """Larger blocks at the launches of this kernel alone, where the block's variable serves others, too."""
        current = common_block(context)
        if context.finding.code != "KO127" or current is None:
            return
        for sizes in _candidates(context, current, largest_block(context)):
            factors = {axis: size // old for axis, size, old in zip("xyz", sizes, current, strict=False)}
            edits = larger_blocks(context, factors) if all(s % old == 0 for s, old in zip(sizes, current, strict=True)) else None
            if edits is None or isinstance(edits, Obstacle):
                continue
            own, in_others = by_file(context, edits)
            yield Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=own,
                summary=f"Launch blocks of {' x '.join(map(str, sizes))} threads instead of {' x '.join(map(str, current))} here.",
                labels=(),
                predictions=_predictions(context, current, sizes),
                in_others=in_others,
                numbers=_numbers(sizes),
            )

    def _of_warps(self, context: TransformationContext) -> tuple[Rewrite, ...] | Obstacle:
        """Blocks of other numbers of warps, of which each works for itself; why not otherwise."""
        reason = block_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
        blocks = reason or warp_blocks_of(context, _strides_over_grid(context))
        if isinstance(blocks, Obstacle):
            return blocks
        reason = dependence_on_warps(context, blocks)
        if reason is not None:
            return reason
        current = (blocks[0].size,)
        found: list[Rewrite] = []
        for sizes in _candidates(context, current, largest_of(context, blocks)):
            edits, in_others = by_file(context, {edit for block in blocks for edit in block.edits(sizes[0])})
            count = sizes[0] // WARP_SIZE
            found.append(
                Rewrite(
                    technique=self.technique,
                    kernel=context.kernel.key,
                    line=context.line,
                    edits=edits,
                    summary=f"Launch blocks of {count} {'warp' if count == 1 else 'warps'} instead of {current[0] // WARP_SIZE}.",
                    labels=launch_labels(context, ()),
                    predictions=_predictions(context, current, sizes),
                    in_others=in_others,
                    numbers=_numbers(sizes),
                )
            )
        return tuple(found) or _NO_SIZE

    def _of_name(self, context: TransformationContext, block: NamedBlock) -> Iterator[Rewrite]:
        for size in _other_powers(context, block.size):
            edits, in_others = by_file(context, (TextEdit(block.literal, str(size)),))
            yield Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=edits,
                summary=f"Set {block.name}, the threads of a block, to {size} instead of {block.size}.",
                labels=(Label.REASSOCIATION,),
                in_others=in_others,
                numbers=((block.name, size),),
            )


def _numbers(sizes: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
    return (("block_threads", sizes[0]),) if len(sizes) == 1 else tuple(zip(_AXIS_NAMES, sizes, strict=False))


def _is_narrow(context: TransformationContext, sites: tuple[_Axes, ...] | Obstacle) -> bool:
    """The threads of a warp stand in several rows of a block."""
    return not isinstance(sites, Obstacle) and len(sites[0]) > 1 and sites[0][0].size < context.architecture.warp_size


def _fixed_block(context: TransformationContext) -> Obstacle | None:
    """Why the kernel depends on its block size; None when it does not."""
    reason = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context)
    if reason is not None:
        return reason
    shared = re.search(r"__shared__|__syncthreads\w*|__threadfence\w*", _body_text(context))
    if shared is not None:
        return Obstacle(
            DeclineReason.BLOCK_SIZE_MATTERS, f"the kernel uses {shared[0]}, so its threads work together in blocks of one size"
        )
    flat = _flat_axes(context)
    for node in builtin_fields(context):
        if not is_global_index(node) and node_text(node)[-1] not in flat:
            line = context.tree.line(node)
            return Obstacle(
                DeclineReason.BLOCK_SIZE_MATTERS,
                f"line {line} uses {node_text(node)} on its own, so the block's size is part of what it computes",
            )
    names = {node_text(n) for n in _index_names(context)}
    guarded = _bounded({name for n in context.tree.find("binary_expression", inside=context.body) for name in _compared(n)}, context)
    if names - guarded or not guarded:
        return Obstacle(
            DeclineReason.NO_BOUNDS_CHECK,
            f"the kernel does not check {min(names - guarded, default='its index')} against a bound, so the grid must fit exactly",
        )
    return None


def _flat_axes(context: TransformationContext) -> frozenset[str]:
    """Axes along which the kernel uses the block's index and not the thread's: ``y = blockIdx.y``, for blocks that are one row high."""
    used = {node_text(node) for node in builtin_fields(context)}
    return frozenset(axis for axis in "yz" if not used & {f"threadIdx.{axis}", f"blockDim.{axis}"} and f"blockIdx.{axis}" in used)


def _body_text(context: TransformationContext) -> str:
    return context.text[context.kernel.body.start : context.kernel.body.end]


def _index_names(context: TransformationContext) -> Iterator[Node]:
    """Names that are declared or set from an expression with a thread index."""
    for node in context.tree.find("init_declarator", "assignment_expression", inside=context.body):
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        name = node.child_by_field_name("declarator") or node.child_by_field_name("left")
        is_index = value is not None and unparenthesized(value).type in {"binary_expression", "cast_expression"}
        if value is not None and name is not None and is_index and any(is_global_index(f) for f in _thread_fields(value)):
            yield name


def _thread_fields(node: Node) -> Iterator[Node]:
    if node.type == "field_expression" and node_text(node).startswith("threadIdx"):
        yield node
    for child in node.named_children:
        yield from _thread_fields(child)


def _compared(node: Node) -> Iterator[str]:
    """What a comparison compares: names, and ``threadIdx`` for an index written out in it."""
    parts = binary_parts(node)
    if parts is None or parts[0] not in {"<", "<=", ">", ">="}:
        return
    for side in parts[1:]:
        yield "threadIdx" if "threadIdx" in node_text(side) else node_text(side)


def _bounded(compared: set[str], context: TransformationContext) -> frozenset[str]:
    """These names, and indices of which they are the quotient: ``plane / depth >= channels`` bounds ``plane``."""
    declared = [v for found in locals_of(context.tree, context.body).values() for v in found if v.value is not None]
    quotients = {v.name: found[1] for v in declared if v.value is not None and (found := _QUOTIENT.fullmatch(plain_text(v.value)))}
    found, waiting = set(compared), list(compared)
    while waiting:
        divided = quotients.get(waiting.pop())
        if divided is not None and divided not in found:
            found.add(divided)
            waiting.append(divided)
    return frozenset(found)


def _strides_over_grid(context: TransformationContext) -> bool:
    """True for a kernel whose loops cover everything with any number of blocks."""
    axes = {node_text(f)[-1] for f in builtin_fields(context) if node_text(f).startswith("threadIdx")}
    strides = {node_text(f)[-1] for f in builtin_fields(context) if node_text(f).startswith("gridDim")}
    return bool(axes) and axes <= strides


def _all_axes(context: TransformationContext) -> tuple[_Axes, ...] | Obstacle:
    """The axes of every launch of the program and of every declared workload; all of the same number of dimensions."""
    program, strides = of_program(context), _strides_over_grid(context)
    found = [axes_of(program, launch, strides) for launch in launches_of(program)]
    found += [_declared_axes(shape, strides) for shape in declared_shapes(context)]
    sites: list[_Axes] = []
    for axes in found:
        if isinstance(axes, Obstacle):
            return axes
        sites.append(axes)
    if len({len(axes) for axes in sites}) != 1:
        return Obstacle(DeclineReason.BLOCK_SHAPE, "the kernel is launched with blocks of different numbers of dimensions")
    if len(sites[0]) > 1 and _flat_axes(context):
        return Obstacle(DeclineReason.BLOCK_SHAPE, "the kernel counts blocks along an axis along which they have several threads")
    return tuple(sites)


def _declared_axes(shape: DeclaredShape, strides: bool) -> _Axes | Obstacle:
    axes: list[Axis] = []
    for index, item in enumerate(shape.block):
        if not item.text.isdigit():
            return Obstacle(DeclineReason.SIZE_UNKNOWN, f"the workload {shape.name} declares a block that is not made of numbers")
        places = [(item.span, 0)]
        grid = shape.grid[index] if index < len(shape.grid) else None
        found = None if grid is None else _CEILING.fullmatch(grid.text)
        if grid is not None and found is not None and found["size"] == item.text:
            start = grid.span.start + found.start("size")
            places.append((Span(start, start + len(found["size"])), 0))
        elif not strides and item.text != "1":
            return Obstacle(
                DeclineReason.GRID_FORM, f"the grid of the workload {shape.name} does not follow from the block's size by rounding up"
            )
        if item.text != "1" or index == 0:
            axes.append(Axis(int(item.text), tuple(places)))
    return tuple(axes) if axes else Obstacle(DeclineReason.SIZE_UNKNOWN, f"the workload {shape.name} declares no block")


def _candidates(context: TransformationContext, current: tuple[int, ...], limit: int) -> tuple[tuple[int, ...], ...]:
    """Sizes to try, best occupancy first; for a tiny grid smaller ones only, for one of too many blocks larger ones."""
    table = _BY_DIMENSIONS[len(current)]
    before = _occupancy(context, current)
    kept: list[tuple[float, tuple[int, ...]]] = []
    for sizes in table.get(context.finding.code, table["KO112"]):
        after = _occupancy(context, sizes)
        is_wrong_way = context.finding.code in _WRONG_WAYS and _WRONG_WAYS[context.finding.code](_count(sizes), _count(current))
        if sizes == current or _count(sizes) > limit or after == 0.0 or is_wrong_way:
            continue
        if before is not None and after is not None and context.finding.code == "KO105" and after <= before:
            continue
        kept.append((after or 0.0, sizes))
    return tuple(sizes for _, sizes in sorted(kept, key=lambda k: -k[0])[:_VARIANT_COUNT])


def _other_powers(context: TransformationContext, size: int) -> tuple[int, ...]:
    """The nearest powers of two first, of a size that is one."""
    others = (2 * size, size // 2, 4 * size, size // 4) if size.bit_count() == 1 else ()
    return tuple(other for other in others if _LEAST_SHARED <= other <= context.architecture.max_threads_per_block)


def _count(sizes: tuple[int, ...]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total


def _occupancy(context: TransformationContext, sizes: tuple[int, ...]) -> float | None:
    """Resident warps over the most an SM holds; None while the kernel's registers are not known."""
    resident = _residency(context, sizes)
    return None if resident is None else resident.ratio


def _residency(context: TransformationContext, sizes: tuple[int, ...]) -> Occupancy | None:
    if context.resources is None:
        return None
    return occupancy(
        context.architecture,
        threads_per_block=_count(sizes),
        registers_per_thread=context.resources.registers_per_thread,
        shared_bytes=context.resources.static_shared_bytes,
    )


def _predictions(context: TransformationContext, current: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[MetricPrediction, ...]:
    count, warp = _count(sizes), context.architecture.warp_size
    after = {"block_threads": float(count), "idle_lane_ratio": (-count % warp) / (count + -count % warp)}
    resident = _residency(context, sizes)
    if resident is not None:
        after |= {"occupancy": resident.ratio, "resident_warps_per_sm": float(resident.active_warps_per_sm)}
    for evidence in context.evidence:
        if evidence.metric == "block_count":
            after["block_count"] = float(-(-int(evidence.value) * _count(current) // count))
    return predicted_values(context, after)
