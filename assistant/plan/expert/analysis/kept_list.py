"""The best few of a row that a thread keeps in order: which values they are, and that a loop puts each of its elements in its place.

The statements are followed (`followed_list`) for every place that an element can go to, with equal neighbours and with places that are
still empty: afterwards the best are there in order, and of equal ones the earlier is in front. So the lists of lanes that shared the row
can be put together, whichever way the insertion is written.

Example::

    match kept_list(tree, function, loop, changed, before):
        case KeptList(columns=columns): ...  # (Column('best', '', 'float'), Column('best_item', '', 'int'))
        case Obstacle(): ...                 # what would have to hold
        case None: ...                       # it changes no array
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from assistant.cuda.assignments import assignments
from assistant.cuda.constants import integer_constant
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.functions import Function
from assistant.cuda.names import names_in
from assistant.cuda.structs import struct_fields
from assistant.cuda.syntax import Node, SyntaxTree, kept, node_text, unparenthesized, without_comments
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.constant_indices import array_length
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.followed_list import ListRun, NotFollowedError, Place, Rank, Tag, Value
from assistant.plan.expert.analysis.row_reductions import can_be_shuffled
from assistant.plan.expert.analysis.thread_arrays import constant_length, names_of, spelled_length, values_before
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["Column", "KeptList", "kept_list"]

_ONE_ARRAY, _ARRAYS = "an array of one dimension and a constant length", "arrays of one dimension and one constant length"
_LONGEST = 16
"""Elements of a list. Our own limit: each costs ten shuffles or more, and a register in every lane."""
_COUNTER = Tag("the loop's counter")
_NAN = float("nan")
_INTEGERS = frozenset({"int", "unsigned", "unsigned int", "int32_t", "uint32_t"})
"""Of 32 bits: they hold every value of a counter of these types."""


class Column(Record):
    """One value of each of the list's elements: an array, or a member of the structs in one."""

    array: str
    member: str
    """Empty where the array is no array of structs."""
    type: str


class KeptList(Record):
    """A list that is in order at the end of every iteration."""

    columns: tuple[Column, ...]
    """All that an element consists of."""
    key: Column
    """What the order is by."""
    counter: Column | None
    """The iteration that an element is of, by which equal ones are in order; None where an element is nothing but its key."""
    is_largest_first: bool
    length: str
    """As spelled in the declaration."""
    elements: Mapping[str, str]
    """Type of an element, by array."""
    keeps_nan: bool
    """A NaN may take a place in the list, which a later element then takes from it."""

    @property
    def arrays(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column.array for column in self.columns))


