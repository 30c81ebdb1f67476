"""Edits that make one literal, macro or constant single precision.

A macro or constant that is used in converted expressions only changes where it is defined, with all that is defined with it; one that is
used elsewhere too is converted at each use.

Example::

    constant_edits(tree, {"DT": (node,)})     # `0.01` → `0.01f` in `#define DT 0.01`, or `DT` → `(float)DT` at the node
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.literals import is_double_literal, numbers_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.source import Span, TextEdit

__all__ = ["constant_edits", "definition_of"]


def constant_edits(tree: SyntaxTree, uses: Mapping[str, Sequence[Node]]) -> Iterator[TextEdit]:
    """Edits for the named macros and constants, given every use in a converted expression."""
    for name, nodes in uses.items():
        definition = definition_of(tree, name)
        others = () if definition is None else _names(tree, definition, name)
        if definition is not None and all(_is_only_in(tree, other, uses.get(other, ()), definition) for other in others):
            yield from _definition_edits(tree, definition)
        else:
            yield from (TextEdit(tree.span(node), f"(float){name}") for node in nodes)


def definition_of(tree: SyntaxTree, name: str) -> Node | None:
    """The ``#define`` or the declaration that gives ``name`` its value, where only one does."""
    for node in tree.find("preproc_def"):
        defined = node.child_by_field_name("name")
        if defined is not None and tree.text(defined) == name:
            return node
    declared = locals_of(tree, tree.root).get(name, ())
    return declared[0].node if len(declared) == 1 else None


def _names(tree: SyntaxTree, definition: Node, name: str) -> tuple[str, ...]:
    """All that it defines."""
    return tuple(one.name for one in declared_variables(tree, definition)) or (name,)


def _is_only_in(tree: SyntaxTree, name: str, nodes: Sequence[Node], definition: Node) -> bool:
    return bool(nodes) and not _used_elsewhere(tree, name, nodes, definition)


def _used_elsewhere(tree: SyntaxTree, name: str, nodes: Sequence[Node], definition: Node) -> bool:
    inside = tree.span(definition)
    known = {tree.span(node) for node in nodes}
    word = re.compile(rf"\b{re.escape(name)}\b")
    mentions = (Span(m.start(), m.end()) for m in word.finditer(tree.reading.readable[: len(tree.source)]))
    return any(mention not in known and not inside.contains(mention) for mention in mentions)


def _definition_edits(tree: SyntaxTree, definition: Node) -> Iterator[TextEdit]:
    """``double`` → ``float`` in a declaration, and ``f`` behind each double literal."""
    type_node = definition.child_by_field_name("type")
    if type_node is not None:
        yield TextEdit(tree.span(type_node), "float")
    span = tree.span(definition)
    start = span.start if type_node is None else tree.span(type_node).end
    name = definition.child_by_field_name("name")
    if name is not None:
        start = tree.span(name).end
    for number in numbers_in(tree.source, start, span.end):
        if is_double_literal(number[0]):
            yield TextEdit(Span(number.end(), number.end()), "f")
