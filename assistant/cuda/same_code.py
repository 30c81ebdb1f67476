"""Whether two texts are the same code: comments, blank lines and spacing do not count, but for a comment that declares a workload. Pure.

Example::

    code_hash("int a;  // one") == code_hash("int  a ;")     # True
"""

from __future__ import annotations

import hashlib
import re

__all__ = ["code_hash"]

_TOKEN = re.compile(
    r"""
    (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
    |(?P<directive>^[ \t]*\#(?:\\\r?\n|[^\n])*)
    |(?P<string>R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<word>\w+)
    |(?P<sign>\S)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_WORKLOAD = "kernelopt"
"""Begins a comment that says how a kernel is launched (docs/reference/workload.md)."""


def code_hash(text: str) -> str:
    """sha256 over the text's tokens; a preprocessor line is one token, as its spaces may matter."""
    tokens = (_spelled(match) for match in _TOKEN.finditer(text) if match["comment"] is None or _WORKLOAD in match["comment"])
    return hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogateescape")).hexdigest()


def _spelled(match: re.Match[str]) -> str:
    return " ".join(match[0].split()) if match["directive"] is not None else match[0]
