"""What happens when a person decides on a proposal: its files change, the decision is kept, once.

Order of an accept: the texts are checked, the files replaced, the decision appended by one compare-and-set. If somebody else decided in
between, the files are put back and the second one is informed who was first.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.config import find_workspace, user_paths
from assistant.cuda.changes import ChangeConflict, RebasedTexts, chosen_texts, rebase_texts
from assistant.cuda.hunks import HunkMismatch
from assistant.cuda.respelled import respelled_texts
from assistant.engine.files import put_back_half_written, replace_texts
from assistant.engine.proposals.rejected import twins
from assistant.engine.proposals.superseding import claim_in_words, successor
from assistant.engine.source_version import read_source
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.proposal import (
    DECIDABLE_STATES,
    REASON_CODES,
    AlreadyDecided,
    Decision,
    DecisionKind,
    Proposal,
    ProposalState,
    texts_sha256,
)
from assistant.model.source import Source
from assistant.ports.store import ProposalStore
from assistant.record import Record

__all__ = ["Decider", "DecisionRequest", "MadeBefore", "MovedChange", "as_partial", "chosen_of"]

"""States a proposal can be accepted or rejected from."""

_ACCEPTANCES = frozenset({DecisionKind.ACCEPTED, DecisionKind.PARTIALLY_ACCEPTED, DecisionKind.EDITED_THEN_ACCEPTED})


class DecisionRequest(Record):
    """What the person wants."""

    kind: DecisionKind
    hunk_ids: tuple[str, ...] = ()
    """For a partial accept; unique prefixes are enough."""
    reason_code: str | None = None
    """Code for a rejection; for a partial accept, why the rest is left out."""
    reason: str | None = None
    alternative: int = 0
    """`Proposal.number` of what is meant, where a person was shown several versions at once."""


class MovedChange(Record):
    """The code of a file changed since the proposal was made; the change still fits, as ``texts``, but must be judged again."""

    proposal: Proposal
    current: tuple[Source, ...]
    """All files of the proposal as they are now."""
    texts: tuple[Source, ...]
    """The same with the change made."""

    @property
    def changed_names(self) -> str:
        """Names of the files that are not as the proposal knows them."""
        return ", ".join(now.path.name for now, then in zip(self.current, self.proposal.before, strict=True) if now != then)


class MadeBefore(Record):
    """The same edit was accepted as another proposal, and stands in the files: accepting it once more would leave two to undo."""

    proposal: Proposal
    by: Proposal

    @property
    def words(self) -> str:
        """``scale.cu has this edit already: P2 was accepted``."""
        names = " and ".join(path.name for path in self.proposal.paths)
        return f"{names} {'has' if len(self.proposal.paths) == 1 else 'have'} this edit already: {self.by.id} was accepted"

    @property
    def remedy(self) -> str:
        return f"kernelopt undo {self.by.id} takes it out"


class Decider(Record):
    """Takes decisions for one front end."""

    store: ProposalStore
    who: str
    """Front end and process, for the other processes (``cli 1234``)."""
    now_ms: int

    def accept(self, proposal: Proposal, request: DecisionRequest) -> Decision | AlreadyDecided | MovedChange | MadeBefore:
        """Write the chosen texts into the files: into all of them or none. An edit that was made before is superseded by the first.

        Raises UsageError for unknown hunks and for a proposal that is not open, CannotAnswerError for a conflict.
        """
        if proposal.state not in DECIDABLE_STATES:
            return self._decided_before(proposal)
        texts = chosen_of(proposal, request)
        current = self._current(proposal)
        if current == texts:
            by = self._maker_of(proposal)
            if by is None:
                return self._append(proposal, request, texts)
            self.store.mark(proposal.id, ProposalState.SUPERSEDED)
            return MadeBefore(proposal, by)
        made = respelled_texts(proposal.before, texts, current)
        if made is None:
            return self.moved(proposal, current, texts)
        texts = made
        replace_texts(current, texts, user_paths().writing)
        decided = self._append(proposal, request, texts)
        if isinstance(decided, AlreadyDecided) and decided.decision.text_sha256 != texts_sha256(texts):
            replace_texts(texts, current, user_paths().writing)
        return decided

    def record(self, proposal: Proposal, request: DecisionRequest, texts: tuple[Source, ...]) -> Decision | AlreadyDecided:
        """Keep a decision that the texts show to have been carried out, by an editor or its undo and redo."""
        expected = frozenset({ProposalState.ACCEPTED}) if request.kind is DecisionKind.UNDONE else DECIDABLE_STATES
        return self._append(proposal, request, texts, expected)

    def reject(self, proposal: Proposal, request: DecisionRequest) -> Decision | AlreadyDecided:
        """Keep the reason; the planner ranks the technique lower here. Raises UsageError for an unknown reason code."""
        _check_reason(request)
        if proposal.state in (ProposalState.STALE, ProposalState.SUPERSEDED):
            raise self._closed(proposal)
        outcome = self._append(proposal, request, None)
        if isinstance(outcome, Decision):
            for twin in twins(proposal, self.store.proposals(find_workspace(proposal.path), frozenset({ProposalState.OPEN}))):
                self.store.mark(twin.id, ProposalState.SUPERSEDED)
        return outcome

    def reopen(self, proposal: Proposal) -> Decision | AlreadyDecided:
        """Take a rejection back: it waits for a decision again. Raises UsageError where it is not rejected."""
        if proposal.state is not ProposalState.REJECTED:
            raise UsageError(f"{proposal.id} is {proposal.state.value}; only a rejection can be taken back")
        return self._append(proposal, DecisionRequest(DecisionKind.REOPENED), None, frozenset({ProposalState.REJECTED}))

    def undo(self, proposal: Proposal) -> Decision | AlreadyDecided:
        """Take the last decision back: of an accept, put the texts before it back, all of them or none; of a rejection, open it again.

        Raises CannotAnswerError if a file moved on since.
        """
        if proposal.state is ProposalState.REJECTED:
            return self.reopen(proposal)
        proposal = self.as_decided(proposal)
        accepted = self.accepted_texts(proposal)
        current = self._current(proposal)
        restored = current if current == proposal.before else respelled_texts(accepted, proposal.before, current)
        if restored is None:
            moved_on = ", ".join(str(now.path) for now, then in zip(current, accepted, strict=True) if now != then)
            raise CannotAnswerError(
                f"{moved_on} changed after {proposal.id} was accepted; undo would lose those changes",
                f"edit it by hand: kernelopt show {proposal.id} prints the diff",
            )
        replace_texts(current, restored, user_paths().writing)
        request = DecisionRequest(DecisionKind.UNDONE)
        return self._append(proposal, request, restored, frozenset({ProposalState.ACCEPTED}))

    def moved(self, proposal: Proposal, current: tuple[Source, ...], texts: tuple[Source, ...] | None = None) -> MovedChange:
        """The change (to ``texts``; None: all of it) made on ``current``; raises CannotAnswerError, the proposal being stale then."""
        match rebase_texts(proposal.before, proposal.after if texts is None else texts, current):
            case RebasedTexts(texts=made):
                return MovedChange(proposal, current, made)
            case ChangeConflict(path=path, lines=lines):
                self.store.mark(proposal.id, ProposalState.STALE)
                places = ", ".join(map(str, lines))
                raise CannotAnswerError(f"{path} changed where {proposal.id} edits it (line {places})", "run kernelopt optimize again")

    def _current(self, proposal: Proposal) -> tuple[Source, ...]:
        """Its files as they are on disk, whole: what a process that died had left half written is put back first."""
        put_back_half_written(user_paths().writing)
        return tuple(read_source(path) for path in proposal.paths)

    def _maker_of(self, proposal: Proposal) -> Proposal | None:
        """The accepted proposal that makes this very edit; None where a person made it."""
        accepted = self.store.proposals(None, frozenset({ProposalState.ACCEPTED}), proposal.path)
        return next(iter(twins(proposal, map(self.as_decided, accepted))), None)

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

    def accepted_texts(self, proposal: Proposal) -> tuple[Source, ...]:
        """The files as they were accepted; raises UsageError for a proposal that is not accepted now."""
        if proposal.state is not ProposalState.ACCEPTED:
            raise UsageError(f"{proposal.id} is {proposal.state.value}; only an accepted proposal can be undone")
        return chosen_of(self.as_decided(proposal), self.last_acceptance(proposal))

    def as_decided(self, proposal: Proposal) -> Proposal:
        """With the content of that one of its alternatives that was accepted; as it is where none was."""
        last = self._last(proposal)
        return proposal if last is None else proposal.taking(last.alternative) or proposal

    def last_acceptance(self, proposal: Proposal) -> DecisionRequest:
        """How the proposal was last accepted, whether or not that was undone since."""
        last = self._last(proposal)
        assert last is not None, "only asked of what was accepted"
        return DecisionRequest(last.kind, last.hunk_ids)

    def _last(self, proposal: Proposal) -> Decision | None:
        return next((d for d in reversed(self.store.decisions(proposal.id)) if d.kind in _ACCEPTANCES), None)

    def _append(
        self,
        proposal: Proposal,
        request: DecisionRequest,
        texts: tuple[Source, ...] | None,
        expected: frozenset[ProposalState] = DECIDABLE_STATES,
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
            text_sha256=None if texts is None else texts_sha256(texts),
            alternative=proposal.number,
        )
        return self.store.decide(decision, expected)


def chosen_of(proposal: Proposal, request: DecisionRequest) -> tuple[Source, ...]:
    """All files of the proposal with the chosen hunks made; raises UsageError for an unknown or ambiguous hunk id."""
    match chosen_texts(proposal.files, frozenset(_taken(proposal, request))):
        case HunkMismatch(hunk=hunk):
            raise CannotAnswerError(f"hunk {hunk.id} does not fit the text it was made for", "run kernelopt optimize again")
        case texts:
            return texts


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
