"""Where a thread's row and the counter of a loop are added up: ``y + dy - 1``, ``2 * y + r``.

Example::

    loop = next(node for node in loops_in(tree, scope) if holds_row(tree, node, row))
    loop_of_row(tree, loop, "y")     # (loop, 1): the loop over the rows of a window, which moves by one row
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.counted_loops import counted_header
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of

__all__ = ["goes_over_rows", "holds_row", "loop_of_row", "loops_in", "sum_with"]

_ROW_TYPES = ("int", "long", "long long", "int64_t", "ptrdiff_t")
"""What holds every row, and those above the first one."""


def goes_over_rows(tree: SyntaxTree, body: Node) -> bool:
    """Whether the counter of a loop is added to a local that a thread's place along y gives."""
    rows = [
        name for name, found in locals_of(tree, body).items() for v in found if v.value is not None and "threadIdx.y" in tree.text(v.value)
    ]
    for loop in tree.find(*LOOPS, inside=body):
        header = counted_header(tree, loop)
        for mention in (n for row in rows for n in mentions(tree, loop, row)) if header is not None else ():
            node = _cast(tree, mention)
            while (parent := node.parent) is not None and (parent.type == "parenthesized_expression" or _adds(parent, node)):
                node = parent
            if header is not None and header.variable in names_in(tree, node):
                return True
    return any(_doubled(tree, n) for row in rows for loop in tree.find(*LOOPS, inside=body) for n in mentions(tree, loop, row))


def _doubled(tree: SyntaxTree, mention: Node) -> bool:
    """``2 * y``, as of every other row."""
    parts = None if mention.parent is None else binary_parts(mention.parent)
    return parts is not None and parts[0] == "*" and any(tree.text(part).isdigit() for part in parts[1:])


def loops_in(tree: SyntaxTree, scope: tuple[Node, ...]) -> Iterator[Node]:
    return (node for statement in scope for node in tree.find(*LOOPS, inside=statement))


def holds_row(tree: SyntaxTree, loop: Node, row: Variable) -> bool:
    header = counted_header(tree, loop)
    return header is not None and any(sum_with(tree, n, header.variable) for n in mentions(tree, loop, row.name))


def loop_of_row(tree: SyntaxTree, loop: Node, row: str) -> tuple[Node, int] | None:
    """The loop and the row's stride in its window."""
    header = counted_header(tree, loop)
    assert header is not None, "asked before"
    sums = [sum_with(tree, node, header.variable) for node in mentions(tree, loop, row)]
    strides = {None if found is None else found[1] for found in sums}
    stride = strides.pop() if len(strides) == 1 else None
    return None if stride is None else (loop, stride)


def sum_with(tree: SyntaxTree, mention: Node, counter: str) -> tuple[int, int] | None:
    """(where the counter stands, the factor of the mention) in ``2 * y + counter - 1``; None where they are not added up."""
    factor, node = 1, _cast(tree, mention)
    parent = node.parent
    parts = None if parent is None else binary_parts(parent)
    if parent is not None and parts is not None and parts[0] == "*":
        other = parts[2] if parts[1] == node else parts[1]
        written = tree.text(other)
        if not written.isdigit() or int(written) < 1:
            return None
        factor, node = int(written), parent
    term = node
    while (parent := node.parent) is not None and (parent.type == "parenthesized_expression" or _adds(parent, node)):
        node = parent
    terms = list(_terms(unparenthesized(node)))
    counters = [each for sign, each in terms if tree.text(each) == counter and sign > 0]
    own = [sign for sign, each in terms if each == term]
    return (counters[0].start_byte, factor) if len(counters) == 1 and own == [1] else None


def _cast(tree: SyntaxTree, mention: Node) -> Node:
    """``(int)y``, where the mention stands in it."""
    parent = mention.parent
    kind = None if parent is None or parent.type != "cast_expression" else parent.child_by_field_name("type")
    return mention if parent is None or kind is None or tree.text(kind) not in _ROW_TYPES else parent


def _adds(parent: Node, node: Node) -> bool:
    parts = binary_parts(parent)
    return parts is not None and (parts[0] == "+" or (parts[0] == "-" and parts[1] == node))


def _terms(node: Node, sign: int = 1) -> Iterator[tuple[int, Node]]:
    node = unparenthesized(node)
    parts = binary_parts(node)
    if parts is None or parts[0] not in ("+", "-"):
        yield sign, node
        return
    yield from _terms(parts[1], sign)
    yield from _terms(parts[2], sign if parts[0] == "+" else -sign)
