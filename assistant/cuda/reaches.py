"""How far code reaches into an array: the index of every access through a pointer, through casts and pointers set from it too.

Example::

    reaches(names, "in", 4)    # of `const float *row = in + y * n; s = row[x];`: one access of two parts, `y * n` and `x`
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.accesses import is_declaration
from assistant.cuda.body_names import BodyNames
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.casts import cast_of
from assistant.cuda.names import mentions
from assistant.cuda.sums import Term, is_sum, terms_of
from assistant.cuda.syntax import Node, node_text, without_comments
from assistant.model.elements import parse_element_type
from assistant.record import Record

__all__ = ["Part", "Reach", "reaches"]

_READS_OR_UPDATES = re.compile(r"atomic\w+|__ldg|__ldc[a-z]|__stc[a-z]")
_MOST_POINTERS = 4


class Part(Record):
    """One summand of an index."""

    terms: tuple[Term, ...]
    """None for the element that the pointer points to."""
    scale: int
    """Elements per step."""


Reach = tuple[Part, ...]
"""Where one access begins, as a sum; the last part's scale is how many elements it takes."""


def reaches(names: BodyNames, pointer: str, element_bytes: int) -> tuple[Reach, ...] | None:
    """The reach of each access to the array that ``pointer`` points to; None where a use of it is not understood."""
    try:
        return tuple(_Reading(names, element_bytes).through(pointer, 1, (), 0))
    except _UnknownUseError:
        return None


class _UnknownUseError(Exception):
    """Leaves the reading; never escapes this module."""


class _Reading:
    def __init__(self, names: BodyNames, element_bytes: int) -> None:
        self._names = names
        self._element_bytes = element_bytes

    def through(self, pointer: str, scale: int, before: Reach, depth: int) -> Iterator[Reach]:
        """Accesses through a pointer that points ``before`` into the array and steps ``scale`` of its elements at a time."""
        if depth > _MOST_POINTERS or pointer in self._names.growing:
            raise _UnknownUseError
        for mention in mentions(self._names.tree, self._names.body, pointer):
            if not is_declaration(mention) and not _is_set(mention):
                yield from self._uses(mention, scale, before, depth)

    def _uses(self, node: Node, scale: int, before: Reach, depth: int) -> Iterator[Reach]:
        """What is done with the pointer that ``node`` is, cast and added to as it is."""
        pending: tuple[Term, ...] = ()
        while True:
            node, added = _with_summands(node)
            pending += added
            parent = node.parent
            cast = None if parent is None else cast_of(_call_around(parent))
            if parent is None or cast is None or cast.value != node:
                break
            before = (*before, Part(self._names.named(pending), scale)) if pending else before
            node, pending, scale = _call_around(parent), (), self._scale(cast.type)
        here = (*before, Part(self._names.named(pending), scale))
        if parent is not None and parent.type == "subscript_expression" and parent.child_by_field_name("argument") == node:
            yield from self._subscript(parent, scale, here if pending else before, depth)
        elif parent is not None and _is_accessed(self._names, parent, node):
            yield here
        else:
            yield from self.through(_holder(parent, node), scale, here, depth + 1)

    def _subscript(self, element: Node, scale: int, before: Reach, depth: int) -> Iterator[Reach]:
        indices = element.child_by_field_name("indices")
        index = () if indices is None else without_comments(indices)
        if len(index) != 1:
            raise _UnknownUseError
        reach = (*before, Part(self._names.terms(index[0]), scale))
        yield reach
        address = element.parent
        if address is not None and address.type == "pointer_expression" and node_text(address).startswith("&"):
            yield from self._address(address, scale, reach, depth)

    def _address(self, address: Node, scale: int, reach: Reach, depth: int) -> Iterator[Reach]:
        """Accesses through ``&array[index]``; what an unknown function does with it is not looked for."""
        try:
            yield from tuple(self._uses(address, scale, reach, depth))
        except _UnknownUseError:
            if _holder_or_none(address.parent, address) is not None:
                raise

    def _scale(self, spelled: str) -> int:
        element = parse_element_type(spelled.removesuffix("*").strip()) if spelled.endswith("*") else None
        if element is None or element.size_bytes % self._element_bytes:
            raise _UnknownUseError
        return element.size_bytes // self._element_bytes


def _with_summands(node: Node) -> tuple[Node, tuple[Term, ...]]:
    """The sum around a pointer, parentheses included, and what is added to the pointer in it."""
    whole = node
    while whole.parent is not None and (whole.parent.type == "parenthesized_expression" or is_sum(whole.parent)):
        whole = whole.parent
    terms = terms_of(whole)
    own = [term for term in terms if term.node.start_byte <= node.start_byte and node.end_byte <= term.node.end_byte]
    if len(own) != 1 or own[0].is_subtracted:
        raise _UnknownUseError
    return whole, tuple(term for term in terms if term != own[0])


def _call_around(node: Node) -> Node:
    """The call whose arguments ``node`` is; otherwise ``node``."""
    is_arguments = node.type == "argument_list" and node.parent is not None and node.parent.type == "call_expression"
    return node.parent if is_arguments and node.parent is not None else node


def _is_set(mention: Node) -> bool:
    parent = mention.parent
    operator = None if parent is None else parent.child_by_field_name("operator")
    is_target = parent is not None and parent.type == "assignment_expression" and parent.child_by_field_name("left") == mention
    return is_target and operator is not None and node_text(operator) == "="


def _is_accessed(names: BodyNames, parent: Node, node: Node) -> bool:
    """Whether the element that the pointer points to is read or written: ``*p``, ``__ldg(p)``, ``atomicAdd(p, …)``."""
    if parent.type == "pointer_expression":
        return node_text(parent).startswith("*")
    call = _call_around(parent)
    if call == parent or given_arguments(call)[:1] != (node,):
        return False
    return _READS_OR_UPDATES.fullmatch(callee_name(names.tree, call)) is not None


def _holder(parent: Node | None, node: Node) -> str:
    name = _holder_or_none(parent, node)
    if name is None:
        raise _UnknownUseError
    return name


def _holder_or_none(parent: Node | None, node: Node) -> str | None:
    """The variable that the pointer is stored in."""
    if parent is not None and parent.type in ("argument_list", "initializer_list"):
        node, parent = parent, parent.parent
    if parent is None or node not in (parent.child_by_field_name("value"), parent.child_by_field_name("right")):
        return None
    target = parent.child_by_field_name("declarator" if parent.type == "init_declarator" else "left")
    while target is not None and target.type == "pointer_declarator":
        target = target.child_by_field_name("declarator")
    return node_text(target) if target is not None and target.type == "identifier" else None
