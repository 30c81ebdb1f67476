"""Decisions in an editor: the editor makes the edit, and the resulting text shows the decision.

An accept is begun here, carried out by the editor as an edit of its own (so that undo is its own), and kept when the text that
comes back equals the text that was asked for. Undo and redo are seen the same way. Example::

    match review.begin(proposal_id, hunk_ids=(), current=texts):
        case Apply(after=after): ...      # have the editor replace the texts
        case MovedChange(): ...                 # judge it again on the current texts
    review.observe(path, text)            # (Decision(kind=ACCEPTED, …),) once the edit has arrived in all of its files
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from assistant.cuda.respelled import respelled_texts
from assistant.disk.texts import source_text
from assistant.engine.proposals import Decider, DecisionRequest, MovedChange, as_partial, chosen_of
from assistant.errors import UsageError
from assistant.model.proposal import DECIDABLE_STATES, AlreadyDecided, Decision, DecisionKind, Proposal, ProposalState
from assistant.model.source import Source
from assistant.ports.store import ProposalStore
from assistant.record import Record

__all__ = ["NO_WHY", "Apply", "AwaitedEdit", "Review", "Why"]

_REVERSIBLE = frozenset({ProposalState.ACCEPTED, ProposalState.UNDONE})


class Why(Record):
    """A person's reason; both parts are optional."""

    code: str | None = None
    """One of ``REASON_CODES``."""
    words: str | None = None


NO_WHY = Why()


class Apply(Record):
    """The edit to make: the whole texts of the proposal's files before and after."""

    proposal: Proposal
    request: DecisionRequest
    before: tuple[Source, ...]
    after: tuple[Source, ...]


class AwaitedEdit(Record):
    """An edit that another front end has asked for, and decides on."""

    proposal_id: str
    after: str
    """The whole text."""
    who: str
    """Front end and process."""
    is_made: bool = False
    """The editor reports that it made the edit: any other text comes from elsewhere."""


class _Reversible(Record):
    """A proposal whose accepting, or undoing, the text itself can show."""

    proposal: Proposal
    request: DecisionRequest
    before: tuple[Source, ...]
    accepted: tuple[Source, ...]


