"""Decisions on proposals, with a real file."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cuda.hunks import hunks
from assistant.engine.judge.compared import Verdict
from assistant.engine.proposals.decide import Decider, DecisionRequest, MovedChange, chosen_text
from assistant.engine.proposals.rebased import rebased_proposal
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.proposal import AlreadyDecided, Decision, DecisionKind, Proposal, ProposalState
from assistant.model.verification import Label, Outcome, Verification
from assistant.ports.store import Store

_BEFORE = "a\nb\nc\nd\ne\n"
_AFTER = "A\nb\nc\nd\nE\n"
_ACCEPT = DecisionRequest(DecisionKind.ACCEPTED)


@pytest.fixture
def proposal(tmp_path: Path, store: Store, offered: Proposal) -> Proposal:
    offered.path.write_text(_BEFORE)
    made = replace(offered, before_text=_BEFORE, after_text=_AFTER, hunks=hunks(_BEFORE, _AFTER))
    store.add_proposal(tmp_path, made)
    return made


def _decider(store: Store) -> Decider:
    return Decider(store, "test 1", 2)


def _now(store: Store) -> Proposal:
    return store.find_proposal("P0000000001")


def test_an_accept_writes_the_file_and_is_kept(store: Store, proposal: Proposal) -> None:
    assert isinstance(_decider(store).accept(proposal, _ACCEPT), Decision)
    assert proposal.path.read_text() == _AFTER
    assert _now(store).state is ProposalState.ACCEPTED


def test_some_hunks_give_a_mixed_text(proposal: Proposal) -> None:
    first = DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, (proposal.hunks[0].id[:6],))
    assert chosen_text(proposal, first) == "A\nb\nc\nd\ne\n"


def test_an_unknown_hunk_is_named(proposal: Proposal) -> None:
    with pytest.raises(UsageError, match="0 hunks that start with 'zzz'"):
        chosen_text(proposal, DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, ("zzz",)))


def test_undo_brings_the_text_back_and_the_proposal_can_be_accepted_again(store: Store, proposal: Proposal) -> None:
    _decider(store).accept(proposal, _ACCEPT)
    _decider(store).undo(_now(store))
    assert proposal.path.read_text() == _BEFORE
    assert _now(store).state is ProposalState.UNDONE
    assert isinstance(_decider(store).accept(_now(store), _ACCEPT), Decision)
    assert proposal.path.read_text() == _AFTER


@pytest.mark.parametrize("kind", [DecisionKind.ACCEPTED, DecisionKind.PARTIALLY_ACCEPTED])
def test_a_decided_proposal_is_refused_whatever_became_of_the_file(store: Store, proposal: Proposal, kind: DecisionKind) -> None:
    taken = (proposal.hunks[0].id,) if kind is DecisionKind.PARTIALLY_ACCEPTED else ()
    _decider(store).accept(proposal, DecisionRequest(kind, taken))
    decided = _now(store).state
    proposal.path.write_text("x\nb\nc\nd\nx\n")  # no part of the proposal fits any more
    for _ in range(2):
        assert isinstance(_decider(store).accept(_now(store), _ACCEPT), AlreadyDecided)
    assert _now(store).state is decided
    assert proposal.path.read_text() == "x\nb\nc\nd\nx\n"


@pytest.mark.parametrize("state", [ProposalState.STALE, ProposalState.SUPERSEDED])
def test_a_stale_or_superseded_proposal_is_not_accepted(store: Store, proposal: Proposal, state: ProposalState) -> None:
    store.mark(proposal.id, state)
    with pytest.raises(UsageError, match=f"is {state.value}, not open"):
        _decider(store).accept(_now(store), _ACCEPT)
    assert proposal.path.read_text() == _BEFORE


def test_a_superseded_proposal_names_what_took_its_place(store: Store, proposal: Proposal) -> None:
    store.add_proposal(proposal.path.parent, replace(proposal, id="P0000000002"))
    for decide in (_decider(store).accept, _decider(store).reject):
        with pytest.raises(UsageError, match=r"P0000000001 is superseded, not open: P0000000002 \(PASS, .*, open\) took its place"):
            decide(_now(store), _ACCEPT)


def test_undo_is_refused_when_the_file_moved_on(store: Store, proposal: Proposal) -> None:
    _decider(store).accept(proposal, _ACCEPT)
    proposal.path.write_text(_AFTER + "more\n")
    with pytest.raises(CannotAnswerError, match="would lose those changes"):
        _decider(store).undo(_now(store))
    assert proposal.path.read_text() == _AFTER + "more\n"


def test_a_moved_file_gets_the_change_rebased_but_not_written(store: Store, proposal: Proposal) -> None:
    proposal.path.write_text(_BEFORE.replace("c", "c2"))
    moved = _decider(store).accept(proposal, _ACCEPT)
    assert isinstance(moved, MovedChange)
    assert moved.text == "A\nb\nc2\nd\nE\n"
    assert proposal.path.read_text() == "a\nb\nc2\nd\ne\n"


def test_a_conflict_makes_the_proposal_stale_and_leaves_the_file(store: Store, proposal: Proposal) -> None:
    proposal.path.write_text("x\nb\nc\nd\ne\n")
    with pytest.raises(CannotAnswerError, match="line 1"):
        _decider(store).accept(proposal, _ACCEPT)
    assert _now(store).state is ProposalState.STALE
    assert proposal.path.read_text() == "x\nb\nc\nd\ne\n"


def test_the_second_decision_learns_who_was_first(store: Store, proposal: Proposal) -> None:
    other = Decider(store, "editor 7", 2)
    other.reject(proposal, DecisionRequest(DecisionKind.REJECTED, reason_code="readability"))
    outcome = _decider(store).reject(proposal, DecisionRequest(DecisionKind.REJECTED))
    assert isinstance(outcome, AlreadyDecided)
    assert outcome.decision.decided_by == "editor 7"


def test_an_accept_that_loses_the_race_puts_the_file_back(store: Store, proposal: Proposal) -> None:
    Decider(store, "editor 7", 2).reject(proposal, DecisionRequest(DecisionKind.REJECTED))
    outcome = _decider(store).accept(proposal, _ACCEPT)  # still believes that it is open
    assert isinstance(outcome, AlreadyDecided)
    assert proposal.path.read_text() == _BEFORE


def test_an_unknown_reason_code_is_refused(store: Store, proposal: Proposal) -> None:
    with pytest.raises(UsageError, match="nonsense"):
        _decider(store).reject(proposal, DecisionRequest(DecisionKind.REJECTED, reason_code="nonsense"))
    assert _now(store).state is ProposalState.OPEN


def test_a_rebased_proposal_claims_what_judging_it_on_the_new_text_showed(proposal: Proposal) -> None:
    current, text = "new\n" + _BEFORE, "new\n" + _AFTER
    verification = Verification(Outcome.NEEDS_DECISION, (), (Label.PRECISION,), (), "kernel", (), ("races: too large",))
    speed = replace(proposal.comparison, ratio=1.25, bottleneck_after="l2")
    verdict = Verdict("k()", verification, speed, ())
    fresh = rebased_proposal(MovedChange(proposal, current, text), (), verdict, speed, 3)
    assert (fresh.before_text, fresh.after_text, fresh.state) == (current, text, ProposalState.OPEN)
    assert fresh.verification == verification
    assert (fresh.comparison.ratio, fresh.comparison.bottleneck_after, fresh.labels) == (1.25, "l2", (Label.PRECISION,))
    assert "1.25x" in fresh.explanation
    assert "2.00" not in fresh.explanation
    part = rebased_proposal(MovedChange(proposal, current, "new\nA\nb\nc\nd\ne\n"), (proposal.hunks[0].id,), verdict, speed, 3)
    assert [hunk.id for hunk in part.hunks] == [proposal.hunks[0].id]
    assert part.summary.endswith(f"(1 of 2 hunks of {proposal.id})")
    assert part.explanation.startswith(f"1 of 2 hunks of {proposal.id}'s change")
