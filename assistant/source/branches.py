"""Conditional statements: what an ``if`` asks, and what it does.

Example::

    condition_of(statement)                        # the node of `row >= m || col >= n`
    joined(condition_of(statement), "||")          # the nodes of `row >= m` and `col >= n`
    lone_statement(statement.child_by_field_name("consequence")).type   # 'return_statement'
"""

from __future__ import annotations

from assistant.source.syntax import Node, binary_parts, unparenthesized, without_comments

__all__ = ["condition_of", "joined", "lone_statement"]


def condition_of(statement: Node) -> Node | None:
    """What an ``if``, ``while`` or ``for`` asks, without parentheses; None where it could not be read."""
    asked = statement.child_by_field_name("condition")
    if asked is not None and asked.type == "condition_clause":
        asked = asked.child_by_field_name("value")
    return None if asked is None else unparenthesized(asked)


def joined(condition: Node, operator: str) -> tuple[Node, ...]:
    """The conditions that ``&&`` (or ``||``) joins, in order; the condition itself where it joins none."""
    condition = unparenthesized(condition)
    parts = binary_parts(condition)
    if parts is None or parts[0] != operator:
        return (condition,)
    return (*joined(parts[1], operator), *joined(parts[2], operator))


def lone_statement(branch: Node) -> Node | None:
    """The only statement of a branch, with or without braces; None where there are several or none."""
    statements = without_comments(branch) if branch.type == "compound_statement" else (branch,)
    return statements[0] if len(statements) == 1 else None
