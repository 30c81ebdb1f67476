"""What else a search tried before it made a proposal, and why that was not offered.

Example::

    [edit.title for edit in others_tried(store, proposal)]     # ['vectorized-access: wrong', 'loop-unrolling: not faster']
"""

from __future__ import annotations

from pathlib import Path

from assistant.model.proposal import Proposal
from assistant.model.trial import OUTCOME_WORDS, TrialOutcome
from assistant.ports.store import AttemptStore
from assistant.record import Record

__all__ = ["TriedEdit", "others_tried"]

_MOST_LOOKED_AT = 400
"""Attempts on the file, the newest first: a search makes tens."""


class TriedEdit(Record):
    """A candidate that was not offered."""

    id: str
    title: str
    """``loop-unrolling: not faster``."""
    why: str
    """One sentence."""
    path: Path
    before_text: str
    """Of the version that it changed."""
    after_text: str


def others_tried(store: AttemptStore, proposal: Proposal) -> tuple[TriedEdit, ...]:
    """Those of the same search on the same kernel, in the order in which they were tried."""
    found = store.attempts(path=proposal.path, limit=_MOST_LOOKED_AT)
    return tuple(
        TriedEdit(each.id, f"{each.technique}: {OUTCOME_WORDS[each.outcome]}", each.reason, each.path, each.parent_text, each.text)
        for each in reversed(found)
        if (each.job, each.kernel) == (proposal.job, proposal.kernel) and each.outcome is not TrialOutcome.KEPT
    )
