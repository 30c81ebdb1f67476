"""Short arrays of a thread's own whose elements a loop only adds to, or takes the maximum or minimum of: bins, bands, boxes.

Each thread that shares the loop may have an array of its own, whose elements are put together behind the loop.

Example::

    summed_arrays(tree, function, loop, before)     # (SummedArray('energy', 'float', 'BANDS', Combination.SUM),)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.functions import Function
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.combinations import combination_of
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.row_reductions import Combination, Reduction, can_be_shuffled
from assistant.plan.expert.analysis.thread_arrays import changed_arrays, constant_length, spelled_length, values_before
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["SummedArray", "summed_arrays"]

_LONGEST = 32
"""Elements of an array. Our own limit: each costs five shuffles."""
_SUMS = ("+=", "-=", "++", "--")


class SummedArray(Record):
    """An array whose elements are put together one by one."""

    variable: Variable
    type: str
    length: str
    """As spelled in the declaration."""
    combination: Combination

    def element(self, index: str) -> Reduction:
        """One of its elements as a local that is reduced."""
        return Reduction(self.variable, self.combination, f"{self.variable.name}[{index}]", self.type)


def summed_arrays(tree: SyntaxTree, function: Function, loop: Node, before: Sequence[Node]) -> tuple[SummedArray, ...] | Obstacle:
    """Those of the arrays that the loop changes. ``before``: the statements that run for a row before the loop."""
    found: list[SummedArray] = []
    for name in changed_arrays(tree, function, loop):
        changes = tuple(_changes(tree, loop, name))
        combinations = {combination for _, combination in changes}
        used = sum(len(mentions(tree, change.node, name)) for change, _ in changes)
        combination = next(iter(combinations), None)
        if combination is None or len(combinations) > 1 or used != len(mentions(tree, loop, name)):
            continue
        variable = locals_of(tree, function.body)[name][0]
        array = SummedArray(variable, plain_type(tree, variable.type), spelled_length(tree, variable), combination)
        obstacle = _obstacle(tree, function, array, before)
        if obstacle is not None:
            return obstacle
        found.append(array)
    return tuple(found)


def _changes(tree: SyntaxTree, loop: Node, name: str) -> Iterator[tuple[Assignment, Combination]]:
    """Assignments that do nothing with an element but put something together with it."""
    for change in assignments(tree, loop):
        if change.target.type != "subscript_expression" or not tree.text(change.target).startswith(name):
            continue
        combination, other = _combined(tree, change)
        index = change.target.child_by_field_name("indices") or change.target
        is_read = any(mentions(tree, node, name) for node in (index, other) if node is not None)
        if combination is not None and combination is not Combination.PRODUCT and not is_read:
            yield change, combination


def _combined(tree: SyntaxTree, change: Assignment) -> tuple[Combination | None, Node | None]:
    """How an element is changed, and what is put together with it."""
    if change.operator in _SUMS:
        return Combination.SUM, change.value
    return combination_of(tree, change) or (None, None)


def _obstacle(tree: SyntaxTree, function: Function, array: SummedArray, before: Sequence[Node]) -> Obstacle | None:
    """Why the lanes' elements cannot be put together."""
    name, count = array.variable.name, constant_length(tree, function, array.variable.name)
    if count is None or sum(1 for _ in tree.find("array_declarator", inside=array.variable.declarator)) > 1:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"`{name}` would have to be a local array of one dimension and a constant length")
    if count > _LONGEST:
        return Obstacle(
            DeclineReason.LIMIT_EXCEEDED, f"`{name}` would have to have at most {_LONGEST} elements, each of which lanes exchange"
        )
    if not can_be_shuffled(array.type):
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{name}` holds `{array.type}`, which lanes cannot surely exchange")
    if array.combination is not Combination.SUM:
        return None
    values = values_before(tree, {}, (name,), before)
    if isinstance(values, Obstacle):
        return values
    if any(values.get((name, place, "")) != 0 for place in range(count)):
        return Obstacle(DeclineReason.ORDER_MATTERS, f"`{name}` would have to begin with zeros, which every lane may add to")
    return None
