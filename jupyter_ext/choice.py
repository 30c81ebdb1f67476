"""Which hunks of a proposal a person takes, and why they leave the others out; those that only work together are one choice. Values only.

Example::

    choice = everything(proposal.hunks, tied_hunks(proposal.files)).without(hunk.id, LeftOut("precision", "the sum is long"))
    choice.label       # 'Accept 2 of 3 hunks'
    choice.reason      # LeftOut('precision', 'hunk 2: the sum is long')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from assistant.cuda.embedded.cell_launch import shown_line
from assistant.model.source import Hunk
from assistant.profile.quantity import counted_noun
from assistant.record import Record

__all__ = ["REASONS", "Choice", "LeftOut", "everything", "line_for"]

REASONS = {
    "readability": "Harder to read",
    "precision": "Changes results",
    "portability": "Less portable",
    "not-worth-it": "Gain too small",
    "wrong": "Wrong",
    "style": "Style",
    "other": "Other",
}
"""Reason code → how it is asked for, as in VS Code (``vscode-client/src/review/reasons.ts``)."""


class LeftOut(Record):
    """Why something is not taken; both may be left open."""

    code: str | None = None
    words: str = ""

    @property
    def with_code(self) -> str:
        """``Changes results: the sum is long``."""
        return ": ".join(part for part in (REASONS.get(self.code or "", ""), self.words) if part)


class Choice(Record):
    """All hunks are taken but those that are left out."""

    hunks: tuple[Hunk, ...]
    left_out: Mapping[str, LeftOut]
    ties: tuple[tuple[str, ...], ...] = ()
    """Ids of hunks that are only decided together; hunks in none of these stand alone."""

    @property
    def groups(self) -> tuple[tuple[Hunk, ...], ...]:
        """What can be decided apart, in order."""
        return tuple(dict.fromkeys(tuple(hunk for hunk in self.hunks if hunk.id in self.together(one.id)) for one in self.hunks))

    def together(self, hunk_id: str) -> tuple[str, ...]:
        """The hunk and those that only work with it."""
        return next((ids for ids in self.ties if hunk_id in ids), (hunk_id,))

    def without(self, hunk_id: str, why: LeftOut) -> Choice:
        return replace(self, left_out={**self.left_out, **dict.fromkeys(self.together(hunk_id), why)})

    def having(self, hunk_id: str) -> Choice:
        ids = self.together(hunk_id)
        return replace(self, left_out={known: why for known, why in self.left_out.items() if known not in ids})

    @property
    def taken(self) -> tuple[str, ...]:
        """Ids, in order."""
        return tuple(hunk.id for hunk in self.hunks if hunk.id not in self.left_out)

    @property
    def label(self) -> str:
        """What accepting means now."""
        return "Accept" if not self.left_out else f"Accept {len(self.taken)} of {len(self.hunks)} hunks"

    @property
    def reason(self) -> LeftOut:
        """Reason for all that is left out: the code that they share, else ``other``, and each one's words."""
        codes = {why.code for why in self.left_out.values() if why.code is not None}
        words = (
            f"{self.name(group)}: {why.with_code if len(codes) > 1 else why.words}"
            for group in self.groups
            if (why := self.left_out.get(group[0].id)) is not None and (why.words or (len(codes) > 1 and why.code is not None))
        )
        return LeftOut(next(iter(codes)) if len(codes) == 1 else "other" if codes else None, "; ".join(words))

    def name(self, group: Sequence[Hunk]) -> str:
        """``hunk 2``, ``hunks 1 and 3``."""
        numbers = [str(self.hunks.index(hunk) + 1) for hunk in group]
        return f"hunk {numbers[0]}" if len(numbers) == 1 else f"hunks {', '.join(numbers[:-1])} and {numbers[-1]}"

    def heading(self, group: Sequence[Hunk], line_of: Callable[[int], int] = lambda line: line) -> str:
        """``Hunk 2 of 3 · line 14 · 3 lines become 5``, and whether it is taken; ``line_of``: what the notebook calls a line.

        Of several, ``Hunks 1 and 3 of 3 only work together · lines 2 and 14``.
        """
        state = "left out of Accept" if group[0].id in self.left_out else "taken"
        named = f"{self.name(group).capitalize()} of {len(self.hunks)}"
        lines = [str(line_of(hunk.before_line)) for hunk in group]
        if len(lines) > 1:
            return f"{named} only work together · lines {', '.join(lines[:-1])} and {lines[-1]} · {state}"
        return f"{named} · line {lines[0]} · {_change(group[0])} · {state}"


def everything(hunks: tuple[Hunk, ...], ties: tuple[tuple[str, ...], ...] = ()) -> Choice:
    return Choice(hunks, {}, ties)


def line_for(hunk: Hunk) -> str:
    """What a person knows a hunk by: its first line, the launch as the magic's line says it."""
    return shown_line((hunk.after or hunk.before)[0]).strip()


def _change(hunk: Hunk) -> str:
    before, after = len(hunk.before), len(hunk.after)
    if not before:
        return f"{counted_noun(after, 'line')} inserted"
    if not after:
        return f"{counted_noun(before, 'line')} removed"
    if before == after:
        return f"{counted_noun(after, 'line')} changed"
    return f"{counted_noun(before, 'line')} {'becomes' if before == 1 else 'become'} {after}"
