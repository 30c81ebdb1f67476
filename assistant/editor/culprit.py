"""The few characters of a line that a finding is about: an access, a literal, a call, a condition, else the first name. Pure.

Example::

    culprit(note, "out[x * n + y] = in[i];")                     # (0, 14), of a note on the line's stores
    culprit(note, "s += K[d] * in[d];", small_memories(text))    # (12, 17), where the finding is about global loads: K is __constant__
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from assistant.editor.view import Note

__all__ = ["culprit", "small_memories"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_SUBSCRIPTED = re.compile(r"[A-Za-z_][\w.]*(?:->\w+)*\s*(?=\[)")
_LAUNCHED = re.compile(r"[A-Za-z_]\w*(?=\s*(?:<[^<>;]*>)?\s*<<<)")
_CALLED = re.compile(r"(?!(?:if|for|while|switch|return|sizeof)\b)\b[A-Za-z_]\w*(?=\s*\()")
_OF_WARPS = re.compile(r"__(?:shfl|ballot|any|all|match|reduce|syncwarp|activemask)\w*")
_CONTROL = re.compile(r"\b(?:if|for|while|switch)\b\s*(?:constexpr\s*)?(?=\()")
_DOUBLE = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?(?![\w.])")
_STRUCTURES = re.compile(r": ([A-Za-z_]\w*) is an array of ")
_WORST = re.compile(r": (\S.*) is the worst of its ")
_OF_ARRAY = re.compile(r" offset \d+ of ([A-Za-z_]\w*)(?=, which)|\((?:at|in|in the variable) ([A-Za-z_]\w*)(?:\[\d+\])?\)$")
"""How a problem names the memory that it is about."""
_ASSIGNED = re.compile(r"(?<![=!<>])=(?!=)")
_ON_ACCESSES = frozenset(
    {"KO101", "KO102", "KO103", "KO107", "KO108", "KO113", "KO118", "KO120", "KO121", "KO201", "KO202", "KO203", "KO205", "KO209"}
)
_ON_GLOBAL = frozenset({"KO101", "KO102", "KO107", "KO108", "KO113", "KO118", "KO120", "KO121"})
_ON_SHARED = frozenset({"KO103"})
_OF_LANES = "KO207"
_IN_SMALL_MEMORY = re.compile(r"(__constant__|__shared__)[^;=({]*?\b([A-Za-z_]\w*)\s*\[")
_FOR = re.compile(r"\s*for\b")
NO_MEMORIES: Mapping[str, str] = {}
_ON_CALLS = frozenset({"KO110", "KO111", "KO112", "KO116", "KO123", "KO124", "KO125", "KO126", "KO127", "KO204", "KO206"})


def culprit(note: Note, text: str, memories: Mapping[str, str] = NO_MEMORIES) -> tuple[int, int] | None:
    """First and last character (exclusive) in the line's text; None where it holds no name.

    ``memories``: of arrays that are not in global memory, as ``small_memories`` finds them.
    """
    code = text.partition("//")[0]
    for find in _finders(note, memories):
        if (found := find(code)) is not None:
            return found
    return None


def small_memories(text: str) -> dict[str, str]:
    """``__constant__`` or ``__shared__``, by the name of each array that a text declares there; the first of a declaration."""
    return {found[2]: found[1] for found in _IN_SMALL_MEMORY.finditer(text)}


def _finders(note: Note, memories: Mapping[str, str]) -> Iterator[Callable[[str], tuple[int, int] | None]]:
    if (worst := _WORST.search(note.message)) is not None:
        yield lambda code: _first(re.compile(rf"(?<!\w){re.escape(worst[1])}"), code)
    if (named := _STRUCTURES.search(note.message)) is not None:
        yield lambda code: _access_of(code, named[1])
    if (of_array := _OF_ARRAY.search(note.message)) is not None:
        array = of_array[1] or of_array[2]
        yield lambda code: _access(code, _is_of_store(note.message), array.__eq__) or _first(re.compile(rf"\b{array}\b"), code)
    if note.code in _ON_ACCESSES:
        is_store = _is_of_store(note.message)
        if note.code in _ON_GLOBAL:
            yield lambda code: _access(_behind_for(code), is_store, lambda array: array not in memories)
        if note.code in _ON_SHARED:
            yield lambda code: _access(_behind_for(code), is_store, lambda array: memories.get(array) == "__shared__")
        yield lambda code: _access(_behind_for(code), is_store)
    if note.code == "KO106":
        yield lambda code: _first(_DOUBLE, code)
    if note.code in _ON_CALLS:
        yield lambda code: _first(_LAUNCHED, code)
        yield lambda code: _first(_CALLED, code)
    if note.code == _OF_LANES:
        yield lambda code: _first(_OF_WARPS, code)
        yield lambda code: _access(_behind_condition(code), is_store=_is_of_store(note.message))
    if note.stage != "compile":
        yield lambda code: _first(_CALLED, code) if "__global__" in code else None
        yield _condition
        yield lambda code: _first(_NAME, code)


def _is_of_store(message: str) -> bool:
    """Of ``read after write`` the read is meant, which comes second."""
    second, after, _ = message.partition(" after ")
    return re.search(r"\b(?:store|stores|write|writes)\b", second if after else message) is not None


def _access(code: str, is_store: bool, is_meant: Callable[[str], bool] = bool) -> tuple[int, int] | None:
    """The first subscripted array on the side of the assignment that is meant, else the first of the line; of the names that are meant."""
    sign = _ASSIGNED.search(code)
    subscripted = (found for found in _SUBSCRIPTED.finditer(code) if is_meant(found[0].strip()))
    places = [(found.start(), _end_of_brackets(code, found.end())) for found in subscripted]
    meant = [p for p in places if sign is not None and (p[0] < sign.start()) == is_store]
    return next(iter(meant or places), None)


def _access_of(code: str, array: str) -> tuple[int, int] | None:
    """The first element of the array that is named."""
    found = re.search(rf"\b{array}\s*(?=\[)", code)
    return None if found is None else (found.start(), _end_of_brackets(code, found.end()))


def _condition(code: str) -> tuple[int, int] | None:
    """What stands between the parentheses behind the line's first ``if``, ``for``, ``while`` or ``switch``, as far as it is there."""
    found = _CONTROL.search(code)
    if found is None:
        return None
    start, end = found.end() + 1, _end_of_parentheses(code, found.end())
    return (start, end) if code[start:end].strip() else None


def _behind_for(code: str) -> str:
    """As ``_behind_condition`` where the line is a loop: what its head assigns is the counter."""
    return _behind_condition(code) if _FOR.match(code) else code


def _behind_condition(code: str) -> str:
    """The code with the line's first condition blanked, as what it guards comes first; where nothing else is touched, as it is."""
    found = _condition(code)
    if found is None or _SUBSCRIPTED.search(code, found[1]) is None:
        return code
    return code[: found[0]] + " " * (found[1] - found[0]) + code[found[1] :]


def _end_of_parentheses(code: str, start: int) -> int:
    """Where the parentheses that open at ``start`` close; the end of the line where they do not."""
    depth = 0
    for at in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return len(code.rstrip())


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
