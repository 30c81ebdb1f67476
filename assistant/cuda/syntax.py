"""A tree-sitter tree over CUDA text, addressed by character offsets.

The only module that talks to tree-sitter. Nodes are tree-sitter's own; their byte offsets are converted here, once. The
grammar reads ``Reading.readable``, so attributes such as ``__launch_bounds__`` are absent from the tree; ``text``
always answers from the source.

Example::

    tree = SyntaxTree("__global__ void k(float *a) { a[0] = 1.0; }")
    [tree.text(n) for n in tree.find("number_literal")]   # ['0', '1.0']
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache, cached_property, wraps
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser, Point, Query, QueryCursor, Tree

from assistant.cuda.reading import Reading, read
from assistant.model.source import Source, Span

__all__ = [
    "KEPT_ANSWERS",
    "Node",
    "SyntaxTree",
    "binary_parts",
    "joined",
    "kept",
    "node_text",
    "parsed_expression",
    "unparenthesized",
    "without_comments",
]

KEPT_ANSWERS = 64
"""Answers about a text that a cached question keeps."""
_P = ParamSpec("_P")
_R = TypeVar("_R")
_OPTIONAL_IN_PARAMETERS = frozenset({"identifier", "type_identifier"})
_INDEXED = (
    *("function_definition", "declaration", "for_range_loop", "parameter_declaration", "optional_parameter_declaration"),
    *("enumerator", "call_expression", "preproc_def", "preproc_function_def"),
)
_LONG = 5_000
"""Nodes from which a query is quicker than a walk, though tree-sitter takes 14 to 26 ms to prepare one for this grammar."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def kept(question: Callable[Concatenate[SyntaxTree, _P], _R]) -> Callable[Concatenate[SyntaxTree, _P], _R]:
    """``question`` with answers that live as long as the tree: planning asks the same ones many times over one text."""

    @wraps(question)
    def answered(tree: SyntaxTree, *arguments: _P.args, **named: _P.kwargs) -> _R:
        answers: dict[Hashable, _R] = tree.answers.setdefault(question, {})
        key = (arguments, tuple(named.items()))
        if key not in answers:
            answers[key] = question(tree, *arguments, **named)
        return answers[key]

    return answered


