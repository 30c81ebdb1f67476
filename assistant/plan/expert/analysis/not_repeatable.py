"""Whether an expression may be computed twice where the text computes it once.

Example::

    not_repeatable(tree, function, node)    # None for `x[i] - mean`, an obstacle for `next(&state)` and `*p++`
"""

from __future__ import annotations

from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function, functions
from assistant.cuda.macros import hidden_effect
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.obstacle import Obstacle

__all__ = ["not_repeatable"]

_CHANGES = ("assignment_expression", "update_expression", "comma_expression", "lambda_expression")


def not_repeatable(tree: SyntaxTree, function: Function, node: Node) -> Obstacle | None:
    """Why the expression must not stand in the text twice."""
    base = tree.text(node)
    if next(tree.find(*_CHANGES, inside=node), None) is not None:
        return Obstacle(DeclineReason.NOT_RECOMPUTABLE, f"`{base}` changes something, and would do so twice")
    macro = hidden_effect(tree, node)
    if macro is not None:
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO, f"the macro `{macro}` in `{base}` may do more than compute a value")
    own = {f.name for f in functions(tree)}
    for call in tree.find("call_expression", inside=node):
        name = callee_name(tree, call)
        if name.split("::")[-1] in own or not is_pure(name):
            return Obstacle(DeclineReason.NOT_RECOMPUTABLE, f"`{base}` calls `{name}`, which would be called twice")
    declared = {v.name: v for v in (*function.parameters, *(v for found in locals_of(tree, function.body).values() for v in found))}
    for identifier in tree.find("identifier", inside=node):
        variable = declared.get(tree.text(identifier))
        if variable is not None and variable.is_volatile:
            return Obstacle(DeclineReason.VOLATILE, f"`{variable.name}` is volatile: each access must reach memory")
    return None
