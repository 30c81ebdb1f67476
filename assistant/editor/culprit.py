"""The few characters of a line that a finding is about: an access, a literal, a call, else the first name. Pure.

Example::

    culprit(note, "out[x * n + y] = in[i];")     # (0, 14), of a note on the line's stores
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assistant.editor.view import Note

__all__ = ["culprit"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_SUBSCRIPTED = re.compile(r"[A-Za-z_][\w.]*(?:->\w+)*\s*(?=\[)")
_LAUNCHED = re.compile(r"[A-Za-z_]\w*(?=\s*(?:<[^<>;]*>)?\s*<<<)")
_CALLED = re.compile(r"[A-Za-z_]\w*(?=\s*\()")
_DOUBLE = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?(?![\w.])")
_ASSIGNED = re.compile(r"(?<![=!<>])=(?!=)")
_ON_ACCESSES = frozenset(
    {"KO101", "KO102", "KO103", "KO107", "KO108", "KO113", "KO118", "KO120", "KO121", "KO201", "KO202", "KO203", "KO205", "KO209"}
)
_ON_CALLS = frozenset({"KO110", "KO111", "KO112", "KO116", "KO123", "KO204", "KO206"})


def culprit(note: Note, text: str) -> tuple[int, int] | None:
    """First and last character (exclusive) in the line's text; None where it holds no name."""
    code = text.partition("//")[0]
    for find in _finders(note):
        if (found := find(code)) is not None:
            return found
    return None


def _finders(note: Note) -> Iterator[Callable[[str], tuple[int, int] | None]]:
    if note.code in _ON_ACCESSES:
        yield lambda code: _access(code, is_store=bool(re.search(r"\b(?:store|stores|write|writes)\b", note.message)))
    if note.code == "KO106":
        yield lambda code: _first(_DOUBLE, code)
    if note.code in _ON_CALLS:
        yield lambda code: _first(_LAUNCHED, code)
        yield lambda code: _first(_CALLED, code)
    if note.stage != "compile":
        yield lambda code: _first(_CALLED, code) if "__global__" in code else None
        yield lambda code: _first(_NAME, code)


def _access(code: str, is_store: bool) -> tuple[int, int] | None:
    """The first subscripted array on the side of the assignment that is meant, else the first of the line."""
    sign = _ASSIGNED.search(code)
    places = [(found.start(), _end_of_brackets(code, found.end())) for found in _SUBSCRIPTED.finditer(code)]
    meant = [p for p in places if sign is not None and (p[0] < sign.start()) == is_store]
    return next(iter(meant or places), None)


def _end_of_brackets(code: str, start: int) -> int:
    """Where the subscripts that begin at ``start`` end: ``[y][x]`` is one place."""
    depth = 0
    for at in range(start, len(code)):
        depth += {"[": 1, "]": -1}.get(code[at], 0)
        if depth == 0 and code[at + 1 : at + 2] != "[":
            return at + 1
    return len(code.rstrip())


def _first(pattern: re.Pattern[str], code: str) -> tuple[int, int] | None:
    found = pattern.search(code)
    return None if found is None else found.span()
