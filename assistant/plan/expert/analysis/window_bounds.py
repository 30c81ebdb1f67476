"""The bounds check before a window's loops, and what it leaves to ask of an element of the tile.

A block loads an element of its tile exactly where one of its threads would have: within the bounds of the threads, widened by the window.

Example::

    bounds = bounds_before(context, window)        # `if (x >= w || y >= h) return;` or `if (x < w && y < h) { … }`
    bounds.limits                                  # (Limit(axis='x', operator='<', bound='w', …), Limit(axis='y', …))
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.comparisons import MIRRORED_ORDER, OPPOSITE_ORDER
from assistant.cuda.integers import evaluate
from assistant.cuda.syntax import Node, binary_parts, node_text
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.condition_parts import parts_of
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.window_coordinates import Coordinate, WindowNames, coordinate_of, coordinates_in, terms_of
from assistant.plan.expert.analysis.window_loads import Window
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Bounds", "Limit", "as_limit", "bounds_before", "is_clamped"]

_FAR_BLOCKS = (10_000, 30_000)
"""Blocks that lie beyond the sizes taken for unknown parameters (`unknown_sizes`)."""
_MAX_DEPTH = 8


class Limit(Record):
    """``x < w``: what holds for a coordinate."""

    coordinate: Coordinate
    operator: str
    bound: Node
    """The same for all threads."""

    @property
    def is_upper(self) -> bool:
        return self.operator in ("<", "<=")


class Bounds(Record):
    """Where the tile can be loaded, and what is asked of threads there."""

    statement: Node
    """The first bounds check, else what holds the window's loops: the tile is loaded before it."""
    checks: tuple[Node, ...]
    """Every one of them: early returns, and an ``if`` around the loops. Where loops stand around the window's, a check that a block as a
    whole passes or not is none of them: the tile is loaded behind it."""
    limits: tuple[Limit, ...]
    shared: tuple[str, ...]
    """Conditions that hold for all threads of a block or for none."""


def bounds_before(context: TransformationContext, window: Window) -> Bounds | Obstacle:
    """The bounds check of the window's loops, or why not every thread of a block gets to a tile before it."""
    top = _top_statement(context, window)
    if isinstance(top, Obstacle):
        return top
    checks = [n for n in context.body.named_children if n.end_byte <= top.start_byte and _leaves(context, n)]
    if window.around:
        checks = [n for n in checks if (asked := condition_of(n)) is None or window.names.roots(asked)]
    conditions: list[tuple[Node, str]] = []
    for check in checks:
        branch, condition = check.child_by_field_name("consequence"), condition_of(check) if check.type == "if_statement" else None
        only = None if branch is None else lone_statement(branch)
        if condition is None or only is None or only.type != "return_statement" or check.child_by_field_name("alternative") is not None:
            return Obstacle(
                DeclineReason.GUARD_FORM, "some threads would have to leave before the loops by nothing but `if (x >= w) return;`"
            )
        conditions += [(part, "return") for part in parts_of(condition, "||")]
    if top != window.outermost:
        condition = condition_of(top)
        assert condition is not None, "an `if` asks something"
        conditions += [(part, "inside") for part in parts_of(condition, "&&")]
    limits, shared = list[Limit](), list[str]()
    for part, where in conditions:
        limit = as_limit(window.names, part, is_negated=where == "return")
        if limit is not None:
            limits.append(limit)
        elif not window.names.roots(part):
            shared.append(f"!({node_text(part)})" if where == "return" else f"({node_text(part)})")
        else:
            words = f"the bounds check `{node_text(part)}` would have to compare a row or a column of the block with one bound"
            return Obstacle(DeclineReason.GUARD_FORM, words)
    asked = (*checks, *(() if top == window.outermost else (top,)))
    return Bounds(checks[0] if checks else top, asked, tuple(limits), tuple(shared))


def as_limit(names: WindowNames, node: Node, *, is_negated: bool) -> Limit | None:
    """A comparison of a coordinate with what all threads share, the coordinate on its left; None for any other condition."""
    parts = binary_parts(node)
    if parts is None or parts[0] not in OPPOSITE_ORDER:
        return None
    operator, left, right = parts
    if not names.roots(left):
        operator, left, right = MIRRORED_ORDER[operator], right, left
    coordinate = coordinate_of(names, terms_of(left))
    if coordinate is None or names.roots(right):
        return None
    return Limit(coordinate, OPPOSITE_ORDER[operator] if is_negated else operator, right)


def is_clamped(context: TransformationContext, window: Window, limit: Limit) -> bool:
    """Elements beyond the limit are loaded as the last one within it: the index holds ``min(y + dy, h - 1)`` or a helper that does this."""
    axis, scope = limit.coordinate.axis, window.names.scope
    sizes = {**unknown_sizes(context), **dict.fromkeys(window.names.ranges, 0), "threadIdx.x": 0, "threadIdx.y": 0}
    far = [{**sizes, "blockDim.x": 16, "blockDim.y": 16, "blockIdx.x": block, "blockIdx.y": block} for block in _FAR_BLOCKS]
    bound = evaluate(limit.bound, scope, far[0])
    last = None if bound is None else bound - 1 if limit.operator == "<" else bound
    for call in _calls_in(context, window, window.value, 0):
        inside = coordinates_in(window.names, call)
        if inside is not None and len(inside) == 1 and inside[0].axis == axis and limit.is_upper:
            return last is not None and all(evaluate(call, scope, place) == last for place in far)
    return False


def _calls_in(context: TransformationContext, window: Window, node: Node, depth: int) -> Iterator[Node]:
    """Calls and choices of an expression, and of the locals that it names."""
    for part in context.tree.find("call_expression", "conditional_expression", "identifier", inside=node):
        definition = window.names.definition(part)
        if part.type != "identifier":
            yield part
        elif definition is not None and depth < _MAX_DEPTH:
            yield from _calls_in(context, window, definition, depth + 1)


def _top_statement(context: TransformationContext, window: Window) -> Node | Obstacle:
    """The statement of the kernel's body that holds the window's loops: they themselves, or an ``if`` around them."""
    outermost = window.outermost
    top, tree = outermost, context.tree
    while top.parent is not None and top.parent != context.body:
        top = top.parent
    is_bounded = top.type == "if_statement" and top.child_by_field_name("alternative") is None
    holder = top.child_by_field_name("consequence") if is_bounded else None
    if top == outermost or (holder is not None and outermost.parent in (holder, top)):
        return top
    line = tree.line(top)
    words = f"the loops over the window stand inside the statement at line {line}, and every thread of the block would have to get there"
    return Obstacle(DeclineReason.GUARD_FORM, words)


def _leaves(context: TransformationContext, statement: Node) -> bool:
    return next(context.tree.find("return_statement", inside=statement), None) is not None
