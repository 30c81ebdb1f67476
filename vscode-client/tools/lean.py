"""Python source as the extension carries it: without docstrings and comments, each statement on the line where it was.

Nobody reads the copy inside the package, and its words are a fifth of what the package may weigh. Tracebacks name the right lines.
Example::

    lean("x = 1  # one\\n")     # "x = 1\\n"
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from typing import cast

__all__ = ["lean"]

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lean(text: str) -> str:
    """The same program. Raises AssertionError where it would be another one."""
    lines = text.splitlines(keepends=True)
    for words, is_alone in _words(ast.parse(text)):
        _blank(lines, words, "..." if is_alone else "")
    made = _without_comments("".join(lines))
    assert ast.dump(_plain(ast.parse(made))) == ast.dump(_plain(ast.parse(text))), "leaving words out changed the program"
    return made


def _words(tree: ast.AST) -> Iterator[tuple[ast.Expr, bool]]:
    """Statements that are nothing but a text, and whether the block consists of that alone."""
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED):
            found = [statement for statement in node.body if _is_words(statement)]
            is_alone = len(found) == len(node.body) and not isinstance(node, ast.Module)
            for number, statement in enumerate(found):
                yield cast("ast.Expr", statement), is_alone and number == 0


def _is_words(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)


def _blank(lines: list[str], words: ast.Expr, instead: str) -> None:
    """Columns of a syntax tree count bytes."""
    assert words.end_lineno is not None
    assert words.end_col_offset is not None
    first, last = words.lineno - 1, words.end_lineno - 1
    before = lines[first].encode()[: words.col_offset].decode() + instead
    behind = lines[last].encode()[words.end_col_offset :].decode()
    lines[first : last + 1] = [before + behind] if first == last else [before + "\n", *["\n"] * (last - first - 1), behind]


def _without_comments(text: str) -> str:
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line - 1] = lines[line - 1][:column].rstrip() + "\n"
    return "".join(lines)


def _plain(tree: ast.AST) -> ast.AST:
    """Without texts that are statements; a block of these alone is `...`."""
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED):
            node.body = [statement for statement in node.body if not _is_words(statement)] or [ast.Expr(ast.Constant(...))]
    return tree
