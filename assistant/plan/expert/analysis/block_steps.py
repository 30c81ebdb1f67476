"""Follows the steps in which a block puts the elements of a shared array together, thread by thread.

Example::

    # for (int s = 1; s < blockDim.x; s *= 2) { if (threadIdx.x % (2 * s) == 0) a[threadIdx.x] += a[threadIdx.x + s]; __syncthreads(); }
    is_whole_block(context, loop, (condition, first, second), Dim3(256))   # True: a[0] gets every element once
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.accesses import canonical
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.launch import Dim3
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["is_whole_block"]

_MOST_STEPS = 11
"""Halving 1,024 threads takes ten."""


def is_whole_block(context: TransformationContext, loop: Node, step: tuple[Node, Node, Node], block: Dim3) -> bool:
    """``step``: (condition, index of the element that is changed, index of the one that is added to it)."""
    scope, condition, first, second = scope_of(context.tree, context.kernel).fixed(), *step
    sizes = {"blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1, "threadIdx.y": 0, "threadIdx.z": 0}
    held: list[frozenset[int]] = [frozenset({t}) for t in range(block.x)]
    counter, *counts = _counts(context, loop, sizes) or ("",)
    if not counts:
        return False
    for count in counts:
        written: dict[int, frozenset[int]] = {}
        read: set[int] = set()
        for thread in range(block.x):
            place = {**sizes, "threadIdx.x": thread, str(counter): int(count)}
            asked = evaluate(condition, scope, place)
            if asked is None:
                return False
            if not asked:
                continue
            changed, added = evaluate(first, scope, place), evaluate(second, scope, place)
            if changed is None or added is None or not (0 <= changed < block.x and 0 <= added < block.x) or changed in written:
                return False
            if held[changed] & held[added]:
                return False
            written[changed] = held[changed] | held[added]
            read.add(added)
        if read & written.keys():
            return False
        for element, parts in written.items():
            held[element] = parts
    return len(held[0]) == block.x


def _counts(context: TransformationContext, loop: Node, sizes: dict[str, int]) -> tuple[str | int, ...] | None:
    """The counter's name and its value in each step; None where the loop neither halves nor doubles it."""
    tree, scope = context.tree, scope_of(context.tree, context.kernel).fixed()
    start, condition, update = (loop.child_by_field_name(f) for f in ("initializer", "condition", "update"))
    variables = () if start is None or start.type != "declaration" else tuple(declared_variables(tree, start))
    if len(variables) != 1 or variables[0].value is None or condition is None or update is None:
        return None
    name, count = variables[0].name, evaluate(variables[0].value, scope, sizes)
    factor = next(_factors(canonical(tree, update), name), None)
    found: list[int] = []
    while count is not None and factor is not None and len(found) <= _MOST_STEPS:
        goes_on = evaluate(condition, scope, {**sizes, name: count})
        if not goes_on:
            return None if goes_on is None else (name, *found)
        found.append(count)
        count = count * 2 if factor == 2 else count // 2
    return None


def _factors(update: str, name: str) -> Iterator[int]:
    spelled = re.escape(name)
    if re.fullmatch(rf"{spelled} (?:>>= 1|/= 2|= {spelled} >> 1|= {spelled} / 2)", update):
        yield -2
    doubled = rf"{spelled} << 1|{spelled} \* 2|2 \* {spelled}|{spelled} \+ {spelled}"
    if re.fullmatch(rf"{spelled} (?:<<= 1|\*= 2|\+= {spelled}|= (?:{doubled}))", update):
        yield 2
