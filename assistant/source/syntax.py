"""A tree-sitter tree over CUDA text, addressed by character offsets.

The only module that talks to tree-sitter. Nodes are tree-sitter's own; their byte offsets are converted here, once.

Example::

    tree = SyntaxTree("__global__ void k(float *a) { a[0] = 1.0; }")
    [tree.text(n) for n in tree.find("number_literal")]   # ['0', '1.0']
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from assistant.model.source import Span

__all__ = ["Node", "SyntaxTree"]


class SyntaxTree:
    """One parse of one text; half-typed text gives a tree with ERROR or missing nodes."""

    def __init__(self, text: str) -> None:
        self._source = text
        data = text.encode("utf-8", "surrogatepass")
        self._is_ascii = len(data) == len(text)
        self._byte_starts: list[int] = [] if self._is_ascii else _character_byte_starts(text)
        self._tree = Parser(Language(tree_sitter_cuda.language())).parse(data)

    @property
    def source(self) -> str:
        return self._source

    @property
    def root(self) -> Node:
        return self._tree.root_node

    def span(self, node: Node) -> Span:
        """The node's character offsets."""
        return Span(self._offset(node.start_byte), self._offset(node.end_byte))

    def text(self, node: Node) -> str:
        span = self.span(node)
        return self._source[span.start : span.end]

    def line(self, node: Node) -> int:
        """1-based line of the node's start."""
        return node.start_point[0] + 1

    def find(self, *types: str, inside: Node | None = None) -> Iterator[Node]:
        """Nodes of the given types in source order, ``inside`` itself included."""
        stack = [self.root if inside is None else inside]
        while stack:
            node = stack.pop()
            if node.type in types:
                yield node
            stack.extend(reversed(node.children))

    def node_at(self, span: Span) -> Node | None:
        """The smallest named node that covers ``span``."""
        return self.root.named_descendant_for_byte_range(self._byte(span.start), self._byte(span.end))

    def ancestors(self, node: Node) -> Iterator[Node]:
        """Parents from the nearest to the root."""
        parent = node.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    def _offset(self, byte: int) -> int:
        return byte if self._is_ascii else bisect_right(self._byte_starts, byte) - 1

    def _byte(self, offset: int) -> int:
        return offset if self._is_ascii else self._byte_starts[offset]


def _character_byte_starts(text: str) -> list[int]:
    starts = [0]
    for character in text:
        starts.append(starts[-1] + len(character.encode("utf-8", "surrogatepass")))
    return starts
