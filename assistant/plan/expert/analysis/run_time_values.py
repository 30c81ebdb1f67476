"""Which values only the run decides; compilers fold the others before any instruction is made.

Example::

    RunTimeValues(tree, function).decides(node)    # True for `x * 2` with a parameter x, False with `const float x = 3.0f;`
"""

from __future__ import annotations

from assistant.cuda.assignments import assignments
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import locals_of

__all__ = ["RunTimeValues"]

_INDICES = frozenset({"threadIdx", "blockIdx"})
_MAX_DEPTH = 8
"""Deepest chain of definitions that is followed."""


class RunTimeValues:
    """Which of a function's values only the run decides."""

    def __init__(self, tree: SyntaxTree, function: Function) -> None:
        self._tree = tree
        self._function = function
        self._locals = locals_of(tree, function.body)
        self._given: dict[str, list[Node | None]] = {}
        """Name of each variable → the values that it is assigned."""
        for change in assignments(tree, function.body):
            name = next((tree.text(n) for n in tree.find("identifier", inside=change.target)), "")
            self._given.setdefault(name, []).append(change.value)

    def decides(self, node: Node) -> bool:
        """Does only the run decide the value?"""
        return self._is_decided(node, 0)

    def _is_decided(self, node: Node, depth: int) -> bool:
        if depth > _MAX_DEPTH:
            return False
        names = (self._tree.text(n) for n in self._tree.find("identifier", inside=node))
        return any(self._is_name_decided(name, depth) for name in names)

    def _is_name_decided(self, name: str, depth: int) -> bool:
        declared = self._locals.get(name, ())
        if not declared:
            return self._function.parameter(name) is not None or name in _INDICES
        values = [*(v.value for v in declared), *self._given.get(name, ())]
        return any(v.is_shared for v in declared) or any(v is not None and self._is_decided(v, depth + 1) for v in values)