class Review:
    """Decisions of a front end on the texts that it has open."""

    def __init__(self, store: ProposalStore, who: str) -> None:
        self._store = store
        self._who = who
        self._begun: list[Apply] = []
        self._made: set[Path] = set()
        """Files without an open text whose edit the editor reports to have made: nothing else says so."""
        self._texts: dict[Path, str] = {}
        """Texts of the files that are open."""
        self._reversible: dict[Path, tuple[_Reversible, ...]] = {}
        self._made_here: dict[str, Apply] = {}
        """By proposal: the last edit of it that was made here, of a text with spaces and comments of its own."""
        self._seen: set[str] = set()
        """Proposals whose accepted text stood here: only what was here can be undone here."""
        self._awaited: dict[Path, AwaitedEdit] = {}

    def begin(self, proposal_id: str, hunk_ids: tuple[str, ...], current: tuple[Source, ...], why: Why = NO_WHY) -> Apply | MovedChange:
        """What accepting means for ``current``, the proposal's files as they are; ``why``: of a part, why the rest is left out.

        Raises UsageError for a proposal that is decided or closed, for unknown hunks and reason codes, CannotAnswerError where the
        change clashes with a current text (the proposal is stale then).
        """
        proposal = self._store.find_proposal(proposal_id)
        if proposal.state not in DECIDABLE_STATES:
            raise UsageError(self._why_closed(proposal), "kernelopt history shows who decided what")
        kind = DecisionKind.PARTIALLY_ACCEPTED if hunk_ids else DecisionKind.ACCEPTED
        request = as_partial(proposal, DecisionRequest(kind, hunk_ids, why.code, why.words))
        chosen = chosen_of(proposal, request)
        made = respelled_texts(proposal.before, chosen, current)
        return self._decider().moved(proposal, current, chosen) if made is None else self._begin(Apply(proposal, request, current, made))

    def begin_edited(self, proposal_id: str, current: tuple[Source, ...], edited: tuple[Source, ...]) -> Apply:
        """Accept the texts that a person made of a proposal (edit-then-accept). Raises UsageError as ``begin`` does."""
        proposal = self._store.find_proposal(proposal_id)
        if proposal.state not in DECIDABLE_STATES:
            raise UsageError(self._why_closed(proposal), "kernelopt history shows who decided what")
        return self._begin(Apply(proposal, DecisionRequest(DecisionKind.EDITED_THEN_ACCEPTED), current, edited))

    def made(self, proposal_id: str, paths: Iterable[Path]) -> tuple[Decision | AlreadyDecided, ...]:
        """The editor says that it made a proposal's edit, in these files also, which are not open here. Decisions that this shows."""
        self._made.update(paths)
        return tuple(outcome for apply in self._begun if apply.proposal.id == proposal_id for outcome in self._arrived(apply))

    def await_other(self, path: Path, awaited: AwaitedEdit) -> None:
        """Another front end has an edit made here: what the text that arrives shows is its decision; it may be undone here."""
        self._awaited[path] = awaited

    def other_made(self, path: Path) -> None:
        """The editor made the edit: its text is the next to arrive, unless it is there."""
        awaited = self._awaited.get(path)
        if awaited is not None:
            self._awaited[path] = replace(awaited, is_made=True)

    def await_no_other(self, path: Path) -> None:
        """The edit was not made."""
        self._awaited.pop(path, None)

    def reject(self, proposal_id: str, reason_code: str | None, reason: str | None) -> Decision:
        """Raises UsageError where it was already decided, or for an unknown reason code."""
        request = DecisionRequest(DecisionKind.REJECTED, reason_code=reason_code, reason=reason)
        return _taken(self._decider().reject(self._store.find_proposal(proposal_id), request))

    def reopen(self, proposal_id: str) -> Decision:
        """Take a rejection back. Raises UsageError where it is not rejected."""
        return _taken(self._decider().reopen(self._store.find_proposal(proposal_id)))

    def observe(self, path: Path, text: str) -> tuple[Decision | AlreadyDecided, ...]:
        """Decisions that ``text`` shows: an accept that has arrived, an undo, a redo; where another front end was first, its decision.

        An edit of several files has arrived, or is undone, when all of them show it.
        """
        self._texts[path] = text
        return tuple(self._shown_by(path, text))

    def opened(self, path: Path, text: str) -> None:
        """A source was opened with this text; it decides nothing."""
        self._texts[path] = text
        self._seen.update(item.proposal.id for item in self._reversible_of(path) if self._shows(item.accepted))

    def closed(self, path: Path) -> None:
        """A source was closed: what is on disk counts now."""
        self._texts.pop(path, None)

    def refresh(self, path: Path) -> None:
        """Another process wrote: read the proposals of this file again."""
        self._reversible.pop(path, None)

    def _shown_by(self, path: Path, text: str) -> Iterator[Decision | AlreadyDecided]:
        arriving = tuple(apply for apply in self._begun if Source(path, text) in apply.after)
        arrived = [outcome for apply in arriving for outcome in self._arrived(apply)]
        if arrived:
            yield from arrived
            return
        # a part of an edit that still comes in other files: alone it may look like the redo of a part that was accepted before
        half_made = {apply.proposal.id for apply in arriving if Source(path, text) not in apply.before}
        awaited = self._awaited.get(path)
        asked = awaited if awaited is not None and text == awaited.after else None
        if asked is not None:
            self._seen.add(asked.proposal_id)
        if awaited is not None and (asked is not None or awaited.is_made):
            del self._awaited[path]
        for item in self._reversible_of(path):
            if item.proposal.id in half_made or Source(path, text) not in (*item.accepted, *item.before):
                continue
            who = asked.who if asked is not None and asked.proposal_id == item.proposal.id else self._who
            is_accepted = item.proposal.state is ProposalState.ACCEPTED
            shows_it = self._shows(item.accepted)
            if shows_it:
                self._seen.add(item.proposal.id)
            if is_accepted and item.proposal.id in self._seen and self._shows(item.before):
                yield from self._reversed(item.proposal, DecisionRequest(DecisionKind.UNDONE), item.before, who)
            elif not is_accepted and shows_it:
                yield from self._reversed(item.proposal, item.request, item.accepted, who)

    def _begin(self, apply: Apply) -> Apply:
        """It takes the place of what was begun on the same files."""
        paths = frozenset(apply.proposal.paths)
        self._begun = [other for other in self._begun if paths.isdisjoint(other.proposal.paths)] + [apply]
        self._made -= paths
        return apply

    def _arrived(self, apply: Apply) -> Iterator[Decision | AlreadyDecided]:
        """The decision, once every file has its text."""
        if not all(source.path in self._made or self._shows((source,)) for source in apply.after):
            return
        self._begun = [other for other in self._begun if other is not apply]
        self._made -= frozenset(apply.proposal.paths)
        for path in (apply.proposal.path, *apply.proposal.paths):
            self.refresh(path)
        self._seen.add(apply.proposal.id)
        self._made_here[apply.proposal.id] = apply
        yield self._decider().record(apply.proposal, apply.request, apply.after)

    def _shows(self, texts: Iterable[Source]) -> bool:
        """Whether these are the files' texts: as they are open here, else on disk."""
        return all(
            (self._texts[source.path] if source.path in self._texts else source_text(source.path)) == source.text for source in texts
        )

    def _reversed(
        self, proposal: Proposal, request: DecisionRequest, texts: tuple[Source, ...], who: str
    ) -> Iterator[Decision | AlreadyDecided]:
        """An undo or redo; nothing when another process did the same, and these texts came from the files that it wrote."""
        for path in (proposal.path, *proposal.paths):
            self.refresh(path)
        outcome = self._decider(who).record(proposal, request, texts)
        if isinstance(outcome, Decision) or outcome.decision.kind is not request.kind:
            yield outcome

    def _reversible_of(self, path: Path) -> tuple[_Reversible, ...]:
        if path not in self._reversible:
            found = self._store.proposals(states=_REVERSIBLE, path=path)
            self._reversible[path] = tuple(item for proposal in found if (item := self._reversible_item(proposal)) is not None)
        return self._reversible[path]

    def _reversible_item(self, proposal: Proposal) -> _Reversible | None:
        proposal, request = self._decider().as_decided(proposal), self._decider().last_acceptance(proposal)
        if request.kind is DecisionKind.EDITED_THEN_ACCEPTED:
            return None  # its text is only known by its hash
        made = self._made_here.get(proposal.id)
        chosen = chosen_of(proposal, request)
        if made is not None and chosen == chosen_of(proposal, made.request):
            return _Reversible(proposal, request, made.before, made.after)
        return _Reversible(proposal, request, proposal.before, chosen)

    def _why_closed(self, proposal: Proposal) -> str:
        decisions = self._store.decisions(proposal.id)
        by = f" by {decisions[-1].decided_by}" if decisions else ""
        return f"{self._store.short_id(proposal.id)} is {proposal.state.value}{by}"

    def _decider(self, who: str | None = None) -> Decider:
        """The decider of this front end, or of ``who`` for another front end's decision."""
        return Decider(self._store, who or self._who, time.time_ns() // 1_000_000)


def _taken(outcome: Decision | AlreadyDecided) -> Decision:
    if isinstance(outcome, AlreadyDecided):
        first = outcome.decision
        kind = first.kind.value.replace("_", " ")
        raise UsageError(f"{first.proposal} was already {kind} by {first.decided_by}", "kernelopt history shows who decided what")
    return outcome
