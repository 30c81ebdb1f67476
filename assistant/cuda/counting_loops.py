"""Loops that count, but are not written as such: the counter is declared above them, or stepped by the last statement of a ``while``.

Example::

    # long i = first; while (i < n) { use(i); i += stride; }
    found = counting_loop(tree, loop)
    tree.text(found.declaration), tree.text(found.step)     # 'long i = first;', 'i += stride'
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.assignments import Assignment, assignments, changed_names
from assistant.cuda.branches import condition_of
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.record import Record

__all__ = ["CountingLoop", "counting_loop"]

_STEPS = ("+=", "++", "=")


class CountingLoop(Record):
    """``T i = start; … while (i < n) { …; i += step; }``, or ``for (; i < n; i += step)``; nothing else changes the counter or uses it."""

    counter: str
    declaration: Node
    """The statement that declares the counter, alone, in the block of the loop."""
    start: Node
    condition: Node
    step: Assignment | None
    """The last statement of a ``while``; None for a ``for``, whose head has it."""


def counting_loop(tree: SyntaxTree, loop: Node) -> CountingLoop | None:
    """None for any other loop, and for one that says all that in its head."""
    condition, body = condition_of(loop), loop.child_by_field_name("body")
    compared = None if condition is None else binary_parts(condition)
    if condition is None or compared is None or compared[1].type != "identifier" or body is None:
        return None
    counter = tree.text(compared[1])
    if loop.type == "while_statement":
        step = _last_step(tree, body, counter)
        if step is None or any(tree.find("continue_statement", inside=body)):
            return None
    elif loop.type != "for_statement" or loop.child_by_field_name("initializer") is not None:
        return None
    else:
        step = None
    if not _changes_only_by(tree, body, counter, step):
        return None
    declaration = _declaration(tree, loop, counter)
    start = None if declaration is None else next(declared_variables(tree, declaration)).value
    if declaration is None or start is None or any(tree.find("call_expression", inside=declaration)):
        return None
    between = tuple(_between(declaration, loop))
    changed = frozenset[str]().union(*(changed_names(tree, node) for node in between))
    is_own = not any(mentions(tree, node, counter) for node in (*between, *_behind(loop)))
    return CountingLoop(counter, declaration, start, condition, step) if is_own and not names_in(tree, start) & changed else None


def _last_step(tree: SyntaxTree, body: Node, counter: str) -> Assignment | None:
    """What the last statement does to the counter, where it does that alone."""
    statements = without_comments(body) if body.type == "compound_statement" else ()
    if len(statements) < 2 or statements[-1].type != "expression_statement":
        return None
    found = assignments(tree, statements[-1])
    is_step = len(found) == 1 and found[0].node.parent == statements[-1] and found[0].operator in _STEPS
    is_known = is_step and not names_in(tree, statements[-1]) & locals_of(tree, body).keys()  # the head does not see the body's
    return found[0] if is_known and tree.text(found[0].target) == counter else None


def _changes_only_by(tree: SyntaxTree, body: Node, counter: str, step: Assignment | None) -> bool:
    statements = [body] if step is None else [node for node in body.named_children if node != step.node.parent]
    return not any(counter in changed_names(tree, node) for node in statements)


def _declaration(tree: SyntaxTree, loop: Node, counter: str) -> Node | None:
    """In the loop's own block."""
    node = loop.prev_named_sibling
    while node is not None:
        if node.type == "declaration":
            declared = tuple(declared_variables(tree, node))
            if any(variable.name == counter for variable in declared):
                return node if len(declared) == 1 and _is_number(declared[0]) else None
        node = node.prev_named_sibling
    return None


def _is_number(one: Variable) -> bool:
    return not (one.is_pointer or one.is_array or one.is_reference or one.is_shared or one.is_volatile)


def _between(first: Node, last: Node) -> Iterator[Node]:
    node = first.next_named_sibling
    while node is not None and node != last:
        yield node
        node = node.next_named_sibling


def _behind(loop: Node) -> Iterator[Node]:
    node = loop.next_named_sibling
    while node is not None:
        yield node
        node = node.next_named_sibling
