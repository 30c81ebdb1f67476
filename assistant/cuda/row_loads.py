"""How many elements a thread loads for its row, and how many different ones several neighbouring rows need together.

Example::

    # out[y * w + x] = in[(y - 1) * w + x] + in[y * w + x] + in[(y + 1) * w + x];
    row_loads(tree, body, "y", 4)      # RowLoads(single_row=3, all_rows=6)
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, kind_of
from assistant.cuda.functions import enclosing_function
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.trial_values import trial_value
from assistant.cuda.variables import locals_of
from assistant.record import Record

__all__ = ["RowLoads", "row_loads"]

_TRIALS = range(2)
_VALUES = (1009, 8999)
"""The least value of a name, and how many there are: so far apart that elements of different rows are never the same by accident."""


class RowLoads(Record):
    """Loads of arrays, of elements that are named by one index or several."""

    single_row: int
    all_rows: int


def row_loads(tree: SyntaxTree, body: Node, row: str, count: int) -> RowLoads | None:
    """Of one row and of ``count`` neighbouring ones; None where an index is not known."""
    loads = [n for n in tree.find("subscript_expression", inside=body) if _is_load(tree, n) and not _is_constant(tree, n)]
    found = [_elements(tree, body, loads, row, count, trial) for trial in _TRIALS]
    known = [each for each in found if each is not None]
    return None if len(known) != len(found) or not loads else RowLoads(max(k.single_row for k in known), max(k.all_rows for k in known))


def _is_load(tree: SyntaxTree, node: Node) -> bool:
    parent = node.parent
    is_inner = parent is not None and parent.type == "subscript_expression" and parent.child_by_field_name("argument") == node
    return not is_inner and kind_of(tree, node) in (Use.READ, Use.UPDATE)


def _is_constant(tree: SyntaxTree, node: Node) -> bool:
    """An element of a table in constant memory, which costs no load of global memory."""
    base = tree.text(node).split("[")[0].strip()
    declared = (n for n in tree.root.named_children if n.type == "declaration" and "__constant__" in tree.text(n))
    return any(base in names_in(tree, n) for n in declared)


def _elements(tree: SyntaxTree, body: Node, loads: list[Node], row: str, count: int, trial: int) -> RowLoads | None:
    scope = scope_inside(tree, body).fixed()
    values = _values(tree, body, scope, row, trial)
    start, rows = trial_value(row, trial, *_VALUES), list[set[tuple[object, ...]]]()
    for at in range(start, start + count):
        places = [_place(tree, load, scope, {**values, row: at}) for load in loads]
        known = {place for place in places if place is not None}
        if None in places:
            return None
        rows.append(known)
    return RowLoads(len(rows[0]), len(set[tuple[object, ...]]().union(*rows)))


def _place(tree: SyntaxTree, load: Node, scope: Scope, values: dict[str, int]) -> tuple[object, ...] | None:
    indices: list[int] = []
    node: Node | None = load
    while node is not None and node.type == "subscript_expression":
        inside = node.child_by_field_name("indices")
        for index in () if inside is None else inside.named_children:
            value = evaluate(index, scope, values)
            if value is None:
                return None
            indices.append(value)
        node = node.child_by_field_name("argument")
    return None if node is None else (tree.text(node), *indices)


def _values(tree: SyntaxTree, body: Node, scope: Scope, row: str, trial: int) -> dict[str, int]:
    """A value for each name and member that does not follow from the row."""
    function, declared = enclosing_function(tree, body), locals_of(tree, body)
    names = {p.name for p in (() if function is None else function.parameters)} | declared.keys()
    steady = {name for name in names if not _follows(tree, scope, name, row)}
    members = {tree.text(n).replace(" ", "") for n in tree.find("field_expression", inside=body)}
    return {name: trial_value(name, trial, *_VALUES) for name in (*steady, *members)}


def _follows(tree: SyntaxTree, scope: Scope, name: str, row: str) -> bool:
    """The name is the row, or a local that is made of it."""
    found, waiting = set[str](), {name}
    while waiting:
        current = waiting.pop()
        found.add(current)
        value = scope.definition(current)
        waiting |= set() if value is None else names_in(tree, value) - found
    return row in found
