"""What patterns find in code without comments (``assistant.cuda.code_text``), and what of it one version has beyond another."""

from __future__ import annotations

import re

from assistant.record import Record

__all__ = ["Match", "Store", "matches", "new_matches", "stores_to"]

_BRACKET = re.compile(r"\s*\)?\s*\[")
_ASSIGNMENT = re.compile(r"\s*(?:\.\s*\w+\s*)?((?:[-+*/%&|^]|<<|>>)?=)(?!=)([^;]*);?")


class Match(Record):
    """A pattern found in code."""

    text: str
    line: int
    """1-based."""
    start: int


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
