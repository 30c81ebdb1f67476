"""Conditional statements: what an ``if`` asks, and what it does.

Example::

    condition_of(statement)                        # the node of `row >= m || col >= n`
    lone_statement(statement.child_by_field_name("consequence")).type   # 'return_statement'
"""

from __future__ import annotations

from assistant.cuda.syntax import Node, unparenthesized, without_comments

__all__ = ["condition_of", "lone_statement"]


def condition_of(statement: Node) -> Node | None:
    """What an ``if``, ``while`` or ``for`` asks, without parentheses; None where it could not be read."""
    asked = statement.child_by_field_name("condition")
    if asked is not None and asked.type == "condition_clause":
        asked = asked.child_by_field_name("value")
    return None if asked is None else unparenthesized(asked)


def lone_statement(branch: Node) -> Node | None:
    """The only statement of a branch, with or without braces; None where there are several or none."""
    statements = without_comments(branch) if branch.type == "compound_statement" else (branch,)
    return statements[0] if len(statements) == 1 else None
