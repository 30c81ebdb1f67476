"""Carry a change over to a text that has moved on, by a three-way merge of lines.

Example::

    rebase(base="a\\nb\\nc\\n", edited="A\\nb\\nc\\n", current="a\\nb\\nC\\n")   # Rebased(text='A\\nb\\nC\\n', …)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from merge3 import Merge3

from assistant.model.source import Hunk, TextEdit
from assistant.source.edits import EditFailure, apply_edits, lines_of
from assistant.source.hunks import HunkMismatch, apply_hunks, hunks

__all__ = ["Clash", "Conflict", "Rebased", "rebase", "rebase_edits", "rebase_hunks"]


@dataclass(frozen=True)
class Rebased:
    """The change fits the current text."""

    text: str
    """The current text with the change made."""
    hunks: tuple[Hunk, ...]
    """The change against the current text; empty when the current text already has it."""


@dataclass(frozen=True)
class Clash:
    """Lines that both the change and the current text have changed, differently."""

    current_line: int
    """First clashing line of the current text, 1-based."""
    base: tuple[str, ...]
    edited: tuple[str, ...]
    current: tuple[str, ...]


@dataclass(frozen=True)
class Conflict:
    """The change does not fit; a person or a new attempt must decide."""

    clashes: tuple[Clash, ...]


def rebase(base: str, edited: str, current: str) -> Rebased | Conflict:
    """The change from ``base`` to ``edited``, made in ``current``."""
    base_lines, edited_lines, current_lines = lines_of(base), lines_of(edited), lines_of(current)
    merged: list[str] = []
    clashes: list[Clash] = []
    for region in Merge3(base_lines, edited_lines, current_lines).merge_regions():
        kind, bounds = region[0], region[1:]
        match kind:
            case "unchanged":
                merged.extend(base_lines[bounds[0] : bounds[1]])
            case "same" | "a":
                merged.extend(edited_lines[bounds[0] : bounds[1]])
            case "b":
                merged.extend(current_lines[bounds[0] : bounds[1]])
            case _:
                clashes.append(_clash(base_lines, edited_lines, current_lines, bounds))
    if clashes:
        return Conflict(tuple(clashes))
    text = "".join(merged)
    return Rebased(text, hunks(current, text))


def rebase_edits(base: str, edits: Iterable[TextEdit], current: str) -> Rebased | Conflict | EditFailure:
    """Edits made for ``base``, made in ``current``."""
    edited = apply_edits(base, edits)
    return rebase(base, edited, current) if isinstance(edited, str) else edited


def rebase_hunks(base: str, chosen: Iterable[Hunk], current: str) -> Rebased | Conflict | HunkMismatch:
    """Hunks of ``base``, made in ``current``."""
    edited = apply_hunks(base, chosen)
    return rebase(base, edited, current) if isinstance(edited, str) else edited


def _clash(base: list[str], edited: list[str], current: list[str], bounds: tuple[int, ...]) -> Clash:
    base_low, base_high, edited_low, edited_high, current_low, current_high = bounds
    return Clash(
        current_line=current_low + 1,
        base=tuple(base[base_low:base_high]),
        edited=tuple(edited[edited_low:edited_high]),
        current=tuple(current[current_low:current_high]),
    )
