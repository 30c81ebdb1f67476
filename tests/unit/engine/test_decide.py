"""Decisions on proposals, with a real file."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cuda.changes import changes_of
from assistant.engine.judge.compared import Verdict
from assistant.engine.proposals.decide import Decider, DecisionRequest, MadeBefore, MovedChange, as_partial, chosen_of
from assistant.engine.proposals.rebased import rebased_proposal
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.plan import MetricPrediction
from assistant.model.proposal import AlreadyDecided, Decision, DecisionKind, PredictionOutcome, Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.verification import Label, Outcome, Verification
from assistant.ports.store import Store
from tests.changes import change

_BEFORE = "a\nb\nc\nd\ne\n"
_AFTER = "A\nb\nc\nd\nE\n"
_ACCEPT = DecisionRequest(DecisionKind.ACCEPTED)


@pytest.fixture
def proposal(tmp_path: Path, store: Store, offered: Proposal) -> Proposal:
    offered.path.write_text(_BEFORE)
    made = replace(offered, files=change(offered.path, _BEFORE, _AFTER))
    store.add_proposal(tmp_path, made)
    return made


def _texts(proposal: Proposal, text: str) -> tuple[Source, ...]:
    return (Source(proposal.path, text),)


def _decider(store: Store) -> Decider:
    return Decider(store, "test 1", 2)


def _now(store: Store) -> Proposal:
    return store.find_proposal("P0000000001")


def test_an_accept_writes_the_file_and_is_kept(store: Store, proposal: Proposal) -> None:
    assert isinstance(_decider(store).accept(proposal, _ACCEPT), Decision)
    assert proposal.path.read_text() == _AFTER
    assert _now(store).state is ProposalState.ACCEPTED


@pytest.mark.parametrize("spaced", ["a\nb  \nc // why\n\nd\ne\n", " a\nb\nc\n// why\nd\ne"])
def test_an_accept_keeps_spaces_and_comments_that_were_typed_since(store: Store, proposal: Proposal, spaced: str) -> None:
    proposal.path.write_text(spaced)
    decision = _decider(store).accept(proposal, _ACCEPT)
    made = spaced.replace(" a", "a").replace("a", "A").replace("e", "E").rstrip() + "\n"
    assert isinstance(decision, Decision) and proposal.path.read_text() == made
    assert decision.text_sha256 == Source(proposal.path, made).sha256


def test_an_undo_keeps_comments_that_were_typed_since(store: Store, proposal: Proposal) -> None:
    _decider(store).accept(proposal, _ACCEPT)
    proposal.path.write_text(_AFTER.replace("c", "c  // mine"))
    assert isinstance(_decider(store).undo(_now(store)), Decision)
    assert proposal.path.read_text() == _BEFORE.replace("c", "c  // mine") and _now(store).state is ProposalState.UNDONE


def test_some_hunks_give_a_mixed_text(proposal: Proposal) -> None:
    first = DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, (proposal.hunks[0].id[:6],))
    assert chosen_of(proposal, first) == _texts(proposal, "A\nb\nc\nd\ne\n")


@pytest.mark.parametrize(
    ("prefixes", "taken", "text"),
    [((0,), (0,), "A\nb\nc\nd\ne\n"), ((1, 1), (1,), "a\nb\nc\nd\nE\n"), ((1, 0), None, _AFTER), ((), (), _BEFORE)],
)
def test_hunks_are_named_by_their_first_letters_and_all_of_them_are_the_whole(
    proposal: Proposal, prefixes: tuple[int, ...], taken: tuple[int, ...] | None, text: str
) -> None:
    request = DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, tuple(proposal.hunks[n].id[:6] for n in prefixes), "style", "enough")
    assert chosen_of(proposal, request) == _texts(proposal, text)
    whole = DecisionRequest(DecisionKind.ACCEPTED)
    named = None if taken is None else replace(request, hunk_ids=tuple(proposal.hunks[n].id for n in taken))
    assert as_partial(proposal, request) == (named or whole)


def test_an_ambiguous_hunk_and_one_of_another_text_are_refused(proposal: Proposal) -> None:
    both = DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, ("",))
    with pytest.raises(UsageError, match=r"^.*2 hunks that start with ''") as raised:
        chosen_of(proposal, both)
    assert raised.value.remedy == f"its hunks: {proposal.hunks[0].id} {proposal.hunks[1].id}"
    first = DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, (proposal.hunks[0].id,))
    with pytest.raises(CannotAnswerError, match=f"^hunk {proposal.hunks[0].id} does not fit"):
        chosen_of(replace(proposal, files=(replace(proposal.files[0], before_text="x\n" * 5),)), first)


@pytest.mark.parametrize("kind", [DecisionKind.ACCEPTED, DecisionKind.EDITED_THEN_ACCEPTED, DecisionKind.REJECTED])
def test_a_decision_keeps_what_was_taken_by_whom_and_the_text_after_it(store: Store, proposal: Proposal, kind: DecisionKind) -> None:
    taken = () if kind is DecisionKind.REJECTED else tuple(hunk.id for hunk in proposal.hunks)
    decided = _decider(store).record(proposal, DecisionRequest(kind, (), "style", "so"), _texts(proposal, "abc"))
    sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert decided == Decision(proposal.id, kind, taken, "style", "so", 2, "test 1", sha256)


def test_a_rejection_changes_no_text(store: Store, proposal: Proposal) -> None:
    decided = _decider(store).reject(proposal, DecisionRequest(DecisionKind.REJECTED, reason_code="style"))
    assert isinstance(decided, Decision) and decided.text_sha256 is None
    assert _decider(store).record(proposal, _ACCEPT, _texts(proposal, _AFTER)) == AlreadyDecided(decided)


def test_a_text_that_a_person_edited_already_is_accepted_as_it_is(store: Store, proposal: Proposal) -> None:
    proposal.path.write_text(_AFTER)
    assert isinstance(_decider(store).accept(proposal, _ACCEPT), Decision)
    assert proposal.path.read_text() == _AFTER


def test_of_two_that_write_the_same_text_the_second_leaves_it(store: Store, proposal: Proposal) -> None:
    Decider(store, "editor 7", 2).record(proposal, _ACCEPT, _texts(proposal, _AFTER))
    assert isinstance(_decider(store).accept(proposal, _ACCEPT), AlreadyDecided)
    assert proposal.path.read_text() == _AFTER


def test_the_same_edit_is_not_accepted_twice(tmp_path: Path, store: Store, proposal: Proposal) -> None:
    """Two searches side by side find one edit of one text: undoing either would take out what both say they made."""
    second = replace(proposal, id="P0000000002")
    _decider(store).accept(proposal, _ACCEPT)
    store.add_proposal(tmp_path, second)
    outcome = _decider(store).accept(store.find_proposal(second.id), _ACCEPT)
    assert isinstance(outcome, MadeBefore) and outcome.words == f"{proposal.path.name} has this edit already: P0000000001 was accepted"
    assert store.find_proposal(second.id).state is ProposalState.SUPERSEDED
    _decider(store).undo(_now(store))
    assert proposal.path.read_text() == _BEFORE


def test_the_last_decision_counts(store: Store, proposal: Proposal) -> None:
    first = DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, (proposal.hunks[0].id,))
    for request in (_ACCEPT, first):
        Decider(store, f"editor {len(request.hunk_ids)}", 2).accept(_now(store), request)
        assert _decider(store).accepted_texts(_now(store)) == chosen_of(proposal, request)
        again = _decider(store).accept(_now(store), _ACCEPT)
        assert isinstance(again, AlreadyDecided) and again.decision.decided_by == f"editor {len(request.hunk_ids)}"
        assert isinstance(_decider(store).undo(_now(store)), Decision)
        assert proposal.path.read_text() == _BEFORE
        taken = request.hunk_ids or tuple(hunk.id for hunk in proposal.hunks)
        assert _decider(store).last_acceptance(_now(store)) == DecisionRequest(request.kind, taken)
    with pytest.raises(UsageError, match=r"^.*is undone; only an accepted"):
        _decider(store).undo(_now(store))


def test_an_undo_of_what_an_editor_has_undone_already_writes_nothing(store: Store, proposal: Proposal) -> None:
    _decider(store).accept(proposal, _ACCEPT)
    proposal.path.write_text(_BEFORE)
    changed_ns = proposal.path.stat().st_mtime_ns
    assert isinstance(_decider(store).undo(_now(store)), Decision)
    assert (proposal.path.stat().st_mtime_ns, proposal.path.read_text()) == (changed_ns, _BEFORE)
    assert isinstance(_decider(store).record(_now(store), DecisionRequest(DecisionKind.UNDONE), _texts(proposal, _BEFORE)), AlreadyDecided)


def test_an_unknown_hunk_is_named(proposal: Proposal) -> None:
    with pytest.raises(UsageError, match=r"^.*0 hunks that start with 'zzz'"):
        chosen_of(proposal, DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, ("zzz",)))


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
    with pytest.raises(UsageError, match=f"^.*is {state.value}, not open"):
        _decider(store).accept(_now(store), _ACCEPT)
    assert proposal.path.read_text() == _BEFORE


def test_a_superseded_proposal_names_what_took_its_place(store: Store, proposal: Proposal) -> None:
    store.add_proposal(proposal.path.parent, replace(proposal, id="P0000000002"))
    for decide in (_decider(store).accept, _decider(store).reject):
        with pytest.raises(UsageError, match=r"^P0000000001 is superseded, not open: P0000000002 \(PASS, .*, open\) took its place"):
            decide(_now(store), _ACCEPT)


def test_undo_is_refused_when_the_file_moved_on(store: Store, proposal: Proposal) -> None:
    _decider(store).accept(proposal, _ACCEPT)
    proposal.path.write_text(_AFTER + "more\n")
    with pytest.raises(CannotAnswerError, match=r"^.*would lose those changes"):
        _decider(store).undo(_now(store))
    assert proposal.path.read_text() == _AFTER + "more\n"


def test_a_moved_file_gets_the_change_rebased_but_not_written(store: Store, proposal: Proposal) -> None:
    proposal.path.write_text(_BEFORE.replace("c", "c2"))
    moved = _decider(store).accept(proposal, _ACCEPT)
    assert isinstance(moved, MovedChange)
    assert moved.texts == _texts(proposal, "A\nb\nc2\nd\nE\n")
    assert proposal.path.read_text() == "a\nb\nc2\nd\ne\n"


def test_a_conflict_makes_the_proposal_stale_and_leaves_the_file(store: Store, proposal: Proposal) -> None:
    proposal.path.write_text("x\nb\nc\nd\ne\n")
    with pytest.raises(CannotAnswerError, match=r"^.*line 1"):
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
    assert isinstance(_decider(store).accept(_now(store), _ACCEPT), AlreadyDecided)
    outcome = _decider(store).accept(proposal, _ACCEPT)  # still believes that it is open
    assert isinstance(outcome, AlreadyDecided)
    assert proposal.path.read_text() == _BEFORE


def test_an_unknown_reason_code_is_refused(store: Store, proposal: Proposal) -> None:
    with pytest.raises(UsageError, match=r"^.*nonsense"):
        _decider(store).reject(proposal, DecisionRequest(DecisionKind.REJECTED, reason_code="nonsense"))
    assert _now(store).state is ProposalState.OPEN


def test_a_rebased_proposal_claims_what_judging_it_on_the_new_text_showed(proposal: Proposal) -> None:
    current, text = "new\n" + _BEFORE, "new\n" + _AFTER
    verification = Verification(Outcome.NEEDS_DECISION, (), (Label.PRECISION,), (), "kernel", (), ("races: too large",))
    speed = replace(proposal.comparison, ratio=1.25, bottleneck_after="l2")
    verdict = Verdict("k()", verification, speed, ())
    fresh = rebased_proposal(MovedChange(proposal, _texts(proposal, current), _texts(proposal, text)), (), verdict, speed, 3)
    assert (fresh.before, fresh.after, fresh.state) == (_texts(proposal, current), _texts(proposal, text), ProposalState.OPEN)
    assert fresh.verification == verification
    assert (fresh.comparison.ratio, fresh.comparison.bottleneck_after, fresh.labels) == (1.25, "l2", (Label.PRECISION,))
    assert "1.25x" in fresh.explanation
    assert "2.00" not in fresh.explanation
    counted = PredictionOutcome(MetricPrediction("global_sectors", 32, 4, "sectors"), 4, True)
    whole = replace(proposal, summary="Swaps both.", predictions=(counted,))
    part = rebased_proposal(
        MovedChange(whole, _texts(proposal, current), _texts(proposal, "new\nA\nb\nc\nd\ne\n")),
        (proposal.hunks[0].id,),
        verdict,
        speed,
        3,
    )
    assert [hunk.id for hunk in part.hunks] == [proposal.hunks[0].id]
    assert part.summary == "1 of 2 hunks of: Swaps both.", "no long id where people read"
    assert part.predictions == (), "what was counted was counted of all hunks"
    smaller = rebased_proposal(MovedChange(part, part.before, part.after), (part.hunks[0].id,), verdict, speed, 4)
    assert smaller.summary == "1 of 1 hunks of: Swaps both."
    assert part.explanation.startswith(f"1 of 2 hunks of {proposal.id}'s change")


_HEADER, _EDITED = "u\nv\nw\nx\n", "u\nv\nw\nX\n"


@pytest.fixture
def of_two(tmp_path: Path, store: Store, offered: Proposal, monkeypatch: pytest.MonkeyPatch) -> Proposal:
    """A proposal that changes the kernel's file and a header."""
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    header = tmp_path / "tile.cuh"
    offered.path.write_text(_BEFORE)
    header.write_text(_HEADER)
    files = changes_of((Source(offered.path, _BEFORE), Source(header, _HEADER)), (Source(offered.path, _AFTER), Source(header, _EDITED)))
    made = replace(offered, files=files)
    store.add_proposal(tmp_path, made)
    return made


