"""Insertion sorts of an array of a thread's own, as books write them.

Example::

    for (int i = 1; i < 9; i++) {
        float v = w[i];
        int j = i - 1;
        while (j >= 0 && w[j] > v) { w[j + 1] = w[j]; j--; }
        w[j + 1] = v;
    }

    (sort,) = insertion_sorts(tree, function)
    sort.array, sort.low, sort.high, sort.asked     # 'w', 'w[j]', 'w[j + 1]', 'w[j] > w[j + 1]'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of
from assistant.cuda.code_patterns import squeezed
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined, without_comments
from assistant.cuda.variables import Variable, declared_variables
from assistant.record import Record

__all__ = ["InsertionSort", "Outer", "insertion_sorts"]

_STEP = re.compile(r"--(?P<before>\w+)|(?P<after>\w+)(?:--|-=1)")
_MIRRORED = {"<": ">", ">": "<"}
_SIGNED = ("int", "short", "long", "long long", "int32_t", "int64_t")


class Outer(Record):
    """The loop over the elements that are inserted."""

    node: Node
    header: CountedHeader
    statements: tuple[Node, ...]
    """Its body, comments aside."""


class InsertionSort(Record):
    """One such sort of the elements from the first on."""

    outer: Outer
    counter: Variable
    """Of the place where an element may go."""
    start: str
    """The counter's first value, as spelled."""
    bound: str
    """What is asked of the counter, as spelled: ``j >= 0``."""
    step: str
    """``j--``, as spelled."""
    array: str
    low: str
    high: str
    """The two neighbours, as spelled."""
    asked: str
    """Of the neighbours: whether they stand the wrong way round."""
    held: Variable
    """The local that an element waits in."""

    def held_text(self, tree: SyntaxTree) -> str:
        """Its declaration without a value: ``float v``."""
        return tree.source[tree.span(self.held.node).start : tree.span(self.held.declarator).start] + self.held.name


def insertion_sorts(tree: SyntaxTree, function: Function) -> tuple[InsertionSort, ...]:
    """Those of a function, in source order; also of arrays that are not the thread's own."""
    return tuple(sort for node in tree.find("for_statement", inside=function.body) if (sort := _sort(tree, node)) is not None)


def _sort(tree: SyntaxTree, outer: Node) -> InsertionSort | None:
    header, body = counted_header(tree, outer), outer.child_by_field_name("body")
    if header is None or body is None or outer.has_error or (header.first, header.step) != ("1", "1"):
        return None
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    loops = [one for one in statements if one.type in ("for_statement", "while_statement")]
    inner = _inner(tree, loops[0], statements) if len(loops) == 1 else None
    if inner is None or inner.start_squeezed(header.variable) != inner.low_place:
        return None
    around = Outer(outer, header, statements)
    return _shifting(tree, around, inner) or _swapping(tree, around, inner)


class _Inner(Record):
    """The loop that goes down from the new element."""

    node: Node
    variable: Variable
    start: Node
    bound: str
    low_place: str
    """``j`` where the neighbours are j and j + 1, ``j-1`` where they are j - 1 and j."""
    compared: Node
    step: str
    moves: tuple[Node, ...]

    @property
    def places(self) -> tuple[str, str]:
        """Indices of the neighbours, without blanks."""
        name = self.variable.name
        return (name, f"{name}+1") if self.low_place == "j" else (f"{name}-1", name)

    @property
    def is_declared_before(self) -> bool:
        """The counter is declared in front of its loop."""
        return not self.node.start_byte <= self.variable.node.start_byte < self.node.end_byte

    def start_squeezed(self, outer: str) -> str:
        """The place of the lower neighbour at first, by the outer counter: as `low_place` says it of the inner one."""
        first = squeezed((self.start.text or b"").decode())
        return {f"{outer}-1": "j", outer: "j-1"}.get(first, "")


class _Exchange(Record):
    array: str
    low: str
    high: str
    asked: str
    held: Variable


def _inner(tree: SyntaxTree, loop: Node, statements: tuple[Node, ...]) -> _Inner | None:
    condition, body, begins = condition_of(loop), loop.child_by_field_name("body"), loop.child_by_field_name("initializer")
    first, *more = (None,) if condition is None else joined(condition, "&&")
    if first is None or body is None or len(more) != 1:
        return None
    moves = without_comments(body) if body.type == "compound_statement" else (body,)
    update = loop.child_by_field_name("update")
    if loop.type == "while_statement":
        *others, last = moves or (body,)
        update, moves = next(iter(last.named_children), None), tuple(others)
    step = None if update is None else _STEP.fullmatch(squeezed(tree.text(update)))
    if update is None or step is None:
        return None
    name = step["before"] or step["after"]
    bounds = {f"{name}>=0": "j", f"{name}>-1": "j", f"{name}>0": "j-1", f"{name}>=1": "j-1"}
    variable = next((v for one in (begins, *statements) if one is not None for v in _declared(tree, one) if v.name == name), None)
    start = None if variable is None else variable.value
    if begins is not None and begins.type == "assignment_expression" and tree.text(begins.child_by_field_name("left") or begins) == name:
        start = begins.child_by_field_name("right")
    if variable is None or start is None or squeezed(tree.text(first)) not in bounds:
        return None
    place = bounds[squeezed(tree.text(first))]
    if place == "j" and variable.type not in _SIGNED:
        return None  # an unsigned one is never below 0: only an element that stays where it is ends the loop
    return _Inner(loop, variable, start, tree.text(first), place, more[0], tree.text(update), moves)


