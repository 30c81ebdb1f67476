"""What every implementation of ``ports.store.Store`` must do, as one process sees it."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import UsageError
from assistant.model.attempt import JobRow, OtherFile
from assistant.model.completion import SentCall, Spending
from assistant.model.experience import DeviceTraits, KernelTraits, RecallQuery, State
from assistant.model.pair import TurnKind
from assistant.model.placement import Placement, PlacementState
from assistant.model.proposal import AlreadyDecided, DecisionKind, ProposalState
from assistant.ports.store import NotReplayable, Store, StoredAnalysis
from tests.contracts.stored import CALL, Given, pair_session, turn

__all__ = ["StoreContract"]

OPEN = frozenset({ProposalState.OPEN, ProposalState.UNDONE})
OTHER = Path("/home/ada/other")
JOB = JobRow("J01", "optimize", Given.file, Given.workspace, "host 42 cli", 1, 1, None, None, False)


class StoreContract:
    """Subclasses give the fixture ``store``, which is empty."""

    @pytest.fixture
    def started(self, store: Store) -> Store:
        """With a job."""
        store.start_job(JOB)
        return store

    def test_attempts_are_found_by_workspace_and_file(self, store: Store) -> None:
        here, there = Given.attempt("C01"), Given.attempt("C02", workspace=OTHER, path=OTHER / "a.cu")
        store.add_attempt(here)
        store.add_attempt(there)
        assert store.attempts(Given.workspace) == (here,)
        assert store.attempts(path=OTHER / "a.cu") == (there,)
        assert store.attempts(limit=1) == (there,)

    def test_an_attempt_keeps_what_it_did_to_other_files_and_is_among_theirs(self, store: Store) -> None:
        run, main = Path("/w/run.cu"), Path("/w/main.cu")
        also = (OtherFile(main, "main\n", "main 64\n", False), OtherFile(run, "run 64\n", "run 64\n", True))
        made = Given.attempt("C01", also=also)
        store.add_attempt(made)
        store.add_attempt(Given.attempt("C02"))
        assert store.attempts(path=run) == store.attempts(path=main) == (made,)
        assert (made.parent_key, made.key) != (made.parent_text, made.text)

    def test_texts_and_paths_that_are_not_unicode_survive(self, store: Store) -> None:
        odd = Given.attempt(text="caf\udce9 // Latin-1\r\n", path=Path("/data/\udce9.cu"), workspace=Path("/data/\udce9"))
        store.add_attempt(odd)
        assert store.attempts(odd.workspace, odd.path) == (odd,)

    def test_the_same_attempt_twice_is_one(self, store: Store) -> None:
        store.add_attempt(Given.attempt())
        store.add_attempt(Given.attempt())
        assert len(store.attempts()) == 1

    def test_another_attempt_under_the_same_id_is_refused(self, store: Store) -> None:
        store.add_attempt(Given.attempt())
        with pytest.raises(ValueError, match="with other contents"):
            store.add_attempt(Given.attempt(reason="something else"))
        assert store.attempts() == (Given.attempt(),)

    def test_a_new_proposal_supersedes_the_open_one_of_its_kernel(self, store: Store) -> None:
        store.add_proposal(Given.workspace, Given.proposal("P01"))
        store.add_proposal(Given.workspace, Given.proposal("P02", kernel="other()"))
        store.add_proposal(Given.workspace, Given.proposal("P03"))
        states = {proposal.id: proposal.state for proposal in store.proposals()}
        assert states == {"P01": ProposalState.SUPERSEDED, "P02": ProposalState.OPEN, "P03": ProposalState.OPEN}

    def test_an_open_proposal_stays_next_to_a_new_one_where_that_is_wanted(self, store: Store) -> None:
        for proposal_id in ("P01", "P02"):
            store.add_proposal(Given.workspace, Given.proposal(proposal_id), frozenset({"P01"}))
        assert store.add_proposal(Given.workspace, Given.proposal("P03"), frozenset({"P01"})) == ("P02",)
        states = {proposal.id: proposal.state for proposal in store.proposals()}
        assert states == {"P01": ProposalState.OPEN, "P02": ProposalState.SUPERSEDED, "P03": ProposalState.OPEN}

    def test_an_accepted_proposal_is_not_superseded(self, store: Store) -> None:
        store.add_proposal(Given.workspace, Given.proposal("P01"))
        store.decide(Given.decision("P01"), OPEN)
        store.add_proposal(Given.workspace, Given.proposal("P02"))
        assert store.find_proposal("P01").state is ProposalState.ACCEPTED

    def test_a_proposals_recording_comes_back_until_the_quota_removes_it(self, store: Store, tmp_path: Path) -> None:
        unknown = store.restore_recording("P01", tmp_path / "none")
        assert unknown == NotReplayable("no recording of it was kept")
        names = {}
        for number, proposal_id in enumerate(("P01", "P02")):
            store.add_proposal(Given.workspace, Given.proposal(proposal_id, kernel=f"k{number}()"))
            data = bytes([number]) * 600
            names[proposal_id] = hashlib.sha256(data).hexdigest()
            (tmp_path / proposal_id / "blobs").mkdir(parents=True)
            (tmp_path / proposal_id / "blobs" / names[proposal_id]).write_bytes(data)
            (tmp_path / proposal_id / "recording.json").write_text(f"{{{number}}}")
            store.keep_recording(proposal_id, tmp_path / proposal_id, 1000, number)
        assert store.restore_recording("P02", tmp_path / "again") == tmp_path / "again"
        assert (tmp_path / "again" / "recording.json").read_text() == "{1}"
        assert (tmp_path / "again" / "blobs" / names["P02"]).read_bytes() == b"\1" * 600
        removed = store.restore_recording("P01", tmp_path / "never")
        assert removed == NotReplayable("its recording was removed to keep within memory.recordings_bytes")

    def test_proposals_are_filtered_by_workspace_and_state(self, store: Store) -> None:
        store.add_proposal(Given.workspace, Given.proposal("P01"))
        assert store.proposals(Given.workspace, frozenset({ProposalState.OPEN})) == (Given.proposal("P01"),)
        assert store.proposals(OTHER) == ()
        assert store.proposals(states=frozenset({ProposalState.REJECTED})) == ()
        assert store.proposals(states=frozenset()) == ()

    def test_a_proposal_is_found_by_a_unique_prefix_in_any_case(self, store: Store) -> None:
        store.add_proposal(Given.workspace, Given.proposal("P01AB"))
        store.add_proposal(Given.workspace, Given.proposal("P01CD", kernel="other()"))
        assert store.find_proposal("p01a").id == "P01AB"
        with pytest.raises(UsageError, match="2 proposals start with 'P01'"):
            store.find_proposal("P01")
        with pytest.raises(UsageError, match="no proposal starts with 'P%'"):
            store.find_proposal("P%")
        with pytest.raises(UsageError, match="named by its id"):
            store.find_proposal("")

    def test_people_call_proposals_by_their_number_in_the_workspace(self, store: Store) -> None:
        for proposal_id in ("P01AB", "P01CD"):
            store.add_proposal(Given.workspace, Given.proposal(proposal_id, kernel=f"{proposal_id}()"))
        assert [store.short_id(proposal_id) for proposal_id in ("P01AB", "P01CD")] == ["P1", "P2"]
        assert store.find_proposal("p2").id == "P01CD" and store.find_proposal("P1", Given.workspace).id == "P01AB"
        other = Given.workspace / "other"
        store.add_proposal(other, Given.proposal("P01EF", kernel="third()"))
        assert store.short_id("P01EF") == "P1"
        assert store.find_proposal("P1", other).id == "P01EF" and store.find_proposal("P1", Given.workspace).id == "P01AB"
        assert store.find_proposal("P2", other).id == "P01CD", "the only one of that number"
        with pytest.raises(UsageError, match="2 folders have a proposal P1"):
            store.find_proposal("P1")
        with pytest.raises(UsageError, match="there is no proposal P7"):
            store.find_proposal("P7", other)

    @pytest.mark.parametrize(
        ("kind", "state"),
        [
            (DecisionKind.ACCEPTED, ProposalState.ACCEPTED),
            (DecisionKind.PARTIALLY_ACCEPTED, ProposalState.ACCEPTED),
            (DecisionKind.EDITED_THEN_ACCEPTED, ProposalState.ACCEPTED),
            (DecisionKind.REJECTED, ProposalState.REJECTED),
        ],
    )
    def test_a_decision_moves_the_proposal(self, store: Store, kind: DecisionKind, state: ProposalState) -> None:
        store.add_proposal(Given.workspace, Given.proposal())
        decision = Given.decision(kind=kind, hunk_ids=("abc123abc123",), reason_code="style", reason="naïve")
        assert store.decide(decision, OPEN) == decision
        assert store.find_proposal("P01").state is state
        assert store.decisions("P01") == (decision,)

    def test_the_second_to_decide_learns_who_was_first(self, store: Store) -> None:
        store.add_proposal(Given.workspace, Given.proposal())
        first = Given.decision(decided_by="lsp 7")
        store.decide(first, OPEN)
        assert store.decide(Given.decision(kind=DecisionKind.REJECTED), OPEN) == AlreadyDecided(first)
        assert store.decisions() == (first,)
        assert store.find_proposal("P01").state is ProposalState.ACCEPTED

    def test_an_accepted_proposal_can_be_undone_and_accepted_again(self, store: Store) -> None:
        store.add_proposal(Given.workspace, Given.proposal())
        store.decide(Given.decision(), OPEN)
        store.decide(Given.decision(kind=DecisionKind.UNDONE), frozenset({ProposalState.ACCEPTED}))
        assert store.find_proposal("P01").state is ProposalState.UNDONE
        store.decide(Given.decision(decided_ms=4_000), OPEN)
        assert [decision.kind.value for decision in store.decisions()] == ["accepted", "undone", "accepted"]

    def test_a_stale_proposal_without_a_decision_cannot_be_decided(self, store: Store) -> None:
        store.add_proposal(Given.workspace, Given.proposal())
        store.mark("P01", ProposalState.STALE)
        with pytest.raises(UsageError, match="P01 is stale"):
            store.decide(Given.decision(), OPEN)

    def test_deciding_on_an_unknown_proposal_is_misuse(self, store: Store) -> None:
        with pytest.raises(UsageError, match="no proposal P01"):
            store.decide(Given.decision(), OPEN)

    def test_marking_never_overrules_a_person(self, store: Store) -> None:
        store.add_proposal(Given.workspace, Given.proposal())
        store.decide(Given.decision(), OPEN)
        store.mark("P01", ProposalState.STALE)
        assert store.find_proposal("P01").state is ProposalState.ACCEPTED
        with pytest.raises(ValueError, match="needs a decision"):
            store.mark("P01", ProposalState.REJECTED)

    def test_an_accepted_proposal_is_recalled(self, store: Store) -> None:
        store.add_attempt(Given.attempt())
        store.add_proposal(Given.workspace, Given.proposal())
        store.decide(Given.decision(), OPEN)
        state = State(
            Given.signature, KernelTraits("transposition", "float"), DeviceTraits("cpu, predicted for h200", "sm_90", is_measured=False)
        )
        techniques = ("shared-memory-padding", "loop-unrolling")
        query = RecallQuery(Given.workspace, Given.attempt().kernel, state, techniques, now_ms=5_000)
        (recalled,) = store.recall(query)
        assert recalled.technique == "shared-memory-padding"
        assert recalled.people == pytest.approx(0.3)
        assert recalled.log_ratio == pytest.approx(math.log(1.5))
        assert recalled.sentences[0] == "accepted here on 1970-01-01 (cpu, predicted for h200)"

    def test_what_was_learned_is_told_by_state_and_technique(self, store: Store) -> None:
        assert store.what_was_learned().knowledge == ()
        store.add_attempt(Given.attempt())
        (row,) = store.what_was_learned().knowledge
        assert (row.technique, row.state) == ("shared-memory-padding", "shared-memory-bound kernels")
        assert (row.right_count, row.tried_count, row.measured_count) == (1, 1, 1)
        assert row.median_ratio == pytest.approx(1.5)

    def test_a_jobs_events_are_kept_in_order(self, store: Store) -> None:
        store.start_job(JobRow("J01", "optimize", Given.file, Given.workspace, "host 42 cli", 1, 1, None, None, False))
        for index in range(3):
            store.add_event("J01", f'{{"n":{index}}}')
        assert store.events("J01", start=1) == ('{"n":1}', '{"n":2}')
        assert store.events("J02") == ()

    def test_one_session_is_open_on_a_kernel_and_the_second_to_start_gets_it(self, store: Store) -> None:
        assert store.open_pair(pair_session(), turn()).id == "S01"
        assert store.open_pair(pair_session("S02"), turn(name="S02")).id == "S01"
        assert store.open_pair(pair_session("S03", kernel="other"), turn(name="S03")).id == "S03"
        assert store.add_turn(turn(2, TurnKind.STOP))
        assert store.open_pair(pair_session("S04"), turn(name="S04")).id == "S04"
        assert [s.id for s in store.pair_sessions(Given.file)] == ["S04", "S03"]
        assert [s.id for s in store.pair_sessions(Given.file, is_open_only=False)] == ["S04", "S03", "S01"]

    def test_a_taken_number_and_an_ended_session_take_no_turn(self, store: Store) -> None:
        store.open_pair(pair_session(), turn())
        assert not store.add_turn(turn(1, TurnKind.WHY))
        assert store.add_turn(turn(2, TurnKind.STOP)) and not store.add_turn(turn(3, TurnKind.EDIT))
        assert [t.kind for t in store.turns("S01")] == [TurnKind.START, TurnKind.STOP]

    def test_an_unknown_session_is_named(self, store: Store) -> None:
        with pytest.raises(UsageError, match="S99"):
            store.find_pair("S99")

    def test_a_call_belongs_to_a_started_job(self, store: Store) -> None:
        with pytest.raises(UsageError, match="J01"):
            store.add_model_call(CALL)

    def test_a_call_that_was_sent_is_unanswered_until_its_end_is_kept(self, started: Store) -> None:
        sent = [SentCall(name, "J01", at_ms, Spending(None, 10, 100, 1)) for name, at_ms in (("M1", 1), ("M2", 2))]
        for call in sent:
            started.add_sent_call(call)
        assert started.unanswered_calls("J01") == tuple(sent)
        started.add_model_call(CALL)
        assert started.unanswered_calls("J01") == (sent[1],)
        assert started.unanswered_calls("J02") == ()

    def test_a_call_comes_back_as_it_was_and_is_never_changed(self, started: Store) -> None:
        later = replace(CALL, request=replace(CALL.request, id="M2"), started_ms=CALL.started_ms + 1)
        for call in (later, CALL, later):
            started.add_model_call(call)
        assert started.model_calls() == started.model_calls("J01") == (CALL, later)
        assert started.model_calls("J02") == ()
        with pytest.raises(ValueError, match="with other contents"):
            started.add_model_call(replace(CALL, duration_ms=8))

    def test_a_jobs_first_end_stands_and_an_ended_job_cannot_be_cancelled(self, started: Store) -> None:
        assert started.beat("J01", 5) is False
        assert started.request_cancel("J01") is True
        assert started.beat("J01", 9) is True
        started.end_job("J01", 10, 1)
        started.end_job("J01", 11, 0)
        assert started.jobs(OTHER) == ()
        assert started.jobs(Given.workspace) == (replace(JOB, heartbeat_ms=10, ended_ms=10, exit_code=1, is_cancel_requested=True),)
        assert started.request_cancel("J01") is started.request_cancel("J02") is False

    def test_jobs_are_listed_newest_first(self, started: Store) -> None:
        started.start_job(replace(JOB, id="J02", started_ms=2))
        assert [row.id for row in started.jobs()] == ["J02", "J01"]

    def test_the_last_answer_of_each_command_is_kept(self, store: Store) -> None:
        first, second = (StoredAnalysis("profile", sha256 * 64, ('{"a":1}', '{"b":2}')) for sha256 in "01")
        check = StoredAnalysis("check", "0" * 64, ("{}",))
        for analysis, at_ms in ((first, 1), (check, 2), (second, 3)):
            store.keep_analysis(Given.workspace, Given.file, analysis, at_ms)
        assert store.analyses(Given.file) == (check, second)
        assert store.analyses(OTHER / "a.cu") == ()

    def test_turns_come_back_in_order(self, store: Store) -> None:
        store.open_pair(pair_session(), turn())
        assert store.add_turn(turn(2, TurnKind.EDIT))
        assert store.find_pair("s0") == pair_session()
        assert store.turns("S01") == (turn(), turn(2, TurnKind.EDIT))

    def test_an_edit_of_a_cell_is_taken_once_and_let_go_of_after_a_minute(self, store: Store) -> None:
        asked = Placement("a1", "P01", ("h1", "h2"), "0" * 64, "jupyter 7", 1_000_000)
        store.ask_placement(asked)
        assert store.placements(asked.asked_ms) == (asked,)
        assert store.placements(asked.asked_ms + 1) == ()
        assert store.move_placement("a1", PlacementState.ASKED, PlacementState.TAKEN)
        assert not store.move_placement("a1", PlacementState.ASKED, PlacementState.TAKEN)
        assert store.placements(0) == ()
        assert store.placement_state("a1") is PlacementState.TAKEN
        store.ask_placement(replace(asked, id="a2", asked_ms=asked.asked_ms + 61_000))
        assert store.placement_state("a1") is None
