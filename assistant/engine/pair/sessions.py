"""The turns of pair sessions, one after the other: begun, read, constrained, explained, ended. Nothing here runs a job.

What a session has come to is a fold over its turns (``pair_state``); the store keeps them. Example::

    sessions = PairSessions(store, catalogue, "lsp 1234")
    opened = sessions.start(Source(path, text), "transpose", goal=None)
    sessions.constrain(opened.state.session.id, "keep block 256").answer
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from assistant.config import find_workspace
from assistant.cuda.match import select_kernels
from assistant.cuda.parse import parse
from assistant.cuda.rebase import RebasedChange, rebase
from assistant.engine.ids import new_id
from assistant.engine.pair.state import DROP, PairState, PairVersion, pair_state, version_name
from assistant.engine.pair.text import one_kernel
from assistant.engine.pair.words import constraint_answer, report, started_answer
from assistant.engine.proposals import constraint_of_rejection, read_constraint
from assistant.errors import CannotAnswerError, UsageError
from assistant.model import events
from assistant.model.pair import PairSession, Turn, TurnKind
from assistant.model.proposal import Decision, DecisionKind, Proposal
from assistant.model.source import Source
from assistant.plan.catalogue import Catalogue
from assistant.ports.store import PairStore, ProposalStore
from assistant.record import Record

__all__ = ["OpenedSession", "PairSessions", "turn_event"]

_ATTEMPTS = 20
"""Tries to append a turn while others append theirs."""


class SessionsStore(PairStore, ProposalStore, Protocol):
    """Sessions, and the proposals that were made in them."""


class OpenedSession(Record):
    """A session that was begun or gone on with."""

    state: PairState
    is_resumed: bool
    answer: str


class PairSessions:
    """Pair sessions as one front end reads and continues them."""

    def __init__(self, store: SessionsStore, catalogue: Catalogue, who: str) -> None:
        self._store = store
        self._techniques = tuple(technique.id for technique in catalogue.techniques)
        self._who = who

    def start(self, file: Source, kernel: str | None, goal: str | None, others: tuple[Source, ...] = ()) -> OpenedSession:
        """Begin on a kernel, or go on with the session that is open on it. Raises UsageError unless one kernel is meant.

        ``others``: the other files of its program.
        """
        path, name = file.path, one_kernel(parse(file), kernel)
        now_ms = _now_ms()
        fresh = PairSession(new_id("S"), find_workspace(path), path, name, goal, file.text, now_ms, self._who, others)
        first = Turn(fresh.id, 1, TurnKind.START, goal or "", f"begun on {name}", now_ms, self._who)
        opened = self._store.open_pair(fresh, first)
        state = self.state(opened.id)
        return OpenedSession(state, opened.id != fresh.id, started_answer(state))

    def open_on(self, path: Path) -> tuple[PairSession, ...]:
        """The open sessions of a file."""
        return self._store.pair_sessions(path)

    def find(self, path: Path, text: str, kernel: str | None) -> PairSession:
        """The open session of a kernel. Raises UsageError where there is none."""
        found = self.open_on(path)
        if kernel is not None:
            names = {item.qualified_name for item in select_kernels(parse(Source(path, text)), kernel)} or {kernel}
            found = tuple(item for item in found if item.kernel in names)
        if len(found) != 1:
            what = f"{len(found)} pair sessions are open" if found else "no pair session is open"
            raise UsageError(f"{what} on {kernel or path.name}", f"kernelopt pair {path.name} --kernel K starts one")
        return found[0]

    def state(self, session_id: str) -> PairState:
        """The session as it stands; decisions on its proposals that were taken elsewhere become turns first."""
        state = self._load(session_id)
        for proposal_id in dict.fromkeys(state.proposals):
            taken = self._store.decisions(proposal_id)
            while state.is_open and _decided(state, proposal_id) < len(taken):
                decision = taken[_decided(state, proposal_id)]
                turn = self._decision_turn(state, self._store.find_proposal(proposal_id), decision)
                self._store.add_turn(turn)  # where another process was first, its turn says the same
                state = self._load(session_id)
        return state

    def constrain(self, session_id: str, words: str) -> Turn:
        """Ask something of every suggestion; ``drop N`` takes a constraint back."""
        stated = " ".join(words.split())
        if not stated:
            raise UsageError("name what to keep to", "such as: keep block 256, no fast-math, registers at most 64, no loop-unrolling")

        def make(state: PairState) -> Turn:
            dropped = DROP.fullmatch(stated)
            if dropped is not None and not 1 <= int(dropped[1]) <= len(state.constraints):
                raise UsageError(f"there is no constraint {dropped[1]}", constraint_answer(state))
            bare = self.turn(state, TurnKind.CONSTRAIN, stated, "")
            return replace(bare, answer=constraint_answer(pair_state(state.session, (*state.turns, bare), self._techniques)))

        return self.append(session_id, make)

    def why(self, session_id: str) -> Turn:
        """What the last answer rests on."""

        def make(state: PairState) -> Turn:
            last = next((turn for turn in reversed(state.turns) if turn.detail and turn.kind is not TurnKind.WHY), None)
            if last is None:
                return self.turn(state, TurnKind.WHY, "", "nothing was judged yet: save an edit, or ask for a suggestion")
            return replace(self.turn(state, TurnKind.WHY, "", last.answer), detail=last.detail)

        return self.append(session_id, make)

    def back(self, session_id: str, number: int | None, current: str) -> tuple[PairVersion, str]:
        """The version (None: the one before), and ``current`` with the kernel as it was then; the turn is made once it is saved.

        Raises UsageError for an unknown version, CannotAnswerError where ``current`` was changed in the same lines since it was judged.
        """
        state = self.state(session_id)
        wanted = state.current.number - 1 if number is None else number
        if not 0 <= wanted < len(state.versions):
            raise UsageError(f"there is no version {wanted}", f"versions are v0 to {version_name(len(state.versions) - 1)}")
        version = state.versions[wanted]
        match rebase(state.current_text, version.text, current):
            case RebasedChange(text=text):
                return version, text
            case conflict:
                lines = ", ".join(str(clash.current_line) for clash in conflict.clashes)
                raise CannotAnswerError(
                    f"{state.session.path.name} was changed after {version_name(state.current.number)} was judged (line {lines})",
                    "save it and wait for the answer, then go back",
                )

    def stop(self, session_id: str) -> Turn:
        """End the session; the turn's detail is its report."""

        def make(state: PairState) -> Turn:
            return replace(self.turn(state, TurnKind.STOP, "", f"ended after {len(state.turns) + 1} turns"), detail=report(state))

        return self.append(session_id, make)

    def turn(self, state: PairState, kind: TurnKind, said: str, answer: str) -> Turn:
        """The next turn of a session."""
        return Turn(state.session.id, len(state.turns) + 1, kind, said, answer, _now_ms(), self._who)

    def append(self, session_id: str, make: Callable[[PairState], Turn]) -> Turn:
        """Append a turn to the session as it stands. Raises UsageError where it has ended."""
        for _ in range(_ATTEMPTS):
            state = self.state(session_id)
            if not state.is_open:
                ender = state.turns[-1]
                raise UsageError(f"{session_id} was ended by {ender.by}", f"kernelopt pair {state.session.path.name} starts another one")
            turn = make(state)
            if self._store.add_turn(turn):
                return turn
        raise CannotAnswerError(f"{session_id} is busy: other processes keep adding turns", "try again")

    # --- inside -----------------------------------------------------------------------------------------------------

    def _decision_turn(self, state: PairState, proposal: Proposal, decision: Decision) -> Turn:
        decided = decision.kind.value.replace("_", " ")
        reason = decision.reason or decision.reason_code
        answer = f"{proposal.id} {decided} by {decision.decided_by}" + (f": {reason}" if reason else "")
        said = ""
        if decision.kind is DecisionKind.REJECTED:
            said = constraint_of_rejection(decision.reason_code, proposal.techniques, proposal.comparison.ratio)
            answer = f"{answer}; from now on: {read_constraint(said, self._techniques).with_enforcement}"
        elif decision.kind is DecisionKind.REOPENED:
            index = _constraint_of(state, proposal.id)
            said = "" if index is None else f"drop {index + 1}"
        return replace(self.turn(state, TurnKind.DECISION, said, answer), proposal=proposal.id)

    def _load(self, session_id: str) -> PairState:
        return pair_state(self._store.find_pair(session_id), self._store.turns(session_id), self._techniques)


def _constraint_of(state: PairState, proposal_id: str) -> int | None:
    """The place, among the session's constraints, of the one that rejecting the proposal made; None where it is gone."""
    made = {turn.said for turn in state.turns if turn.kind is TurnKind.DECISION and turn.proposal == proposal_id and turn.said}
    return next((index for index, constraint in enumerate(state.constraints) if constraint.words in made), None)


def turn_event(session: PairSession, turn: Turn, job: str | None = None) -> events.PairTurn:
    """A turn as front ends show it."""
    return events.PairTurn(
        job=job,
        session=session.id,
        number=turn.number,
        kind=turn.kind.value,
        kernel=session.kernel,
        said=turn.said,
        answer=turn.answer,
        outcome=turn.outcome,
        ratio=None if turn.against_baseline is None else turn.against_baseline.ratio,
        breaks=turn.breaks,
        proposal=turn.proposal,
        detail=turn.detail,
    )


def _decided(state: PairState, proposal_id: str) -> int:
    return sum(turn.kind is TurnKind.DECISION and turn.proposal == proposal_id for turn in state.turns)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
