"""Loads that a condition chooses, as padding is written: ``inside ? in[i] : 0.0f``.

What is chosen between stands for the element where it is loaded elsewhere, so that nothing is loaded that the condition keeps out.

Example::

    with_choices(tree, function, accesses)    # `inside ? in[i] : 0.0f` in the place of `in[i]`; or why an element is not to be moved
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.cuda.accesses import ArrayAccess
from assistant.cuda.functions import Function
from assistant.cuda.literals import is_literal_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.pointer_roots import element_type
from assistant.plan.expert.obstacle import Obstacle

__all__ = ["with_choices"]

_STATEMENTS = ("expression_statement", "declaration")
_SHORT = ("&&", "||")
_WIDTHS = {"float": 4, "double": 8}
"""Bytes of a type: a narrower literal does not change the type of a choice."""


def with_choices(tree: SyntaxTree, function: Function, accesses: Sequence[ArrayAccess]) -> list[ArrayAccess] | Obstacle:
    """The accesses, each by the whole expression that chooses whether it is made; why one has another form."""
    found: dict[int, ArrayAccess] = {}
    for access in accesses:
        inside: list[Node] = []
        for node in tree.ancestors(access.node):
            if node.type in _STATEMENTS:
                break
            inside.append(node)
        line = tree.line(access.node)
        if any(parts[0] in _SHORT for node in inside if (parts := binary_parts(node)) is not None):
            return Obstacle(DeclineReason.CONDITIONAL, f"line {line} loads `{access.base}` only where another part of its condition holds")
        chosen = [node for node in inside if node.type == "conditional_expression"]
        if not chosen:
            found[access.node.id] = access
        elif len(chosen) > 1 or not _is_plain(access.node, chosen[0], element_type(tree, function, access.base)):
            words = f"line {line} would have to choose between an element of `{access.base}` and a 0 of the same type"
            return Obstacle(DeclineReason.CONDITIONAL, words)
        else:
            found[chosen[0].id] = replace(access, node=chosen[0])
    return list(found.values())


def _is_plain(element: Node, choice: Node, kind: str | None) -> bool:
    """Whether it is a choice between the element and a 0 that leaves the type of the element."""
    sides = [choice.child_by_field_name(field) for field in ("consequence", "alternative")]
    known = [unparenthesized(side) for side in sides if side is not None]
    others = [node_text(side).replace(" ", "") for side in known if side != element]
    zeros = {"0", f"{kind}(0)", f"({kind})0", f"static_cast<{kind}>(0)"}
    is_real = len(others) == 1 and is_literal_of(others[0], 0) and kind in _WIDTHS and _WIDTHS[kind] >= _width(others[0])
    return len(known) == 2 and len(others) == 1 and (others[0] in zeros or is_real)


def _width(literal: str) -> int:
    return _WIDTHS["float" if literal.lower().endswith("f") or literal.isdigit() else "double"]
