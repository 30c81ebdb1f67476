"""The memory file: every attempt, proposal, decision, model call and pair session, appended and never changed; jobs as others see them.

Implements `assistant.ports.store.Store`. Several processes may hold the same file; every write is one transaction. Example::

    with open_store(user_paths().memory) as store:
        store.add_attempt(attempt)
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.errors import MemoryFileError, UsageError
from assistant.memory import analyses, calls, jobs, pair, placements, records
from assistant.memory.alternatives import chosen_alternative
from assistant.memory.database import Database, open_database
from assistant.memory.exchange import Import
from assistant.memory.forget import ForgetScope, ForgottenCounts, forget
from assistant.memory.integrity import Damage, IntegrityReport, verify
from assistant.memory.learned import Learned
from assistant.memory.numbers import beginnings, give_number, number_of, numbered, short_number
from assistant.memory.recordings import RecordingArchive
from assistant.model.attempt import Attempt, JobRow
from assistant.model.completion import ModelCall, SentCall
from assistant.model.experience import RecallQuery, TechniqueEvidence
from assistant.model.knowledge import WhatWasLearned
from assistant.model.pair import PairSession, Turn
from assistant.model.placement import Placement, PlacementState
from assistant.model.proposal import AlreadyDecided, Decision, DecisionKind, Proposal, ProposalState, named_alternative
from assistant.ports.store import NotReplayable, StoredAnalysis
from assistant.serialize import DecodeError

__all__ = ["MemoryStore", "open_store"]

_STATE_AFTER = {
    DecisionKind.ACCEPTED: ProposalState.ACCEPTED,
    DecisionKind.PARTIALLY_ACCEPTED: ProposalState.ACCEPTED,
    DecisionKind.EDITED_THEN_ACCEPTED: ProposalState.ACCEPTED,
    DecisionKind.REJECTED: ProposalState.REJECTED,
    DecisionKind.UNDONE: ProposalState.UNDONE,
    DecisionKind.REOPENED: ProposalState.OPEN,
}
_HUMAN_STATES = frozenset({ProposalState.ACCEPTED, ProposalState.REJECTED, ProposalState.UNDONE})


def open_store(path: Path) -> MemoryStore:
    """Open or create the memory file; raises MemoryFileError with a remedy when that cannot be done."""
    return MemoryStore(open_database(path))


class MemoryStore:
    """One open memory file."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._archive = RecordingArchive(database)
        self.learned = Learned(database, self._text)
        if database.read_only is None:
            self.learned.fill()

    @property
    def read_only_reason(self) -> str | None:
        """Why nothing can be written; None when it can."""
        read_only = self.database.read_only
        return None if read_only is None else read_only.reason

    def data_version(self) -> int:
        """Changes whenever another process wrote: poll it to see when to look again."""
        (version,) = self.database.rows("pragma data_version")[0]
        return int(version)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # --- attempts ---------------------------------------------------------------------------------------------------

    def add_attempt(self, attempt: Attempt) -> None:
        """Append; adding the very same attempt again does nothing."""
        record, texts = records.attempt_record(attempt)
        with self.database.transaction():
            if self._is_stored("attempts", attempt.id, record):
                return
            self.keep_texts(texts)
            self.database.execute("insert into attempts (id, record) values (?, ?)", (attempt.id, record))
            self.chain("attempt", attempt.id, record)
            self.learned.add(json.loads(record))

    def attempts(self, workspace: Path | None = None, path: Path | None = None, limit: int = 100) -> tuple[Attempt, ...]:
        found = self.database.rows(
            "select id, record from attempts where record is not null"
            " and (?1 is null or workspace = json_extract(?1, '$'))"
            " and (?2 is null or path = json_extract(?2, '$')"
            " or json_extract(?2, '$') in (select files.path from attempt_files files where files.id = attempts.id))"
            " order by created_ms desc, rowid desc limit ?3",
            (records.path_key(workspace), records.path_key(path), limit),
        )
        return tuple(self._attempt(*row) for row in found)

    def find_attempt(self, id_prefix: str) -> Attempt:
        """The one attempt whose id starts so; raises UsageError for none or several."""
        found = self.database.rows(
            "select id, record from attempts where record is not null and ?1 <> '' and substr(id, 1, length(?1)) = ?1 limit 2",
            (id_prefix.strip().upper(),),
        )
        if len(found) != 1:
            count = "several candidates start" if found else "no candidate starts"
            raise UsageError(f"{count} with {id_prefix!r}", "kernelopt history --json lists their ids")
        return self._attempt(*found[0])

    def attempt_count(self) -> int:
        """Attempts that were not forgotten."""
        ((count,),) = self.database.rows("select count(*) from attempts where record is not null")
        return int(count)

    # --- proposals and decisions --------------------------------------------------------------------------------------

    def add_proposal(self, workspace: Path, proposal: Proposal, keep_open: frozenset[str] = frozenset()) -> tuple[str, ...]:
        record, texts = records.proposal_record(workspace, proposal)
        with self.database.transaction():
            if self._is_stored("proposals", proposal.id, record):
                return ()
            self.keep_texts(texts)
            superseded = self.database.rows(
                "update proposals set state = ?1 where state = ?2 and path = json_extract(?3, '$') and kernel = ?4"
                " and id not in (select value from json_each(?5)) returning id",
                (
                    ProposalState.SUPERSEDED.value,
                    ProposalState.OPEN.value,
                    records.path_key(proposal.path),
                    proposal.kernel,
                    json.dumps(sorted(keep_open)),
                ),
            )
            self.database.execute("insert into proposals (id, state, record) values (?, ?, ?)", (proposal.id, proposal.state.value, record))
            give_number(self.database, proposal.id, records.path_key(workspace) or "")
            self.chain("proposal", proposal.id, record)
        return tuple(superseded_id for (superseded_id,) in superseded)

    def proposals(
        self, workspace: Path | None = None, states: frozenset[ProposalState] | None = None, path: Path | None = None
    ) -> tuple[Proposal, ...]:
        wanted = frozenset(ProposalState) if states is None else states
        found = self.database.rows(
            "select id, state, record from proposals where record is not null"
            " and (?1 is null or workspace = json_extract(?1, '$'))"
            " and state in (select value from json_each(?2))"
            " and (?3 is null or path = json_extract(?3, '$')"
            " or exists (select 1 from json_each(record, '$.files') where json_extract(value, '$.path') = json_extract(?3, '$')))"
            " order by created_ms desc, rowid desc",
            (records.path_key(workspace), json.dumps(sorted(wanted)), records.path_key(path)),
        )
        return tuple(self._proposal(*row) for row in found)

    def short_id(self, proposal_id: str) -> str:
        number = number_of(self.database, proposal_id)
        return proposal_id if number is None else f"P{number}"

    def find_proposal(self, id_prefix: str, workspace: Path | None = None) -> Proposal:
        beginning, number = named_alternative(id_prefix)
        if (short := short_number(beginning)) is not None:
            called = numbered(self.database, records.path_key(workspace), short)
            found = self.database.rows("select id, state, record from proposals where id = ?", (called,))
            return chosen_alternative(self._proposal(*found[0]), number)
        prefix = beginning.upper()
        if not prefix:
            raise UsageError("a proposal is named by its id or the first letters of it", "kernelopt proposals lists them")
        found = self.database.rows("select id, state, record from proposals where substr(id, 1, length(?1)) = ?1 order by id", (prefix,))
        match found:
            case []:
                raise UsageError(f"no proposal starts with {id_prefix!r}", "kernelopt proposals lists them")
            case [(proposal_id, _, None)]:
                raise UsageError(f"{proposal_id} was forgotten", "kernelopt proposals lists the others")
            case [row]:
                return chosen_alternative(self._proposal(*row), number)
            case _:
                raise UsageError(
                    f"{len(found)} proposals start with {id_prefix!r}",
                    f"give more letters: {beginnings(self.database, [row[0] for row in found])}",
                )

    def decide(self, decision: Decision, expected: frozenset[ProposalState]) -> Decision | AlreadyDecided:
        """Raises UsageError when the proposal is unknown, or stale or superseded without anybody having decided."""
        record = records.decision_record(decision)
        with self.database.transaction():
            row = self.database.row("select state from proposals where id = ? and record is not null", (decision.proposal,))
            if row is None:
                raise UsageError(f"no proposal {decision.proposal}", "kernelopt proposals lists them")
            if ProposalState(row[0]) not in expected:
                return self._already_decided(decision.proposal, row[0])
            self.database.execute("insert into decisions (proposal, record) values (?, ?)", (decision.proposal, record))
            (decision_id,) = self.database.rows("select last_insert_rowid()")[0]
            self.database.execute("update proposals set state = ? where id = ?", (_STATE_AFTER[decision.kind].value, decision.proposal))
            self.chain("decision", str(decision_id), record)
            self.learned.note_decision(decision.proposal, DecisionKind(decision.kind))
        return decision

    def mark(self, proposal_id: str, state: ProposalState) -> None:
        """Does nothing to a proposal that somebody accepted or rejected meanwhile."""
        if state in _HUMAN_STATES:
            raise ValueError(f"{state.value} needs a decision")
        values = (state.value, proposal_id, ProposalState.ACCEPTED.value, ProposalState.REJECTED.value)
        with self.database.transaction():
            self.database.execute("update proposals set state = ? where id = ? and state not in (?, ?)", values)

    def decisions(self, proposal_id: str | None = None) -> tuple[Decision, ...]:
        found = self.database.rows(
            "select record from decisions where record is not null and (?1 is null or proposal = ?1) order by id",
            (proposal_id,),
        )
        return tuple(records.decision_of(record) for (record,) in found)

    def recall(self, query: RecallQuery) -> tuple[TechniqueEvidence, ...]:
        return self.learned.recall(query)

    def what_was_learned(self) -> WhatWasLearned:
        return self.learned.everything()

    def import_learned(self, lines: Iterable[str], now_ms: int) -> Import:
        """Learn from another memory's export; raises UsageError where nothing of it can be taken, or it was taken before."""
        return self.learned.import_lines(lines, now_ms, self.chain)

    def verify(self) -> IntegrityReport:
        """Derive every hash again and compare, those of kept recordings included."""
        report = verify(self.database)
        try:
            lost = tuple(Damage(f"recording of {proposal}", message) for proposal, message in self._archive.damages())
        except MemoryFileError as error:
            lost = (Damage("recordings", error.message),)
        return replace(report, damages=report.damages + lost)

    def forget(self, scope: ForgetScope, now_ms: int) -> ForgottenCounts:
        """Purge contents for good, leaving tombstones; raises UsageError for an empty scope."""
        forgotten = forget(self.database, scope, now_ms)
        self._archive.drop_forgotten(now_ms)
        return forgotten

    def keep_recording(self, proposal_id: str, recording: Path, quota_bytes: int, now_ms: int) -> None:
        """Copy the recording that a stored proposal was judged on, so that it can be replayed; the oldest go above the quota."""
        self._archive.keep(proposal_id, recording, quota_bytes, now_ms)

    def restore_recording(self, proposal_id: str, folder: Path) -> Path | NotReplayable:
        """Lay out a kept recording in ``folder``."""
        return self._archive.restore(proposal_id, folder)

    # --- jobs -------------------------------------------------------------------------------------------------------

    def start_job(self, job: JobRow) -> None:
        jobs.start(self.database, job)

    def beat(self, job_id: str, now_ms: int) -> bool:
        return jobs.beat(self.database, job_id, now_ms)

    def request_cancel(self, job_id: str) -> bool:
        """Ask a job of any process to end; False when it is unknown or has ended."""
        return jobs.request_cancel(self.database, job_id)

    def end_job(self, job_id: str, now_ms: int, exit_code: int) -> None:
        """The first end stands."""
        jobs.end(self.database, job_id, now_ms, exit_code)

    def jobs(self, workspace: Path | None = None) -> tuple[JobRow, ...]:
        """Newest first."""
        return jobs.read(self.database, workspace)

    def add_event(self, job_id: str, event: str) -> None:
        """Append one event (a JSON text) of a job, for other processes that resume or watch it."""
        jobs.add_event(self.database, job_id, event)

    def events(self, job_id: str, start: int = 0) -> tuple[str, ...]:
        """Events of a job in order, from position ``start``."""
        return jobs.read_events(self.database, job_id, start)

    def keep_analysis(self, workspace: Path, path: Path, analysis: StoredAnalysis, now_ms: int) -> None:
        analyses.keep(self.database, analysis, workspace, path, now_ms)

    def analyses(self, path: Path) -> tuple[StoredAnalysis, ...]:
        return analyses.read(self.database, path)

    # --- model calls ------------------------------------------------------------------------------------------------

    def add_model_call(self, call: ModelCall) -> None:
        """Append; adding the very same call again does nothing."""
        calls.add_call(self, call)

    def add_sent_call(self, sent: SentCall) -> None:
        """Note a call of a started job before it leaves."""
        calls.add_sent(self.database, sent)

    def unanswered_calls(self, job: str) -> tuple[SentCall, ...]:
        return calls.read_unanswered(self.database, job)

    def model_calls(self, job: str | None = None) -> tuple[ModelCall, ...]:
        return calls.read_calls(self.database, job, self._text)

    # --- pair sessions ----------------------------------------------------------------------------------------------

    def open_pair(self, session: PairSession, first: Turn) -> PairSession:
        return self.find_pair(pair.open_session(self, session, first))

    def add_turn(self, turn: Turn) -> bool:
        return pair.add_turn(self, turn)

    def pair_sessions(self, path: Path | None = None, is_open_only: bool = True) -> tuple[PairSession, ...]:
        return pair.read_sessions(self.database, path, is_open_only, self._text)

    def find_pair(self, id_prefix: str) -> PairSession:
        return pair.find(self.database, id_prefix, self._text)

    def turns(self, session_id: str) -> tuple[Turn, ...]:
        return pair.read_turns(self.database, session_id, self._text)

    # --- edits of notebook cells --------------------------------------------------------------------------------------

    def ask_placement(self, placement: Placement) -> None:
        placements.add(self.database, placement)

    def placements(self, since_ms: int) -> tuple[Placement, ...]:
        return placements.waiting(self.database, since_ms)

    def placement_state(self, placement_id: str) -> PlacementState | None:
        return placements.state(self.database, placement_id)

    def move_placement(self, placement_id: str, before: PlacementState, after: PlacementState) -> bool:
        return placements.move(self.database, placement_id, before, after)

    # --- inside -----------------------------------------------------------------------------------------------------

    def _is_stored(self, table: str, record_id: str, record: str) -> bool:
        row = self.database.row(f"select record from {table} where id = ?", (record_id,))  # noqa: S608  (table: ours)
        if row is not None and row[0] != record:
            raise ValueError(f"{record_id} is stored already, with other contents")
        return row is not None

    def _already_decided(self, proposal_id: str, state: str) -> AlreadyDecided:
        taken = self.decisions(proposal_id)
        if not taken:
            raise UsageError(f"{proposal_id} is {state}", "run kernelopt optimize again")
        return AlreadyDecided(taken[-1])

    def chain(self, kind: str, subject: str, record: str) -> None:
        """Append the record's hash to the chain; inside a transaction."""
        last = self.database.row("select position, hash from chain order by position desc limit 1")
        position, previous = (0, records.CHAIN_START) if last is None else last
        record_hash = records.hash_of(record.encode())
        entry = records.chained(previous, kind, subject, record_hash)
        self.database.execute(
            "insert into chain (position, kind, subject, record_hash, hash) values (?, ?, ?, ?, ?)",
            (position + 1, kind, subject, record_hash, entry),
        )
        self.database.execute("insert or replace into meta (key, value) values ('chain_head', ?)", (f"{position + 1} {entry}",))

    def keep_texts(self, texts: dict[str, str]) -> None:
        """Store texts by their hashes; inside a transaction."""
        for digest, text in texts.items():
            data = records.text_bytes(text)
            self.database.execute(
                "insert into blobs (hash, size_bytes, content) values (?1, ?2, ?3)"
                " on conflict (hash) do update set content = ?3 where content is null",
                (digest, len(data), zlib.compress(data)),
            )

    def _text(self, digest: str) -> str:
        row = self.database.row("select content from blobs where hash = ?", (digest,))
        if row is None or row[0] is None:
            raise MemoryFileError(f"{self.database.path} lacks a text it refers to ({digest})", "run kernelopt memory verify")
        try:
            return records.text_of(zlib.decompress(row[0]))
        except zlib.error as error:
            raise MemoryFileError(f"{self.database.path} holds a damaged text ({digest})", "run kernelopt memory verify") from error

    def _attempt(self, attempt_id: str, record: str) -> Attempt:
        try:
            return records.attempt_of(record, self._text)
        except (DecodeError, ValueError) as error:
            raise self._unreadable(attempt_id, error) from error

    def _proposal(self, proposal_id: str, state: str, record: str) -> Proposal:
        try:
            return records.proposal_of(record, state, self._text)
        except (DecodeError, ValueError) as error:
            raise self._unreadable(proposal_id, error) from error

    def _unreadable(self, record_id: str, error: Exception) -> MemoryFileError:
        return MemoryFileError(
            f"{record_id} in {self.database.path} cannot be read: {error}", "update kernelopt, or run kernelopt memory verify"
        )
