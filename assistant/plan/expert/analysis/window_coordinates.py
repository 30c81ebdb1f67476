"""Coordinates of a window's elements: the thread's place in its block, moved by a loop's counter.

An index such as ``clamp(y + dy, 0, h - 1) * w + x + dx`` has two: ``y + dy`` and ``x + dx``. Locals are followed. What is no such sum
but depends on the thread or the window is not understood, and neither is the index then.

Example::

    names = WindowNames(context, {"dy": Range(-2, 2, …), "dx": Range(-2, 2, …)}, frozenset())
    [(c.axis, c.counter) for c in coordinates_in(names, index) or ()]    # [('y', 'dy'), ('x', 'dx')]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from assistant.cuda.casts import cast_of
from assistant.cuda.integers import Scope
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text, unparenthesized
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Coordinate", "Leaf", "Range", "WindowNames", "coordinate_of", "coordinates_in", "terms_of"]

_UNKNOWN = "?"
_MAX_DEPTH = 12
_BUILTINS = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_MEMORY = ("subscript_expression", "pointer_expression", "assignment_expression", "update_expression", "lambda_expression")


class Range(Record):
    """What a loop's counter runs through, one by one."""

    first: int
    last: int
    first_text: str
    """As the author writes it: ``-R``."""
    span_text: str
    """``last - first`` in the author's names: ``2 * R``, ``K - 1``; a number where there are none."""


class Leaf(Record):
    """A term of a coordinate."""

    sign: str
    text: str
    role: str
    """``thread``, ``counter``, or ``shared``: the same in every thread of the block and at every place of the window."""


class Coordinate(Record):
    """A sum of one thread index, at most one counter, and terms that all threads share."""

    axis: str
    """``x`` or ``y`` of ``threadIdx``."""
    counter: str | None
    sign: str
    """Of the counter."""
    leaves: tuple[Leaf, ...]
    nodes: tuple[Node, ...]
    """The terms of the index that make it up."""

    @property
    def shared(self) -> tuple[tuple[str, str], ...]:
        """Signs and texts of the shared terms."""
        return tuple(sorted((leaf.sign, leaf.text.replace(" ", "")) for leaf in self.leaves if leaf.role == "shared"))

    @property
    def place(self) -> tuple[object, ...]:
        """Equal for coordinates that are always equal."""
        return (self.axis, self.counter, self.sign, self.shared)


class WindowNames:
    """What the names of a kernel stand for, as seen from inside a window's loops."""

    def __init__(self, context: TransformationContext, ranges: Mapping[str, Range], fixed: frozenset[str]) -> None:
        """``fixed``: counters of loops around the window, the same for all threads at any time."""
        self.context, self.ranges, self._fixed = context, ranges, fixed
        self.scope: Scope = scope_of(context.tree, context.kernel)

    def without(self, counters: Set[str]) -> WindowNames:
        """The same with these counters as those of loops around the window."""
        ranges = {name: span for name, span in self.ranges.items() if name not in counters}
        return WindowNames(self.context, ranges, self._fixed | counters)

    def roots(self, node: Node, depth: int = 0) -> frozenset[str]:
        """Thread axes and counters that decide a value; ``?`` where memory or a changing variable does."""
        tree = self.context.tree
        if depth > _MAX_DEPTH or next(tree.find(*_MEMORY, inside=node), None) is not None:
            return frozenset((_UNKNOWN,))
        hidden = hidden_names(tree, node) if tree.text(node) == node_text(node) else self._hidden_in(node)
        found = {_UNKNOWN} if hidden & {*_BUILTINS[:1], *self.ranges} else set[str]()
        for name in tree.find("identifier", inside=node):
            found |= self._roots_of_name(name, depth)
        return frozenset(found)

    def definition(self, node: Node) -> Node | None:
        """What a local that is written once stands for."""
        return self.scope.definition(node_text(node)) if node.type == "identifier" else None

    def _hidden_in(self, node: Node) -> frozenset[str]:
        """Words of the macros and helpers in a condition that was read by itself."""
        used = {word for word in words_in(node_text(node)) if word in self.scope.formulas}
        return frozenset(word for name in used for word in words_in(node_text(self.scope.formulas[name].body)))

    def _roots_of_name(self, name: Node, depth: int) -> frozenset[str]:
        text, parent = node_text(name), name.parent
        if text == "threadIdx":
            is_axis = parent is not None and parent.type == "field_expression"
            return frozenset((node_text(parent).split(".")[-1].strip() if is_axis and parent is not None else _UNKNOWN,))
        if text in self.ranges:
            return frozenset((text,))
        definition = self.scope.definition(text)
        if text in self._fixed:
            return frozenset()
        if definition is not None:
            return self.roots(definition, depth + 1)
        return frozenset((_UNKNOWN,)) if text in self.scope.writes else frozenset()


