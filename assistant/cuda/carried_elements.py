"""Elements of arrays that an iteration of a counted loop reads and the iteration before it stored.

Which element an index names is found by evaluating it at several values of all that it is made of: nothing is proved by this alone
about what else may change the element.

Example::

    # for (int k = 1; k < n; ++k) y[k] = a * y[k - 1];
    [(c.base, tree.text(c.load), tree.text(c.store)) for c in carried_elements(tree, body)]   # [('y', 'y[k - 1]', 'y[k]')]
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.assignments import changed_names
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import loops_around
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node, SyntaxTree, parsed_expression
from assistant.cuda.trial_values import trial_value
from assistant.cuda.variables import locals_of
from assistant.record import Record

__all__ = ["CarriedElement", "Places", "carried_elements"]

_TRIALS = range(4)
"""Choices of values; an accident would have to happen in all of them."""
_VALUES = (11, 89)
"""The least value of a name, and how many there are."""
_COUNTS = (17, 30, 41, 58)
"""The loop's counter in each of the trials."""


class CarriedElement(Record):
    """One load of an element that the iteration before stored."""

    base: str
    load: Node
    store: Node
    """The element that an iteration assigns."""
    loop: Node
    header: CountedHeader


class Places:
    """Which elements the indices of a loop's body name, at values of what they are made of."""

    def __init__(self, tree: SyntaxTree, loop: Node, header: CountedHeader) -> None:
        function = enclosing_function(tree, loop)
        body = loop if function is None else function.body
        declared = locals_of(tree, body)
        self._tree, self._header = tree, header
        self._own = locals_of(tree, loop).keys()
        self._unsteady = changed_names(tree, loop) | {name for name in self._own if len(declared[name]) > 1}
        self._scope = scope_inside(tree, body).fixed()
        outside = {parameter.name for parameter in (() if function is None else function.parameters)} | declared.keys()
        members = {tree.text(node).replace(" ", "") for node in tree.find("field_expression", inside=body)}
        names = (outside | members) - self._own
        self._values = [{name: trial_value(name, trial, *_VALUES) for name in names} for trial in _TRIALS]

    def element(self, access: ArrayAccess, trial: int, ahead: int = 0) -> tuple[int, ...] | None:
        """The element in the iteration that is ``ahead`` of the trial's one; None where it is not known."""
        step = self._evaluated(self._header.step, trial)
        return None if step is None else self._indices(access, trial, _COUNTS[trial] + ahead * step)

    def are_same_at_first(self, one: ArrayAccess, other: ArrayAccess) -> bool:
        """Whether both name the same element in the loop's first iteration; the loop's counter need have no part in one of them."""
        pairs = [(self._first_element(one, trial), self._first_element(other, trial)) for trial in _TRIALS]
        return all(first is not None and first == second for first, second in pairs)

    def _first_element(self, access: ArrayAccess, trial: int) -> tuple[int, ...] | None:
        first = self._evaluated(self._header.first, trial)
        return None if first is None else self._indices(access, trial, first)

    def _evaluated(self, text: str, trial: int) -> int | None:
        node = parsed_expression(text)
        return None if node is None else evaluate(node, self._scope, self._values[trial])

    def _indices(self, access: ArrayAccess, trial: int, count: int) -> tuple[int, ...] | None:
        known: list[int] = []
        for index in access.indices:
            at = {**self._values[trial], self._header.variable: count}
            value = None if self._names(index) & self._unsteady else evaluate(index, self._scope, at)
            if value is None:
                return None
            known.append(value)
        return tuple(known)

    def _names(self, index: Node) -> set[str]:
        """Of what the index is made of, but the counter; locals of the iteration are followed."""
        found, waiting = set[str](), {index}
        while waiting:
            node = waiting.pop()
            for name in (names_in(self._tree, node) | hidden_names(self._tree, node)) - found:
                found.add(name)
                value = self._scope.definition(name) if name in self._own else None
                waiting |= set() if value is None else {value}
        return found - {self._header.variable}


def carried_elements(tree: SyntaxTree, body: Node) -> tuple[CarriedElement, ...]:
    """Those of all loops, in source order; of nested loops what the innermost one around both accesses carries."""
    return tuple(found for loop in tree.find("for_statement", inside=body) for found in _carried_by(tree, loop))


def _carried_by(tree: SyntaxTree, loop: Node) -> Iterator[CarriedElement]:
    header, inside = counted_header(tree, loop), loop.child_by_field_name("body")
    if header is None or inside is None:
        return
    own = [a for a in array_accesses(tree, inside) if a.indices and loops_around(tree, a.node)[0] == loop]
    stores = [a for a in own if a.kind is Use.WRITE]
    places = Places(tree, loop, header) if stores else None
    for load in own:
        for store in stores if load.kind is Use.READ else ():
            if places is not None and store.base == load.base and _is_carried(places, load, store):
                yield CarriedElement(load.base, load.node, store.node, loop, header)
                break


def _is_carried(places: Places, load: ArrayAccess, store: ArrayAccess) -> bool:
    for trial in _TRIALS:
        stored, stored_next, loaded = places.element(store, trial), places.element(store, trial, 1), places.element(load, trial, 1)
        if stored is None or loaded != stored or stored_next == stored:
            return False
    return True
