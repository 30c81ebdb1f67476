"""Models behind any OpenAI-compatible endpoint. The only module that imports ``openai``; it is imported when such a provider is opened.

What leaves the machine is what `request_body` says and the key, nothing else: headers that the client or the environment add are taken
off, and a redirect is not followed, as consent names one endpoint. A request is sent again only while no answer has begun, so that a call
is paid for once at most.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import cast

import httpx2
import openai

from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole, Price, ServedModel
from assistant.plan.providers.answer import Answer
from assistant.plan.providers.bounded import AnswerTooLargeError, bound_response, only_needed_headers
from assistant.plan.providers.error_replies import ErrorReply, failure_of, may_pass
from assistant.plan.providers.pace import TRY_COUNT, Pace, back_off_s, retry_after_s
from assistant.plan.providers.patience import Patience
from assistant.plan.providers.redaction import PieceRedaction, redacted
from assistant.plan.providers.roles import is_local
from assistant.plan.providers.wire import Dialect, conceded, request_body
from assistant.ports.provider import OnText
from assistant.record import Record

__all__ = ["Connection", "EndpointProvider"]

_CONNECT_S = 10.0
"""To find a host; for an answer itself there is `Connection.patience`."""
_NO_KEY = "none"
"""The client insists on a key; the header is taken off where there is none."""
_NOT_STREAMED = ("application/json", "text/html")
"""The answer of a server that does not stream, or that is no model's."""
_START_IT = "start the model's server (for example: ollama serve), or give the right port in provider.base_url"
_TRY_DOCTOR = "try again later; kernelopt doctor --llm tries the endpoint"


class Connection(Record):
    """How one role's model is reached."""

    base_url: str
    model: str
    key: str | None = field(repr=False)
    patience: Patience
    dialect: Dialect
    may_drop_schemas: bool
    """Whether an endpoint that refuses a JSON schema is asked without one."""
    price: Price | None = None
    missing: CompletionFailure | None = None
    """What every call is answered with, where the key is not there."""


class _Again(Record):
    """No answer began; the request may be sent once more."""

    failure: CompletionFailure
    """What to say if it is not."""
    dialect: Dialect | None = None
    """Send it so, at once; None: send the same, later."""
    delay_s: float | None = None
    """As the endpoint asks; None: it does not say."""


_WITHOUT_TOOLS = "this model calls no tools here: --planner llm asks it without, or have its server allow them"


class EndpointProvider:
    """Implements `Provider`."""

    def __init__(self, connections: Mapping[ModelRole, Sequence[Connection]], requests_per_minute: float | None) -> None:
        """``connections``: of each role, the islands' models in turn."""
        self._connections = {role: list(several) for role, several in connections.items()}
        self._clients: dict[tuple[ModelRole, int], openai.AsyncOpenAI] = {}
        self._paces = {each.base_url: Pace(requests_per_minute) for several in connections.values() for each in several}

    def served(self, role: ModelRole, island: int = 0) -> ServedModel:
        connection = self._connections[role][self._index(role, island)]
        return ServedModel(role, "openai", connection.base_url, connection.model, connection.price)

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        index = self._index(request.role, request.island)
        connection = self._connections[request.role][index]
        if connection.missing is not None:
            return connection.missing
        answer = Answer(connection.base_url, PieceRedaction(connection.key, on_text), connection.key, request.max_output_tokens)
        client = self._client((request.role, index), connection)
        await self._paces[connection.base_url].turn()
        started_s = time.monotonic()
        try:
            async with connection.patience.waiting() as heard:
                return await self._tried(client, index, request, answer, heard)
        except TimeoutError:
            return answer.broken(FailureKind.TIMED_OUT, *connection.patience.passed(connection.base_url, time.monotonic() - started_s))

    async def close(self) -> None:
        clients, self._clients = tuple(self._clients.values()), {}
        for client in clients:
            await client.close()

    async def _tried(
        self, client: openai.AsyncOpenAI, index: int, request: CompletionRequest, answer: Answer, heard: Callable[[], None]
    ) -> Completion | CompletionFailure:
        """Sends the request until an answer begins, or there is no use in it."""
        connections = self._connections[request.role]
        failure_count = 0
        refused: set[Dialect] = set()
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + connections[index].patience.silence_s
        while True:
            connection = connections[index]
            outcome = await _sent(client, request, connection, answer, heard)
            if not isinstance(outcome, _Again):
                return outcome
            if outcome.dialect is not None and outcome.dialect not in refused:
                refused.add(connection.dialect)
                connections[index] = replace(connection, dialect=outcome.dialect)
                continue
            if outcome.dialect is not None:
                return outcome.failure
            failure_count += 1
            delay_s = outcome.delay_s if outcome.delay_s is not None else back_off_s(failure_count, random.random())  # noqa: S311
            if failure_count >= TRY_COUNT or loop.time() + delay_s >= deadline_s:
                return outcome.failure
            await asyncio.sleep(delay_s)
            await self._paces[connection.base_url].turn()

    def _index(self, role: ModelRole, island: int) -> int:
        return island % len(self._connections[role])

    def _client(self, key: tuple[ModelRole, int], connection: Connection) -> openai.AsyncOpenAI:
        if key not in self._clients:
            self._clients[key] = _connected(connection)
        return self._clients[key]


