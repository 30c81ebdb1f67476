"""A pair session: a person edits one kernel, and each saved edit is judged and answered in one line (DESIGN §9.4).

Turns live in memory, so that any front end goes on where another one stopped. Long answers are streams of events that end with the turn;
short ones are turns at once. Nothing here writes the user's file. Example::

    pair = Pair(session)
    opened = pair.start(path, text, "transpose", goal=None)
    async for event in pair.edited(request): ...      # … PairTurn(answer="v1: PASS, PREDICTED 1.57x …")
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.config import find_workspace
from assistant.engine.constraints import constraint_of_rejection, read_constraint
from assistant.engine.ids import new_id
from assistant.engine.pair_judging import Heard, Judged, Reasons
from assistant.engine.pair_state import DROP, PairState, Version, pair_state, relative, version_name
from assistant.engine.pair_text import is_same, one_kernel, other_texts, text_of
from assistant.engine.pair_words import (
    constraint_answer,
    edit_answer,
    edit_detail,
    idea,
    nothing_answer,
    proposal_answer,
    report,
    started_answer,
)
from assistant.engine.request import Accept, CandidateRules, JobRequest, OptimizeOptions
from assistant.engine.session import Session
from assistant.errors import CannotAnswerError, KernelOptError, UsageError
from assistant.model import events
from assistant.model.comparison import Comparison
from assistant.model.pair import PairSession, Turn, TurnKind
from assistant.model.proposal import Decision, DecisionKind, Proposal, ProposalState
from assistant.model.source import Source
from assistant.source.match import select_kernels
from assistant.source.parse import parse
from assistant.source.rebase import Rebased, rebase

__all__ = ["Opened", "Pair", "turn_event"]

_ATTEMPTS = 20
"""Tries to append a turn while others append theirs."""
_FINDING_CODE = "KO"


@dataclass(frozen=True)
class Opened:
    """A session that was begun or gone on with."""

    state: PairState
    is_resumed: bool
    answer: str


class Pair:
    """Pair sessions of one front end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.store
        self._techniques = tuple(technique.id for technique in session.catalogue.techniques)

    # --- short turns ------------------------------------------------------------------------------------------------

    def start(self, path: Path, text: str, kernel: str | None, goal: str | None) -> Opened:
        """Begin on a kernel, or go on with the session that is open on it. Raises UsageError unless one kernel is meant."""
        name = one_kernel(parse(Source(path, text)), kernel)
        now_ms = _now_ms()
        fresh = PairSession(new_id("S"), find_workspace(path), path, name, goal, text, now_ms, self._session.who)
        first = Turn(fresh.id, 1, TurnKind.START, goal or "", f"begun on {name}", now_ms, self._session.who)
        opened = self._store.open_pair(fresh, first)
        state = self.state(opened.id)
        return Opened(state, opened.id != fresh.id, started_answer(state))

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
        said = " ".join(words.split())
        if not said:
            raise UsageError("say what to keep to", "such as: keep block 256, no fast-math, registers at most 64, no loop-unrolling")

        def make(state: PairState) -> Turn:
            dropped = DROP.fullmatch(said)
            if dropped is not None and not 1 <= int(dropped[1]) <= len(state.constraints):
                raise UsageError(f"there is no constraint {dropped[1]}", constraint_answer(state))
            bare = self._turn(state, TurnKind.CONSTRAIN, said, "")
            return replace(bare, answer=constraint_answer(pair_state(state.session, (*state.turns, bare), self._techniques)))

        return self._append(session_id, make)

    def why(self, session_id: str) -> Turn:
        """What the last answer rests on."""

        def make(state: PairState) -> Turn:
            last = next((turn for turn in reversed(state.turns) if turn.detail and turn.kind is not TurnKind.WHY), None)
            if last is None:
                return self._turn(state, TurnKind.WHY, "", "nothing was judged yet: save an edit, or ask for a suggestion")
            return replace(self._turn(state, TurnKind.WHY, "", last.answer), detail=last.detail)

        return self._append(session_id, make)

    def back(self, session_id: str, number: int | None, current: str) -> tuple[Version, str]:
        """The version (None: the one before), and ``current`` with the kernel as it was then; the turn is made once it is saved.

        Raises UsageError for an unknown version, CannotAnswerError where ``current`` was changed in the same lines since it was judged.
        """
        state = self.state(session_id)
        wanted = state.current.number - 1 if number is None else number
        if not 0 <= wanted < len(state.versions):
            raise UsageError(f"there is no version {wanted}", f"versions are v0 to {version_name(len(state.versions) - 1)}")
        version = state.versions[wanted]
        match rebase(state.current_text, version.text, current):
            case Rebased(text=text):
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
            return replace(self._turn(state, TurnKind.STOP, "", f"ended after {len(state.turns) + 1} turns"), detail=report(state))

        return self._append(session_id, make)

    # --- long turns -------------------------------------------------------------------------------------------------

    async def edited(self, request: JobRequest) -> AsyncIterator[events.Event]:
        """Answer the file's text in every session that is open on it; nothing for a kernel that says the same as before."""
        text = text_of(request)
        for session in self.open_on(request.file):
            state = self.state(session.id)
            if is_same(session, state.current_text, text):
                continue
            known = next((version for version in state.versions if is_same(session, version.text, text)), None)
            if known is not None:
                yield self._told(session, None, lambda state, known=known: self._back_turn(state, known, text))
                continue
            async for event in self._judged(state, request, text):
                yield event

    async def suggest(self, session_id: str, request: JobRequest, hint: str) -> AsyncIterator[events.Event]:
        """Search for exactly one proposal within the constraints; where there is none, say why."""
        state = self.state(session_id)
        reasons = Reasons()
        options, told = self._options(state, hint)
        asked = replace(request, kernel=state.session.kernel)
        async for event in self._session.optimize(asked, options, Accept.NONE, None):
            reasons.hear(event)
            if not isinstance(event, events.JobEnded):
                yield event
        ended = reasons.ended
        proposal = None if reasons.proposal is None else self._store.find_proposal(reasons.proposal.id)

        def make(state: PairState) -> Turn:
            if proposal is not None:
                answer = f"{proposal_answer(proposal)}{told}"
                return replace(
                    self._turn(state, TurnKind.SUGGEST, hint, answer),
                    proposal=proposal.id,
                    outcome=proposal.verification.outcome,
                    detail=proposal.explanation,
                )
            failed = (ended.reason,) if ended is not None and ended.exit_code else ()
            because = (*failed, *reasons.told)
            detail = "\n".join(f"- {reason}" for reason in because)
            return replace(self._turn(state, TurnKind.SUGGEST, hint, f"{nothing_answer(because)}{told}"), detail=detail)

        told_event = self._told(state.session, None if ended is None else ended.job, make)
        yield told_event
        if ended is not None:
            yield replace(ended, reason=told_event.answer)

    # --- inside -----------------------------------------------------------------------------------------------------

    async def _judged(self, state: PairState, request: JobRequest, text: str) -> AsyncIterator[events.Event]:
        """Judge a new version against the baseline."""
        session, heard = state.session, Heard()
        asked = replace(request, kernel=session.kernel, texts=(*other_texts(request), (session.path, text)))
        try:
            async for event in self._session.weigh(asked, session.baseline_text, heard.keep):
                heard.hear(event)
                if not isinstance(event, events.JobEnded):
                    yield event
            judged = heard.answer(session.kernel)
        except KernelOptError as error:  # the text holds no such kernel (any more)
            judged = Judged(None, f"cannot be judged: {error.message}" + (f"; {error.remedy}" if error.remedy else ""))
        ended = heard.ended
        against_best = None
        if state.best.number and judged.speed is not None:
            against_best = await self._against_best(state, asked, judged.speed)
        job_id = None if ended is None else ended.job
        if is_same(session, self.state(session.id).current_text, text):  # another front end saw the same save and was first
            if ended is not None:
                yield ended
            return
        told = self._told(session, job_id, lambda state: self._edit_turn(state, text, judged, against_best))
        yield told
        if ended is not None:
            yield replace(ended, reason=told.answer)

    async def _against_best(self, state: PairState, asked: JobRequest, speed: Comparison) -> Comparison | None:
        """Predictions divide; measured times are paired anew."""
        best = state.best.turn.against_baseline
        quotient = None if best is None else relative(best, speed)
        if quotient is not None:
            return quotient
        heard = Heard()
        async for event in self._session.weigh(replace(asked, job_id=None), state.best.text, heard.keep):
            heard.hear(event)
        return heard.answer(state.session.kernel).speed

    def _edit_turn(self, state: PairState, text: str, judged: Judged, against_best: Comparison | None) -> Turn:
        breaks = judged.breaks(state.constraints)
        next_idea = idea(judged.findings, self._session.catalogue, state)
        answer = edit_answer(state, judged, against_best, breaks, next_idea)
        return replace(
            self._turn(state, TurnKind.EDIT, "", answer),
            text=text,
            outcome=judged.outcome,
            against_baseline=judged.speed,
            against_best=against_best,
            moved=judged.moved(),
            breaks=breaks,
            proposal=self._accepted_as(state, text),
            detail=edit_detail(answer, judged),
        )

    def _back_turn(self, state: PairState, known: Version, text: str) -> Turn:
        name = version_name(known.number)
        verdict = "the baseline" if known.number == 0 else known.turn.answer.removeprefix(f"{name}: ")
        return replace(self._turn(state, TurnKind.BACK, name, f"back at {name}: {verdict}"), text=text)

    def _decision_turn(self, state: PairState, proposal: Proposal, decision: Decision) -> Turn:
        told = decision.kind.value.replace("_", " ")
        reason = decision.reason or decision.reason_code
        answer = f"{proposal.id} {told} by {decision.decided_by}" + (f": {reason}" if reason else "")
        said = ""
        if decision.kind is DecisionKind.REJECTED:
            said = constraint_of_rejection(decision.reason_code, proposal.techniques, proposal.comparison.ratio)
            answer = f"{answer}; from now on: {read_constraint(said, self._techniques).told}"
        return replace(self._turn(state, TurnKind.DECISION, said, answer), proposal=proposal.id)

    def _accepted_as(self, state: PairState, text: str) -> str | None:
        """The proposal of this session that a person accepted to get this text."""
        for proposal_id in state.proposals:
            proposal = self._store.find_proposal(proposal_id)
            if proposal.state is ProposalState.ACCEPTED and is_same(state.session, proposal.after_text, text):
                return proposal_id
        return None

    def _options(self, state: PairState, hint: str) -> tuple[OptimizeOptions, str]:
        """What a hint means for the search, and what to say of one that means nothing to it."""
        rules, wanted = state.rules, hint.strip()
        if not wanted:
            return OptimizeOptions(rules=rules), ""
        if wanted.upper().startswith(_FINDING_CODE) and wanted[len(_FINDING_CODE) :].isdigit():
            return OptimizeOptions(rules=rules, only_finding=wanted.upper()), ""
        named = read_constraint(f"only {wanted}", self._techniques).rules
        if named is not None:
            return OptimizeOptions(rules=_only(rules, named.only_techniques)), ""
        return OptimizeOptions(rules=rules), f"; “{wanted}” names no finding or technique: only a model planner can read it"

    def _turn(self, state: PairState, kind: TurnKind, said: str, answer: str) -> Turn:
        return Turn(state.session.id, len(state.turns) + 1, kind, said, answer, _now_ms(), self._session.who)

    def _told(self, session: PairSession, job: str | None, make: Callable[[PairState], Turn]) -> events.PairTurn:
        return turn_event(session, self._append(session.id, make), job)

    def _append(self, session_id: str, make: Callable[[PairState], Turn]) -> Turn:
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

    def _load(self, session_id: str) -> PairState:
        return pair_state(self._store.find_pair(session_id), self._store.turns(session_id), self._techniques)


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
        outcome=None if turn.outcome is None else turn.outcome.value,
        ratio=None if turn.against_baseline is None else turn.against_baseline.ratio,
        breaks=turn.breaks,
        proposal=turn.proposal,
        detail=turn.detail,
    )


def _decided(state: PairState, proposal_id: str) -> int:
    return sum(turn.kind is TurnKind.DECISION and turn.proposal == proposal_id for turn in state.turns)


def _only(rules: CandidateRules, techniques: frozenset[str]) -> CandidateRules:
    """What the hint names, as far as the constraints allow."""
    return replace(rules, only_techniques=techniques)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
