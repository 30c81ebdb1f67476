"""Follows the steps in which a block puts the elements of a shared array together, thread by thread.

Example::

    # for (int s = 1; s < blockDim.x; s *= 2) { if (threadIdx.x % (2 * s) == 0) a[threadIdx.x] += a[threadIdx.x + s]; __syncthreads(); }
    is_whole_block(context, counter, (condition, first, second), Dim3(256))   # True: a[0] gets every element once
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of
from assistant.cuda.integers import evaluate
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["StepCounter", "flat_sizes", "is_whole_block", "step_counter", "step_counts"]

_MOST_STEPS = 11
"""Halving 1,024 threads takes ten."""


class StepCounter(Record):
    """What a loop halves or doubles: of a ``for``, or of a ``while`` that changes a local in a statement of its own."""

    variable: Variable
    condition: Node
    update: Node
    """The expression that changes it."""


def step_counter(context: TransformationContext, loop: Node) -> StepCounter | None:
    """The loop's counter; None where it has none, or where a ``while`` does not have its counter for itself."""
    condition = condition_of(loop)
    if loop.type == "while_statement" and condition is not None:
        return _of_while(context, loop, condition)
    start, update = (loop.child_by_field_name(f) for f in ("initializer", "update"))
    variables = () if start is None or start.type != "declaration" else tuple(declared_variables(context.tree, start))
    if len(variables) != 1 or condition is None or update is None:
        return None
    return StepCounter(variables[0], condition, update)


def _of_while(context: TransformationContext, loop: Node, condition: Node) -> StepCounter | None:
    tree, body = context.tree, loop.child_by_field_name("body")
    own = () if body is None else without_comments(body)
    for change in assignments(tree, loop):
        found = locals_of(tree, context.body).get(tree.text(change.target), ())
        if len(found) != 1 or change.node.parent not in own or found[0].node.type != "declaration":
            continue
        declared = found[0].node
        used = [n for n in mentions(tree, context.body, found[0].name) if not declared.start_byte <= n.start_byte < declared.end_byte]
        if declared.parent == context.body and all(loop.start_byte <= n.start_byte < loop.end_byte for n in used):
            return StepCounter(found[0], condition, change.node)
    return None


def flat_sizes(context: TransformationContext, block: Dim3) -> dict[str, int]:
    """What a thread of the flat block finds, but its own index."""
    sizes = {"blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1, "threadIdx.y": 0, "threadIdx.z": 0}
    return {**template_environment(context), **sizes}


def is_whole_block(context: TransformationContext, counter: StepCounter, step: tuple[Node, Node, Node], block: Dim3) -> bool:
    """``step``: (condition, index of the element that is changed, index of the one that is added to it)."""
    scope, condition, first, second = scope_of(context.tree, context.kernel).fixed(), *step
    sizes = flat_sizes(context, block)
    held: list[frozenset[int]] = [frozenset({t}) for t in range(block.x)]
    counts = step_counts(context, counter, sizes)
    if not counts:
        return False
    for count in counts:
        written: dict[int, frozenset[int]] = {}
        read: set[int] = set()
        for thread in range(block.x):
            place = {**sizes, "threadIdx.x": thread, counter.variable.name: count}
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


def step_counts(context: TransformationContext, counter: StepCounter, sizes: dict[str, int]) -> tuple[int, ...]:
    """The counter's value in each step; empty where the loop neither halves nor doubles it."""
    scope, name = scope_of(context.tree, context.kernel).fixed(), counter.variable.name
    start = counter.variable.value
    count = None if start is None else evaluate(start, scope, sizes)
    factor = next(_factors(canonical(context.tree, counter.update), name), None)
    found: list[int] = []
    while count is not None and factor is not None and len(found) <= _MOST_STEPS:
        goes_on = evaluate(counter.condition, scope, {**sizes, name: count})
        if not goes_on:
            return () if goes_on is None else tuple(found)
        found.append(count)
        count = count * 2 if factor == 2 else count // 2
    return ()


def _factors(update: str, name: str) -> Iterator[int]:
    spelled = re.escape(name)
    if re.fullmatch(rf"{spelled} (?:>>= 1|/= 2|= {spelled} >> 1|= {spelled} / 2)", update):
        yield -2
    doubled = rf"{spelled} << 1|{spelled} \* 2|2 \* {spelled}|{spelled} \+ {spelled}"
    if re.fullmatch(rf"{spelled} (?:<<= 1|\*= 2|\+= {spelled}|= (?:{doubled}))", update):
        yield 2