def _connected(connection: Connection) -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(
        follow_redirects=False,
        trust_env=not is_local(connection.base_url),  # what is meant for this machine must not go through a proxy
        timeout=openai.Timeout(connection.patience.whole_s, connect=min(_CONNECT_S, connection.patience.silence_s)),
        event_hooks={"request": [only_needed_headers(connection.key)], "response": [bound_response]},
    )
    return openai.AsyncOpenAI(api_key=connection.key or _NO_KEY, base_url=connection.base_url, max_retries=0, http_client=http)


async def _sent(
    client: openai.AsyncOpenAI, request: CompletionRequest, connection: Connection, answer: Answer, heard: Callable[[], None]
) -> Completion | CompletionFailure | _Again:
    """One request: its answer, or what came instead."""
    try:
        stream = await client.post(
            "/chat/completions",
            cast_to=object,
            body=request_body(request, connection.model, connection.dialect),
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
    except openai.APIStatusError as error:
        return _refused(error, connection, bool(request.tools))
    except openai.APIConnectionError as error:
        return _Again(_unreached(connection, is_refused=isinstance(error.__cause__, httpx2.ConnectError)))
    except AnswerTooLargeError:
        return answer.oversized()
    return await _read(stream, connection, answer, heard)


async def _read(
    stream: openai.AsyncStream[object], connection: Connection, answer: Answer, heard: Callable[[], None]
) -> Completion | CompletionFailure:
    """The streamed answer; whatever goes wrong from here on is final."""
    if stream.response.headers.get("content-type", "").startswith(_NOT_STREAMED):
        await stream.close()
        return answer.malformed()
    try:
        async for data in stream:
            heard()
            if (failure := answer.add(data)) is not None:
                return failure
    except AnswerTooLargeError:
        return answer.oversized()
    except openai.APIConnectionError:
        return answer.broken(FailureKind.UNREACHABLE, f"{connection.base_url} broke off its answer", _TRY_DOCTOR)
    except openai.APIError as error:
        failure = failure_of(ErrorReply(connection.base_url, 500, error.code, redacted(_said(error), connection.key)))
        return answer.broken(failure.kind, failure.message, failure.remedy)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or JSON too deep to read: the client decodes them
        return answer.malformed()
    finally:
        await stream.close()
    return answer.ended()


def _said(error: openai.APIError) -> str:
    """The endpoint's own words, without the client's around them."""
    body: object = error.body
    message = cast("dict[object, object]", body).get("message") if isinstance(body, dict) else body
    return message if isinstance(message, str) else error.message


def _unreached(connection: Connection, is_refused: bool) -> CompletionFailure:
    """``is_refused``: no connection was made, which on this machine means that no program listens there."""
    if is_refused and is_local(connection.base_url):
        unreached = f"{connection.base_url} cannot be reached: nothing listens there"
        return CompletionFailure(FailureKind.UNREACHABLE, unreached, _START_IT)
    return CompletionFailure(FailureKind.UNREACHABLE, f"{connection.base_url} cannot be reached", _TRY_DOCTOR)


def _refused(error: openai.APIStatusError, connection: Connection, has_tools: bool) -> CompletionFailure | _Again:
    said = _said(error)
    complaint = f"{error.param or ''} {said}"
    refusal = ErrorReply(connection.base_url, error.status_code, error.code, redacted(said, connection.key))
    failure = failure_of(refusal)
    if failure.kind in (FailureKind.REFUSED, FailureKind.NO_MODEL) and has_tools and "tool" in complaint.lower():
        return replace(failure, kind=FailureKind.REFUSED, remedy=_WITHOUT_TOOLS)
    if failure.kind is FailureKind.REFUSED and (dialect := conceded(connection.dialect, complaint, connection.may_drop_schemas)):
        return _Again(failure, dialect=dialect)
    if may_pass(refusal):
        return _Again(failure, delay_s=retry_after_s(error.response.headers, time.time()))
    return failure
