"""The best and the second best of a row in two locals, perhaps with the place of the best.

The statements are followed (`followed_list`) for every place that a value can have beside the two, equal ones included. The locals begin
with one value, so that lanes may all begin with it.

Example::

    two_best(tree, function, loop)      # (TwoBest('first', 'second', …),) for `if (s > first) { second = first; first = s; } else …`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import assignments
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.functions import Function
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, kept, node_text, unparenthesized, without_comments
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.followed_list import ListRun, NotFollowedError, Place, Rank, Tag, Value
from assistant.plan.expert.analysis.row_reductions import can_be_shuffled
from assistant.record import Record

__all__ = ["TwoBest", "two_best"]

_COUNTER, _BEFORE = Tag("the loop's counter"), Tag("before")
_PAIRS = ((4, 2), (4, 4), (4, 0), (0, 0))
"""Heights of the two before an iteration; 0 is what they begin with."""
_NEW = (0, 1, 2, 3, 4, 5, float("nan"))


class TwoBest(Record):
    """Two locals, the better one first."""

    first: Variable
    second: Variable
    place: Variable | None
    """The local with the iteration that the best is of, of equal ones the first."""
    type: str
    is_maximum: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in (self.first, self.second, self.place) if each is not None)


@kept
def two_best(tree: SyntaxTree, function: Function, loop: Node) -> tuple[TwoBest, ...]:
    """Those of a loop that counts upwards."""
    header, body = counted_header(tree, loop), loop.child_by_field_name("body")
    if header is None or body is None:
        return ()
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    return tuple(
        found
        for first, second in _pairs(tree, function, loop)
        if (found := _found(tree, function, loop, first, second, statements, header.variable)) is not None
    )


def _pairs(tree: SyntaxTree, function: Function, loop: Node) -> tuple[tuple[Variable, Variable], ...]:
    """Locals of which the loop moves one into the other, and that begin with one value."""
    found: dict[tuple[str, str], tuple[Variable, Variable]] = {}
    for change in assignments(tree, loop):
        names = (node_text(unparenthesized(change.value)), tree.text(change.target)) if change.value is not None else ("", "")
        one, other = (_local(tree, function, loop, name) for name in names)
        if change.operator == "=" and one is not None and other is not None and one.type == other.type and _begin_alike(tree, one, other):
            found[names] = (one, other)
    return tuple(found.values())


def _local(tree: SyntaxTree, function: Function, loop: Node, name: str) -> Variable | None:
    """A plain local that outlives the loop and that lanes can exchange."""
    variables = locals_of(tree, function.body).get(name, ())
    if len(variables) != 1 or variables[0].is_pointer or variables[0].is_array or name in locals_of(tree, loop):
        return None
    is_changed_before = any(c.node.start_byte < loop.start_byte for c in assignments(tree, function.body) if tree.text(c.target) == name)
    return None if is_changed_before or not can_be_shuffled(plain_type(tree, variables[0].type)) else variables[0]


def _begin_alike(tree: SyntaxTree, one: Variable, other: Variable) -> bool:
    return one.value is not None and other.value is not None and canonical(tree, one.value) == canonical(tree, other.value)


def _found(
    tree: SyntaxTree, function: Function, loop: Node, first: Variable, second: Variable, statements: Sequence[Node], counter: str
) -> TwoBest | None:
    kind = plain_type(tree, first.type)
    for place in (*_places(tree, function, loop, counter), None):
        names = {first.name, second.name} | ({place.name} if place is not None else set[str]())
        concerned = [one for one in statements if names_in(tree, one) & names]
        for key in _keys(tree, loop, concerned, kind):
            for is_maximum in (True, False):
                if _keeps_two(tree, concerned, TwoBest(first, second, place, kind, is_maximum), key, counter):
                    return TwoBest(first, second, place, kind, is_maximum)
    return None


def _places(tree: SyntaxTree, function: Function, loop: Node, counter: str) -> Iterator[Variable]:
    """Locals that get the loop's counter."""
    for change in assignments(tree, loop):
        local = _local(tree, function, loop, tree.text(change.target))
        if (
            change.operator == "="
            and change.value is not None
            and node_text(unparenthesized(change.value)) == counter
            and local is not None
        ):
            yield local


def _keys(tree: SyntaxTree, loop: Node, statements: Sequence[Node], kind: str) -> tuple[str, ...]:
    """Locals of an iteration of the type, in the order of their names."""
    mentioned = {name for one in statements for name in names_in(tree, one)}
    inside = locals_of(tree, loop)
    return tuple(sorted(name for name in mentioned & inside.keys() if plain_type(tree, inside[name][0].type) == kind))


def _keeps_two(tree: SyntaxTree, statements: Sequence[Node], best: TwoBest, key: str, counter: str) -> bool:
    sign = 1 if best.is_maximum else -1
    for first, second in _PAIRS:
        for new in _NEW:
            values: dict[Place, Value] = {(counter, None, ""): _COUNTER, (key, None, ""): Rank(sign * new)}
            values |= {(best.first.name, None, ""): Rank(sign * first), (best.second.name, None, ""): Rank(sign * second)}
            if best.place is not None:
                values[best.place.name, None, ""] = _BEFORE
            run = ListRun(tree, {}, values)
            try:
                run.run(statements)
            except NotFollowedError:
                return False
            expected: list[Value] = [Rank(sign * each) for each in _two_of(first, second, new)]
            expected += [] if best.place is None else [_COUNTER if new > first else _BEFORE]
            if [run.values[name, None, ""] for name in best.names] != expected:
                return False
    return True


def _two_of(first: float, second: float, new: float) -> tuple[float, float]:
    """NaN is better than nothing."""
    return (new, first) if new > first else (first, new) if new > second else (first, second)
