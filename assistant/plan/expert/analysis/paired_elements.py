"""Which two elements each thread of a pass works on: those `distance` apart of its own pair, as butterflies and sorting networks have them.

A thread has the p-th pair, (p / d) * 2 * d + p % d and the element d behind it, or the element of its own index i and i ^ d, where it is
the lower of both. As long as 2 * d divides the elements of a block, its pairs are the block's elements, aligned. Indices are compared with
these, at places tried with numbers.

Example::

    paired_elements(context, passes, 256)   # PairedElements(count=2, last=256, arrays=('w',), …): those of half = 256 lie in 512
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses, uses_of
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.analysis.pass_bound import bound_comparisons
from assistant.plan.expert.analysis.pass_loop import PassLoop
from assistant.plan.expert.analysis.path_conditions import conditions_on_the_way
from assistant.plan.expert.analysis.pointer_roots import global_pointers
from assistant.plan.expert.analysis.stored_pointers import may_store
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["PairedElements", "paired_elements"]

_MOST_PASSES = 64
_BEYOND = 1 << 40
"""Stands for sizes that every trial lies within."""
_TRIAL_NUMBERS = (1, 0, 7, 64, (1 << 20) + 3)
"""Values of the parameters that stay from pass to pass."""
_TRIAL_BLOCKS = (0, 1, 6)


class PairedElements(Record):
    """What the passes of a kernel have in common."""

    function: Function
    count: int
    """Elements that a block has for each of its threads: 2 where each thread has a pair, 1 where one of two partners works."""
    arrays: tuple[str, ...]
    """Parameters whose elements come in pairs: all that the kernel stores to."""
    last: int
    """The largest value of the loop's variable whose pairs lie within a block's elements."""
    accesses: tuple[ArrayAccess, ...]
    """Every access to the arrays."""


def paired_elements(context: TransformationContext, passes: PassLoop, block: int) -> PairedElements | Obstacle | None:
    """The pairs, or why the kernel's threads have others; None where the kernel's passes have no pairs at all."""
    tree, function = context.tree, enclosing_function(context.tree, context.body)
    if function is None:
        return None
    arrays = _stored(context, function)
    if isinstance(arrays, Obstacle):
        return arrays
    if not arrays:
        return None
    accesses = tuple(access for access in array_accesses(tree, context.body) if access.base in arrays)
    trial = _Trial(context, passes, block, accesses)
    values = trial.values()
    for count in (2, 1):
        fitting = [value for value in values if trial.fits(value, count)]
        if fitting and list(values[: len(fitting)]) == fitting:
            return PairedElements(function, count, arrays, fitting[-1], accesses)
    base = f"`{arrays[0]}`" if len(arrays) == 1 else ", ".join(f"`{each}`" for each in arrays[:-1]) + f" and `{arrays[-1]}`"
    words = f"each thread would have to touch only the two elements of {base} that are its pair of the pass: other threads change others"
    return Obstacle(DeclineReason.ORDER_MATTERS, words)


def _stored(context: TransformationContext, function: Function) -> tuple[str, ...] | Obstacle:
    """The arrays that the kernel stores to, or why one of them cannot be moved."""
    tree, found = context.tree, list[str]()
    for name in sorted(global_pointers(tree, function, function.body)):
        uses = uses_of(tree, function.body, name)
        if not any(may_store(tree, function, name, use) for use in uses):
            continue
        if any(use.kind is Use.ATOMIC for use in uses):
            return Obstacle(DeclineReason.ATOMIC, f"`{name}` is updated atomically, and each thread would have to work on its pair alone")
        parameter = function.parameter(name)
        written = [a for a in array_accesses(tree, function.body) if a.base == name and not _is_address(tree, a.node)]
        is_whole = len(written) == len(mentions(tree, function.body, name)) and name not in hidden_names(tree, function.body)
        if parameter is None or not is_whole or parameter.indirection != 1:
            words = f"elements of `{name}` would have to be written as `{name}[…]` everywhere in {context.kernel.name}, and not passed on"
            return Obstacle(DeclineReason.POINTER_UNCLEAR, words)
        if parameter.is_volatile:
            return Obstacle(DeclineReason.VOLATILE, f"`{name}` is volatile: each access would have to reach memory")
        found.append(name)
    order = [parameter.name for parameter in function.parameters]
    return tuple(sorted(found, key=order.index))


def _is_address(tree: SyntaxTree, element: Node) -> bool:
    """It is not the element that is used, but where it lies."""
    parent = element.parent
    return parent is not None and parent.type == "pointer_expression" and tree.text(parent).startswith("&")


class _Trial:
    """The kernel's indices, with numbers in the place of its names."""

    def __init__(self, context: TransformationContext, passes: PassLoop, block: int, accesses: Sequence[ArrayAccess]) -> None:
        self._context, self._passes, self._block, self._accesses = context, passes, block, accesses
        self._scope: Scope = scope_of(context.tree, context.kernel)
        self._guards = {access.node.id: tuple(conditions_on_the_way(context.tree, access.node, context.body)) for access in accesses}
        self._names = [p.name for p in context.kernel.parameters if not p.is_pointer and p.name not in passes.given]
        self._bounds = {name for each in bound_comparisons(context, passes) for name in each.parameters}

    def values(self) -> tuple[int, ...]:
        """Of the loop's variable, in ascending order, as far as a block's elements may reach."""
        powers = tuple(1 << n for n in range((4 * self._block).bit_length()))
        tried = powers if self._passes.step.is_geometric else tuple(range(_MOST_PASSES))[: (4 * self._block).bit_length()]
        if not self._passes.step.grows:
            known = [(v, evaluate(self._passes.condition, self._passes.launch.scope, {self._passes.variable: v})) for v in tried]
            return tuple(v for v, holds in known if holds)
        start = evaluate(self._passes.start, self._passes.launch.scope, {})
        return () if start is None else tuple(v for v in tried if v >= start) if start in tried else ()

    def fits(self, value: int, count: int) -> bool:
        """The pairs of a pass lie within a block's elements, `count` of each thread, and a thread touches those of its own alone."""
        given = self._passes.passed(value)
        distance = None if given is None else self._distance(given, count)
        if given is None or distance is None or count * self._block % (2 * distance) != 0:
            return False
        places = ((block, thread) for block in _TRIAL_BLOCKS for thread in _threads(self._block))
        return all(self._has_pair(given, place, count, distance, trial) for trial, place in enumerate(places))

    def _distance(self, given: Mapping[str, int], count: int) -> int | None:
        touched = self._touched(given, (0, 0), 0)
        if touched is None or len(touched) != 2 or min(touched) != 0:
            return None
        distance = max(touched)
        return distance if distance & (distance - 1) == 0 else None

    def _has_pair(self, given: Mapping[str, int], at: tuple[int, int], count: int, distance: int, trial: int) -> bool:
        place = at[0] * self._block + at[1]
        low = place // distance * 2 * distance + place % distance if count == 2 else place
        wanted = {low, low + distance} if count == 2 or not place & distance else set[int]()
        return self._touched(given, at, trial) == wanted

    def _touched(self, given: Mapping[str, int], at: tuple[int, int], trial: int) -> set[int] | None:
        """Elements that a thread touches in a pass, data allowing; None where an index is unknown."""
        values = {
            name: _BEYOND if name in self._bounds else _TRIAL_NUMBERS[(trial + n) % len(_TRIAL_NUMBERS)]
            for n, name in enumerate(self._names)
        }
        builtins = {"blockIdx.x": at[0], "threadIdx.x": at[1], "blockDim.x": self._block, "gridDim.x": _BEYOND}
        environment = {**template_environment(self._context), **values, **given, **builtins}
        found = set[int]()
        for access in self._accesses:
            asked = ((evaluate(node, self._scope, environment), holds) for node, holds in self._guards[access.node.id])
            if any(answer is not None and bool(answer) != holds for answer, holds in asked):
                continue
            index = evaluate(access.indices[0], self._scope, environment) if len(access.indices) == 1 else None
            index = 0 if not access.indices else index
            if index is None:
                return None
            found.add(index)
        return found


def _threads(block: int) -> tuple[int, ...]:
    """Threads that are tried."""
    steps = (0, 1, 2, 3, 5, 6, 11, block // 4, block // 2 - 1, block // 2, block // 2 + 7, block - 2, block - 1)
    return tuple(sorted({place for place in steps if 0 <= place < block}))
