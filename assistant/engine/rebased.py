"""A proposal moved onto a newer text of its file."""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.ids import new_id
from assistant.model.proposal import Proposal, ProposalState
from assistant.source.hunks import hunks

__all__ = ["rebased_proposal"]


def rebased_proposal(proposal: Proposal, current: str, text: str, now_ms: int) -> Proposal:
    """A new open proposal with the same change on ``current``; the caller has judged ``text`` against ``current``."""
    return replace(
        proposal,
        id=new_id("P"),
        before_text=current,
        after_text=text,
        hunks=hunks(current, text),
        state=ProposalState.OPEN,
        created_ms=now_ms,
    )
