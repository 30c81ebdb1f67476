"""Faster versions that a search proved right, to be accepted or rejected.

Example::

    for proposal in kernel.optimize((out, x, n), ref=reference):
        print(proposal.diff, proposal.verification, proposal.ratio)
        text = proposal.accept()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from html import escape

from assistant.engine import AllowOption, OptimizeOptions
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.completion import Caps
from assistant.model.proposal import DECIDABLE_STATES
from assistant.record import Record
from kernelopt.results import JobFailed, ending, failure
from kernelopt.sessions import Session
from kernelopt.shapes import SIZES

__all__ = ["USUAL_SEARCH", "Proposal", "Proposals", "Search", "proposals"]


class Search(Record):
    """How far a search goes, and who plans it."""

    planner: str | None = None
    """``expert`` (rules, no network), ``llm`` or ``agent`` (a language model, whose provider the settings name), ``auto``; None: as the
    settings say."""
    rounds: int = 4
    """Techniques chained at most."""
    candidates: int = 24
    """Candidates tried at most."""
    allow: str = "none"
    """Decisions that the search may go on from, separated by commas: ``precision``, ``alignment``, ``fast-math``, …; each is shown as an
    alternative of its own."""
    usd: float | None = None
    """Dollars for language models at most; None: as the settings say."""
    tokens: int | None = None
    """Tokens to and from language models at most."""

    def changed(self, given: Mapping[str, object]) -> Search:
        """With these in the place of its own. Raises UsageError for names that are no options."""
        known = [field.name for field in fields(self)]
        unknown = next((name for name in given if name not in known), None)
        if unknown in SIZES:
            raise UsageError(f"optimize takes no {unknown!r}", "write kernel[grid, block].optimize(…)")
        if unknown is not None:
            raise UsageError(f"optimize takes no {unknown!r}", f"its options are {', '.join(known)}")
        return replace(self, **given)  # pyright: ignore[reportArgumentType] - the names are its fields

    def chosen(self) -> OptimizeOptions:
        """As the engine takes it. Raises UsageError for an unknown decision."""
        allowed = AllowOption.read(self.allow)
        return OptimizeOptions(
            max_rounds=self.rounds,
            max_candidates=self.candidates,
            planner=self.planner,
            allowed=allowed.decisions,
            caps=Caps(self.usd, self.tokens),
        )


USUAL_SEARCH = Search()


class Proposal:
    """One faster version, proved right; what is decided on it is kept in memory and steers later searches."""

    def __init__(self, session: Session, is_file: bool, made: events.ProposalMade) -> None:
        self._session = session
        self._is_file = is_file
        self.details = made
        """All of it: cases, evidence, alternatives."""

    @property
    def id(self) -> str:
        return self.details.id

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return self.details.summary

    @property
    def techniques(self) -> tuple[str, ...]:
        """In the order in which they were chained."""
        return self.details.techniques

    @property
    def diff(self) -> str:
        """Unified."""
        return self.details.diff

    @property
    def explanation(self) -> str:
        """Why it is faster, with the evidence, as Markdown."""
        return self.details.explanation

    @property
    def verification(self) -> str:
        """``PASS``, or ``NEEDS_DECISION`` with what is to be decided in `labels` and `assumptions`."""
        return str(self.details.verification.outcome)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.details.labels

    @property
    def assumptions(self) -> tuple[str, ...]:
        return self.details.assumptions

    @property
    def speed(self) -> str:
        """``FASTER`` where it was measured, ``PREDICTED`` where it was not."""
        return str(self.details.speed.outcome)

    @property
    def ratio(self) -> float:
        """Time before / time after."""
        return self.details.speed.ratio

    @property
    def text(self) -> str:
        """The whole text with the change made."""
        return self._session.ask(lambda engine: engine.store.find_proposal(self.id).after[0].text)

    @property
    def state(self) -> str:
        """``open``, ``accepted``, ``rejected``, ``undone``, ``stale`` or ``superseded``."""
        return str(self._session.ask(lambda engine: engine.store.find_proposal(self.id).state))

    def accept(self) -> str:
        """Take it: a file is written, of a text nothing is. The new text.

        Raises UsageError where somebody decided first, JobFailed where the file changed meanwhile: the change is judged anew then.
        """
        if not self._is_file:
            self._session.ask(lambda engine: engine.accept_text(self.id))
            return self.text
        found = self._session.events(lambda engine: engine.accept(self.id, ()))
        if not any(isinstance(event, events.DecisionMade) for event in found):
            raise JobFailed(ending(found).reason)
        return self.text

    def reject(self, reason: str | None = None, code: str | None = None) -> None:
        """Turn it down; the reason, in words or as a code of ``kernelopt reject``, steers later searches.

        Raises UsageError for an unknown code, or where somebody decided first.
        """
        self._session.ask(lambda engine: engine.reject(self.id, code, reason))

    def undo(self) -> None:
        """Take the decision back: after `accept` a file gets its earlier text, after `reject` the proposal is open again.

        Raises CannotAnswerError where the file changed since.
        """
        self._session.ask(lambda engine: engine.undo(self.id) if self._is_file else (engine.undo_text(self.id),))

    def _repr_html_(self) -> str:
        """In a notebook: what it is worth, how it was judged, its change side by side."""
        from jupyter_ext.proposal_page import decided_html, open_html  # no script pays for a page

        kept = self._session.ask(lambda engine: engine.store.find_proposal(self.id))
        return open_html(kept) if kept.state in DECIDABLE_STATES else decided_html(kept)

    def __repr__(self) -> str:
        return f"<proposal: {self.summary}; {self.verification}, {self.speed} {self.ratio:.2f}x>"


class Proposals(Sequence[Proposal]):
    """What a search found, best first, and what it tried."""

    def __init__(self, found: Sequence[Proposal], tried: Sequence[events.CandidateTried], reason: str, notes: Sequence[str] = ()) -> None:
        self._found = tuple(found)
        self.tried = tuple(tried)
        """Every candidate, with its outcome and why."""
        self.reason = reason
        """How the search ended, in one line."""
        self.notes = tuple(notes)
        """What was not compared, or not held against the reference, a sentence each."""

    def __getitem__(self, index: int) -> Proposal:  # pyright: ignore[reportIncompatibleMethodOverride] - slices are of no use here
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self._found)

    def _repr_html_(self) -> str:
        """In a notebook: how the search ended, and each proposal."""
        said = "".join(f"<div>{escape(words)}</div>" for words in (self.reason, *self.notes))
        return said + "".join(proposal._repr_html_() for proposal in self._found)  # pyright: ignore[reportPrivateUsage] - IPython's name

    def __repr__(self) -> str:
        return "\n  ".join((f"<search: {self.reason}; {len(self.tried)} tried>", *map(repr, self._found), *self.notes))


def proposals(session: Session, is_file: bool, found: Sequence[events.Event], said: Sequence[str] = ()) -> Proposals:
    """What a search reported; a later proposal of the same search stands in the place of those that it improves on.
    ``said``: notes from before it.

    Raises JobFailed where the search could not be made.
    """
    if ending(found).exit_code:
        raise failure(found)
    made = [Proposal(session, is_file, event) for event in found if isinstance(event, events.ProposalMade)]
    tried = [event for event in found if isinstance(event, events.CandidateTried)]
    return Proposals([one for one in reversed(made) if one.state == "open"], tried, ending(found).reason, said)