@kept
def kept_list(
    tree: SyntaxTree, function: Function, loop: Node, changed: tuple[str, ...], before: tuple[Node, ...]
) -> KeptList | Obstacle | None:
    """The list that the loop keeps in the arrays that it changes; why it is none. ``before``: what runs for a row before the loop."""
    header, body = counted_header(tree, loop), loop.child_by_field_name("body")
    if not changed or header is None or body is None:
        return None
    declared = _declared(tree, function, changed)
    if isinstance(declared, Obstacle):
        return declared
    columns = tuple(_columns(tree, declared.values()))
    unfit = next((c for c in columns if not can_be_shuffled(c.type)), None)
    if unfit is not None:
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{unfit.array}` holds `{unfit.type}`, which lanes cannot surely exchange")
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    first = next(place for place, one in enumerate(statements) if names_in(tree, one) & set(changed))
    members = _members(tree, (*declared.values(), *(variables[0] for variables in locals_of(tree, loop).values())))
    asked = _Asked(tree, declared, columns, tuple(statements[first:]), header.variable, members)
    found = _found(asked, loop, _brought(asked, statements[:first]))
    return found if isinstance(found, Obstacle) else _start_obstacle(asked, before) or found


class _Asked(Record):
    tree: SyntaxTree
    declared: Mapping[str, Variable]
    columns: tuple[Column, ...]
    statements: tuple[Node, ...]
    """From the first that concerns the list to the end of the iteration."""
    counter: str
    members: Mapping[str, tuple[str, ...]]
    """Of structs, and of arrays of them."""

    @property
    def count(self) -> int:
        return array_length(self.tree, next(iter(self.declared.values()))) or 0

    @property
    def names(self) -> str:
        return names_of(tuple(self.declared))


def _members(tree: SyntaxTree, variables: Iterable[Variable]) -> dict[str, tuple[str, ...]]:
    found = ((variable.name, _fields(tree, variable)) for variable in variables)
    return {name: tuple(member for member, _ in fields) for name, fields in found if fields}


def _declared(tree: SyntaxTree, function: Function, names: Sequence[str]) -> dict[str, Variable] | Obstacle:
    """The arrays' declarations, which have to be of one constant length."""
    lengths = {constant_length(tree, function, name) for name in names}
    length = next(iter(lengths))
    if len(lengths) > 1 or length is None:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"{names_of(names)} would have to be {_ONE_ARRAY if len(names) == 1 else _ARRAYS}")
    return {name: locals_of(tree, function.body)[name][0] for name in names}


def _columns(tree: SyntaxTree, variables: Iterable[Variable]) -> Iterator[Column]:
    for variable in variables:
        fields = _fields(tree, variable)
        for member, kind in fields:
            yield Column(variable.name, member, plain_type(tree, kind))
        if not fields:
            yield Column(variable.name, "", plain_type(tree, variable.type))


def _fields(tree: SyntaxTree, variable: Variable) -> tuple[tuple[str, str], ...]:
    return struct_fields(tree.program.source).get(plain_type(tree, variable.type), ())


def _start_obstacle(asked: _Asked, before: Sequence[Node]) -> Obstacle | None:
    """Why the list does not begin with one value in all places."""
    first = values_before(asked.tree, asked.members, tuple(asked.declared), before)
    if isinstance(first, Obstacle):
        return first
    for column in asked.columns:
        values = {first.get((column.array, place, column.member)) for place in range(asked.count)}
        if len(values) > 1 or None in values:
            words = f"before the loop all places of `{column.array}` would have to get one value, which says that they are empty"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
    return None


def _brought(asked: _Asked, statements: Sequence[Node]) -> dict[Place, Value]:
    """What an iteration has worked out before it comes to the list: which of it is the loop's counter, and that the rest is not known."""
    found: dict[Place, Value] = {}
    for statement in statements:
        for name, variables in locals_of(asked.tree, statement).items():
            fields = [member for member, _ in _fields(asked.tree, variables[0])]
            given = variables[0].value
            listed = without_comments(given) if given is not None and given.type == "initializer_list" else (given,)
            for place, member in enumerate(fields or [""]):
                value = listed[place] if place < len(listed) else None
                found[name, None, member] = _known(asked, value, Tag(f"{name}.{member}"))
    for change in (change for statement in statements for change in assignments(asked.tree, statement)):
        owner, _, member = node_text(change.target).partition(".")
        if (owner, None, member) in found:
            is_counter = change.operator == "=" and _is_counter(asked, change.value)
            found[owner, None, member] = _COUNTER if is_counter else Tag(f"{owner}.{member}")
    return found


def _known(asked: _Asked, value: Node | None, other: Value) -> Value:
    """A local's first value, where it is the loop's counter or a constant."""
    constant = None if value is None else integer_constant(asked.tree, node_text(value))
    return _COUNTER if _is_counter(asked, value) else other if constant is None else constant


def _is_counter(asked: _Asked, value: Node | None) -> bool:
    return value is not None and node_text(unparenthesized(value)) == asked.counter


def _found(asked: _Asked, loop: Node, brought: Mapping[Place, Value]) -> KeptList | Obstacle:
    for key in asked.columns:
        for place, value in brought.items():
            if value == _COUNTER or isinstance(value, int) or _type_at(asked, loop, place) != key.type:
                continue
            for sign in (1, -1):
                trial = _Trial(asked, key, place, brought, sign)
                try:
                    new = trial.new_element()
                    if new is not None and asked.count > _LONGEST:
                        return _too_long(asked)
                    if new is not None and trial.keeps_order(new):
                        return _made(asked, loop, trial, new)
                except NotFollowedError:
                    continue
    words = f"what the loop keeps in {asked.names} would have to be sums, or the best in order, of equal ones the first in front"
    return Obstacle(DeclineReason.STORE_FORM, words)


def _too_long(asked: _Asked) -> Obstacle:
    words = f"{asked.names} would have to have at most {_LONGEST} elements: the lanes' lists are put together one by one"
    return Obstacle(DeclineReason.LIMIT_EXCEEDED, words)


def _type_at(asked: _Asked, loop: Node, place: Place) -> str | None:
    """The type of a local of the loop, or of its member."""
    variables = locals_of(asked.tree, loop).get(place[0], ())
    if len(variables) != 1 or variables[0].is_pointer or variables[0].is_array:
        return None
    kind = dict(_fields(asked.tree, variables[0])).get(place[2], "") if place[2] else variables[0].type
    return plain_type(asked.tree, kind)


def _made(asked: _Asked, loop: Node, trial: _Trial, new: Mapping[Column, Value]) -> KeptList | Obstacle:
    counter_type = _type_at(asked, loop, (asked.counter, None, ""))
    columns = [column for column, value in new.items() if value == _COUNTER]
    counter = next((c for c in columns if c.type == counter_type or {c.type, counter_type} <= _INTEGERS), None)
    if counter is None and len(asked.columns) > 1:
        words = f"with `{trial.key.array}` the loop's counter would have to be kept, which says which of two equal ones came first"
        return Obstacle(DeclineReason.ORDER_MATTERS, words)
    return KeptList(
        columns=asked.columns,
        key=trial.key,
        counter=counter,
        is_largest_first=trial.sign > 0,
        length=spelled_length(asked.tree, asked.declared[trial.key.array]),
        elements={name: variable.type for name, variable in asked.declared.items()},
        keeps_nan=trial.key.type in ("float", "double") and trial.keeps_nan(),
    )


class _Trial(Record):
    """Elements in the order of one column, and a new one whose key stands at one place."""

    asked: _Asked
    key: Column
    place: Place
    brought: Mapping[Place, Value]
    sign: int
    """1 where the largest stands in front, -1 where the smallest does."""

    def new_element(self) -> dict[Column, Value] | None:
        """What the best of all leaves in front; None where its key does not come there."""
        best = 2 * self.asked.count + 1
        after = self._after(self._list(self._distinct), best)
        front = dict(zip(self.asked.columns, after[0], strict=True))
        return front if front[self.key] == Rank(self.sign * best) else None

    def keeps_order(self, new: Mapping[Column, Value]) -> bool:
        """Every element goes behind all that are no worse, and what falls off the end is gone."""
        for heights in self._orders():
            before = self._list(heights)
            for height in range(2 * self.asked.count + 2):
                element = tuple(Rank(self.sign * height) if column == self.key else new[column] for column in self.asked.columns)
                behind = sum(other >= height for other in heights)
                if self._after(before, height) != [*before[:behind], element, *before[behind:]][: len(before)]:
                    return False
        return True

    def keeps_nan(self) -> bool:
        for heights in (self._distinct, [0] * self.asked.count):
            before = self._list(heights)
            try:
                if self._after(before, _NAN) != before:
                    return True
            except NotFollowedError:
                return True
        return False

    @property
    def _distinct(self) -> list[int]:
        return [2 * (self.asked.count - place) for place in range(self.asked.count)]

    def _orders(self) -> Iterator[list[int]]:
        """All different; each two neighbours equal; empty from each place on."""
        distinct = self._distinct
        yield distinct
        for place in range(self.asked.count):
            yield [*distinct[:place], *[0] * (self.asked.count - place)]
            if place:
                yield [*distinct[:place], distinct[place - 1], *distinct[place + 1 :]]

    def _list(self, heights: Sequence[int]) -> list[tuple[Value, ...]]:
        return [tuple(self._value(column, place, height) for column in self.asked.columns) for place, height in enumerate(heights)]

    def _value(self, column: Column, place: int, height: int) -> Value:
        return Rank(self.sign * height) if column == self.key else Tag(f"{place}" if height else "empty")

    def _after(self, elements: Sequence[tuple[Value, ...]], height: float) -> list[tuple[Value, ...]]:
        """The list after an iteration that brings a key of this height. Raises NotFollowedError."""
        columns = self.asked.columns
        values: dict[Place, Value] = {(self.asked.counter, None, ""): _COUNTER, **self.brought, self.place: Rank(self.sign * height)}
        for place, element in enumerate(elements):
            values |= {(column.array, place, column.member): value for column, value in zip(columns, element, strict=True)}
        run = ListRun(self.asked.tree, self.asked.members, values)
        run.run(self.asked.statements)
        return [tuple(run.values[column.array, place, column.member] for column in columns) for place in range(len(elements))]
