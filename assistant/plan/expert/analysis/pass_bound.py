"""The bounds check of a kernel that is launched pass by pass, and what of the host's numbers must divide so that no block is cut short.

Example::

    if (p >= pairs) return;          # with blocks of 256 threads that have a pair each
    pass_bound(context, passes, …)   # PassBound(unit=256, total='n / 2', …): where that is a multiple of 256, all threads have a pair
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, joined, unparenthesized, without_comments
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.pass_loop import PassLoop
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["BoundComparison", "PassBound", "bound_comparisons", "pass_bound"]

_COMPARED = ("<", "<=", ">", ">=")
_TRIAL_TILES = (3, 8)
"""Blocks with work for each of their threads."""
_MANY_TILES = 70_000
"""Blocks of a large array: a grid that is cut off somewhere has fewer."""
_MULTIPLES = (1, 2, 4)
"""Of a bound that is a half or a quarter of a parameter."""


class BoundComparison(Record):
    """Something of the thread's is compared with a size."""

    node: Node
    bound: Node
    parameters: tuple[str, ...]
    """That the size is made of."""


class PassBound(Record):
    """A bounds check at the top of the kernel's body, and what it is about."""

    statement: Node
    """The ``if``."""
    comparison: Node
    others: tuple[Node, ...]
    """What the condition asks besides."""
    is_early: bool
    """It is ``if (…) return;``, as against an ``if`` around the work."""
    unit: int
    """Pairs or elements of a block, as the bound counts them."""
    total: str
    """The bound in the host's words."""


def bound_comparisons(context: TransformationContext, passes: PassLoop) -> tuple[BoundComparison, ...]:
    """All comparisons of the kernel with numbers made of parameters that stay from pass to pass."""
    sizes = {p.name for p in context.kernel.parameters if not p.is_pointer and p.name not in passes.given}
    found: list[BoundComparison] = []
    for node in context.tree.find("binary_expression", inside=context.body):
        parts = binary_parts(node)
        sides = () if parts is None or parts[0] not in _COMPARED else parts[1:]
        names = [names_in(context.tree, side) for side in sides]
        for side, own, other in zip(sides, names, reversed(names), strict=True):
            if own and own <= sizes and other - sizes:
                found.append(BoundComparison(node, unparenthesized(side), tuple(sorted(own))))
    return tuple(found)


def pass_bound(context: TransformationContext, passes: PassLoop, block: int, count: int, last: int) -> PassBound | Obstacle | None:
    """The kernel's bounds check; None where it has none, as its launch has just the threads that it needs.

    ``count``: elements of a block for each of its threads; ``last``: the last pass whose pairs a block has for itself.
    """
    compared = bound_comparisons(context, passes)
    if not compared:
        return None
    statement, guard = next(((s, g) for s in without_comments(context.body) if (g := _guard(context, s, compared))), (None, None))
    if len(compared) != 1 or guard is None or statement is None or len(compared[0].parameters) != 1:
        words = f"{context.kernel.name} would have to check its bounds once, by one comparison with a number that it is passed"
        return Obstacle(DeclineReason.GUARD_FORM, words)
    parts, is_early = guard
    others = tuple(part for part in parts if unparenthesized(part) != compared[0].node)
    for unit in dict.fromkeys((block, count * block)):
        answers = {_lets_through(context, passes, compared[0], block, unit, last, tiles) for tiles in _TRIAL_TILES}
        if answers == {not is_early}:
            total = _total(context, passes, compared[0], unit)
            if isinstance(total, Obstacle):
                return total
            return PassBound(statement, compared[0].node, others, is_early, unit, total)
    words = f"the bounds check of {context.kernel.name} would have to let whole blocks through where their pairs are all there"
    return Obstacle(DeclineReason.GUARD_FORM, words)


