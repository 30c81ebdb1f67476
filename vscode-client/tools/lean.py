"""Source as the extension carries it: without what only people and type checkers read, each statement on the line where it was.

Of Python docstrings, comments, ``__all__`` and what functions are annotated to return; of C++ comments. No one reads the copy inside the
package, and its words are a fifth of what the package may weigh. Tracebacks and compilers' messages name the right lines. Example::

    lean("x = 1  # one\\n")     # "x = 1\\n"
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import cast

__all__ = ["lean", "lean_cpp"]

_CPP_LEXEME = re.compile(
    r"""R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'""", re.S
)
_BLANKS_AT_END = re.compile(r"[ \t]+$", re.M)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lean(text: str, *, keeps_returns: bool = False) -> str:
    """The same program. Raises AssertionError where it would be another one. ``keeps_returns``: functions' annotations are asked for."""
    lines = text.splitlines(keepends=True)
    for words, is_alone in _words(ast.parse(text)):
        _blank(lines, words, "..." if is_alone else "")
    if not keeps_returns:
        lines = _without_returns("".join(lines)).splitlines(keepends=True)
    made = _without_comments("".join(lines))
    assert ast.dump(_plain(ast.parse(made))) == ast.dump(_plain(ast.parse(text))), "leaving words out changed the program"
    return made


def lean_cpp(text: str) -> str:
    """C or C++ source without comments."""

    def kept(found: re.Match[str]) -> str:
        part = found[0]
        if part.startswith("//"):
            return ""
        return ("\n" * part.count("\n") or " ") if part.startswith("/*") else part

    return _BLANKS_AT_END.sub("", _CPP_LEXEME.sub(kept, text))


def _words(tree: ast.AST) -> Iterator[tuple[ast.Expr | ast.Assign, bool]]:
    """Statements that are nothing but a text, and whether the block consists of that alone."""
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED):
            found = [statement for statement in node.body if _is_words(statement)]
            is_alone = len(found) == len(node.body) and not isinstance(node, ast.Module)
            for number, statement in enumerate(found):
                yield cast("ast.Expr | ast.Assign", statement), is_alone and number == 0


def _is_words(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return [ast.unparse(target) for target in statement.targets] == ["__all__"]
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)


def _without_returns(text: str) -> str:
    """Nothing asks at run time what a function is annotated to return, where ``lean`` is used."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    data = bytearray(text.encode())
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    returned = [node.returns for node in functions if node.returns is not None]
    for node in sorted(returned, key=lambda node: (-node.lineno, -node.col_offset)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first, last = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        arrow = data.rfind(b"->", 0, first)
        if node.lineno == node.end_lineno and data[arrow + 2 : first].strip() == b"":
            del data[arrow:last]
    return data.decode()


def _blank(lines: list[str], words: ast.Expr | ast.Assign, instead: str) -> None:
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
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        if isinstance(node, _DOCUMENTED):
            node.body = [statement for statement in node.body if not _is_words(statement)] or [ast.Expr(ast.Constant(...))]
    return tree