def _on_disk(proposal: Proposal) -> list[str]:
    return [path.read_text() for path in proposal.paths]


def test_an_edit_of_two_files_is_accepted_and_undone_as_one(store: Store, of_two: Proposal) -> None:
    decided = _decider(store).accept(of_two, _ACCEPT)
    assert isinstance(decided, Decision) and len(decided.hunk_ids) == 3
    assert _on_disk(of_two) == [_AFTER, _EDITED]
    assert isinstance(_decider(store).undo(_now(store)), Decision)
    assert _on_disk(of_two) == [_BEFORE, _HEADER]


def test_some_hunks_of_two_files_are_accepted_and_undone_as_one(store: Store, of_two: Proposal) -> None:
    in_file, in_header = of_two.files[0].hunks[1].id, of_two.files[1].hunks[0].id
    _decider(store).accept(of_two, DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, (in_header, in_file)))
    assert _on_disk(of_two) == ["a\nb\nc\nd\nE\n", _EDITED]
    of_two.paths[1].write_text(_EDITED + "more\n")
    with pytest.raises(CannotAnswerError, match=r"^.*tile\.cuh changed after .* undo would lose those changes"):
        _decider(store).undo(_now(store))
    assert _on_disk(of_two) == ["a\nb\nc\nd\nE\n", _EDITED + "more\n"]


def test_a_change_in_one_of_two_files_moves_the_whole_edit_and_writes_neither(store: Store, of_two: Proposal) -> None:
    of_two.paths[1].write_text("int mine;\n" + _HEADER)
    moved = _decider(store).accept(of_two, _ACCEPT)
    assert isinstance(moved, MovedChange)
    assert [source.text for source in moved.texts] == [_AFTER, "int mine;\n" + _EDITED]
    assert _on_disk(of_two) == [_BEFORE, "int mine;\n" + _HEADER]
    of_two.paths[1].write_text("u\nv\nw\nz\n")
    with pytest.raises(CannotAnswerError, match=r"^.*tile\.cuh changed where"):
        _decider(store).accept(of_two, _ACCEPT)
    assert _now(store).state is ProposalState.STALE and _on_disk(of_two) == [_BEFORE, "u\nv\nw\nz\n"]
