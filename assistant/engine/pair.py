"""A pair session: a person edits one kernel, and each saved edit is judged and answered in one line.

Turns live in memory (``pair_book``), so that any front end goes on where another one stopped. What runs something is here: a stream of
events that ends with the turn. Nothing here writes the user's file. Example::

    pair = Pair(session)
    opened = pair.book.start(path, text, "transpose", goal=None)
    async for event in pair.edited(request): ...      # … PairTurn(answer="v1: PASS, PREDICTED 1.57x …")
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from assistant.engine.constraints import read_constraint
from assistant.engine.pair_book import PairBook, turn_event
from assistant.engine.pair_judging import Heard, Judged, Reasons
from assistant.engine.pair_state import PairState, Version, relative, version_name
from assistant.engine.pair_text import is_same, other_texts, text_of
from assistant.engine.pair_words import (
    edit_answer,
    edit_detail,
    idea,
    nothing_answer,
    proposal_answer,
)
from assistant.engine.request import Accept, CandidateRules, JobRequest, OptimizeOptions
from assistant.engine.session import NOBODY, Asked, Session
from assistant.errors import KernelOptError
from assistant.model import events
from assistant.model.comparison import Comparison
from assistant.model.pair import PairSession, Turn, TurnKind
from assistant.model.plan import Step
from assistant.model.proposal import ProposalState
from assistant.model.verification import Outcome

__all__ = ["Pair"]

_FINDING_CODE = "KO"
_EVERYTHING = OptimizeOptions()


class Pair:
    """Pair sessions of one front end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.store
        self._techniques = tuple(technique.id for technique in session.catalogue.techniques)
        self.book = PairBook(session.store, session.catalogue, session.who)

    # --- long turns -------------------------------------------------------------------------------------------------

    async def edited(self, request: JobRequest) -> AsyncIterator[events.Event]:
        """Answer the file's text in every session that is open on it; nothing for a kernel that says the same as before."""
        text = text_of(request)
        for session in self.book.open_on(request.file):
            state = self.book.state(session.id)
            if state.current.is_judged and is_same(session, state.current_text, text):
                continue
            known = next((v for v in state.versions if v.is_judged and is_same(session, v.text, text)), None)
            if known is not None:
                yield self._told(session, None, lambda state, known=known: self._back_turn(state, known, text))
                continue
            async for event in self._judged(state, request, text):
                yield event

    async def suggest(
        self, session_id: str, request: JobRequest, hint: str, base: OptimizeOptions = _EVERYTHING, asked: Asked = NOBODY
    ) -> AsyncIterator[events.Event]:
        """Search for exactly one proposal within the constraints; where there is none, say why.

        ``base``: how far the search goes; ``asked``: who is asked on the way.
        """
        state = self.book.state(session_id)
        reasons = Reasons()
        options, told = self._options(state, hint, base)
        named = replace(request, kernel=state.session.kernel)
        async for event in self._session.optimize(named, options, Accept.NONE, None, asked):
            reasons.hear(event)
            if not isinstance(event, events.JobEnded):
                yield event
        ended = reasons.ended
        proposal = None if reasons.proposal is None else self._store.find_proposal(reasons.proposal.id)

        def make(state: PairState) -> Turn:
            if proposal is not None:
                answer = f"{proposal_answer(proposal)}{told}"
                return replace(
                    self.book.turn(state, TurnKind.SUGGEST, hint, answer),
                    proposal=proposal.id,
                    outcome=proposal.verification.outcome,
                    detail=proposal.explanation,
                )
            failed = (ended.reason,) if ended is not None and ended.exit_code else ()
            because = (*failed, *reasons.told)
            detail = "\n".join(f"- {reason}" for reason in because)
            return replace(self.book.turn(state, TurnKind.SUGGEST, hint, f"{nothing_answer(because)}{told}"), detail=detail)

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
        now = self.book.state(session.id)
        if now.current != state.current and is_same(session, now.current_text, text):  # another front end saw this save and was first
            if ended is not None:
                yield ended
            return
        steps = await judged.steps(self._session.planner)
        told = self._told(session, job_id, lambda state: self._edit_turn(state, text, judged, steps, against_best))
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

    def _edit_turn(self, state: PairState, text: str, judged: Judged, steps: tuple[Step, ...], against_best: Comparison | None) -> Turn:
        breaks = judged.breaks(state.constraints)
        if judged.outcome is Outcome.FAIL:
            next_idea = f"mend it, or go back to {version_name(state.best.number)}"
        else:
            next_idea = idea(steps, judged.findings, state)
        answer = edit_answer(state, judged, against_best, breaks, next_idea)
        return replace(
            self.book.turn(state, TurnKind.EDIT, "", answer),
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
        return replace(self.book.turn(state, TurnKind.BACK, name, f"back at {name}: {verdict}"), text=text)

    def _accepted_as(self, state: PairState, text: str) -> str | None:
        """The proposal of this session that a person accepted to get this text."""
        for proposal_id in state.proposals:
            proposal = self._store.find_proposal(proposal_id)
            if proposal.state is ProposalState.ACCEPTED and is_same(state.session, proposal.after_text, text):
                return proposal_id
        return None

    def _options(self, state: PairState, hint: str, base: OptimizeOptions) -> tuple[OptimizeOptions, str]:
        """What a hint means for the search, and what to say of one that only a model can read."""
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

    def _told(self, session: PairSession, job: str | None, make: Callable[[PairState], Turn]) -> events.PairTurn:
        return turn_event(session, self.book.append(session.id, make), job)


def _only(rules: CandidateRules, techniques: frozenset[str]) -> CandidateRules:
    """What the hint names, as far as the constraints allow."""
    return replace(rules, only_techniques=techniques)
