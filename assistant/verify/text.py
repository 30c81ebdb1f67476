"""What patterns find in code without comments (``assistant.cuda.code_text``), and what of it one version has beyond another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Protocol, TypeVar

from assistant.record import Record

__all__ = ["Match", "beyond", "matches", "new_matches"]


class Spelled(Protocol):
    """Something that stands in code."""

    @property
    def text(self) -> str: ...


Found = TypeVar("Found", bound=Spelled)


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
    return beyond(matches(pattern, before), matches(pattern, after))


def beyond(before: Iterable[Found], after: Iterable[Found]) -> tuple[Found, ...]:
    """What ``after`` has in addition to what ``before`` has in the same words, the first ones taken for those."""
    known = Counter(one.text for one in before)
    new = list[Found]()
    for one in after:
        if known[one.text]:
            known[one.text] -= 1
        else:
            new.append(one)
    return tuple(new)