def coordinates_in(names: WindowNames, node: Node) -> tuple[Coordinate, ...] | None:
    """Every coordinate of an expression, in order; None where it depends on the thread or the window in another way."""
    roots = names.roots(node)
    if not roots:
        return ()
    node = unparenthesized(node)
    whole = coordinate_of(names, _without_bases(names, terms_of(node)))
    if whole is not None:
        return (whole,)
    definition = names.definition(node)
    if definition is not None:
        return coordinates_in(names, definition)
    terms = terms_of(node)
    if len(terms) > 1:
        return _of_sum(names, terms)
    if _UNKNOWN in roots and node.type == "identifier":
        return None
    parts = [coordinates_in(names, child) for child in node.named_children]
    if node.type in ("identifier", "field_expression") or None in parts:
        return None
    return tuple(each for part in parts for each in part or ())


def coordinate_of(names: WindowNames, terms: tuple[tuple[str, Node], ...]) -> Coordinate | None:
    """The terms as one coordinate; None where they are none."""
    leaves: list[Leaf] = []
    for sign, node in terms:
        expanded = _leaves(names, sign, node, 0)
        if expanded is None:
            return None
        leaves += expanded
    threads = [leaf for leaf in leaves if leaf.role == "thread"]
    counters = [leaf for leaf in leaves if leaf.role == "counter"]
    if len(threads) != 1 or threads[0].sign != "+" or len(counters) > 1:
        return None
    counter = counters[0] if counters else None
    axis = threads[0].text.split(".")[-1].strip()
    nodes = tuple(node for _, node in terms)
    return Coordinate(axis, counter and counter.text, counter.sign if counter else "+", tuple(leaves), nodes)


def terms_of(node: Node, sign: str = "+") -> tuple[tuple[str, Node], ...]:
    """Signed terms of a sum, in order; the node itself where it is none."""
    node = unparenthesized(node)
    parts = binary_parts(node)
    if parts is None or parts[0] not in ("+", "-"):
        return ((sign, node),)
    right = sign if parts[0] == "+" else _opposite(sign)
    return (*terms_of(parts[1], sign), *terms_of(parts[2], right))


def _without_bases(names: WindowNames, terms: tuple[tuple[str, Node], ...]) -> tuple[tuple[str, Node], ...]:
    """The terms but for products that all threads share, such as ``c * H``: where an image begins is no part of a row's number."""
    return tuple(
        (sign, node)
        for sign, node in terms
        if names.roots(node) or (parts := binary_parts(node)) is None or parts[0] != "*" or "block" in node_text(node)
    )


def _of_sum(names: WindowNames, terms: tuple[tuple[str, Node], ...]) -> tuple[Coordinate, ...] | None:
    """The plain terms are one coordinate; the others hold theirs."""
    plain = tuple(term for term in terms if names.roots(term[1]) and _leaves(names, *term, 0) is not None)
    found = list[Coordinate]()
    for _, node in (term for term in terms if term not in plain):
        inner = coordinates_in(names, node)
        if inner is None:
            return None
        found += inner
    own = coordinate_of(names, plain) if plain else None
    if plain and own is None:
        return None
    return (*found, own) if own is not None else tuple(found)


def _leaves(names: WindowNames, sign: str, node: Node, depth: int) -> list[Leaf] | None:
    node = unparenthesized(node)
    roots = names.roots(node)
    text = node_text(node)
    if not roots:
        return [Leaf(sign, text, "shared")]
    if text in names.ranges:
        return [Leaf(sign, text, "counter")]
    if node.type == "field_expression" and roots <= {"x", "y"}:
        return [Leaf(sign, text, "thread")]
    if _UNKNOWN in roots or depth > _MAX_DEPTH:
        return None
    inner = names.definition(node) or _cast_value(node)
    terms = ((sign, inner),) if inner is not None else terms_of(node, sign)
    if inner is None and len(terms) == 1:
        return None
    return _joined(_leaves(names, s, n, depth + 1) for s, n in terms)


def _joined(parts: Iterator[list[Leaf] | None]) -> list[Leaf] | None:
    found: list[Leaf] = []
    for part in parts:
        if part is None:
            return None
        found += part
    return found


def _cast_value(node: Node) -> Node | None:
    """What ``(int)threadIdx.x`` converts."""
    cast = cast_of(node)
    return None if cast is None or cast.type not in ("int", "long") else cast.value


def _opposite(sign: str) -> str:
    return "-" if sign == "+" else "+"
