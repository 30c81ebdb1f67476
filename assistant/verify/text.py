"""What patterns find in code, and what of it one version has beyond another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol, TypeVar

from assistant.cuda.code_patterns import CodeMatch, CodePattern
from assistant.record import Record

__all__ = ["Match", "beyond", "new_matches"]


class Spelled(Protocol):
    """Something that stands in code."""

    @property
    def text(self) -> str: ...


Found = TypeVar("Found", bound=Spelled)


class Match(Record):
    """A place in code."""

    text: str
    line: int
    """1-based."""
    start: int


def new_matches(pattern: CodePattern, before: str, after: str) -> tuple[CodeMatch, ...]:
    """Matches in ``after`` beyond those that ``before`` has of the same text."""
    return beyond(pattern.matches(before), pattern.matches(after))


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
