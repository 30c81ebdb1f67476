"""Whether the threads that share a loop's elements have one and the same value in a name: then an element may change threads.

Example::

    CommonValues(context, dealing, followed).differing(loop)    # () for `mean` from a block's sum; ('w',) for `w = window[threadIdx.x]`
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.assignments import assignments
from assistant.cuda.calls import callee_name
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.variables import locals_of
from assistant.plan.expert.analysis.dealing import Dealing
from assistant.plan.expert.analysis.followed_totals import FollowedTotals
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["CommonValues"]

_OWN_CALLS = ("__shfl", "__ballot", "atomic", "clock", "curand")
"""Calls whose result is another one in each thread."""


class CommonValues:
    """What the threads of a group agree on when a loop begins."""

    def __init__(self, context: TransformationContext, dealing: Dealing, followed: FollowedTotals) -> None:
        self._context, self._dealing, self._followed = context, dealing, followed

    def differing(self, loop: Node, own: frozenset[str], moved: Sequence[Node] = ()) -> tuple[str, ...]:
        """Names that an iteration uses, and that may be another value in another thread; ``own``: sums and the counter.

        ``moved``: expressions that are not looked at, as they will be other ones.
        """
        body = loop.child_by_field_name("body")
        named = () if body is None else self._context.tree.find("identifier", inside=body)
        kept = {node_text(n) for n in named if not any(m.start_byte <= n.start_byte < m.end_byte for m in moved)}
        used = kept - own - (set() if body is None else locals_of(self._context.tree, body).keys())
        return tuple(name for name in sorted(used) if not self._is_common(name, loop, frozenset()))

    def _is_common(self, name: str, loop: Node, asked: frozenset[str]) -> bool:
        tree, found = self._context.tree, locals_of(self._context.tree, self._context.body).get(name, ())
        if name == "threadIdx" or name in asked or (name == "blockIdx" and self._dealing.is_grid):
            return False
        if not found or name in self._followed.totals.get(loop.id, ()) or all(v.is_shared for v in found):
            return True
        if len(found) != 1 or found[0].is_array:
            return False
        changes = [c for c in assignments(tree, self._context.body) if node_text(c.target) == name and c.node.start_byte < loop.start_byte]
        first = [found[0].value] if found[0].value is not None else []
        values = [*first, *(c.value for c in changes)]
        return bool(values) and all(value is not None and self._is_common_value(value, loop, asked | {name}) for value in values)

    def _is_common_value(self, value: Node, loop: Node, asked: frozenset[str]) -> bool:
        if value.id in self._followed.total_calls or self._dealing.agrees(self._context, value):
            return True
        if value.type == "identifier":
            return self._is_common(node_text(value), loop, asked)
        if value.type == "field_expression" and node_text(value).startswith("threadIdx"):
            return False
        inner = value.named_children
        if value.type == "call_expression":
            if callee_name(self._context.tree, value).startswith(_OWN_CALLS):
                return False
            inner = [n for part in inner if part.type == "argument_list" for n in part.named_children]
        return all(self._is_common_value(n, loop, asked) for n in inner if n.type not in ("type_descriptor", "primitive_type", "comment"))