class SyntaxTree:
    """One parse of a text; half-typed text gives a tree with ERROR or missing nodes."""

    def __init__(
        self,
        text: str,
        reading: Reading | None = None,
        others: tuple[Source, ...] = (),
        before: SyntaxTree | None = None,
        outer: str = "",
    ) -> None:
        """``reading`` is what the grammar sees of the text, by default ``read(text)``; it may be longer.

        ``others``: the program's other files, of which only `program` speaks. ``before``: the tree of an earlier text, from which what
        both texts have is taken over. ``outer``: the text of `outer`.
        """
        self._others = others
        self.outer_text = outer
        self._source = text
        self._reading = read(text) if reading is None else reading
        readable = self._reading.readable
        data = readable.encode("utf-8", "surrogatepass")
        self._wide_starts: list[int] = []
        self._wide_byte_ends: list[int] = []
        self._extra_bytes: list[int] = [0]
        if len(data) != len(readable):
            self._index_wide_characters(readable)
        self._data = data
        self._tree = Parser(_language()).parse(data) if before is None else _parsed_again(data, before._data, before._tree)
        self._parts: tuple[tuple[int, Path | None, str], ...] = ((0, None, text),)
        """(where it begins, path, text) of each file of `program`, this text's own first and without a path."""
        self.answers: dict[Hashable, dict[Hashable, Any]] = {}
        """By question, those of ``kept`` alone: the types are the questions' own."""

    @property
    def source(self) -> str:
        return self._source

    @property
    def reading(self) -> Reading:
        return self._reading

    @property
    def root(self) -> Node:
        return self._tree.root_node

    def span(self, node: Node) -> Span:
        """The node's character offsets."""
        end, node_start, node_end = len(self._source), self._offset(node.start_byte), self._offset(node.end_byte)
        return Span(node_start if node_start < end else end, node_end if node_end < end else end)

    def text(self, node: Node) -> str:
        return self._source[self._offset(node.start_byte) : self._offset(node.end_byte)]

    def line(self, node: Node) -> int:
        """1-based line of the node's start."""
        return node.start_point[0] + 1

    @cached_property
    def program(self) -> SyntaxTree:
        """A tree of this text and, after it, the program's other files: for what calls a function, wherever it stands."""
        if not self._others:
            return self
        texts = (self._source, *(source.text for source in self._others))
        starts = accumulate((len(text) + 1 for text in texts[:-1]), initial=0)
        whole = SyntaxTree("\n".join(texts))
        whole._parts = tuple(zip(starts, (None, *(source.path for source in self._others)), texts, strict=True))
        return whole

    @cached_property
    def outer(self) -> SyntaxTree | None:
        """A tree of what other files define before this text (`outer_definitions`); None where that is nothing."""
        return SyntaxTree(self.outer_text) if self.outer_text else None

    @property
    def others(self) -> tuple[Source, ...]:
        """The program's other files."""
        return self._others

    @property
    def extent(self) -> str:
        """How far `program` reaches, as a noun."""
        return "program" if self._others else "file"

    def place(self, span: Span) -> str:
        """``line 12``; ``line 3 of run.cu`` in another file of `program`."""
        path, start = self.file_at(span)
        line = self._source.count("\n", start, span.start) + 1
        return f"line {line}" + ("" if path is None else f" of {path.name}")

    def file_at(self, span: Span) -> tuple[Path | None, int]:
        """Which file of `program` a span lies in, None for this text's own, and where that begins."""
        start, path, _ = self._part(span)
        return path, start

    def file_of(self, node: Node) -> SyntaxTree:
        """The file of `program` that a node lies in, by itself; its nodes are others."""
        return self if len(self._parts) == 1 else _alone(self, self._part(self.span(node))[2])

    def nearest(self, definitions: Iterable[Node], node: Node) -> list[Node]:
        """Those in the node's own file; all where it has none."""
        every, own = list(definitions), self._part(self.span(node))
        return [each for each in every if self._part(self.span(each)) is own] or every

    def _part(self, span: Span) -> tuple[int, Path | None, str]:
        return self._parts[bisect_right(self._parts, span.start, key=itemgetter(0)) - 1]

    def find(self, *types: str, inside: Node | None = None) -> Iterator[Node]:
        """Nodes of the given types in source order, ``inside`` itself included; outer nodes come first."""
        node = self.root if inside is None else inside
        if inside is not None and self._is_long and self._indexed.keys() >= set(types):
            found = [each for name in types for each in self._indexed_inside(name, inside)]
        elif not self._is_long:
            found = self._walked.find(types, inside)
        elif node.descendant_count < _LONG:
            found = _Walked(node).find(types, None)
        elif inside is None and self._indexed.keys() >= set(types):
            found = [each for name in types for each in self._indexed[name]]
        else:
            found = QueryCursor(_query(types)).captures(node).get("node", [])
        yield from sorted(found, key=lambda each: (each.start_byte, -each.end_byte))

    @cached_property
    def _walked(self) -> _Walked:
        return _Walked(self.root)

    @cached_property
    def _indexed(self) -> dict[str, list[Node]]:
        """All nodes of the types that are asked for in every text, in source order: one walk over a long text instead of ten."""
        found = QueryCursor(_index_query()).captures(self.root)
        return {name: sorted(found.get(name, ()), key=lambda each: (each.start_byte, -each.end_byte)) for name in _INDEXED}

    @cached_property
    def _is_long(self) -> bool:
        return self.root.descendant_count >= _LONG

    def _indexed_inside(self, name: str, node: Node) -> Iterator[Node]:
        """The indexed nodes of a type that are ``node`` or below it, in source order."""
        nodes = self._indexed[name]
        low = bisect_left(nodes, node.start_byte, key=_start_byte)
        for each in nodes[low : bisect_left(nodes, node.end_byte, lo=low, key=_start_byte)]:
            is_as_long = each.start_byte == node.start_byte and each.end_byte == node.end_byte and each.id != node.id
            if each.end_byte <= node.end_byte and not (is_as_long and any(each.id == parent.id for parent in self.ancestors(node))):
                yield each

    def problems(self) -> Iterator[Node]:
        """ERROR and missing nodes, outermost only, in source order.

        The grammar wants a name in ``float * = 0`` and a type in ``S s = {}``; both are right without.
        """
        stack = [self.root] if self.root.has_error else []
        while stack:
            node = stack.pop()
            if node.is_missing and node.type in _OPTIONAL_IN_PARAMETERS and _is_in_parameters(self, node):
                continue
            if node.is_error or node.is_missing:
                yield node
            else:
                stack.extend(child for child in reversed(node.children) if child.has_error)

    def node_at(self, span: Span) -> Node | None:
        """The smallest named node that covers ``span``."""
        return self.root.named_descendant_for_byte_range(self._byte(span.start), self._byte(span.end))

    def ancestors(self, node: Node) -> Iterator[Node]:
        """Parents from the nearest to the root."""
        parent = node.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    def _index_wide_characters(self, readable: str) -> None:
        extra = 0
        for match in _NOT_ASCII.finditer(readable):
            extra += len(match[0].encode("utf-8", "surrogatepass")) - 1
            self._wide_starts.append(match.start())
            self._wide_byte_ends.append(match.end() + extra)
            self._extra_bytes.append(extra)

    def _offset(self, byte: int) -> int:
        if not self._wide_starts:
            return byte
        return byte - self._extra_bytes[bisect_right(self._wide_byte_ends, byte)]

    def _byte(self, offset: int) -> int:
        return offset + self._extra_bytes[bisect_right(self._wide_starts, offset - 1)]


