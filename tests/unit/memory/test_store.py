"""What goes into the memory file comes out of it, and only grows."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from assistant.memory import MemoryStore, open_store
from assistant.model.attempt import JobRow
from assistant.model.proposal import DecisionKind, ProposalState
from assistant.model.trial import TrialOutcome

OPEN = frozenset({ProposalState.OPEN, ProposalState.UNDONE})


def test_attempts_come_back_as_they_were_newest_first_across_reopening(path: Path, given: Any) -> None:
    first, second = given.attempt("C01", created_ms=1), given.attempt("C02", created_ms=2, comparison=None, after=None)
    with open_store(path) as store:
        store.add_attempt(first)
        store.add_attempt(second)
    with open_store(path) as store:
        assert store.attempts() == (second, first)


def test_one_text_is_stored_once(store: MemoryStore, given: Any) -> None:
    for index in range(5):
        store.add_attempt(given.attempt(f"C{index}", text=f"{index}"))
    assert store.verify().text_count == 6


@pytest.mark.parametrize(
    "sql",
    [
        "delete from attempts",
        "update attempts set record = '{}'",
        "update attempts set record = null",
        "delete from proposals",
        "update proposals set record = null",
        "delete from decisions",
        "update decisions set record = '{}'",
        "update decisions set proposal = 'P02'",
        "delete from chain",
        "update chain set hash = ''",
        "delete from blobs",
        "update blobs set content = x'00'",
    ],
)
def test_the_file_itself_refuses_to_change_what_was_written(store: MemoryStore, sql: str, given: Any) -> None:
    store.add_attempt(given.attempt())
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(), OPEN)
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        store.database.execute(sql)


def test_knowledge_counts_trials_and_decisions(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C01"))
    store.add_attempt(given.attempt("C02", text="other", outcome=TrialOutcome.BUILD_FAILED, comparison=None, verification=None))
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(kind=DecisionKind.REJECTED), OPEN)
    (row,) = store.learned.knowledge()
    assert (row.technique, row.label, row.device_class) == ("shared-memory-padding", "shared", "cpu, predicted for h200")
    assert (row.tried_count, row.right_count, row.measured_count) == (2, 1, 1)
    assert (row.accepted_count, row.rejected_count) == (0, 1)


def test_the_same_edit_judged_again_is_no_new_experience(store: MemoryStore, given: Any) -> None:
    for index in range(3):
        store.add_attempt(given.attempt(f"C{index}", created_ms=index))
    (row,) = store.learned.knowledge()
    assert row.tried_count == 1


def test_a_jobs_life_is_seen_by_others(path: Path, given: Any) -> None:
    job = JobRow("J01", "optimize", given.file, given.workspace, "host 42 cli", 1, 1, None, None, False, '{"n":1}')
    with open_store(path) as mine, open_store(path) as theirs:
        mine.start_job(job)
        assert theirs.jobs(given.workspace) == (job,)
        assert mine.beat("J01", 5) is False
        assert theirs.request_cancel("J01") is True
        assert mine.beat("J01", 9) is True
        mine.end_job("J01", 10, 1)
        mine.end_job("J01", 11, 0)
        assert theirs.jobs() == (JobRow("J01", "optimize", given.file, given.workspace, "host 42 cli", 1, 10, 10, 1, True, '{"n":1}'),)
        assert theirs.request_cancel("J01") is False


def test_a_write_by_another_connection_shows_in_the_data_version(path: Path, given: Any) -> None:
    with open_store(path) as mine, open_store(path) as theirs:
        before = mine.data_version()
        assert mine.data_version() == before
        theirs.add_attempt(given.attempt())
        assert mine.data_version() != before
