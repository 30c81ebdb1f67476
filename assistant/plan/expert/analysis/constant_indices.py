"""Whether every index of a thread's own array is a constant once loops of constant length are unrolled: then it needs no memory.

Example::

    moving_index(tree, function, "win", known)      # the first index that only the run knows; None where there is none
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.accesses import array_accesses
from assistant.cuda.assignments import assignments
from assistant.cuda.constants import constants_of, integer_constant
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function
from assistant.cuda.loops import LOOPS, loops_around
from assistant.cuda.macros import conditional_macros
from assistant.cuda.names import mentions, names_in, words_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.template_values import template_values

__all__ = ["array_length", "moving_index"]

_ASKING = ("if_statement", "conditional_expression", "switch_statement", "lambda_expression")


def array_length(tree: SyntaxTree, variable: Variable) -> int | None:
    """Elements of a local array, where that is a constant of the text."""
    length, declarator = 1, variable.declarator
    for dimension in tree.find("array_declarator", inside=declarator):
        size = dimension.child_by_field_name("size")
        count = None if size is None else integer_constant(tree, tree.text(size))
        if count is None:
            return None
        length *= count
    return length


def moving_index(tree: SyntaxTree, function: Function, array: str, known: Iterable[Node]) -> Node | None:
    """The first access of a local array, outside of the known places, whose index stays a matter of the run."""
    places = tuple(known)
    for access in array_accesses(tree, function.body):
        is_known = any(place.start_byte <= access.node.start_byte < place.end_byte for place in places)
        if access.base == array and not is_known and not all(_is_constant(tree, function, index) for index in access.indices):
            return access.node
    return None


def _is_constant(tree: SyntaxTree, function: Function, index: Node) -> bool:
    known = constants_of(tree).keys() | _counters(tree, index) | template_values(tree, function)
    return all(name in known or _is_counted_up(tree, function, name) for name in names_in(tree, index))


def _counters(tree: SyntaxTree, node: Node) -> frozenset[str]:
    """Of the loops around a node that run a constant number of times, from a constant on, once those around them are unrolled."""
    found: set[str] = set()
    for loop in reversed(loops_around(tree, node)):
        header = counted_header(tree, loop)
        if header is not None and (_is_of_constants(tree, header) or _follows(tree, header, found)):
            found.add(header.variable)
    return frozenset(found)


def _is_of_constants(tree: SyntaxTree, header: CountedHeader) -> bool:
    return header.trip_count(tree) is not None and integer_constant(tree, header.first) is not None


def _follows(tree: SyntaxTree, header: CountedHeader, outer: set[str]) -> bool:
    """The loop goes to or from the place of one around it: ``for (int j = K - 1; j > i; j--)``."""
    words = words_in(f"{header.first} {header.bound} {header.step}")
    known = constants_of(tree).keys() - conditional_macros(tree)
    return bool(words & outer) and words - outer <= known


def _is_counted_up(tree: SyntaxTree, function: Function, name: str) -> bool:
    """A local that begins as a constant and is stepped, in any case, in loops that run a constant number of times: ``a[n++]``."""
    declared = locals_of(tree, function.body).get(name, ())
    if len(declared) != 1 or declared[0].value is None or integer_constant(tree, tree.text(declared[0].value)) is None:
        return False
    for change in assignments(tree, function.body):
        if tree.text(change.target) != name:
            continue
        step = change.operator if change.value is None else f"{change.operator}{tree.text(change.value)}"
        if step not in ("++", "--", "+=1", "-=1") or not _always_runs(tree, function, change.node):
            return False
    return not any(tree.text(use.parent).startswith("&") for use in mentions(tree, function.body, name) if use.parent is not None)


def _always_runs(tree: SyntaxTree, function: Function, node: Node) -> bool:
    """Nothing but loops of constant length stands around it, which nothing leaves early."""
    for ancestor in tree.ancestors(node):
        if ancestor == function.body:
            return True
        if ancestor.type in LOOPS:
            header = counted_header(tree, ancestor)
            jumps = tree.find("break_statement", "continue_statement", "return_statement", "goto_statement", inside=ancestor)
            if header is None or header.trip_count(tree) is None or next(jumps, None) is not None:
                return False
        elif ancestor.type in _ASKING or ((parts := binary_parts(ancestor)) is not None and parts[0] in ("&&", "||")):
            return False
    return False