def node_text(node: Node) -> str:
    """The node's text as the grammar read it, whichever tree it belongs to."""
    return (node.text or b"").decode("utf-8", "surrogatepass")


def unparenthesized(node: Node) -> Node:
    """What stands inside any number of parentheses."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def binary_parts(node: Node) -> tuple[str, Node, Node] | None:
    """(operator, left, right) of ``a + b``; None for any other node."""
    if node.type != "binary_expression":
        return None
    operator, left, right = (node.child_by_field_name(field) for field in ("operator", "left", "right"))
    if operator is None or left is None or right is None:
        return None
    return node_text(operator), left, right


def joined(node: Node, operator: str) -> tuple[Node, ...]:
    """What ``operator`` joins, in order: ``a``, ``b``, ``c`` of ``a + (b + c)``; the node itself where it joins nothing."""
    node = unparenthesized(node)
    parts = binary_parts(node)
    if parts is None or parts[0] != operator:
        return (node,)
    return (*joined(parts[1], operator), *joined(parts[2], operator))


def without_comments(node: Node) -> tuple[Node, ...]:
    """The named children that are code."""
    return tuple(child for child in node.named_children if child.type != "comment")


def parsed_expression(text: str) -> Node | None:
    """A text as an expression of its own; None where it is not one."""
    tree = SyntaxTree(f"int value_ = ({text.split('//')[0].strip()});")
    declarator = next(tree.find("init_declarator"), None)
    return None if tree.root.has_error or declarator is None else declarator.child_by_field_name("value")


class _Walked:
    """A node and everything below it, from one walk: what is asked for inside one of these nodes follows it in a row."""

    def __init__(self, node: Node) -> None:
        self._nodes = _walk(node)
        self._of_type: dict[str, list[int]] = {}
        for place, each in enumerate(self._nodes):
            self._of_type.setdefault(each.type, []).append(place)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {each.id: place for place, each in enumerate(self._nodes)}

    def find(self, types: tuple[str, ...], inside: Node | None) -> list[Node]:
        """In the order of the walk. ``inside`` may be a node of another tree."""
        start, end = 0, len(self._nodes)
        if inside is not None:
            place = self._places.get(inside.id)
            if place is None or self._nodes[place] != inside or self._nodes[place].start_byte != inside.start_byte:
                return _Walked(inside).find(types, None)
            start, end = place, place + inside.descendant_count
        found: list[int] = []
        for name in dict.fromkeys(types):
            places = self._of_type.get(name, [])
            found += places[bisect_left(places, start) : bisect_left(places, end)]
        nodes = (self._nodes[place] for place in sorted(found))
        return [each for each in nodes if each.is_named == _names_a_node(each.type)]


def _walk(node: Node) -> list[Node]:
    """The node and everything below it, in source order."""
    cursor = node.walk()
    found: list[Node] = []
    while cursor.node is not None:
        found.append(cursor.node)
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            break
    return found


def _parsed_again(data: bytes, before: bytes, tree: Tree) -> Tree:
    """The tree of ``data``, made from that of another text; where there is an error it is read whole, so that it is the same always."""
    start = _agreeing(lambda count: data[:count] == before[:count], min(len(data), len(before)))
    kept = _agreeing(lambda count: data[len(data) - count :] == before[len(before) - count :], min(len(data), len(before)) - start)
    old_end, new_end = len(before) - kept, len(data) - kept
    edited = tree.copy()
    edited.edit(start, old_end, new_end, _point(data, start), _point(before, old_end), _point(data, new_end))
    parser = Parser(_language())
    made = parser.parse(data, edited)
    return parser.parse(data) if made.root_node.has_error else made


def _agreeing(agrees: Callable[[int], bool], most: int) -> int:
    """The largest count up to ``most`` on which two texts agree, as they do on every smaller one."""
    return bisect_left(range(most), True, key=lambda count: not agrees(count + 1))


def _point(data: bytes, offset: int) -> Point:
    return Point(data.count(b"\n", 0, offset), offset - 1 - data.rfind(b"\n", 0, offset))


def _start_byte(node: Node) -> int:
    return node.start_byte


def _is_in_parameters(tree: SyntaxTree, node: Node) -> bool:
    return any(parent.type == "optional_parameter_declaration" for parent in tree.ancestors(node))


@cache
def _language() -> Language:
    return Language(tree_sitter_cuda.language())


@kept
def _alone(_: SyntaxTree, text: str) -> SyntaxTree:
    return SyntaxTree(text)


@cache
def _names_a_node(name: str) -> bool:
    """Otherwise it is a word or sign of the language."""
    return name == "ERROR" or bool(_language().id_for_node_kind(name, True))


@cache
def _index_query() -> Query:
    return Query(_language(), " ".join(f"({name}) @{name}" for name in _INDEXED))


@cache
def _query(types: tuple[str, ...]) -> Query:
    named = (f"({name})" if _names_a_node(name) else f'"{name}"' for name in types)
    return Query(_language(), f"[{' '.join(named)}] @node")
