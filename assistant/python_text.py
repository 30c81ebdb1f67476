"""Python text as a tree, read by one thread at a time.

Until CPython 3.11.8 and 3.12.2 two threads that read at once can end with ``SystemError: AST constructor recursion depth mismatch``
(python/cpython issue 106905: the depth is counted for all threads together).

Example::

    parse_module("x = 1").body         # [<ast.Assign …>]
    parse_expression("2 * n").op       # <ast.Mult …>
"""

from __future__ import annotations

import ast
from threading import Lock

__all__ = ["parse_expression", "parse_module"]

_ONE_AT_A_TIME = Lock()


def parse_module(text: str) -> ast.Module:
    """Raises SyntaxError or ValueError for what is no Python, RecursionError or MemoryError for what is nested too deep."""
    with _ONE_AT_A_TIME:
        return ast.parse(text)


def parse_expression(text: str) -> ast.expr:
    """Raises as `parse_module`."""
    with _ONE_AT_A_TIME:
        return ast.parse(text, mode="eval").body
