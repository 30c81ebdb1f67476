"""What goes into the memory file comes out of it, and only grows."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import UsageError
from assistant.memory import MemoryStore, open_store
from assistant.model.attempt import JobRow, RecallQuery
from assistant.model.proposal import AlreadyDecided, DecisionKind, ProposalState
from assistant.model.trial import TrialOutcome
from assistant.ports import Store

OPEN = frozenset({ProposalState.OPEN, ProposalState.UNDONE})
OTHER = Path("/home/ada/other")


def test_the_store_is_a_store(store: MemoryStore) -> None:
    as_port: Store = store
    assert as_port.jobs() == ()


def test_attempts_come_back_as_they_were_newest_first_across_reopening(path: Path, given: Any) -> None:
    first, second = given.attempt("C01", created_ms=1), given.attempt("C02", created_ms=2, comparison=None, after=None)
    with open_store(path) as store:
        store.add_attempt(first)
        store.add_attempt(second)
    with open_store(path) as store:
        assert store.attempts() == (second, first)


def test_attempts_are_found_by_workspace_and_file(store: MemoryStore, given: Any) -> None:
    here, there = given.attempt("C01"), given.attempt("C02", workspace=OTHER, path=OTHER / "a.cu")
    store.add_attempt(here)
    store.add_attempt(there)
    assert store.attempts(given.workspace) == (here,)
    assert store.attempts(path=OTHER / "a.cu") == (there,)
    assert store.attempts(limit=1) == (there,)


def test_texts_and_paths_that_are_not_unicode_survive(store: MemoryStore, given: Any) -> None:
    odd = given.attempt(text="caf\udce9 // Latin-1\r\n", path=Path("/data/\udce9.cu"), workspace=Path("/data/\udce9"))
    store.add_attempt(odd)
    assert store.attempts(odd.workspace, odd.path) == (odd,)


def test_the_same_attempt_twice_is_one(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt())
    store.add_attempt(given.attempt())
    assert len(store.attempts()) == 1


def test_another_attempt_under_the_same_id_is_refused(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt())
    with pytest.raises(ValueError, match="with other contents"):
        store.add_attempt(given.attempt(reason="something else"))
    assert store.attempts() == (given.attempt(),)


def test_one_text_is_stored_once(store: MemoryStore, given: Any) -> None:
    for index in range(5):
        store.add_attempt(given.attempt(f"C{index}", text=f"{index}"))
    assert store.verify().text_count == 6


def test_a_new_proposal_supersedes_the_open_one_of_its_kernel(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal("P01"))
    store.add_proposal(given.workspace, given.proposal("P02", kernel="other()"))
    store.add_proposal(given.workspace, given.proposal("P03"))
    states = {proposal.id: proposal.state for proposal in store.proposals()}
    assert states == {"P01": ProposalState.SUPERSEDED, "P02": ProposalState.OPEN, "P03": ProposalState.OPEN}


def test_an_open_proposal_stays_beside_a_new_one_where_that_is_wanted(store: MemoryStore, given: Any) -> None:
    for proposal_id in ("P01", "P02"):
        store.add_proposal(given.workspace, given.proposal(proposal_id), frozenset({"P01"}))
    assert store.add_proposal(given.workspace, given.proposal("P03"), frozenset({"P01"})) == ("P02",)
    states = {proposal.id: proposal.state for proposal in store.proposals()}
    assert states == {"P01": ProposalState.OPEN, "P02": ProposalState.SUPERSEDED, "P03": ProposalState.OPEN}


def test_an_accepted_proposal_is_not_superseded(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal("P01"))
    store.decide(given.decision("P01"), OPEN)
    store.add_proposal(given.workspace, given.proposal("P02"))
    assert store.find_proposal("P01").state is ProposalState.ACCEPTED


def test_proposals_are_filtered_by_workspace_and_state(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal("P01"))
    assert store.proposals(given.workspace, frozenset({ProposalState.OPEN})) == (given.proposal("P01"),)
    assert store.proposals(OTHER) == ()
    assert store.proposals(states=frozenset({ProposalState.REJECTED})) == ()
    assert store.proposals(states=frozenset()) == ()


def test_a_proposal_is_found_by_a_unique_prefix_in_any_case(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal("P01AB"))
    store.add_proposal(given.workspace, given.proposal("P01CD", kernel="other()"))
    assert store.find_proposal("p01a").id == "P01AB"
    with pytest.raises(UsageError, match="2 proposals start with 'P01'"):
        store.find_proposal("P01")
    with pytest.raises(UsageError, match="no proposal starts with 'P%'"):
        store.find_proposal("P%")
    with pytest.raises(UsageError, match="named by its id"):
        store.find_proposal("")


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        (DecisionKind.ACCEPTED, ProposalState.ACCEPTED),
        (DecisionKind.PARTIALLY_ACCEPTED, ProposalState.ACCEPTED),
        (DecisionKind.EDITED_THEN_ACCEPTED, ProposalState.ACCEPTED),
        (DecisionKind.REJECTED, ProposalState.REJECTED),
    ],
)
def test_a_decision_moves_the_proposal(store: MemoryStore, kind: DecisionKind, state: ProposalState, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal())
    decision = given.decision(kind=kind, hunk_ids=("abc123abc123",), reason_code="style", reason="naïve")
    assert store.decide(decision, OPEN) == decision
    assert store.find_proposal("P01").state is state
    assert store.decisions("P01") == (decision,)


def test_the_second_to_decide_is_told_who_was_first(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal())
    first = given.decision(decided_by="lsp 7")
    store.decide(first, OPEN)
    assert store.decide(given.decision(kind=DecisionKind.REJECTED), OPEN) == AlreadyDecided(first)
    assert store.decisions() == (first,)
    assert store.find_proposal("P01").state is ProposalState.ACCEPTED


def test_an_accepted_proposal_can_be_undone_and_accepted_again(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(), OPEN)
    store.decide(given.decision(kind=DecisionKind.UNDONE), frozenset({ProposalState.ACCEPTED}))
    assert store.find_proposal("P01").state is ProposalState.UNDONE
    store.decide(given.decision(decided_ms=4_000), OPEN)
    assert [decision.kind.value for decision in store.decisions()] == ["accepted", "undone", "accepted"]


def test_a_stale_proposal_that_nobody_decided_cannot_be_decided(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal())
    store.mark("P01", ProposalState.STALE)
    with pytest.raises(UsageError, match="P01 is stale"):
        store.decide(given.decision(), OPEN)


def test_deciding_on_an_unknown_proposal_is_misuse(store: MemoryStore, given: Any) -> None:
    with pytest.raises(UsageError, match="no proposal P01"):
        store.decide(given.decision(), OPEN)


def test_marking_never_overrules_a_person(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(), OPEN)
    store.mark("P01", ProposalState.STALE)
    assert store.find_proposal("P01").state is ProposalState.ACCEPTED
    with pytest.raises(ValueError, match="needs a decision"):
        store.mark("P01", ProposalState.REJECTED)


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


def test_an_accepted_proposal_is_recalled(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt())
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(), OPEN)
    query = RecallQuery(given.workspace, given.attempt().kernel, given.signature, ("shared-memory-padding", "loop-unrolling"), now_ms=5_000)
    (recalled,) = store.recall(query)
    assert recalled.technique == "shared-memory-padding"
    assert recalled.rank_factor > 1.3
    assert recalled.sentences[0] == "accepted here on 1970-01-01"


def test_knowledge_counts_trials_and_decisions(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C01"))
    store.add_attempt(given.attempt("C02", text="other", outcome=TrialOutcome.BUILD_FAILED, comparison=None, verification=None))
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(kind=DecisionKind.REJECTED), OPEN)
    (row,) = store.knowledge()
    assert (row.technique, row.label, row.device_class) == ("shared-memory-padding", "shared", "cpu, predicted for h200")
    assert (row.tried_count, row.built_count, row.correct_count, row.faster_count) == (2, 1, 1, 1)
    assert (row.accepted_count, row.rejected_count) == (0, 1)


def test_the_same_edit_tried_again_is_no_new_experience(store: MemoryStore, given: Any) -> None:
    for index in range(3):
        store.add_attempt(given.attempt(f"C{index}", created_ms=index))
    (row,) = store.knowledge()
    assert row.tried_count == 1


def test_a_jobs_life_is_seen_by_others(path: Path, given: Any) -> None:
    job = JobRow("J01", "optimize", given.file, given.workspace, "host 42 cli", 1, 1, None, None, False)
    with open_store(path) as mine, open_store(path) as theirs:
        mine.start_job(job)
        assert theirs.jobs(given.workspace) == (job,)
        assert mine.beat("J01", 5) is False
        assert theirs.request_cancel("J01") is True
        assert mine.beat("J01", 9) is True
        mine.end_job("J01", 10, 1)
        mine.end_job("J01", 11, 0)
        assert theirs.jobs() == (JobRow("J01", "optimize", given.file, given.workspace, "host 42 cli", 1, 10, 10, 1, True),)
        assert theirs.request_cancel("J01") is False


def test_a_jobs_events_are_kept_in_order(store: MemoryStore, given: Any) -> None:
    store.start_job(JobRow("J01", "optimize", given.file, given.workspace, "host 42 cli", 1, 1, None, None, False))
    for index in range(3):
        store.add_event("J01", f'{{"n":{index}}}')
    assert store.events("J01", start=1) == ('{"n":1}', '{"n":2}')
    assert store.events("J02") == ()


def test_a_write_by_another_connection_shows_in_the_data_version(path: Path, given: Any) -> None:
    with open_store(path) as mine, open_store(path) as theirs:
        before = mine.data_version()
        assert mine.data_version() == before
        theirs.add_attempt(given.attempt())
        assert mine.data_version() != before
