"""CUDA text without comments and strings, and what patterns find in it. Offsets and lines are those of the original."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assistant.record import Record

__all__ = ["Match", "Store", "blanked", "kept", "matches", "new_matches", "stores_to", "uncommented", "unspliced", "without"]

_LEXEME = re.compile(
    r"""//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)\""""
    r"""|"(?:[^"\\\n]|\\.)*"|(?<![\w.])\.?\d(?:[eEpP][-+]|'?[\w.])*|'(?:[^'\\\n]|\\.)+'""",
    re.S,
)

_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_CONTINUED = re.compile(r"(?:[^\n]*\\[ \t]*\r?\n)+[^\n]*")
_BRACKET = re.compile(r"\s*\)?\s*\[")
_ASSIGNMENT = re.compile(r"\s*(?:\.\s*\w+\s*)?((?:[-+*/%&|^]|<<|>>)?=)(?!=)([^;]*);?")


class Match(Record):
    """A pattern found in code."""

    text: str
    line: int
    """1-based."""
    start: int


def blanked(text: str) -> str:
    """``text`` with comments and the insides of strings as spaces; line breaks stay."""

    def blank(match: re.Match[str]) -> str:
        lexeme = match[0]
        if lexeme.startswith("/"):
            return re.sub(r"[^\n]", " ", lexeme)
        if '"' not in lexeme and lexeme[0] != "'":
            return lexeme  # a number, whose quotes only part its digits
        return lexeme[0] + re.sub(r"[^\n]", " ", lexeme[1:-1]) + lexeme[-1]

    return _LEXEME.sub(blank, text)


def uncommented(text: str) -> str:
    """``text`` with comments as spaces; strings stay, they are part of what the code does."""
    return _LEXEME.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m[0].startswith("/") else m[0], text)


def unspliced(text: str) -> str:
    """``text`` with lines that a backslash continues as one; as many empty lines follow, so that later ones keep their number."""

    def joined(match: re.Match[str]) -> str:
        return _SPLICE.sub("", match[0]) + "\n" * len(_SPLICE.findall(match[0]))

    return _CONTINUED.sub(joined, text)


def without(text: str, ranges: Iterator[tuple[int, int]]) -> str:
    """``text`` with the given character ranges as spaces; line breaks stay."""
    characters = list(text)
    for start, end in ranges:
        characters[start:end] = [c if c == "\n" else " " for c in characters[start:end]]
    return "".join(characters)


def kept(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """``text`` with all but the given character ranges as spaces; line breaks stay."""
    position, gaps = 0, list[tuple[int, int]]()
    for start, end in sorted(ranges):
        gaps.append((position, max(position, start)))
        position = max(position, end)
    return without(text, iter([*gaps, (position, len(text))]))


def matches(pattern: re.Pattern[str], code: str) -> tuple[Match, ...]:
    """Every match in code that ``blanked`` returned; ``text`` is the first group, or the whole match."""
    return tuple(
        Match(found[1] if pattern.groups else found[0], code.count("\n", 0, found.start()) + 1, found.start())
        for found in pattern.finditer(code)
    )


def new_matches(pattern: re.Pattern[str], before: str, after: str) -> tuple[Match, ...]:
    """Matches in ``after`` beyond those that ``before`` has of the same text."""
    budget: dict[str, int] = {}
    for match in matches(pattern, before):
        budget[match.text] = budget.get(match.text, 0) + 1
    new = list[Match]()
    for match in matches(pattern, after):
        if budget.get(match.text, 0) > 0:
            budget[match.text] -= 1
        else:
            new.append(match)
    return tuple(new)


class Store(Record):
    """An assignment to an element."""

    start: int
    operator: str
    """``=``, ``+=``, …"""
    value: str
    """The right side, up to the end of the statement."""


def stores_to(pattern: str, code: str) -> tuple[Store, ...]:
    """Assignments to elements or fields of elements of what ``pattern`` matches: ``NAME[…] = value;``, brackets balanced."""
    found = list[Store]()
    for match in re.finditer(pattern, code):
        end = _after_brackets(code, match.end())
        assignment = None if end is None else _ASSIGNMENT.match(code, end)
        if assignment is not None:
            found.append(Store(match.start(), assignment[1], assignment[2].strip()))
    return tuple(found)


def _after_brackets(code: str, position: int) -> int | None:
    """The offset behind ``[…]``, ``[…][…]`` and ``)[…]`` that follow ``position``; None where no bracket follows."""
    opening = _BRACKET.match(code, position)
    if opening is None:
        return None
    depth = 0
    for index in range(opening.end() - 1, len(code)):
        depth += (code[index] == "[") - (code[index] == "]")
        if depth == 0:
            further = _after_brackets(code, index + 1)
            return index + 1 if further is None else further
    return None
