"""Kernels of which each warp works for itself: the block says only how many warps stand next to each other.

What is made of the built-ins has to be the same for a thread of the grid however many whole warps a block has. That is tried with numbers:
any way of writing it will do. Example::

    const int row = blockIdx.x * WARPS + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    dependence_on_warps(context, blocks)     # None, or "line 9 uses threadIdx.x on its own, …"
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text, parsed_expression, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.block_indices import builtin_fields, largest_block
from assistant.plan.expert.analysis.parameter_numbers import parameter_numbers
from assistant.plan.expert.analysis.warp_blocks import TRIAL_SIZES, WARP_SIZE, WarpBlock
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["dependence_on_warps", "largest_of"]

_THREADS = (0, 1, 5, 31, 32, 33, 63, 64, 95, 96, 100, 127, 128, 255, 301, 511, 512, 1000, 4097)
"""Threads of the grid that are looked at, each as a member of blocks of every trial size."""
_GRID_THREADS = 1536 * 7
"""A multiple of every trial size."""
_UNKNOWN_SIZE = 1009
"""Stands for integer parameters: a prime, so that it brings no alignment of its own."""
_ARITHMETIC = frozenset(
    {"binary_expression", "parenthesized_expression", "cast_expression", "unary_expression", "call_expression", "argument_list"}
)


def dependence_on_warps(context: TransformationContext, blocks: tuple[WarpBlock, ...]) -> Obstacle | None:
    """Why the kernel is not the same with other numbers of warps a block; None where it is."""
    for block in dict.fromkeys(blocks):
        regrouped = _Regrouped(context, block)
        found = regrouped.settled()
        if isinstance(found, Obstacle):
            return found
        unchecked = regrouped.unchecked(found)
        if unchecked is not None:
            words = f"the kernel would have to check {unchecked} against a bound: a grid of larger blocks has warps beyond it"
            return Obstacle(DeclineReason.NO_BOUNDS_CHECK, words)
    return None


def largest_of(context: TransformationContext, blocks: tuple[WarpBlock, ...]) -> int:
    """Threads that a block may have: launch bounds that are made of the size allow as many as they ask an SM to hold."""
    bounds = [parsed_expression(bound) for bound in context.kernel.launch_bounds]
    scope = scope_of(context.tree, context.kernel)
    for block in blocks:
        for size, names in block.values:
            if not bounds or bounds[0] is None or evaluate(bounds[0], scope, dict(names)) != size:
                return largest_block(context)
    least = 1 if len(bounds) < 2 or bounds[1] is None else evaluate(bounds[1], scope, {}) or context.architecture.max_threads_per_sm
    return min(context.architecture.max_threads_per_block, context.architecture.max_threads_per_sm // least)


class _Regrouped:
    """The kernel's threads in blocks of each trial size."""

    def __init__(self, context: TransformationContext, block: WarpBlock) -> None:
        self._context, self._tree, self._body = context, context.tree, context.body
        self._scope: Scope = scope_of(context.tree, context.kernel)
        sizes = dict.fromkeys(parameter_numbers(context.tree, context.kernel), _UNKNOWN_SIZE)
        named = {pair for _, names in block.values for pair in names}
        self._names = frozenset(name for name, _ in named if sum(name == other for other, _ in named) > 1)
        self._values = {size: {**sizes, **dict(names)} for size, names in block.values}

    def settled(self) -> tuple[Node, ...] | Obstacle:
        """The largest expressions of built-ins, each the same for its thread in blocks of any size; why not where one is not."""
        waiting = [*builtin_fields(self._context), *self._mentions_of_names()]
        found: dict[tuple[int, int], Node] = {}
        followed: set[str] = set()
        for start in waiting:
            node: Node = start
            while not self._is_settled(node):
                parent = node.parent
                if parent is not None and parent.type in _ARITHMETIC:
                    node = parent
                    continue
                name = self._declared_with(node)
                if name is None:
                    return self._own_use(start)
                if name not in followed:
                    followed.add(name)
                    waiting += [n for n in mentions(self._tree, self._body, name) if n.start_byte > node.end_byte]
                break
            else:
                whole = self._whole(node)
                found[whole.start_byte, whole.end_byte] = whole
        return tuple(found.values())

    def unchecked(self, settled: tuple[Node, ...]) -> str | None:
        """The first of these expressions, or local of it, that tells warps apart and is compared with nothing."""
        compared = tuple(self._compared())
        for node in settled:
            if not self._tells_warps_apart(node) or any(_is_within(node, side) for side in compared):
                continue
            if not any(_is_within(mention, side) for mention in self._uses(node, set()) for side in compared):
                return self._declared_with(node) or node_text(node)
        return None if any(self._tells_warps_apart(node) for node in settled) else "which warp it is"

    def _mentions_of_names(self) -> Iterator[Node]:
        for name in sorted(self._names):
            yield from mentions(self._tree, self._body, name)

    def _own_use(self, node: Node) -> Obstacle:
        definition = self._scope.definition(node_text(node))
        if definition is None:
            words = f"line {self._tree.line(node)} uses {node_text(node)} on its own, so the block's size is part of what it computes"
        else:
            made = f"`{node_text(node)}` on line {self._tree.line(definition)} would have to be made of blockDim.x"
            words = f"{made}, or of a constant that the launch is made of, too: in larger blocks it is another number"
        return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, words)

    def _value(self, node: Node, thread: int, size: int) -> int | None:
        place = {"threadIdx.x": thread % size, "blockIdx.x": thread // size, "blockDim.x": size, "gridDim.x": _GRID_THREADS // size}
        rest = {f"{name}.{axis}": int(name.endswith("Dim")) for name in ("threadIdx", "blockIdx", "blockDim", "gridDim") for axis in "yz"}
        return evaluate(node, self._scope, {**rest, **place, "warpSize": WARP_SIZE, **self._values[size]})

    def _is_settled(self, node: Node) -> bool:
        seen = [{self._value(node, thread, size) for size in TRIAL_SIZES} for thread in _THREADS]
        return all(len(values) == 1 and None not in values for values in seen)

    def _tells_warps_apart(self, node: Node) -> bool:
        by_lane: dict[int, set[int | None]] = {}
        for thread in _THREADS:
            by_lane.setdefault(thread % WARP_SIZE, set()).add(self._value(node, thread, WARP_SIZE))
        return any(len(values) > 1 for values in by_lane.values())

    def _whole(self, node: Node) -> Node:
        """The expression that a settled one is part of, as far as its value is known."""
        parent = node.parent
        while parent is not None and parent.type in _ARITHMETIC and _compared_sides(parent) == () and self._is_settled(parent):
            node, parent = parent, parent.parent
        return node

    def _declared_with(self, node: Node) -> str | None:
        """The local that an expression is the value of, written once."""
        parent = node.parent
        name = None if parent is None or parent.type != "init_declarator" else parent.child_by_field_name("declarator")
        if name is None or name.type != "identifier" or parent is None or parent.child_by_field_name("value") != node:
            return None
        return node_text(name) if self._scope.definition(node_text(name)) is not None else None

    def _uses(self, node: Node, seen: set[str]) -> Iterator[Node]:
        """Mentions of the local that is set from an expression, and of locals that are set from that one, where they tell warps apart."""
        owner = next((each for each in self._tree.ancestors(node) if each.type in ("init_declarator", "assignment_expression")), None)
        target = None if owner is None else owner.child_by_field_name("declarator") or owner.child_by_field_name("left")
        value = None if owner is None else owner.child_by_field_name("value") or owner.child_by_field_name("right")
        if target is None or value is None or target.type != "identifier" or node_text(target) in seen:
            return
        if not self._tells_warps_apart(value):
            return
        seen.add(node_text(target))
        for mention in mentions(self._tree, self._body, node_text(target)):
            if not _is_within(mention, target):
                yield mention
                yield from self._uses(mention, seen)

    def _compared(self) -> Iterator[Node]:
        """Sides of comparisons with a bound: anything but 0, above which every warp lies."""
        for node in self._tree.find("binary_expression", inside=self._body):
            sides = _compared_sides(node)
            if sides and all(node_text(unparenthesized(side)) != "0" for side in sides):
                yield from sides


def _compared_sides(node: Node) -> tuple[Node, ...]:
    parts = binary_parts(node)
    return parts[1:] if parts is not None and parts[0] in {"<", "<=", ">", ">="} else ()


def _is_within(node: Node, other: Node) -> bool:
    return other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
