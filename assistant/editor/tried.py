"""What else a search tried before it made a proposal, why that was not offered, and why anything was tried when it was.

Example::

    [edit.title for edit in others_tried(store, proposal)]     # ['vectorized-access: wrong', 'loop-unrolling: not faster']
"""

from __future__ import annotations

from pathlib import Path

from assistant.engine.report import gain_in_words, technique_in_words
from assistant.model.attempt import Attempt
from assistant.model.proposal import Proposal
from assistant.model.trial import OUTCOME_WORDS, TrialOutcome
from assistant.ports.store import AttemptStore
from assistant.record import Record

__all__ = ["TriedEdit", "others_tried", "outcome_in_words", "why_tried"]

_MOST_LOOKED_AT = 400
"""Attempts on the file, the newest first: a search makes tens."""
_NO_REASON = "nothing is kept of it: it was tried before reasons were, or it is an edit of a person's own"


class TriedEdit(Record):
    """A candidate that was not offered."""

    id: str
    title: str
    """``loop unrolling: not faster``."""
    why: str
    """One sentence."""
    tried: str
    """Why it was tried when it was (`why_tried`)."""
    path: Path
    before_text: str
    """Of the version that it changed."""
    after_text: str


def others_tried(store: AttemptStore, proposal: Proposal) -> tuple[TriedEdit, ...]:
    """Those of the same search on the same kernel, in the order in which they were tried."""
    found = store.attempts(path=proposal.path, limit=_MOST_LOOKED_AT)
    return tuple(
        TriedEdit(
            id=each.id,
            title=f"{technique_in_words(each.technique)}: {OUTCOME_WORDS[each.outcome]}",
            why=each.reason,
            tried=why_tried(each),
            path=each.path,
            before_text=each.parent_text,
            after_text=each.text,
        )
        for each in reversed(found)
        if (each.job, each.kernel) == (proposal.job, proposal.kernel) and each.outcome is not TrialOutcome.KEPT
    )


def why_tried(attempt: Attempt) -> str:
    """``1 of 3: expected 1.92x and right with a chance of 1.00; …``: its place among the steps, and what was known then."""
    return attempt.why or _NO_REASON


def outcome_in_words(attempt: Attempt) -> str:
    """``kept, ≈1.49x predicted``, ``wrong``."""
    word = OUTCOME_WORDS.get(attempt.outcome, attempt.outcome.value)
    speed = attempt.comparison
    return word if speed is None else f"{word}, {gain_in_words(speed.outcome, speed.ratio)}"
