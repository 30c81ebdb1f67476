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

__all__ = ["InsertionSort", "insertion_sorts"]

_STEP = re.compile(r"--(?P<before>\w+)|(?P<after>\w+)(?:--|-=1)")
_MIRRORED = {"<": ">", ">": "<"}
_PLACES = ("j", "j-1")
_SIGNED = ("int", "short", "long", "long long", "int32_t", "int64_t")


class InsertionSort(Record):
    """One such sort of the elements from the first on."""

    outer: Node
    """The loop over the elements that are inserted."""
    header: CountedHeader
    statements: tuple[Node, ...]
    """The outer loop's body, comments aside."""
    counter: str
    """Of the place where an element may go."""
    type: str
    """Of the counter."""
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
    held: str
    """Declares the local that an element waits in: ``float v``."""
    name: str
    """Of this local."""
    held_type: str


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
    if inner is None or inner.low_place not in _PLACES or inner.start_squeezed(header.variable) != inner.low_place:
        return None
    return _shifting(tree, outer, header, statements, inner) or _swapping(tree, outer, header, statements, inner)


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

    def start_squeezed(self, outer: str) -> str:
        """The place of the lower neighbour at first, by the outer counter: as `low_place` says it of the inner one."""
        first = squeezed((self.start.text or b"").decode())
        return {f"{outer}-1": "j", outer: "j-1"}.get(first, "")


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


def _places(inner: _Inner) -> tuple[str, str]:
    name = inner.variable.name
    return (name, f"{name}+1") if inner.low_place == "j" else (f"{name}-1", name)


def _comparison(tree: SyntaxTree, node: Node) -> Iterator[tuple[str, Node, Node]]:
    """``a > b``, also as ``b < a``."""
    parts = binary_parts(node)
    if parts is not None and parts[0] in _MIRRORED:
        yield parts
        yield _MIRRORED[parts[0]], parts[2], parts[1]


def _shifting(tree: SyntaxTree, outer: Node, header: CountedHeader, statements: tuple[Node, ...], inner: _Inner) -> InsertionSort | None:
    """The new element waits in a local while larger ones move up."""
    kept = [v for one in statements for v in _declared(tree, one) if v.name != inner.variable.name]
    declared = [one for one in statements if one.type == "declaration"]
    placed = [one for one in statements if one.type == "expression_statement"]
    behind = next((one for one in placed if one.start_byte > inner.node.start_byte), None)
    if len(kept) != 1 or kept[0].value is None or len(placed) != 1 or behind is None or len(inner.moves) != 1:
        return None
    if len(declared) + 2 != len(statements) or sum(len(_declared(tree, one)) for one in declared) != 1 + _is_outside(inner):
        return None
    held, (low, high) = kept[0], _places(inner)
    array = tree.text(held.value or held.node).partition("[")[0].strip()
    if squeezed(tree.text(held.value or held.node)) != f"{array}[{header.variable}]":
        return None
    for sign, left, right in _comparison(tree, inner.compared):
        suffix = squeezed(tree.text(right)).removeprefix(held.name)
        texts = (squeezed(tree.text(left)), squeezed(tree.text(inner.moves[0])), squeezed(tree.text(behind)))
        expected = (f"{array}[{low}]{suffix}", f"{array}[{high}]={array}[{low}];", f"{array}[{high}]={held.name};")
        if texts == expected and (not suffix or suffix.startswith(".")) and squeezed(tree.text(right)).startswith(held.name):
            first, second = _sides(tree, inner.moves[0])
            member = tree.text(right).strip().removeprefix(held.name)
            asked = f"{second}{member} {sign} {first}{member}"
            head = tree.source[tree.span(held.node).start : tree.span(held.declarator).start] + held.name
            return _made(tree, outer, header, statements, inner, (array, second, first, asked, head), held)
    return None


def _is_outside(inner: _Inner) -> int:
    """1 where the counter is declared in front of its loop."""
    return int(not inner.node.start_byte <= inner.variable.node.start_byte < inner.node.end_byte)


def _swapping(tree: SyntaxTree, outer: Node, header: CountedHeader, statements: tuple[Node, ...], inner: _Inner) -> InsertionSort | None:
    """The new element changes places with its neighbours."""
    low, high = _places(inner)
    declared = _declared(tree, inner.moves[0]) if len(inner.moves) == 3 else ()
    if len(declared) != 1 or declared[0].value is None or len(statements) != 1 + _is_outside(inner):
        return None
    held = declared[0].name
    array = tree.text(declared[0].value).partition("[")[0].strip()
    moved, stored = inner.moves[1:]
    texts = [squeezed(tree.text(one)) for one in (declared[0].value, moved, stored)]
    ways = [[f"{array}[{a}]", f"{array}[{a}]={array}[{b}];", f"{array}[{b}]={held};"] for a, b in ((low, high), (high, low))]
    for sign, left, right in _comparison(tree, inner.compared):
        suffix = squeezed(tree.text(left)).removeprefix(f"{array}[{low}]")
        is_member = not suffix or suffix.startswith(".")
        if texts in ways and is_member and squeezed(tree.text(right)) == f"{array}[{high}]{suffix}":
            first, second = _sides(tree, moved)
            lower, upper = (first, second) if texts == ways[0] else (second, first)
            asked = f"{tree.text(left)} {sign} {tree.text(right)}"
            head = tree.source[tree.span(declared[0].node).start : tree.span(declared[0].declarator).start] + held
            return _made(tree, outer, header, statements, inner, (array, lower, upper, asked, head), declared[0])
    return None


def _sides(tree: SyntaxTree, statement: Node) -> tuple[str, str]:
    """Both sides of an assignment, as spelled."""
    (change,) = assignments(tree, statement)
    return tree.text(change.target), tree.text(change.value or change.target)


def _made(
    tree: SyntaxTree,
    outer: Node,
    header: CountedHeader,
    statements: tuple[Node, ...],
    inner: _Inner,
    texts: tuple[str, str, str, str, str],
    local: Variable,
) -> InsertionSort:
    array, low, high, asked, held = texts
    variable = inner.variable
    return InsertionSort(
        outer, header, statements, variable.name, variable.type, tree.text(inner.start), inner.bound, inner.step, array, low, high, asked,
        held, local.name, local.type,
    )  # fmt: skip
