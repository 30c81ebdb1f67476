"""Turns of a pair session that run nothing: begun, found again, constrained, gone back in, ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.engine.pair.sessions import PairSessions
from assistant.engine.proposals.decide import Decider, DecisionRequest
from assistant.engine.request import JobRequest
from assistant.engine.session import Session, SessionParts
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.pair import Turn, TurnKind
from assistant.model.proposal import DecisionKind, Proposal
from assistant.model.source import Source
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import Lab
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.fakes import FakePlanner

K = "__global__ void k(float *x)\n{\n    x[0] = 1.0f;\n    x[1] = 1.0f;\n}\n"
TWO = K + K.replace("void k", "void other")
SECOND, THIRD = (K.replace("x[0] = 1", f"x[0] = {n}") for n in (2, 3))
FILE = Path("/w/a.cu")


@pytest.fixture
def sessions() -> PairSessions:
    return PairSessions(FakeStore(), Catalogue(()), "a test")


def edit(sessions: PairSessions, session: str, text: str) -> None:
    """A saved text that was judged."""
    sessions.append(session, lambda state: Turn(session, len(state.turns) + 1, TurnKind.EDIT, "", "judged", 1, "a test", text=text))


def test_one_kernel_must_be_meant(sessions: PairSessions) -> None:
    with pytest.raises(UsageError):
        sessions.start(Source(FILE, TWO), None, None)
    assert sessions.start(Source(FILE, TWO), "other", None).state.session.kernel == "other"


def test_a_session_is_gone_on_with_and_says_where_it_stands(sessions: PairSessions) -> None:
    first = sessions.start(Source(FILE, K), None, "half the time")
    assert not first.is_resumed and first.answer == "pairs on k of a.cu: v0, the baseline, is the current text; goal: half the time"
    edit(sessions, first.state.session.id, SECOND)
    again = sessions.start(Source(FILE, SECOND), None, "another goal")
    assert again.is_resumed and again.state.session == first.state.session
    assert again.answer.endswith("on k after 2 turns: at v1, best v0, the baseline; goal: half the time")


def test_the_session_of_a_kernel_is_found_by_its_name_alone_where_there_are_several(sessions: PairSessions) -> None:
    with pytest.raises(UsageError, match=r"^no pair session is open on a\.cu"):
        sessions.find(FILE, TWO, None)
    k, other = (sessions.start(Source(FILE, TWO), name, None).state.session for name in ("k", "other"))
    with pytest.raises(UsageError, match=r"^2 pair sessions are open on a\.cu"):
        sessions.find(FILE, TWO, None)
    assert sessions.find(FILE, TWO, "k(float*)") == k
    assert sessions.find(FILE, "", "other") == other  # whatever the text says by now
    sessions.stop(other.id)
    assert sessions.find(FILE, TWO, None) == k


def test_going_back_is_to_the_version_before_or_to_any_that_there_is(sessions: PairSessions) -> None:
    session = sessions.start(Source(FILE, K), None, None).state.session.id
    for text in (SECOND, THIRD):
        edit(sessions, session, text)
    version, text = sessions.back(session, None, THIRD)
    assert (version.number, text) == (1, SECOND)
    version, text = sessions.back(session, 0, f"// a line above\n{THIRD}")
    assert (version.number, text) == (0, f"// a line above\n{K}")
    for number in (-1, 3, 9):
        with pytest.raises(UsageError, match=f"^there is no version {number}") as raised:
            sessions.back(session, number, THIRD)
        assert raised.value.remedy == "versions are v0 to v2"


def test_what_was_typed_since_is_not_thrown_away_by_going_back(sessions: PairSessions) -> None:
    session = sessions.start(Source(FILE, K), None, None).state.session.id
    edit(sessions, session, SECOND)
    with pytest.raises(CannotAnswerError, match=r"^a\.cu was changed after v1 was judged \(line 3\)"):
        sessions.back(session, 0, SECOND.replace("x[0] = 2", "x[0] = 9"))


def test_a_constraint_must_say_something_and_one_that_is_dropped_must_be_there(sessions: PairSessions) -> None:
    session = sessions.start(Source(FILE, K), None, None).state.session.id
    with pytest.raises(UsageError, match=r"^name what to keep to"):
        sessions.constrain(session, "  ")
    assert sessions.constrain(session, "keep  block 256").answer == "constraints: 1. keep block 256"
    for number in (0, 2):
        with pytest.raises(UsageError, match=f"^there is no constraint {number}") as raised:
            sessions.constrain(session, f"drop {number}")
        assert raised.value.remedy == "constraints: 1. keep block 256"
    assert sessions.constrain(session, "drop 1").answer == "no constraints"


class Busy(FakeStore):
    """Another process adds a turn before each of ours, as often as it says."""

    refused = 0

    def add_turn(self, turn: Turn) -> bool:
        self.refused -= 1
        return self.refused < 0 and super().add_turn(turn)


@pytest.mark.parametrize(("refused", "is_added"), [(19, True), (20, False)])
def test_a_turn_is_added_however_busy_others_are_but_not_for_ever(refused: int, is_added: bool) -> None:
    store = Busy()
    sessions = PairSessions(store, Catalogue(()), "a test")
    session = sessions.start(Source(FILE, K), None, None).state.session.id
    store.refused = refused
    if is_added:
        assert sessions.constrain(session, "be nice").number == 2
    else:
        with pytest.raises(CannotAnswerError, match=f"^{session} is busy"):
            sessions.constrain(session, "be nice")


@pytest.mark.parametrize(
    ("kind", "code", "reason", "said", "answer"),
    [
        (DecisionKind.ACCEPTED, None, None, "", "accepted by a front end"),
        (DecisionKind.PARTIALLY_ACCEPTED, None, "enough", "", "partially accepted by a front end: enough"),
        (DecisionKind.REJECTED, "precision", None, "keep precision", "rejected by a front end: precision; from now on: keep precision"),
        (
            DecisionKind.REJECTED,
            "style",
            "no tiles",
            "no t",
            "rejected by a front end: no tiles; from now on: no t (not enforced: only a model planner can read it)",
        ),
    ],
)
def test_what_was_decided_elsewhere_becomes_a_turn_once(
    offered: Proposal, kind: DecisionKind, code: str | None, reason: str | None, said: str, answer: str
) -> None:
    store = FakeStore()
    sessions = PairSessions(store, Catalogue(()), "a test")
    session = sessions.start(Source(FILE, K), None, None).state.session.id
    for proposal in (offered, replace(offered, id="P0000000002", kernel="other()")):
        store.add_proposal(FILE.parent, proposal)
        sessions.append(session, lambda state, of=proposal: replace(sessions.turn(state, TurnKind.SUGGEST, "", ""), proposal=of.id))
    decider = Decider(store, "a front end", 5)
    decider.record(store.find_proposal(offered.id), DecisionRequest(kind, (), code, reason), "")
    for _ in range(2):
        decided = [turn for turn in sessions.state(session).turns if turn.kind is TurnKind.DECISION]
        assert [(turn.proposal, turn.said, turn.answer, turn.by) for turn in decided] == [
            (offered.id, said, f"{offered.id} {answer}", "a test")
        ]
    sessions.stop(session)
    decider.record(store.find_proposal("P0000000002"), DecisionRequest(kind, (), code, reason), "")
    assert sum(turn.kind is TurnKind.DECISION for turn in sessions.state(session).turns) == 1


def test_a_decision_is_a_turn_of_the_pair_session_as_soon_as_it_is_taken(offered: Proposal) -> None:
    store = FakeStore()
    sessions = PairSessions(store, Catalogue(()), "a test")
    opened = sessions.start(Source(offered.path, K), None, None).state.session.id
    store.add_proposal(offered.path.parent, offered)
    sessions.append(opened, lambda state: replace(sessions.turn(state, TurnKind.SUGGEST, "", ""), proposal=offered.id))
    parts = SessionParts(lambda _: store, never_opened, FakePlanner("a planner"), Catalogue(()), "a test")
    Session(parts).reject(offered.id, "precision", None)
    last = store.turns(opened)[-1]
    assert (last.kind, last.proposal, last.said) == (TurnKind.DECISION, offered.id, "keep precision")
    assert [constraint.words for constraint in sessions.state(opened).constraints] == ["keep precision"]
    Session(parts).undo(offered.id)
    assert store.turns(opened)[-1].answer == f"{offered.id} reopened by a test"
    assert sessions.state(opened).constraints == ()


def never_opened(request: JobRequest, scratch: Path, target: str) -> Lab:
    raise AssertionError("a rejection runs nothing")


def test_why_repeats_the_last_answer_that_has_a_reason(sessions: PairSessions) -> None:
    session = sessions.start(Source(FILE, K), None, None).state.session.id
    for number in (1, 2):
        sessions.append(
            session, lambda state, n=number: replace(sessions.turn(state, TurnKind.SUGGEST, "", f"answer {n}"), detail=f"because {n}")
        )
    sessions.constrain(session, "be nice")
    for _ in range(2):
        why = sessions.why(session)
        assert (why.answer, why.detail) == ("answer 2", "because 2")


def test_nothing_is_explained_before_anything_was_judged(sessions: PairSessions) -> None:
    session = sessions.start(Source(FILE, K), None, None).state.session.id
    assert sessions.why(session).answer.startswith("nothing was judged yet")


def test_a_session_that_has_ended_takes_no_turn(sessions: PairSessions) -> None:
    session = sessions.start(Source(FILE, K), None, None).state.session.id
    stopped = sessions.stop(session)
    assert stopped.answer == "ended after 2 turns" and stopped.detail.startswith("# Pairing on k of a.cu")
    with pytest.raises(UsageError, match=f"^{session} was ended by a test"):
        sessions.constrain(session, "keep block 256")
