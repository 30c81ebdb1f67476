"""Whether two texts are the same code: comments, blank lines and spacing do not count, but for a comment that declares a workload. Pure.

Example::

    code_hash("int a;  // one") == code_hash("int  a ;")     # True
    is_same_code("a + +b", "a++b")                           # False: two operators, and one
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

__all__ = ["code_hash", "code_of_line", "comments_of", "is_same_code", "workload_comments"]

_NOT_SPACED = r"""
    (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
    |(?P<directive>^[ \t]*\#(?:\\\r?\n|[^\n])*)
    |(?P<string>R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    """
_FLAGS = re.VERBOSE | re.DOTALL | re.MULTILINE
_TOKEN = re.compile(rf"{_NOT_SPACED}|(?P<word>\w+)|(?P<sign>\S)", _FLAGS)
_WHOLE_TOKEN = re.compile(
    rf"""{_NOT_SPACED}
    |(?P<number>\.?\d(?:[eEpP][-+]|[\w.])*)
    |(?P<word>\w+)
    |(?P<operator><<=|>>=|->\*|\.\.\.|\+\+|--|->|<<|>>|&&|\|\||::|\.\*|[-+*/%&|^<>=!]=|\S)
    """,
    _FLAGS,
)
"""With numbers and operators of several characters as one token, as C++ reads them ([lex.pptoken])."""

_WORKLOAD = "kernelopt"
"""Begins a comment that says how a kernel is launched (docs/reference/workload.md)."""
_KNOWS_ITS_LINE = "__LINE__"


def code_hash(text: str) -> str:
    """sha256 over the text's tokens; a preprocessor line is one token, as its spaces may matter."""
    return hashlib.sha256("\0".join(_tokens(_TOKEN, text)).encode("utf-8", "surrogateescape")).hexdigest()


def is_same_code(one: str, other: str) -> bool:
    """Whether a compiler reads the same tokens; False of different texts that name ``__LINE__``, which spacing changes."""
    if one == other:
        return True
    return _KNOWS_ITS_LINE not in one and [*_tokens(_WHOLE_TOKEN, one)] == [*_tokens(_WHOLE_TOKEN, other)]


def code_of_line(line: str) -> str:
    """Equal for two lines that differ in spacing, or in the comment after their code; a line without code is compared by its words."""
    return "\0".join(_tokens(_WHOLE_TOKEN, line)) or " ".join(line.split())


def comments_of(text: str) -> tuple[str, ...]:
    return tuple(match["comment"] for match in _WHOLE_TOKEN.finditer(text) if match["comment"] is not None)


def workload_comments(text: str) -> tuple[str, ...]:
    """Comments that say how a kernel is launched."""
    return tuple(comment for comment in comments_of(text) if _WORKLOAD in comment) if _WORKLOAD in text else ()


def _tokens(kind: re.Pattern[str], text: str) -> Iterator[str]:
    return (_spelled(match) for match in kind.finditer(text) if match["comment"] is None or _WORKLOAD in match["comment"])


def _spelled(match: re.Match[str]) -> str:
    return " ".join(match[0].split()) if match["directive"] is not None else match[0]
