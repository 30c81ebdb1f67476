"""How alike two edits are, by the code that they add: names of a program's own, numbers, comments and spacing do not count. Pure.

Example::

    likeness(added(before, after), added(other_before, other_after))    # 0.82: most of what one adds the other adds, too
"""

from __future__ import annotations

import difflib
import re

__all__ = ["added", "added_text", "likeness"]

_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|[A-Za-z_]\w*|\d[\w.]*|\"(?:\\.|[^\"\\])*\"|\S", re.DOTALL)
_RUN = 4
"""Tokens that are compared together (chosen: a call, an assignment)."""
_KEPT_WORDS = frozenset(
    (
        *("for", "while", "if", "else", "return", "const", "int", "float", "double", "unsigned", "bool", "auto", "pragma", "unroll"),
        *("threadIdx", "blockIdx", "blockDim", "gridDim", "x", "y", "z", "warpSize"),
    )
)
_KEPT_PREFIXES = ("__", "atomic", "cuda", "float2", "float4", "int4", "double2", "half2", "make_", "cooperative_groups", "cg", "wmma")


def added_text(before: str, after: str) -> str:
    """The lines that ``after`` adds to ``before``, without comments."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[str] = []
    for kind, _, _, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind in ("insert", "replace"):
            lines += new[start:end]
    return " ".join(token for token in _TOKEN.findall("\n".join(lines)) if not token.startswith(("//", "/*")))


def added(before: str, after: str) -> frozenset[tuple[str, ...]]:
    """Runs of tokens on the lines that ``after`` adds to ``before``."""
    words = [_plain(token) for token in _TOKEN.findall(added_text(before, after))]
    return frozenset(tuple(words[i : i + _RUN]) for i in range(max(1, len(words) - _RUN + 1))) if words else frozenset()


def likeness(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """Share of runs that both have, of all that either has: 0 to 1."""
    union = a | b
    return len(a & b) / len(union) if union else 0.0


def _plain(token: str) -> str:
    if token[0].isdigit():
        return "0"
    if token[0] == '"':
        return '"'
    if not (token[0].isalpha() or token[0] == "_"):
        return token
    return token if token in _KEPT_WORDS or token.startswith(_KEPT_PREFIXES) else "n"
