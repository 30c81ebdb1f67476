"""What a person turned down is not offered again: the same edit of the same text for the same kernel."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assistant.model.proposal import DecisionKind, Proposal, ProposalState
from assistant.ports import Store

__all__ = ["FoundEdit", "rejected_before"]

_STATES = frozenset({ProposalState.REJECTED})


@dataclass(frozen=True)
class FoundEdit:
    """What a search would offer."""

    path: Path
    kernel: str
    """``Kernel.key`` before the edit."""
    before_text: str
    after_text: str


def rejected_before(store: Store, workspace: Path, edit: FoundEdit) -> str | None:
    """When and why this very edit was rejected, in words; None where it never was. A changed file is another text."""
    same = (known for known in store.proposals(workspace, _STATES) if _edit_of(known) == edit)
    decisions = (d for known in same for d in reversed(store.decisions(known.id)) if d.kind is DecisionKind.REJECTED)
    decision = next(decisions, None)
    if decision is None:
        return None
    day = datetime.fromtimestamp(decision.decided_ms / 1e3, tz=UTC).astimezone().strftime("%Y-%m-%d")
    reason = decision.reason or decision.reason_code or "no reason given"
    return f"the edit that was found is {decision.proposal}, rejected on {day}: {reason}; it is not offered again"


def _edit_of(proposal: Proposal) -> FoundEdit:
    return FoundEdit(proposal.path, proposal.kernel, proposal.before_text, proposal.after_text)
