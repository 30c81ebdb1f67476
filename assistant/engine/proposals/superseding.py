"""Which open proposals of a kernel give way to a new one, and which proposal took a closed one's place.

A search that looks again, with fewer rights or other rules, may find less than the last one did: what it finds is offered, but a better
edit of the very same text stays open as well. Example::

    store_and_supersede("J1", store, workspace, fresh)   # messages that say what became of the others
    successor(store, superseded)   # the proposal to decide on instead
"""

from __future__ import annotations

from pathlib import Path

from assistant.engine.proposals.rejected import FoundEdit, edits_of
from assistant.model import events
from assistant.model.comparison import format_ratio
from assistant.model.profile import Severity
from assistant.model.proposal import DECIDABLE_STATES, Proposal, ProposalState
from assistant.ports.store import ProposalStore

__all__ = ["better_open", "claim_in_words", "offered_already", "offered_for_another_kernel", "store_and_supersede", "successor"]

_OPEN = frozenset({ProposalState.OPEN})


def better_open(store: ProposalStore, workspace: Path, fresh: Proposal) -> tuple[Proposal, ...]:
    """Open edits of the same kernel in the same text that gain more than ``fresh`` at a verdict as good, by the same measure."""
    known = store.proposals(workspace, _OPEN, fresh.path)
    return tuple(old for old in known if _is_same_place(old, fresh) and _is_better(old, fresh))


def offered_already(store: ProposalStore, workspace: Path, edit: FoundEdit) -> Proposal | None:
    """The open proposal of this very edit; None where there is none. A search that goes on need not make it once more."""
    return next((known for known in store.proposals(workspace, _OPEN, edit.path) if edit in edits_of(known)), None)


def offered_for_another_kernel(store: ProposalStore, workspace: Path, edit: FoundEdit) -> Proposal | None:
    """The open proposal that makes the very same change for another kernel, as in a function that both call; None: there is none."""
    known = store.proposals(workspace, _OPEN, edit.path)
    return next((old for old in known if old.kernel != edit.kernel and any(one.files == edit.files for one in edits_of(old))), None)


def successor(store: ProposalStore, proposal: Proposal) -> Proposal | None:
    """The newest that can be decided on among those offered after ``proposal`` for its kernel, else the newest; None without one."""
    newer: list[Proposal] = []
    for known in store.proposals(path=proposal.path):  # newest first
        if known.id == proposal.id:
            break
        if known.kernel == proposal.kernel:
            newer.append(known)
    return next((known for known in newer if known.state in DECIDABLE_STATES), next(iter(newer), None))


def store_and_supersede(job_id: str, store: ProposalStore, workspace: Path, fresh: Proposal) -> tuple[events.Message, ...]:
    """Keep ``fresh``; says which open ones it takes the place of, and which gain more and stay open as well."""
    better = better_open(store, workspace, fresh)
    superseded = store.add_proposal(workspace, fresh, frozenset(known.id for known in better))
    messages: list[tuple[str, str | None]] = [(f"{fresh.id} takes the place of {old}, which was open", None) for old in superseded]
    for known in better:
        text = f"{known.id} ({claim_in_words(known)}) stays open: it edits the same text and gains more than {fresh.id}"
        messages.append((text, f"kernelopt show {known.id}"))
    return tuple(events.Message(job_id, Severity.INFORMATION, text, remedy, None, None) for text, remedy in messages)


def claim_in_words(proposal: Proposal) -> str:
    """``PASS, PREDICTED 3.52x``."""
    speed = proposal.comparison
    return f"{proposal.verification.outcome.value}, {speed.outcome.value} {format_ratio(speed.ratio)}x"


def _is_same_place(old: Proposal, fresh: Proposal) -> bool:
    """Another edit of the same kernel in the same texts, as far as both touch them."""
    mine = {change.path: change.before_text for change in fresh.files}
    is_same_text = all(mine.get(change.path, change.before_text) == change.before_text for change in old.files)
    return old.kernel == fresh.kernel and old.path == fresh.path and is_same_text and old.files != fresh.files


def _is_better(old: Proposal, fresh: Proposal) -> bool:
    a, b = old.comparison, fresh.comparison
    if (a.outcome, a.method) != (b.outcome, b.method) or old.verification.outcome.severity > fresh.verification.outcome.severity:
        return False
    return a.ratio > b.ratio