def _guard(context: TransformationContext, statement: Node, compared: tuple[BoundComparison, ...]) -> tuple[tuple[Node, ...], bool] | None:
    """What the check asks, and whether it is an early return; None of a statement that is no bounds check."""
    condition = condition_of(statement) if statement.type == "if_statement" else None
    then = statement.child_by_field_name("consequence")
    if condition is None or then is None or statement.child_by_field_name("alternative") is not None:
        return None
    only = lone_statement(then)
    is_early = only is not None and only.type == "return_statement"
    parts = tuple(joined(condition, "||" if is_early else "&&"))
    if not any(unparenthesized(part) == each.node for part in parts for each in compared):
        return None
    return parts, is_early


def _lets_through(
    context: TransformationContext, passes: PassLoop, compared: BoundComparison, block: int, unit: int, last: int, tiles: int
) -> bool | None:
    """What the comparison says of threads in the first ``tiles`` blocks, where it says the opposite of all behind them; None else."""
    scope, given = scope_of(context.tree, context.kernel), passes.passed(last)
    name = compared.parameters[0]
    size = next((n for n in _sizes(tiles * unit) if evaluate(compared.bound, scope, {name: n}) == tiles * unit), None)
    if size is None or given is None:
        return None
    answers: list[set[int | None]] = [set(), set()]
    for index in range(tiles + 2):
        for thread in {0, 1, block // 2, block - 1}:
            place = {"blockIdx.x": index, "threadIdx.x": thread, "blockDim.x": block, name: size, **given}
            answers[index >= tiles].add(evaluate(compared.node, scope, place))
    inside, outside = answers
    return bool(next(iter(inside))) if len(inside) == 1 and None not in inside and outside == {int(not next(iter(inside)))} else None


def _sizes(wanted: int) -> tuple[int, ...]:
    return tuple(multiple * wanted for multiple in _MULTIPLES)


def _total(context: TransformationContext, passes: PassLoop, compared: BoundComparison, unit: int) -> str | Obstacle:
    """The bound as the host calls it, where the launch has no block without work and no work without a thread if ``unit`` divides it."""
    tree, name = context.tree, compared.parameters[0]
    position = [p.name for p in context.kernel.parameters].index(name)
    argument = passes.launch.site.arguments[position]
    node = tree.node_at(argument.span)
    whole = node is not None and any(all(_has_blocks(context, passes, compared, node, each, unit, n) for n in (*_TRIAL_TILES, _MANY_TILES))
                                     for each in _host_names(context, passes, node))  # fmt: skip
    if node is None or not whole:
        words = f"the launch would have to have a thread for each pair, and no block more: `{passes.launch.site.grid.text}` may differ"
        return Obstacle(DeclineReason.GRID_FORM, words)
    text = argument.text.strip()
    bound = tree.text(compared.bound)
    if bound == name:
        return text
    return re.sub(rf"\b{re.escape(name)}\b", (text if re.fullmatch(r"[\w.]+", text) else f"({text})").replace("\\", r"\\"), bound)


def _host_names(context: TransformationContext, passes: PassLoop, argument: Node) -> Iterator[str]:
    """What the argument is made of, and what that is made of in turn."""
    scope, waiting = passes.launch.scope, sorted(names_in(context.tree, argument))
    seen = set[str]()
    while waiting:
        name = waiting.pop(0)
        if name not in seen:
            seen.add(name)
            yield name
            value = scope.definition(name)
            waiting += () if value is None else sorted(names_in(context.tree, value))


def _has_blocks(
    context: TransformationContext, passes: PassLoop, compared: BoundComparison, argument: Node, name: str, unit: int, tiles: int
) -> bool:
    """The grid has ``tiles`` blocks where the bound is that many units."""
    scope, grid = passes.launch.scope, passes.launch.grid.components
    inner = scope_of(context.tree, context.kernel)
    for size in _sizes(tiles * unit):
        passed = evaluate(argument, scope, {name: size})
        bound = None if passed is None else evaluate(compared.bound, inner, {compared.parameters[0]: passed})
        if bound == tiles * unit:
            counts = [evaluate(each, scope, {name: size}) for each in grid]
            return bool(counts) and counts[0] == tiles and all(each == 1 for each in counts[1:])
    return False
