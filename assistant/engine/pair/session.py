"""A pair session: a person edits one kernel, and each saved edit is judged and answer in one line.

Turns live in memory (``sessions.py``), so that any front end goes on where another one stopped. What runs something is here: a job that
ends with the turn. Nothing here writes the user's file. Example::

    pair = Pair(session)
    opened = pair.sessions.start(Source(path, text), "transpose", goal=None)
    async for event in pair.edited(request): ...      # … PairTurn(answer="v1: PASS, PREDICTED 1.57x …")
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Protocol

from assistant.engine.channel import UNHEARD, Listener, streamed
from assistant.engine.job import Ending, Job
from assistant.engine.judge import ComparisonResult, UnjudgedKernel, changed_kernels, compare, edited_kernels
from assistant.engine.pair.judging import Reasons, VersionJudgement, cannot_be_judged, judged
from assistant.engine.pair.sessions import PairSessions, turn_event
from assistant.engine.pair.state import PairState, PairVersion, relative, version_name
from assistant.engine.pair.text import at_start, changed_since, edited_in, is_same, saved_since, text_of, with_others
from assistant.engine.pair.words import (
    edit_answer,
    edit_detail,
    idea,
    nothing_answer,
    proposal_answer,
)
from assistant.engine.proposals import Ask, read_constraint
from assistant.engine.request import Accept, CandidateRules, JobRequest, OptimizeOptions
from assistant.engine.running import JobBody, refused
from assistant.engine.search import NO_CALLBACKS, OptimizeResult, SearchBody, SearchCallbacks
from assistant.engine.source_version import SourceVersion
from assistant.errors import KernelOptError
from assistant.model import events
from assistant.model.comparison import Comparison
from assistant.model.pair import PairSession, Turn, TurnKind
from assistant.model.plan import Step
from assistant.model.proposal import ProposalState
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.plan.catalogue import Catalogue
from assistant.ports.planner import Planner
from assistant.ports.store import Store

__all__ = ["Pair", "PairHost"]

_FINDING_CODE = "KO"
_EVERYTHING = OptimizeOptions()


class PairHost(Protocol):
    """A session of the engine, as far as a pair session needs it."""

    @property
    def store(self) -> Store: ...

    @property
    def catalogue(self) -> Catalogue: ...

    @property
    def planner(self) -> Planner: ...

    @property
    def who(self) -> str: ...

    def search(
        self, request: JobRequest, options: OptimizeOptions, accept: Accept, ask: Ask | None, asked: SearchCallbacks
    ) -> SearchBody: ...

    async def run(self, command: str, request: JobRequest, body: JobBody, listener: Listener) -> Ending: ...


class Pair:
    """Pair sessions of a front end."""

    def __init__(self, session: PairHost) -> None:
        self._session = session
        self._store = session.store
        self._techniques = tuple(technique.id for technique in session.catalogue.techniques)
        self.sessions = PairSessions(session.store, session.catalogue, session.who)

    # --- long turns -------------------------------------------------------------------------------------------------

    def edited(self, request: JobRequest) -> AsyncIterator[events.Event]:
        """Answer the file's text in every session that is open on it; nothing for a kernel that says the same as before."""
        return streamed(lambda listener: self._answer(request, listener))

    def suggest(
        self, session_id: str, request: JobRequest, hint: str, base: OptimizeOptions = _EVERYTHING, asked: SearchCallbacks = NO_CALLBACKS
    ) -> AsyncIterator[events.Event]:
        """Search for exactly one proposal within the constraints; where there is none, say why.

        ``base``: how far the search goes; ``asked``: who is asked on the way.
        """
        return streamed(lambda listener: self._suggest(session_id, request, hint, base, asked, listener))

    # --- inside -----------------------------------------------------------------------------------------------------

    async def _answer(self, request: JobRequest, listener: Listener) -> None:
        text, edited = text_of(request), edited_in(request)
        for session in self.sessions.open_on(request.file):
            state, others = self.sessions.state(session.id), changed_since(request, session)
            if state.current.is_judged and state.current_others == others and is_same(session, state.current_text, text, edited):
                continue
            judged_ones = (v for v in state.versions if v.is_judged and v.turn.others == others)
            known = next((v for v in judged_ones if is_same(session, v.text, text, edited)), None)
            if known is not None:
                listener.emit(self._turn_event(session, None, lambda state, known=known: self._back_turn(state, known, text)))
                continue
            await self._judge(state, request, (Source(session.path, text), *others), listener)

    async def _suggest(
        self, session_id: str, request: JobRequest, hint: str, base: OptimizeOptions, asked: SearchCallbacks, listener: Listener
    ) -> None:
        state = self.sessions.state(session_id)
        options, budget_note = self._options(state, hint, base)
        named = replace(request, kernel=state.session.kernel)
        search = self._session.search(named, options, Accept.NONE, None, asked)

        async def body(job: Job, version: SourceVersion) -> Ending:
            reasons = Reasons(job.listener)
            silent = replace(job, listener=reasons)
            try:
                result = await search(silent, version)
            except (KernelOptError, OSError) as raised:
                result = OptimizeResult(refused(silent, raised))

            def make(state: PairState) -> Turn:
                if result.found.proposals:
                    proposal = result.found.proposals[-1]
                    turn = self.sessions.turn(state, TurnKind.SUGGEST, hint, f"{proposal_answer(proposal)}{budget_note}")
                    return replace(turn, proposal=proposal.id, outcome=proposal.verification.outcome, detail=proposal.explanation)
                because = (*((result.ending.reason,) if result.ending.exit_code else ()), *reasons.found)
                detail = "\n".join(f"- {reason}" for reason in because)
                return replace(self.sessions.turn(state, TurnKind.SUGGEST, hint, f"{nothing_answer(because)}{budget_note}"), detail=detail)

            turn = self._turn_event(state.session, job.id, make)
            job.emit(turn)
            return replace(result.ending, reason=turn.answer)

        await self._session.run("optimize", named, body, listener)

    async def _judge(self, state: PairState, request: JobRequest, edit: tuple[Source, ...], listener: Listener) -> None:
        """Judge a new version against the baseline; ``edit``: the file in question and what else of the program is another now."""
        session = state.session
        texts = dict(request.texts) | {source.path: source.text for source in edit}
        asked = replace(request, kernel=session.kernel, texts=tuple(texts.items()))

        async def body(job: Job, version: SourceVersion) -> Ending:
            try:
                compared = await compare(job, at_start(version, session), version, is_strict=False)
            except (KernelOptError, OSError) as raised:
                ending = refused(job, raised)
                remedy = raised.remedy if isinstance(raised, KernelOptError) else None
                compared = ComparisonResult(ending, unjudged=(UnjudgedKernel(ending.reason, remedy),))
            answer = replace(judged(compared, session.kernel, job), saved_since=saved_since(version, session))
            against_best = None
            if state.best.number and answer.speed is not None:
                against_best = await self._against_best(job, state, version, answer.speed)
            turn = await self._edited(state, edit, answer, against_best, job.id)
            if turn is None:
                return compared.ending
            job.emit(turn)
            return replace(compared.ending, reason=turn.answer)

        try:
            await self._session.run("pair", asked, body, listener)
        except KernelOptError as error:  # the text holds no such kernel (any more)
            answer = VersionJudgement(None, cannot_be_judged(error.message, error.remedy))
            turn = await self._edited(state, edit, answer, None, None)
            if turn is not None:
                listener.emit(turn)

    async def _edited(
        self, state: PairState, edit: tuple[Source, ...], answer: VersionJudgement, against_best: Comparison | None, job_id: str | None
    ) -> events.PairTurn | None:
        """The turn that answers an edit; None where another front end saw this save and was first."""
        now, (own, *others) = self.sessions.state(state.session.id), edit
        is_other = now.current != state.current
        if is_other and now.current_others == tuple(others) and is_same(state.session, now.current_text, own.text, changed_kernels):
            return None
        steps = await answer.steps(self._session.planner)
        return self._turn_event(state.session, job_id, lambda state: self._edit_turn(state, edit, answer, steps, against_best))

    async def _against_best(self, job: Job, state: PairState, version: SourceVersion, speed: Comparison) -> Comparison | None:
        """Predictions divide; measured times are paired anew."""
        best = state.best.turn.against_baseline
        quotient = None if best is None else relative(best, speed)
        if quotient is not None:
            return quotient
        unheard = replace(job, listener=UNHEARD)
        known = {source.path: source for source in (*state.session.others, *state.best.turn.others)}
        compared = await compare(unheard, with_others(version, state.best.text, known.values()), version, is_strict=False)
        return judged(compared, state.session.kernel, job).speed

    def _edit_turn(
        self, state: PairState, edit: tuple[Source, ...], answer: VersionJudgement, steps: tuple[Step, ...], against_best: Comparison | None
    ) -> Turn:
        text, others = edit[0].text, edit[1:]
        breaks = answer.breaks(state.constraints)
        if answer.outcome is Outcome.FAIL:
            next_idea = f"fix it, or go back to {version_name(state.best.number)}"
        else:
            next_idea = idea(steps, answer.findings, state)
        summary = edit_answer(state, answer, against_best, breaks, next_idea)
        return replace(
            self.sessions.turn(state, TurnKind.EDIT, "", summary),
            text=text,
            others=others,
            outcome=answer.outcome,
            against_baseline=answer.speed,
            against_best=against_best,
            moved=answer.moved(),
            breaks=breaks,
            proposal=self._accepted_as(state, text),
            detail=edit_detail(summary, answer),
        )

    def _back_turn(self, state: PairState, known: PairVersion, text: str) -> Turn:
        name = version_name(known.number)
        verdict = "the baseline" if known.number == 0 else known.turn.answer.removeprefix(f"{name}: ")
        return replace(self.sessions.turn(state, TurnKind.BACK, name, f"back at {name}: {verdict}"), text=text, others=known.turn.others)

    def _accepted_as(self, state: PairState, text: str) -> str | None:
        """The proposal of this session that a person accepted to get this text."""
        for proposal_id in state.proposals:
            proposal = self._store.find_proposal(proposal_id)
            change = proposal.change_of(state.session.path)
            if (
                proposal.state is ProposalState.ACCEPTED
                and change is not None
                and is_same(state.session, change.after_text, text, edited_kernels)
            ):
                return proposal_id
        return None

    def _options(self, state: PairState, hint: str, base: OptimizeOptions) -> tuple[OptimizeOptions, str]:
        """What a hint means for the search, and what to say where only a model can read it."""
        rules, wanted = state.rules, hint.strip()
        base = replace(base, rules=rules, wishes=tuple(wish.words for wish in state.constraints), hint=wanted or None)
        if not wanted:
            return base, ""
        if wanted.upper().startswith(_FINDING_CODE) and wanted[len(_FINDING_CODE) :].isdigit():
            return replace(base, only_finding=wanted.upper()), ""
        named = read_constraint(f"only {wanted}", self._techniques).rules
        if named is not None:
            return replace(base, rules=_only(rules, named.only_techniques)), ""
        return base, f"; “{wanted}” names no finding or technique: only a model planner can read it"

    def _turn_event(self, session: PairSession, job: str | None, make: Callable[[PairState], Turn]) -> events.PairTurn:
        return turn_event(session, self.sessions.append(session.id, make), job)


def _only(rules: CandidateRules, techniques: frozenset[str]) -> CandidateRules:
    """What the hint names, as far as the constraints allow."""
    return replace(rules, only_techniques=techniques)
