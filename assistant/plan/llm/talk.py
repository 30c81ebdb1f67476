"""One question to a model: asked within the budget, parsed, repaired at most twice, kept and charged.

Knows nothing of kernels. Example::

    answer = await talk.ask(ModelRole.PLANNER, library.render("plan", inputs), PLAN)
    # Answer(value=PlanReply(…), calls=("M01…",), model="…") or NoAnswer(failure=CompletionFailure(…), calls=())
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Generic

from assistant.config import Settings
from assistant.config.provider_settings import ProviderSettings
from assistant.model.completion import (
    ChatMessage,
    Completion,
    CompletionFailure,
    CompletionRequest,
    FailureKind,
    ModelCall,
    ModelRole,
    ReplySchema,
    ServedModel,
    Spending,
    ToolSpec,
)
from assistant.plan.budget import believed, call_cost
from assistant.plan.llm.code.library import Prompt, PromptLibrary
from assistant.plan.llm.reading.answers import BadReply, Form, Value
from assistant.plan.llm.reading.undecoded import legible
from assistant.plan.profiles import CallLimits, call_limits
from assistant.plan.tokens import estimated_tokens, most_message_tokens, most_tool_tokens
from assistant.ports.provider import Accounts, Provider
from assistant.record import Record

__all__ = ["Answer", "NoAnswer", "Stamps", "Talk", "calls_in_flight"]

_MOST_REPAIRS = 2
"""Repairs of an answer that is not the JSON that was asked for."""
_MOST_QUOTED_CHARACTERS = 60_000
"""Characters of a malformed answer that are sent back with its repair: its beginning and its end, where it is longer (chosen)."""
_CALLS_AT_ONCE_BY_HAND = 1
"""Where a person answers, or an editor's own model, which asks its user."""


class Stamps(Record):
    """Who asks, and where ids and times come from."""

    job: str
    new_id: Callable[[str], str]
    """Given ``M``: a fresh id of a model call."""
    now_ms: Callable[[], int]
    """Unix time."""


class Answer(Record, Generic[Value]):
    """A parsed answer."""

    value: Value
    calls: tuple[str, ...]
    """Ids of the calls that it took, repairs included; the last one brought it."""
    model: str
    """As the endpoint names what served it."""
    messages: tuple[ChatMessage, ...]
    """The conversation up to and with the answer, for a question about it."""


class NoAnswer(Record):
    """Why there is none, and which calls were spent."""

    failure: CompletionFailure
    calls: tuple[str, ...]


