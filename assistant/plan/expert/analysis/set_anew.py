"""Which uses of a local see a value that it has now: those before it is set anew.

Example::

    until_set_anew(context, uses)      # of `out[0] = sum; sum = 0; sum += x;` behind a reduction: the use in `out[0] = sum;` alone
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["until_set_anew"]


def until_set_anew(context: TransformationContext, uses: Iterable[Node]) -> list[Node]:
    """The uses before a statement of the kernel's body gives the local another value; all of them are behind the value in question."""
    kept = list[Node]()
    for use in uses:
        change = next((c for c in assignments(context.tree, context.body) if c.target == use), None)
        if change is not None and _is_set_anew(context, change):
            break
        kept.append(use)
    return kept


def _is_set_anew(context: TransformationContext, change: Assignment) -> bool:
    statement, name = change.node.parent, context.tree.text(change.target)
    is_whole = statement is not None and statement.parent == context.body and change.operator == "="
    return is_whole and change.value is not None and not mentions(context.tree, change.value, name)
