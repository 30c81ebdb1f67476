"""A store in memory: as ``MemoryStore`` in what the engine sees of it, without a file. Passes ``store_contract``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from assistant.errors import UsageError
from assistant.memory.alternatives import chosen_alternative
from assistant.memory.experience import Judgement, experience_of, unknown_traits
from assistant.memory.experience_rows import Known, known_of
from assistant.memory.knowledge import derive
from assistant.memory.numbers import short_number
from assistant.memory.recall import recall
from assistant.memory.records import attempt_record
from assistant.model.attempt import Attempt, JobRow
from assistant.model.completion import ModelCall, SentCall
from assistant.model.experience import RecallQuery, TechniqueEvidence, device_class
from assistant.model.knowledge import WhatWasLearned
from assistant.model.pair import PairSession, Turn, TurnKind
from assistant.model.placement import Placement, PlacementState
from assistant.model.proposal import AlreadyDecided, Decision, DecisionKind, Proposal, ProposalState, named_alternative
from assistant.ports.store import NotReplayable, StoredAnalysis

__all__ = ["FakeStore"]

_PLACEMENTS_KEPT_MS = 60_000
_STATE_AFTER = {
    DecisionKind.REJECTED: ProposalState.REJECTED,
    DecisionKind.UNDONE: ProposalState.UNDONE,
    DecisionKind.REOPENED: ProposalState.OPEN,
}
"""Every other decision accepts."""


@dataclass
class FakeStore:
    """Implements ``ports.store.Store`` for one process."""

    is_closed: bool = False
    recordings: dict[str, dict[str, bytes] | None] = field(default_factory=dict[str, dict[str, bytes] | None])
    """By proposal, oldest first: the files of its recording by their names in its folder; None: removed for the quota."""
    _attempts: dict[str, Attempt] = field(default_factory=dict[str, Attempt])
    _proposals: dict[str, tuple[Path, Proposal]] = field(default_factory=dict[str, tuple[Path, Proposal]])
    _decisions: list[Decision] = field(default_factory=list[Decision])
    _jobs: dict[str, JobRow] = field(default_factory=dict[str, JobRow])
    _events: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _analyses: dict[tuple[Path, str], tuple[int, StoredAnalysis]] = field(
        default_factory=dict[tuple[Path, str], tuple[int, StoredAnalysis]]
    )
    _sent: dict[str, SentCall] = field(default_factory=dict[str, SentCall])
    _calls: dict[str, ModelCall] = field(default_factory=dict[str, ModelCall])
    _sessions: dict[str, PairSession] = field(default_factory=dict[str, PairSession])
    _turns: list[Turn] = field(default_factory=list[Turn])
    _placements: dict[str, tuple[Placement, PlacementState]] = field(default_factory=dict[str, tuple[Placement, PlacementState]])

    def add_attempt(self, attempt: Attempt) -> None:
        _same(attempt.id, self._attempts.setdefault(attempt.id, attempt), attempt)

    def attempts(self, workspace: Path | None = None, path: Path | None = None, limit: int = 100) -> tuple[Attempt, ...]:
        found = (a for a in self._newest() if workspace in (None, a.workspace) and path in (None, a.path, *(file.path for file in a.also)))
        return tuple(found)[:limit]

    def recall(self, query: RecallQuery) -> tuple[TechniqueEvidence, ...]:
        """By the rules of the real memory, on what is here."""
        return recall(query, self._experience(), self._judgements())

    def what_was_learned(self) -> WhatWasLearned:
        return WhatWasLearned(derive(self._experience(), self._judgements()))

    def _experience(self) -> list[Known]:
        records = (json.loads(attempt_record(attempt)[0]) for attempt in self._newest())
        return [known_of(experience_of(record, unknown_traits)) for record in records]

    def add_proposal(self, workspace: Path, proposal: Proposal, keep_open: frozenset[str] = frozenset()) -> tuple[str, ...]:
        if proposal.id in self._proposals:
            known = self._proposals[proposal.id][1]
            _same(proposal.id, replace(known, state=proposal.state), proposal)
            return ()
        superseded = [
            known.id
            for _, known in self._proposals.values()
            if known.state is ProposalState.OPEN
            and (known.path, known.kernel) == (proposal.path, proposal.kernel)
            and known.id not in keep_open
        ]
        for known_id in superseded:
            self._move(known_id, ProposalState.SUPERSEDED)
        self._proposals[proposal.id] = (workspace, proposal)
        return tuple(superseded)

    def keep_recording(self, proposal_id: str, recording: Path, quota_bytes: int, now_ms: int) -> None:
        self.recordings.pop(proposal_id, None)
        files = (*(recording / "blobs").iterdir(), recording / "recording.json")
        self.recordings[proposal_id] = {str(file.relative_to(recording)): file.read_bytes() for file in files}
        while self._recorded_bytes() > quota_bytes:
            self.recordings[next(known for known, kept in self.recordings.items() if kept is not None)] = None

    def _recorded_bytes(self) -> int:
        """Equal contents have equal names, and count once."""
        contents = {name: data for kept in self.recordings.values() if kept is not None for name, data in kept.items() if "blobs" in name}
        return sum(map(len, contents.values()))

    def restore_recording(self, proposal_id: str, folder: Path) -> Path | NotReplayable:
        if proposal_id not in self.recordings:
            return NotReplayable("no recording of it was kept")
        kept = self.recordings[proposal_id]
        if kept is None:
            return NotReplayable("its recording was removed to keep within memory.recordings_bytes")
        for name, data in kept.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return folder

    def proposals(
        self, workspace: Path | None = None, states: frozenset[ProposalState] | None = None, path: Path | None = None
    ) -> tuple[Proposal, ...]:
        found = [
            proposal
            for of, proposal in self._proposals.values()
            if workspace in (None, of) and (states is None or proposal.state in states) and path in (None, proposal.path)
        ]
        return tuple(_newest_first(found))

    def short_id(self, proposal_id: str) -> str:
        if proposal_id not in self._proposals:
            return proposal_id
        workspace = self._proposals[proposal_id][0]
        return f"P{[known for known, (of, _) in self._proposals.items() if of == workspace].index(proposal_id) + 1}"

    def find_proposal(self, id_prefix: str, workspace: Path | None = None) -> Proposal:
        beginning, number = named_alternative(id_prefix)
        if short_number(beginning) is not None:
            called = [(of, known) for known, (of, _) in self._proposals.items() if self.short_id(known) == beginning.upper()]
            called = [each for each in called if each[0] == workspace] or called
            if len(called) != 1:
                raise UsageError(f"{len(called)} folders have a proposal {beginning}" if called else f"there is no proposal {beginning}")
            return chosen_alternative(self._proposals[called[0][1]][1], number)
        prefix, remedy = beginning.upper(), "kernelopt proposals lists them"
        if not prefix:
            raise UsageError("a proposal is named by its id or the first letters of it", remedy)
        found = [known for known in self._proposals if known.startswith(prefix)]
        if len(found) != 1:
            count = f"{len(found)} proposals start" if found else "no proposal starts"
            raise UsageError(f"{count} with {id_prefix!r}", remedy)
        return chosen_alternative(self._proposals[found[0]][1], number)

    def decide(self, decision: Decision, expected: frozenset[ProposalState]) -> Decision | AlreadyDecided:
        if decision.proposal not in self._proposals:
            raise UsageError(f"no proposal {decision.proposal}", "kernelopt proposals lists them")
        state = self._proposals[decision.proposal][1].state
        if state not in expected:
            taken = self.decisions(decision.proposal)
            if not taken:
                raise UsageError(f"{decision.proposal} is {state}", "run kernelopt optimize again")
            return AlreadyDecided(taken[-1])
        self._decisions.append(decision)
        self._move(decision.proposal, _STATE_AFTER.get(decision.kind, ProposalState.ACCEPTED))
        return decision

    def mark(self, proposal_id: str, state: ProposalState) -> None:
        if state in (ProposalState.ACCEPTED, ProposalState.REJECTED, ProposalState.UNDONE):
            raise ValueError(f"{state.value} needs a decision")
        known = self._proposals.get(proposal_id)
        if known is not None and known[1].state not in (ProposalState.ACCEPTED, ProposalState.REJECTED):
            self._move(proposal_id, state)

    def decisions(self, proposal_id: str | None = None) -> tuple[Decision, ...]:
        return tuple(decision for decision in self._decisions if proposal_id in (None, decision.proposal))

    def start_job(self, job: JobRow) -> None:
        self._jobs[job.id] = job

    def beat(self, job_id: str, now_ms: int) -> bool:
        row = self._jobs.get(job_id)
        if row is None:
            return False
        self._jobs[job_id] = replace(row, heartbeat_ms=max(row.heartbeat_ms, now_ms))
        return row.is_cancel_requested

    def end_job(self, job_id: str, now_ms: int, exit_code: int) -> None:
        row = self._jobs.get(job_id)
        if row is not None and row.ended_ms is None:
            self._jobs[job_id] = replace(row, ended_ms=now_ms, heartbeat_ms=max(row.heartbeat_ms, now_ms), exit_code=exit_code)

    def jobs(self, workspace: Path | None = None) -> tuple[JobRow, ...]:
        found = (row for row in self._jobs.values() if workspace in (None, row.workspace))
        return tuple(sorted(found, key=lambda row: (row.started_ms, row.id), reverse=True))

    def request_cancel(self, job_id: str) -> bool:
        row = self._jobs.get(job_id)
        if row is None or row.ended_ms is not None:
            return False
        self._jobs[job_id] = replace(row, is_cancel_requested=True)
        return True

    def add_event(self, job_id: str, event: str) -> None:
        self._events.setdefault(job_id, []).append(event)

    def events(self, job_id: str, start: int = 0) -> tuple[str, ...]:
        return tuple(self._events.get(job_id, ())[start:])

    def keep_analysis(self, workspace: Path, path: Path, analysis: StoredAnalysis, now_ms: int) -> None:
        self._analyses[path, analysis.command] = (now_ms, analysis)

    def analyses(self, path: Path) -> tuple[StoredAnalysis, ...]:
        found = [(at_ms, command, analysis) for (of, command), (at_ms, analysis) in self._analyses.items() if of == path]
        return tuple(analysis for *_, analysis in sorted(found, key=lambda item: item[:2]))

    def add_sent_call(self, sent: SentCall) -> None:
        self._sent[sent.id] = sent

    def unanswered_calls(self, job: str) -> tuple[SentCall, ...]:
        found = (sent for sent in self._sent.values() if sent.job == job and sent.id not in self._calls)
        return tuple(sorted(found, key=lambda sent: (sent.started_ms, sent.id)))

    def add_model_call(self, call: ModelCall) -> None:
        if call.job not in self._jobs:
            raise UsageError(f"no job {call.job} is known, whose model call is to be kept", "start the job first")
        _same(call.request.id, self._calls.setdefault(call.request.id, call), call)

    def model_calls(self, job: str | None = None) -> tuple[ModelCall, ...]:
        return tuple(sorted((call for call in self._calls.values() if job in (None, call.job)), key=lambda call: call.started_ms))

    def open_pair(self, session: PairSession, first: Turn) -> PairSession:
        for known in self.pair_sessions(session.path):
            if known.kernel == session.kernel:
                return known
        self._sessions[session.id] = session
        self._turns.append(first)
        return session

    def add_turn(self, turn: Turn) -> bool:
        if any(known.number >= turn.number or known.kind is TurnKind.STOP for known in self.turns(turn.session)):
            return False
        self._turns.append(turn)
        return True

    def pair_sessions(self, path: Path | None = None, is_open_only: bool = True) -> tuple[PairSession, ...]:
        ended = {turn.session for turn in self._turns if turn.kind is TurnKind.STOP} if is_open_only else set[str]()
        found = [session for session in self._sessions.values() if path in (None, session.path) and session.id not in ended]
        return tuple(_newest_first(found))

    def find_pair(self, id_prefix: str) -> PairSession:
        prefix = id_prefix.strip().upper()
        found = [session for session in self._sessions.values() if prefix and session.id.startswith(prefix)]
        if len(found) != 1:
            raise UsageError(f"{len(found)} pair sessions start with {id_prefix!r}", "kernelopt pair FILE --kernel K starts one")
        return found[0]

    def turns(self, session_id: str) -> tuple[Turn, ...]:
        return tuple(sorted((turn for turn in self._turns if turn.session == session_id), key=lambda turn: turn.number))

    def ask_placement(self, placement: Placement) -> None:
        oldest_ms = placement.asked_ms - _PLACEMENTS_KEPT_MS
        self._placements = {known: asked for known, asked in self._placements.items() if asked[0].asked_ms >= oldest_ms}
        self._placements[placement.id] = (placement, PlacementState.ASKED)

    def placements(self, since_ms: int) -> tuple[Placement, ...]:
        waiting = (asked for asked, state in self._placements.values() if state is PlacementState.ASKED and asked.asked_ms >= since_ms)
        return tuple(sorted(waiting, key=lambda asked: (asked.asked_ms, asked.id)))

    def placement_state(self, placement_id: str) -> PlacementState | None:
        return self._placements[placement_id][1] if placement_id in self._placements else None

    def move_placement(self, placement_id: str, before: PlacementState, after: PlacementState) -> bool:
        if self.placement_state(placement_id) is not before:
            return False
        self._placements[placement_id] = (self._placements[placement_id][0], after)
        return True

    def data_version(self) -> int:
        """There is no other process."""
        return 0

    def close(self) -> None:
        self.is_closed = True

    def _newest(self) -> Iterable[Attempt]:
        return _newest_first(self._attempts.values())

    def _move(self, proposal_id: str, state: ProposalState) -> None:
        workspace, proposal = self._proposals[proposal_id]
        self._proposals[proposal_id] = (workspace, replace(proposal, state=state))

    def _judgements(self) -> tuple[Judgement, ...]:
        """Newest first; the last decision on each proposal."""
        last = {decision.proposal: decision for decision in self._decisions}
        return tuple(self._judgement(decision) for decision in reversed(self._decisions) if last[decision.proposal] is decision)

    def _judgement(self, decision: Decision) -> Judgement:
        workspace, proposal = self._proposals[decision.proposal]
        tried = next((attempt for attempt in self._attempts.values() if attempt.job == proposal.job), None)
        return Judgement(
            techniques=proposal.techniques,
            workspace=workspace,
            kernel=proposal.kernel,
            signature=proposal.signature,
            kind=decision.kind,
            reason_code=decision.reason_code,
            reason=decision.reason,
            device_class=None if tried is None else device_class(tried.lab, tried.device, tried.target),
            decided_ms=decision.decided_ms,
        )


_Dated = TypeVar("_Dated", Attempt, Proposal, PairSession)


def _newest_first(records: Iterable[_Dated]) -> list[_Dated]:
    """Of those of one time the last to be added comes first."""
    return sorted(records, key=lambda record: record.created_ms)[::-1]


def _same(record_id: str, stored: object, given: object) -> None:
    if stored != given:
        raise ValueError(f"{record_id} is stored already, with other contents")