class Talk:
    """Asks the models of a job."""

    def __init__(
        self,
        provider: Provider,
        accounts: Accounts,
        library: PromptLibrary,
        settings: Settings,
        stamps: Stamps,
        island: int = 0,
        in_flight: asyncio.Semaphore | None = None,
    ) -> None:
        """``in_flight``: what the talks of a job's islands share (`calls_in_flight`)."""
        self._provider = provider
        self._accounts = accounts
        self._library = library
        self._settings = settings.provider
        self._stamps = stamps
        self._island = island
        self._in_flight = in_flight or asyncio.Semaphore(calls_in_flight(settings.provider))

    async def ask(
        self, role: ModelRole, prompt: Prompt, form: Form[Value], earlier: tuple[ChatMessage, ...] = (), about: str = ""
    ) -> Answer[Value] | NoAnswer:
        """The answer to ``prompt``, in the conversation ``earlier`` or, without one, in a new one.

        ``about``: what the question is about (`CompletionRequest.about`); empty: its words say.
        """
        messages = (*(earlier or (self.system(role),)), ChatMessage("user", prompt.text))
        calls: tuple[str, ...] = ()
        name, problem = prompt.name, ""
        for _ in range(1 + _MOST_REPAIRS):
            request = replace(self._request(role, name, messages, form.schema), about=about or _digest(messages))
            answer, call = await self._answered(request)
            calls = (*calls, *([] if call is None else [call]))
            if isinstance(answer, CompletionFailure):
                return NoAnswer(answer, calls)
            parsed = form.read(answer.text)
            if not isinstance(parsed, BadReply):
                return Answer(parsed, calls, answer.model, (*messages, ChatMessage("assistant", answer.text)))
            problem = parsed.problem
            repair = self._library.render("repair-reply", {"problem": problem, "is_cut": answer.is_cut})
            quoted = ChatMessage("assistant", _quoted(answer.text))
            name, messages = repair.name, (*messages, quoted, ChatMessage("user", repair.text))
        message = f"the model did not keep to the form of its answer: {problem}"
        remedy = "try another model, or one with structured outputs; kernelopt doctor --llm tests it"
        return NoAnswer(CompletionFailure(FailureKind.BAD_REPLY, message, remedy), calls)

    def system(self, role: ModelRole, has_tools: bool = False) -> ChatMessage:
        """What begins every conversation."""
        inputs = {"reasons": self.limits(role).reasons, "has_tools": has_tools}
        return ChatMessage("system", self._library.render("system", inputs).text)

    async def turn(
        self, role: ModelRole, name: str, messages: tuple[ChatMessage, ...], tools: tuple[ToolSpec, ...], about: str
    ) -> tuple[str, Completion | CompletionFailure]:
        """One turn of a conversation with tools, within the budget, with the id of its call; ``name``: the prompt that began it."""
        request = replace(self._request(role, name, messages, None), tools=tools, about=about)
        answer, call = await self._answered(request)
        return call or request.id, answer

    def lasting(self, role: ModelRole) -> CompletionFailure | None:
        """What every further question to the role's model would end with; None while it may answer."""
        return self._accounts.lasting(self.served(role))

    def limits(self, role: ModelRole) -> CallLimits:
        """What the role's model may be sent, and may answer."""
        return call_limits(self._settings, self.served(role).model, role)

    def served(self, role: ModelRole) -> ServedModel:
        """Who answers for the role."""
        return self._provider.served(role, self._island)

    def opened(self, role: ModelRole, prompt: Prompt, answer: str) -> tuple[ChatMessage, ...]:
        """The conversation with the role's model in which ``prompt`` was answered so, whenever that was."""
        return (self.system(role), ChatMessage("user", prompt.text), ChatMessage("assistant", answer))

    async def _answered(self, request: CompletionRequest) -> tuple[Completion | CompletionFailure, str | None]:
        """The answer, and the id of the call that brought it, now or in the search that this one continues."""
        known = self._accounts.answered(request)
        if known is not None and isinstance(known.answer, Completion):
            return known.answer, known.request.id
        return await self._affordable(request)

    async def _affordable(self, request: CompletionRequest) -> tuple[Completion | CompletionFailure, str | None]:
        """The answer, when as few calls are under way as may be and the budget has room for it; no call where it never will."""
        served, input_token_count = self.served(request.role), _input_tokens(request)
        async with self._in_flight:
            await self._accounts.room(served, input_token_count, request.max_output_tokens)
            refusal = self._accounts.refusal(served, input_token_count, request.max_output_tokens)
            if refusal is not None:
                return refusal, None
            self._accounts.sending(request, served, input_token_count)
            return await self._call(request), request.id

    def _request(self, role: ModelRole, name: str, messages: tuple[ChatMessage, ...], schema: ReplySchema | None) -> CompletionRequest:
        return CompletionRequest(
            id=self._stamps.new_id("M"),
            role=role,
            prompt=name,
            messages=tuple(replace(message, text=legible(message.text)) for message in messages),
            max_output_tokens=self.limits(role).output_tokens,
            reply=schema,
            temperature=self._settings.temperature,
            seed=self._settings.seed,
            island=self._island,
        )

    async def _call(self, request: CompletionRequest) -> Completion | CompletionFailure:
        """One call, recorded however it ends."""
        started_ms = self._stamps.now_ms()
        pieces: list[str] = []

        def on_text(piece: str) -> None:
            pieces.append(piece)
            self._accounts.writing(request.role, piece)

        try:
            answer = await self._provider.complete(request, on_text)
        except asyncio.CancelledError:
            text = "".join(pieces)
            self._record(request, CompletionFailure(FailureKind.CANCELLED, "the call was cancelled", "ask again", text), started_ms)
            raise
        self._record(request, answer, started_ms)
        return answer

    def _record(self, request: CompletionRequest, answer: Completion | CompletionFailure, started_ms: int) -> None:
        served = self.served(request.role)
        duration_ms = max(0, self._stamps.now_ms() - started_ms)
        spending, is_counted_here = _spending(request, answer, served)
        self._accounts.record(ModelCall(request, self._stamps.job, served, answer, started_ms, duration_ms, spending, is_counted_here))


def calls_in_flight(settings: ProviderSettings) -> int:
    """Questions that may be asked at once."""
    return _CALLS_AT_ONCE_BY_HAND if settings.kind in ("manual", "editor") else settings.calls_in_flight


def _digest(messages: tuple[ChatMessage, ...]) -> str:
    return hashlib.sha256(
        "\0".join(f"{message.author}\0{legible(message.text)}" for message in messages).encode(errors="surrogatepass")
    ).hexdigest()


def _quoted(answer: str) -> str:
    if len(answer) <= _MOST_QUOTED_CHARACTERS:
        return answer
    half = _MOST_QUOTED_CHARACTERS // 2
    return f"{answer[:half]}\n[…]\n{answer[-half:]}"


def _input_tokens(request: CompletionRequest) -> int:
    """Of the prompt and the schema that is sent with it, with the room that a budget leaves for an estimate."""
    schema = 0 if request.reply is None else estimated_tokens(request.reply.json_schema)
    return most_message_tokens(request.messages) + most_tool_tokens(request.tools, request.messages) + schema


def _spending(request: CompletionRequest, answer: Completion | CompletionFailure, served: ServedModel) -> tuple[Spending, bool]:
    """What a call cost, and whether we counted it: as the endpoint says where that can be; nothing where no answer began."""
    if isinstance(answer, CompletionFailure):
        if answer.partial_text is None:
            return Spending(money_usd=0.0, call_count=1), True
        reported_input, reported_output, text = None, None, answer.partial_text
    else:
        reported_input, reported_output, text = answer.input_token_count, answer.output_token_count, _written(answer)
    input_count = believed(reported_input, _input_tokens(request))
    output_count = believed(reported_output, estimated_tokens(text), request.max_output_tokens)
    money_usd = call_cost(served.price, input_count, output_count)
    return Spending(money_usd, input_count, output_count, 1), (reported_input, reported_output) != (input_count, output_count)


def _written(answer: Completion) -> str:
    """All that the model wrote: its text and what it asks to be called."""
    return answer.text + "".join(f"{call.name} {call.arguments}" for call in answer.calls)
