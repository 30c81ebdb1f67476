"""Carry a change over to a text that has moved on, by a three-way merge of lines.

Example::

    rebase(base="a\\nb\\nc\\n", edited="A\\nb\\nc\\n", current="a\\nb\\nC\\n")   # RebasedChange(text='A\\nb\\nC\\n', …)
"""

from __future__ import annotations

from assistant.cuda.edits import lines_of
from assistant.cuda.hunks import hunks
from assistant.cuda.merge import merge
from assistant.model.source import Hunk
from assistant.record import Record

__all__ = ["Clash", "Conflict", "RebasedChange", "rebase"]


class RebasedChange(Record):
    """The change fits the current text."""

    text: str
    """The current text with the change made."""
    hunks: tuple[Hunk, ...]
    """The change against the current text; empty when the current text already has it."""


class Clash(Record):
    """Lines that both the change and the current text have changed, differently."""

    current_line: int
    """First clashing line of the current text, 1-based."""
    base: tuple[str, ...]
    edited: tuple[str, ...]
    current: tuple[str, ...]


class Conflict(Record):
    """The change does not fit; a person or a new attempt must decide."""

    clashes: tuple[Clash, ...]


def rebase(base: str, edited: str, current: str) -> RebasedChange | Conflict:
    """The change from ``base`` to ``edited``, made in ``current``."""
    regions = merge(lines_of(base), lines_of(edited), lines_of(current))
    clashes = [Clash(part.second_line + 1, part.base, part.first, part.second) for part in regions if part.kind == "clash"]
    if clashes:
        return Conflict(tuple(clashes))
    text = "".join(line for part in regions for line in (part.second if part.kind == "second" else part.first))
    return RebasedChange(text, hunks(current, text))
