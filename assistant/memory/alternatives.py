"""``P01M7~2``: a proposal with the content of its second alternative, wherever a proposal is named by its id."""

from __future__ import annotations

from assistant.errors import UsageError
from assistant.model.proposal import ALTERNATIVE_MARK, Proposal

__all__ = ["chosen_alternative"]


def chosen_alternative(proposal: Proposal, number: int | None) -> Proposal:
    """The proposal as that one of its alternatives (0: as it was offered). Raises UsageError where there is none."""
    chosen = None if number is None else proposal.taking(number)
    if chosen is not None:
        return chosen
    names = ", ".join(f"{proposal.id}{ALTERNATIVE_MARK}{index}" for index in range(1, len(proposal.alternatives) + 1))
    raise UsageError(f"{proposal.id} has no such alternative", f"it has {names or 'none'}")
