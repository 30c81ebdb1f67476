"""Conditions that a piece of code makes false by what it stores: the guard of work that is done again only when something has changed.

``if (!built || last != key) { …; built = true; last = key; }`` is one; ``if (first) … first = false`` as well. A loop counter, a
convergence test and a flag that comes back from the device are none: nothing stores the very value that the condition asks about.

Example::

    settles(tree, condition, Change("last", "key", node), holds=True)     # True of `last != key`
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.comparisons import MIRRORED
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.record import Record

__all__ = ["Atom", "Change", "changes", "compact", "settles"]

_LITERAL = {"true": 1, "false": 0, "nullptr": 0, "NULL": 0}
_NUMBER = re.compile(r"-?\d+")
_FALSE_OF_EQUALS = ("!=", "<", ">")
_MAKES = re.compile(r"cudaMalloc\w*|cudaStreamEndCapture|cudaGraphInstantiate\w*")
"""Calls that give a handle or memory to what they are given the address of."""
_COPIES = re.compile(r"(?:std::)?memcpy")
_INSERTS = frozenset({"insert", "emplace", "try_emplace", "insert_or_assign", "push_back", "emplace_back"})
_ASKS = "(?:find|count|contains|end)"
_MADE = "made"
"""The value of what a call has made: not null, and otherwise not known."""


class Atom(Record):
    """One part of a condition that is joined by ``&&``, ``||`` and ``!``."""

    node: Node
    is_negated: bool
    is_of_callee: bool
    """It stands in a function that the condition calls, so that parameters have other names."""


class Change(Record):
    """A variable of the host gets a value; both as written, without spaces."""

    target: str
    value: str
    node: Node

    @property
    def root(self) -> str:
        """The variable: ``cache`` for ``cache.key[0]``."""
        return re.split(r"\.|->|\[", self.target.lstrip("*(&"))[0]

    @property
    def is_insertion(self) -> bool:
        return self.value == ""


def compact(tree: SyntaxTree, node: Node) -> str:
    """As written, without spaces and ``this->``."""
    return "".join(tree.text(unparenthesized(node)).split()).removeprefix("this->")


def changes(tree: SyntaxTree, inside: Node) -> Iterator[Change]:
    """Plain assignments, copies, insertions into containers, and what calls make."""
    for assignment in assignments(tree, inside):
        if assignment.operator == "=" and assignment.value is not None:
            yield Change(compact(tree, assignment.target), compact(tree, assignment.value), assignment.node)
    for call in tree.find("call_expression", inside=inside):
        name, arguments = callee_name(tree, call), [compact(tree, argument) for argument in given_arguments(call)]
        if _MAKES.fullmatch(name):
            addressed = (re.sub(r"^\([^()]*\)", "", argument) for argument in arguments[:2])
            yield from (Change(argument[1:], _MADE, call) for argument in addressed if argument.startswith("&"))
        elif _COPIES.fullmatch(name) and len(arguments) == 3:
            yield Change(arguments[0].lstrip("&"), arguments[1].lstrip("&"), call)
        else:
            container, _, method = "".join(name.split()).rpartition("->" if "->" in name else ".")
            if container and method in _INSERTS:
                yield Change(container, "", call)


def settles(tree: SyntaxTree, atom: Atom, change: Change) -> bool:
    """Whether the atom, which held (did not hold if negated), no longer does after the change."""
    if _asks_container(tree, atom, change):
        return True
    if change.is_insertion:
        return False
    node = unparenthesized(atom.node)
    parts = binary_parts(node)
    if parts is not None and parts[0] in MIRRORED:
        left, right = compact(tree, parts[1]), compact(tree, parts[2])
        return _settles_comparison(left, parts[0], right, atom, change) or _settles_comparison(
            right, MIRRORED[parts[0]], left, atom, change
        )
    if node.type == "call_expression":
        given = {compact(tree, argument).lstrip("&") for argument in given_arguments(node)}
        return change.target in given and change.value in given
    if compact(tree, node) != change.target:
        return False
    value = 1 if change.value == _MADE else _number(change.value)
    return value is not None and (value != 0) == atom.is_negated


def _settles_comparison(left: str, operator: str, right: str, atom: Atom, change: Change) -> bool:
    asked = _number(right)
    if left == change.target and asked is not None:
        value = 1 if change.value == _MADE and asked == 0 else _number(change.value)
        return value is not None and _holds(value, operator, asked) == atom.is_negated
    rest = left.removeprefix(change.target)
    is_target = left.startswith(change.target) and (not rest or rest[0] in ".[-")
    is_value = atom.is_of_callee or right == change.value + rest
    return is_target and is_value and (operator in _FALSE_OF_EQUALS) != atom.is_negated


def _asks_container(tree: SyntaxTree, atom: Atom, change: Change) -> bool:
    """``cache.find(key) == cache.end()`` or ``!seen.count(key)``, and an element is put in."""
    is_element = change.is_insertion or "[" in change.target
    return is_element and re.search(rf"\b{re.escape(change.root)}(?:\.|->){_ASKS}\b", compact(tree, atom.node)) is not None


def _number(text: str) -> int | None:
    if text in _LITERAL:
        return _LITERAL[text]
    return int(text) if _NUMBER.fullmatch(text) else None


def _holds(left: int, operator: str, right: int) -> bool:
    return {"==": left == right, "!=": left != right, "<": left < right, ">": left > right, "<=": left <= right}.get(
        operator, left >= right
    )
