"""What happens when a person decides on a proposal: the file changes, the decision is kept, once.

Order of an accept: the text is checked, the file replaced, the decision appended by one compare-and-set. If somebody else decided in
between, the file is put back and the one that came second is told which one was first.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from assistant.cuda.hunks import HunkMismatch, apply_hunks
from assistant.cuda.rebase import RebasedChange, rebase
from assistant.engine.files import replace_text
from assistant.engine.proposals.superseding import claim_in_words, successor
from assistant.engine.source_version import read_source
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.proposal import (
    REASON_CODES,
    AlreadyDecided,
    Decision,
    DecisionKind,
    Proposal,
    ProposalState,
)
from assistant.ports.store import ProposalStore
from assistant.record import Record

__all__ = ["Decider", "DecisionRequest", "MovedChange", "chosen_text"]

_OPEN = frozenset({ProposalState.OPEN, ProposalState.UNDONE})
"""States a proposal can be accepted or rejected from."""

_ACCEPTANCES = frozenset({DecisionKind.ACCEPTED, DecisionKind.PARTIALLY_ACCEPTED, DecisionKind.EDITED_THEN_ACCEPTED})


class DecisionRequest(Record):
    """What the person wants."""

    kind: DecisionKind
    hunk_ids: tuple[str, ...] = ()
    """For a partial accept; unique prefixes are enough."""
    reason_code: str | None = None
    """Of a rejection; of a partial accept, why the rest is left out."""
    reason: str | None = None


class MovedChange(Record):
    """The file changed since the proposal was made; the change still fits, as ``text``, but must be judged again."""

    proposal: Proposal
    current: str
    text: str


class Decider(Record):
    """Takes decisions for one front end."""

    store: ProposalStore
    who: str
    """Front end and process, for the other processes (``cli 1234``)."""
    now_ms: int

    def accept(self, proposal: Proposal, request: DecisionRequest) -> Decision | AlreadyDecided | MovedChange:
        """Write the chosen text into the file.

        Raises UsageError for unknown hunks and for a proposal that is not open, CannotAnswerError for a conflict.
        """
        if proposal.state not in _OPEN:
            return self._decided_before(proposal)
        new_text = chosen_text(proposal, request)
        current = read_source(proposal.path).text
        if current == new_text:
            return self._append(proposal, request, new_text)
        if current != proposal.before_text:
            return self.moved(proposal, current, new_text)
        replace_text(proposal.path, new_text)
        decided = self._append(proposal, request, new_text)
        if isinstance(decided, AlreadyDecided) and decided.decision.text_sha256 != _sha256(new_text):
            replace_text(proposal.path, current)
        return decided

    def record(self, proposal: Proposal, request: DecisionRequest, text: str) -> Decision | AlreadyDecided:
        """Keep a decision that the text shows to have been carried out, by an editor or its undo and redo."""
        expected = frozenset({ProposalState.ACCEPTED}) if request.kind is DecisionKind.UNDONE else _OPEN
        return self._append(proposal, request, text, expected)

    def reject(self, proposal: Proposal, request: DecisionRequest) -> Decision | AlreadyDecided:
        """Keep the reason; the planner ranks the technique lower here. Raises UsageError for an unknown reason code."""
        _check_reason(request)
        if proposal.state in (ProposalState.STALE, ProposalState.SUPERSEDED):
            raise self._closed(proposal)
        return self._append(proposal, request, None)

    def undo(self, proposal: Proposal) -> Decision | AlreadyDecided:
        """Put the text before the accept back. Raises CannotAnswerError if the file moved on since."""
        accepted = self.accepted_text(proposal)
        current = read_source(proposal.path).text
        if current not in (accepted, proposal.before_text):
            raise CannotAnswerError(
                f"{proposal.path} changed after {proposal.id} was accepted; undo would lose those changes",
                f"edit it by hand: kernelopt show {proposal.id} prints the diff",
            )
        if current != proposal.before_text:
            replace_text(proposal.path, proposal.before_text)
        request = DecisionRequest(DecisionKind.UNDONE)
        return self._append(proposal, request, proposal.before_text, frozenset({ProposalState.ACCEPTED}))

    def moved(self, proposal: Proposal, current: str, new_text: str | None = None) -> MovedChange:
        """The change (of ``new_text``; None: all of it) made on ``current``; raises CannotAnswerError, the proposal being stale then."""
        match rebase(proposal.before_text, proposal.after_text if new_text is None else new_text, current):
            case RebasedChange(text=text):
                return MovedChange(proposal, current, text)
            case conflict:
                self.store.mark(proposal.id, ProposalState.STALE)
                lines = ", ".join(str(clash.current_line) for clash in conflict.clashes)
                raise CannotAnswerError(
                    f"{proposal.path} changed where {proposal.id} edits it (line {lines})", "run kernelopt optimize again"
                )

    def _decided_before(self, proposal: Proposal) -> AlreadyDecided:
        """Who decided; raises UsageError for a proposal that closed without anybody's decision."""
        if proposal.state not in (ProposalState.ACCEPTED, ProposalState.REJECTED):
            raise self._closed(proposal)
        return AlreadyDecided(self.store.decisions(proposal.id)[-1])

    def _closed(self, proposal: Proposal) -> UsageError:
        """Names what took the place of a superseded one."""
        text, remedy = f"{proposal.id} is {proposal.state.value}, not open", "kernelopt proposals lists the open ones"
        later = successor(self.store, proposal) if proposal.state is ProposalState.SUPERSEDED else None
        if later is None:
            return UsageError(text, remedy)
        return UsageError(f"{text}: {later.id} ({claim_in_words(later)}, {later.state.value}) took its place", f"kernelopt show {later.id}")

    def accepted_text(self, proposal: Proposal) -> str:
        """The text as it was accepted; raises UsageError for a proposal that is not accepted now."""
        if proposal.state is not ProposalState.ACCEPTED:
            raise UsageError(f"{proposal.id} is {proposal.state.value}; only an accepted proposal can be undone")
        return chosen_text(proposal, self.last_acceptance(proposal))

    def last_acceptance(self, proposal: Proposal) -> DecisionRequest:
        """How the proposal was last accepted, whether or not that was undone since."""
        accepted = (d for d in reversed(self.store.decisions(proposal.id)) if d.kind in _ACCEPTANCES)
        last = next(accepted)
        return DecisionRequest(last.kind, last.hunk_ids)

    def _append(
        self,
        proposal: Proposal,
        request: DecisionRequest,
        text: str | None,
        expected: frozenset[ProposalState] = _OPEN,
    ) -> Decision | AlreadyDecided:
        taken = _taken(proposal, request)
        decision = Decision(
            proposal=proposal.id,
            kind=request.kind,
            hunk_ids=taken,
            reason_code=request.reason_code,
            reason=request.reason,
            decided_ms=self.now_ms,
            decided_by=self.who,
            text_sha256=None if text is None else _sha256(text),
        )
        return self.store.decide(decision, expected)


