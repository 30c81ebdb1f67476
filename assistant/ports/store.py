"""The memory file, by who asks: attempts, proposals, jobs, analyses, model calls, pair sessions, edits of notebook cells.

A function takes the narrowest of these that it needs; what opens the file hands out ``Store``, which is all of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from assistant.model.attempt import Attempt, JobRow
from assistant.model.completion import ModelCall, SentCall
from assistant.model.experience import RecallQuery, TechniqueEvidence
from assistant.model.knowledge import WhatWasLearned
from assistant.model.pair import PairSession, Turn
from assistant.model.placement import Placement, PlacementState
from assistant.model.proposal import AlreadyDecided, Decision, Proposal, ProposalState
from assistant.record import Record

__all__ = [
    "AnalysisStore",
    "AttemptStore",
    "CallStore",
    "EditStore",
    "JobStore",
    "NotReplayable",
    "PairStore",
    "PlacementStore",
    "ProposalStore",
    "SearchStore",
    "Store",
    "StoredAnalysis",
]


class AttemptStore(Protocol):
    """Every candidate that was tried, and what was learnt from them."""

    def add_attempt(self, attempt: Attempt) -> None:
        """Append; adding the very same attempt again does nothing. Raises ValueError for another one of that id."""
        ...

    def attempts(self, workspace: Path | None = None, path: Path | None = None, limit: int = 100) -> tuple[Attempt, ...]:
        """Newest first; None means every workspace, every file. Among a file's are those of other files that changed it, too."""
        ...

    def recall(self, query: RecallQuery) -> tuple[TechniqueEvidence, ...]:
        """What memory knows of each technique that was tried or decided on, ranked for the query's state."""
        ...

    def what_was_learned(self) -> WhatWasLearned:
        """How each technique did by state, sequences that paid as one, lessons that are kept."""
        ...


class NotReplayable(Record):
    """A proposal has no recording to be judged on again."""

    reason: str
    """A clause about the proposal (``no recording of it was kept``)."""


