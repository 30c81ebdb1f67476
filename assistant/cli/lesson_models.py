"""``memory learn --model``: a language model proposes conditions and words for lessons, within the budget and with consent.

It is sent no source: techniques' own texts, states, sizes, words of CUDA's own, outcomes. Requests are kept in memory as a search's are.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import reduce
from pathlib import Path

from assistant.cli.compose import open_session
from assistant.cli.consent import ask_model
from assistant.cli.console import console
from assistant.cli.models import ModelParts
from assistant.config import find_workspace
from assistant.config.remedies import how_to_set_a_model
from assistant.engine import Session, new_id
from assistant.engine.search import ModelNotice, caps_words
from assistant.errors import CannotAnswerError, UsageError
from assistant.memory import MemoryStore
from assistant.model.attempt import JobRow
from assistant.model.completion import (
    Caps,
    CompletionFailure,
    CompletionRequest,
    FailureKind,
    ModelCall,
    ModelRole,
    SentCall,
    ServedModel,
    Spending,
)
from assistant.model.lesson import LessonDraft, LessonQuestion
from assistant.plan.budget import added, broken_by, call_cost, keepable
from assistant.plan.llm.code.library import load_prompts
from assistant.plan.llm.lesson_writer import LessonWriter
from assistant.plan.llm.talk import Stamps, Talk

__all__ = ["drafts"]

_COMMAND = "memory learn"
_NONE = "none"
_ANSWER_TOKENS = 600
_PROMPT_TOKENS = 2_500
"""Of a question and its answer, for the estimate that is shown before anything is asked."""


class _Notice(ModelNotice):
    """What a person is shown before a model is asked about trials."""

    question_count: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        models = ", ".join(dict.fromkeys(f"{one.model or one.provider} at {one.endpoint}" for one in self.served))
        return (
            f"a language model is to propose lessons on {self.question_count} techniques: {models}",
            "it is sent the techniques' own texts, and states, sizes and outcomes of trials, of all workspaces; no source, name or path",
            f"about {self.question_count} calls, {self.estimate.token_count:,} tokens; {caps_words(self.caps)}",
        )


async def drafts(store: MemoryStore) -> tuple[LessonDraft, ...]:
    """A draft for each technique with enough trials. Raises UsageError without a model or consent, CannotAnswerError where none answers."""
    session = open_session()
    try:
        return await _asked(session, store)
    finally:
        session.close()


async def _asked(session: Session, store: MemoryStore) -> tuple[LessonDraft, ...]:
    place = Path.cwd()
    settings = session.settings(place / "learn.cu").settings  # any file of this folder
    if settings.provider.kind == _NONE:
        raise UsageError("no language model is set, and --model asks one", how_to_set_a_model())
    questions = store.learned.questions()
    if not questions:
        return ()
    workspace = find_workspace(place)
    provider = ModelParts(session.planner, session.catalogue).provider(settings, workspace, _waits)
    try:
        served = provider.served(ModelRole.PLANNER)
        budget = settings.budget
        caps = keepable(Caps(money_usd=budget.money_usd, token_count=budget.tokens), (served,))
        count = len(questions)
        estimate = Spending(None, count * _PROMPT_TOKENS, count * _ANSWER_TOKENS, count)
        notice = _Notice(workspace, place, (served,), estimate, caps, is_named=True, question_count=count)
        refused = await ask_model(console().is_terminal)(notice)
        if refused is not None:
            raise UsageError(f"no model may be asked: {refused}", "kernelopt memory learn without --model asks none")
        job, library = new_id("J"), load_prompts()
        talk = Talk(provider, _Accounts(store, job, caps), library, settings, Stamps(job, new_id, _now_ms))
        return await _drafted(store, job, LessonWriter(talk, library, session.catalogue), questions)
    finally:
        await provider.close()


async def _drafted(store: MemoryStore, job: str, writer: LessonWriter, questions: Sequence[LessonQuestion]) -> tuple[LessonDraft, ...]:
    place, began_ms = Path.cwd(), _now_ms()
    store.start_job(JobRow(job, _COMMAND, place, find_workspace(place), f"cli {os.getpid()}", began_ms, began_ms, None, None, False))
    found: list[LessonDraft] = []
    try:
        for question in questions:
            draft = await writer.drafted(question)
            if isinstance(draft, LessonDraft):
                found.append(draft)
                continue
            if not found:
                raise CannotAnswerError(f"no model answered: {draft.message}", draft.remedy)
            console(is_error=True).print(f"{question.technique}: no answer ({draft.message})", markup=False, soft_wrap=True)
    finally:
        store.end_job(job, _now_ms(), 0 if found else 3)
    return tuple(found)


class _Accounts:
    """Implements ``ports.Accounts``: calls are kept and charged, caps kept before a call is made."""

    def __init__(self, store: MemoryStore, job: str, caps: Caps) -> None:
        self._store = store
        self._job = job
        self._caps = caps
        self._spent: list[Spending] = []

    def refusal(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> CompletionFailure | None:
        cap = broken_by(reduce(added, self._spent, Spending()), self._caps, served, input_token_count, max_output_tokens)
        if cap is None:
            return None
        message = f"the budget leaves no room for the next call ({caps_words(self._caps)})"
        return CompletionFailure(FailureKind.OVER_BUDGET, message, "raise budget.money_usd or budget.tokens")

    def lasting(self, served: ServedModel) -> CompletionFailure | None:
        """One question after the other: each finds out by itself."""
        del served
        return None

    def answered(self, request: CompletionRequest) -> ModelCall | None:
        del request
        return None

    async def room(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> None:
        """No other call is under way."""

    def sending(self, request: CompletionRequest, served: ServedModel, input_token_count: int) -> None:
        at_most = call_cost(served.price, input_token_count, request.max_output_tokens)
        held = Spending(at_most, input_token_count, request.max_output_tokens, 1)
        self._store.add_sent_call(SentCall(request.id, self._job, _now_ms(), held))

    def record(self, call: ModelCall) -> None:
        self._store.add_model_call(call)
        self._spent.append(call.spending)

    def writing(self, role: ModelRole, piece: str) -> None:
        """Answers are short: nothing is shown while they come."""


def _waits(prompt: Path, answer: Path) -> None:
    console(is_error=True).print(f"waits for an answer to {prompt}: paste it into {answer}", markup=False, soft_wrap=True)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