def _declared(tree: SyntaxTree, statement: Node) -> tuple[Variable, ...]:
    return tuple(declared_variables(tree, statement)) if statement.type == "declaration" else ()


def _comparison(tree: SyntaxTree, node: Node) -> Iterator[tuple[str, Node, Node]]:
    """``a > b``, also as ``b < a``."""
    parts = binary_parts(node)
    if parts is not None and parts[0] in _MIRRORED:
        yield parts
        yield _MIRRORED[parts[0]], parts[2], parts[1]


def _shifting(tree: SyntaxTree, outer: Outer, inner: _Inner) -> InsertionSort | None:
    """The new element waits in a local while larger ones move up."""
    kept = [v for one in outer.statements for v in _declared(tree, one) if v.name != inner.variable.name]
    declared = [one for one in outer.statements if one.type == "declaration"]
    stored = [one for one in outer.statements if one.type == "expression_statement"]
    if len(kept) != 1 or kept[0].value is None or len(stored) != 1 or stored[0].start_byte < inner.node.start_byte or len(inner.moves) != 1:
        return None
    if len(declared) + 2 != len(outer.statements) or sum(len(_declared(tree, one)) for one in declared) != 1 + inner.is_declared_before:
        return None
    held, (low, high) = kept[0], inner.places
    array = _array_of(tree, kept[0].value)
    if squeezed(tree.text(kept[0].value)) != f"{array}[{outer.header.variable}]":
        return None
    for sign, left, right in _comparison(tree, inner.compared):
        member = squeezed(tree.text(right)).removeprefix(held.name)
        texts = [squeezed(tree.text(one)) for one in (left, right, inner.moves[0], stored[0])]
        expected = [f"{array}[{low}]{member}", held.name + member, f"{array}[{high}]={array}[{low}];", f"{array}[{high}]={held.name};"]
        if texts == expected and (not member or member.startswith(".")):
            upper, lower = _sides(tree, inner.moves[0])
            spelled = tree.text(right).strip().removeprefix(held.name)
            asked = f"{lower}{spelled} {sign} {upper}{spelled}"
            return _made(outer, inner, _Exchange(array, lower, upper, asked, held), tree)
    return None


def _swapping(tree: SyntaxTree, outer: Outer, inner: _Inner) -> InsertionSort | None:
    """The new element changes places with its neighbours."""
    low, high = inner.places
    declared = _declared(tree, inner.moves[0]) if len(inner.moves) == 3 else ()
    if len(declared) != 1 or declared[0].value is None or len(outer.statements) != 1 + inner.is_declared_before:
        return None
    held, moved = declared[0], inner.moves[1]
    array = _array_of(tree, declared[0].value)
    texts = [squeezed(tree.text(one)) for one in (declared[0].value, *inner.moves[1:])]
    ways = [[f"{array}[{a}]", f"{array}[{a}]={array}[{b}];", f"{array}[{b}]={held.name};"] for a, b in ((low, high), (high, low))]
    for sign, left, right in _comparison(tree, inner.compared):
        member = squeezed(tree.text(left)).removeprefix(f"{array}[{low}]")
        is_member = not member or member.startswith(".")
        if texts in ways and is_member and squeezed(tree.text(right)) == f"{array}[{high}]{member}":
            first, second = _sides(tree, moved)
            lower, upper = (first, second) if texts == ways[0] else (second, first)
            asked = f"{tree.text(left)} {sign} {tree.text(right)}"
            return _made(outer, inner, _Exchange(array, lower, upper, asked, held), tree)
    return None


def _array_of(tree: SyntaxTree, element: Node) -> str:
    return tree.text(element).partition("[")[0].strip()


def _sides(tree: SyntaxTree, statement: Node) -> tuple[str, str]:
    """Both sides of an assignment, as spelled."""
    (change,) = assignments(tree, statement)
    return tree.text(change.target), tree.text(change.value or change.target)


def _made(outer: Outer, inner: _Inner, exchange: _Exchange, tree: SyntaxTree) -> InsertionSort:
    return InsertionSort(
        outer=outer,
        counter=inner.variable,
        start=tree.text(inner.start),
        bound=inner.bound,
        step=inner.step,
        array=exchange.array,
        low=exchange.low,
        high=exchange.high,
        asked=exchange.asked,
        held=exchange.held,
    )