class ProposalStore(Protocol):
    """Edits that were proposed to a person, and what the person decided."""

    def add_proposal(self, workspace: Path, proposal: Proposal, keep_open: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Store an open proposal; open ones of the same file and kernel become superseded, but for ``keep_open``. Ids of the superseded."""
        ...

    def keep_recording(self, proposal_id: str, recording: Path, quota_bytes: int, now_ms: int) -> None:
        """Copy the recording that a stored proposal was judged on; the oldest recordings go above the quota."""
        ...

    def restore_recording(self, proposal_id: str, folder: Path) -> Path | NotReplayable:
        """Write the proposal's recording into ``folder`` as it was kept; the folder."""
        ...

    def proposals(
        self, workspace: Path | None = None, states: frozenset[ProposalState] | None = None, path: Path | None = None
    ) -> tuple[Proposal, ...]:
        """Newest first, with their present state; None means every workspace, every state, every file.

        ``path``: those whose kernel is in this file, and those that change it.
        """
        ...

    def short_id(self, proposal_id: str) -> str:
        """What people call a stored proposal: ``P3``, the third of its workspace; the long id where it has no number."""
        ...

    def find_proposal(self, id_prefix: str, workspace: Path | None = None) -> Proposal:
        """The one proposal whose id starts so; raises UsageError for none or several. ``P01M7~2`` is it with its second alternative.

        ``P3`` is the third of the ``workspace``; where that has none, or none is given, of the only one that has a third.
        """
        ...

    def decide(self, decision: Decision, expected: frozenset[ProposalState]) -> Decision | AlreadyDecided:
        """Append the decision and move the proposal to the state it means, if its state is one of ``expected``.

        Raises UsageError for an unknown proposal, and for one that is in no expected state without a decision.
        """
        ...

    def mark(self, proposal_id: str, state: ProposalState) -> None:
        """``stale``, ``superseded`` or ``open`` again; never one of the human decisions, for which it raises ValueError.

        Does nothing to a proposal that was accepted or rejected meanwhile.
        """
        ...

    def decisions(self, proposal_id: str | None = None) -> tuple[Decision, ...]:
        """Oldest first."""
        ...


class EditStore(AttemptStore, ProposalStore, Protocol):
    """Edits of every kind: those that were tried, those that were proposed, and what was decided on them."""


class JobStore(Protocol):
    """Jobs as other processes see them, and their events."""

    def start_job(self, job: JobRow) -> None: ...

    def beat(self, job_id: str, now_ms: int) -> bool:
        """Record a heartbeat; True when the job should be cancelled."""
        ...

    def end_job(self, job_id: str, now_ms: int, exit_code: int) -> None:
        """The first end stands."""
        ...

    def jobs(self, workspace: Path | None = None) -> tuple[JobRow, ...]:
        """Newest first."""
        ...

    def request_cancel(self, job_id: str) -> bool:
        """Ask a job of any process to end; False when it is unknown or has ended."""
        ...

    def add_event(self, job_id: str, event: str) -> None:
        """Append one event (a JSON text) of a started job, for those who resume or watch it."""
        ...

    def events(self, job_id: str, start: int = 0) -> tuple[str, ...]:
        """Events of a job in order, from position ``start``."""
        ...


class StoredAnalysis(Record):
    """The last answer of one command on one file."""

    command: str
    """``inspect``, ``check``, ``profile`` or ``judge``; with ``:some`` behind it where it is on some of the file's kernels only."""
    text_sha256: str
    """Hash of the text that was looked at; where it is part of a larger program, of that too."""
    events: tuple[str, ...]
    """The job's events as JSON texts, in order."""


class AnalysisStore(Protocol):
    """The last answer of each command on each file."""

    def keep_analysis(self, workspace: Path, path: Path, analysis: StoredAnalysis, now_ms: int) -> None:
        """Replace the last answer of that command on that file."""
        ...

    def analyses(self, path: Path) -> tuple[StoredAnalysis, ...]:
        """The last answer of each command on a file, oldest first."""
        ...


class CallStore(Protocol):
    """Calls of language models: what they may cost before they are sent, and how they ended."""

    def add_sent_call(self, sent: SentCall) -> None:
        """Note what a call of a started job may cost, before it is sent."""
        ...

    def unanswered_calls(self, job: str) -> tuple[SentCall, ...]:
        """Calls of a job that were sent and whose end was never kept: it was killed meanwhile."""
        ...

    def add_model_call(self, call: ModelCall) -> None:
        """Append a call of a started job; adding the very same call again does nothing.

        Raises UsageError for an unknown job, ValueError for another call of that id.
        """
        ...

    def model_calls(self, job: str | None = None) -> tuple[ModelCall, ...]:
        """Calls of a job or all, in the order they began."""
        ...


class SearchStore(EditStore, JobStore, CallStore, Protocol):
    """All that a search reads and writes."""


class PairStore(Protocol):
    """Pair sessions and their turns."""

    def open_pair(self, session: PairSession, first: Turn) -> PairSession:
        """Store a pair session with its first turn, unless one is open on its file and kernel: the one that is open then."""
        ...

    def add_turn(self, turn: Turn) -> bool:
        """Append; False, and nothing written, where the session has a turn of that number already, or has ended."""
        ...

    def pair_sessions(self, path: Path | None = None, is_open_only: bool = True) -> tuple[PairSession, ...]:
        """Newest first; None means every file."""
        ...

    def find_pair(self, id_prefix: str) -> PairSession:
        """The one pair session whose id starts so; raises UsageError for none or several."""
        ...

    def turns(self, session_id: str) -> tuple[Turn, ...]:
        """In order."""
        ...


class PlacementStore(Protocol):
    """Edits of notebook cells that one process asks an open editor for."""

    def ask_placement(self, placement: Placement) -> None:
        """Ask the editors that have the notebook open for an edit of a cell; one of them takes it."""
        ...

    def placements(self, since_ms: int) -> tuple[Placement, ...]:
        """Those asked for since then that no editor took yet, oldest first."""
        ...

    def placement_state(self, placement_id: str) -> PlacementState | None:
        """None for one that was asked for long ago."""
        ...

    def move_placement(self, placement_id: str, before: PlacementState, after: PlacementState) -> bool:
        """Move it on from the state ``before``; False where another process was first."""
        ...


class Store(SearchStore, AnalysisStore, PairStore, PlacementStore, Protocol):
    """The whole memory file, shared between processes."""

    def data_version(self) -> int:
        """Changes when another process wrote: poll it to see when to look again."""
        ...

    def close(self) -> None: ...
