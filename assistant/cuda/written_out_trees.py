"""Reductions in shared memory whose steps are written out one after the other, by what their text looks like.

Example::

    written_out_trees(tree, body)    # ((first, last),) around `if (t < 64) a[t] += a[t + 64];`, …, `if (t < 32) warp_reduce(a, t);`
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.assignments import assignments
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import functions
from assistant.cuda.loops import LOOPS
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, unparenthesized, without_comments

__all__ = ["written_out_trees"]

_WAITS = ("__syncthreads", "__syncwarp", "__threadfence_block")
_LEAST_STEPS = 4
"""With fewer a block has less than a warp's threads, or the steps are another thing."""


def written_out_trees(tree: SyntaxTree, body: Node) -> tuple[tuple[Node, Node], ...]:
    """(first, last) statement of each, statements of ``body`` itself."""
    found: list[tuple[Node, Node]] = []
    run: list[Node] = []
    distances: set[int] = set()
    for statement in (*without_comments(body), None):
        steps = frozenset[int]() if statement is None else _steps(tree, statement)
        if statement is not None and (steps or (run and _is_between(tree, statement))):
            run.append(statement)
            distances |= steps
            continue
        while run and not _steps(tree, run[-1]):
            run.pop()
        if len(distances) >= _LEAST_STEPS and {1, 2, 4} <= distances:
            found.append((run[0], run[-1]))
        run, distances = [], set()
    return tuple(found)


def _steps(tree: SyntaxTree, statement: Node) -> frozenset[int]:
    """Distances at which the statement puts two elements together, in its own text or in a function's that it calls."""
    if statement.type in LOOPS:
        return frozenset()
    own = _distances(tree, statement)
    called = {callee_name(tree, call).split("::")[-1].partition("<")[0] for call in tree.find("call_expression", inside=statement)}
    helpers = (function for function in functions(tree) if function.name in called and function.is_device and not function.is_kernel)
    return own.union(*(_distances(tree, helper.body) for helper in helpers))


def _distances(tree: SyntaxTree, inside: Node) -> frozenset[int]:
    """``4`` of ``a[t] += a[t + 4]``, whatever puts them together."""
    found: set[int] = set()
    for change in assignments(tree, inside):
        if change.target.type != "subscript_expression" or change.value is None:
            continue
        target = _parts(change.target)
        for element in tree.find("subscript_expression", inside=change.value):
            other = _parts(element)
            sides = () if other is None or target is None or other[0] != target[0] else _sides(other[1])
            texts = [node_text(unparenthesized(side)) for side in sides]
            if target is not None and node_text(unparenthesized(target[1])) in texts:
                found |= {int(text) for text in texts if text.isdigit()}
    return frozenset(found)


def _parts(element: Node) -> tuple[str, Node] | None:
    base, indices = element.child_by_field_name("argument"), element.child_by_field_name("indices")
    known: Sequence[Node] = () if indices is None else without_comments(indices)
    return (node_text(base), known[0]) if base is not None and len(known) == 1 else None


def _sides(index: Node) -> tuple[Node, ...]:
    parts = binary_parts(unparenthesized(index))
    return parts[1:] if parts is not None and parts[0] == "+" else ()


def _is_between(tree: SyntaxTree, statement: Node) -> bool:
    """A barrier, another name for the array, or nothing."""
    text = node_text(statement)
    return statement.type == "declaration" or text.strip() == ";" or any(name in text for name in _WAITS)
