"""Which hunks of a proposal a person takes, and why they leave the others out. Values only.

Example::

    choice = everything(proposal.hunks).without(hunk.id, LeftOut("precision", "the sum is long"))
    choice.label       # 'Accept 2 of 3 hunks'
    choice.reason      # LeftOut('precision', 'hunk 2: the sum is long')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

    def without(self, hunk_id: str, why: LeftOut) -> Choice:
        return replace(self, left_out={**self.left_out, hunk_id: why})

    def having(self, hunk_id: str) -> Choice:
        return replace(self, left_out={known: why for known, why in self.left_out.items() if known != hunk_id})

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
            f"hunk {number}: {why.with_code if len(codes) > 1 else why.words}"
            for number, hunk in enumerate(self.hunks, 1)
            if (why := self.left_out.get(hunk.id)) is not None and (why.words or (len(codes) > 1 and why.code is not None))
        )
        return LeftOut(next(iter(codes)) if len(codes) == 1 else "other" if codes else None, "; ".join(words))

    def heading(self, hunk: Hunk, line_of: Callable[[int], int] = lambda line: line) -> str:
        """``Hunk 2 of 3 · line 14 · 3 lines become 5``, and whether it is taken; ``line_of``: what the notebook calls a line."""
        number = self.hunks.index(hunk) + 1
        state = "left out of Accept" if hunk.id in self.left_out else "taken"
        return f"Hunk {number} of {len(self.hunks)} · line {line_of(hunk.before_line)} · {_change(hunk)} · {state}"


def everything(hunks: tuple[Hunk, ...]) -> Choice:
    return Choice(hunks, {})


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