def chosen_text(proposal: Proposal, request: DecisionRequest) -> str:
    """The file's text with the chosen hunks made; raises UsageError for an unknown or ambiguous hunk id."""
    taken = set(_taken(proposal, request))
    if len(taken) == len(proposal.hunks):
        return proposal.after_text
    match apply_hunks(proposal.before_text, (hunk for hunk in proposal.hunks if hunk.id in taken)):
        case HunkMismatch(hunk=hunk):
            raise CannotAnswerError(f"hunk {hunk.id} does not fit the text it was made for", "run kernelopt optimize again")
        case text:
            return text


def as_partial(proposal: Proposal, request: DecisionRequest) -> DecisionRequest:
    """All hunks named one by one are a full accept. Raises UsageError for unknown hunks and for an unknown reason code."""
    _check_reason(request)
    taken = _taken(proposal, request)
    if request.kind is DecisionKind.PARTIALLY_ACCEPTED and len(taken) == len(proposal.hunks):
        return DecisionRequest(DecisionKind.ACCEPTED)
    return replace(request, hunk_ids=taken)


def _check_reason(request: DecisionRequest) -> None:
    if request.reason_code is not None and request.reason_code not in REASON_CODES:
        raise UsageError(f"unknown reason code {request.reason_code!r}", f"use one of: {', '.join(REASON_CODES)}")


def _taken(proposal: Proposal, request: DecisionRequest) -> tuple[str, ...]:
    if request.kind is not DecisionKind.PARTIALLY_ACCEPTED:
        accepts = request.kind in (DecisionKind.ACCEPTED, DecisionKind.EDITED_THEN_ACCEPTED)
        return tuple(hunk.id for hunk in proposal.hunks) if accepts else ()
    taken: list[str] = []
    for prefix in request.hunk_ids:
        matching = [hunk.id for hunk in proposal.hunks if hunk.id.startswith(prefix)]
        if len(matching) != 1:
            known = " ".join(hunk.id for hunk in proposal.hunks)
            raise UsageError(f"{proposal.id} has {len(matching)} hunks that start with {prefix!r}", f"its hunks: {known}")
        taken += matching
    return tuple(dict.fromkeys(taken))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
