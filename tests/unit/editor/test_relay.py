"""A request to the editor's model goes from a job to the front end, and its answer comes back, in pieces and whole."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from assistant.editor.relay import HostRelay, ModelAnswers
from assistant.model.completion import ChatMessage, Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole, ReplySchema
from assistant.plan.providers import EditorProvider, ModelRelay, PriceTable
from assistant.plan.providers.patience import Patience
from assistant.ports.provider import OnText

REQUEST = CompletionRequest("M1", ModelRole.CODER, "code@1", (ChatMessage("user", "é \ud800"),), 100, ReplySchema("code", "{}"), 0.5, 3)


class Model:
    """An editor's model."""

    def __init__(self, answer: Completion | CompletionFailure, pieces: tuple[str, ...] = ()) -> None:
        self.answer = answer
        self.pieces = pieces
        self.asked: list[CompletionRequest] = []
        self.is_cancelled = False
        self.is_slow = False
        self.is_asked = asyncio.Event()

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        self.asked.append(request)
        self.is_asked.set()
        for piece in self.pieces:
            on_text(piece)
        try:
            await asyncio.sleep(60 if self.is_slow else 0)
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        return self.answer


def wired(model: ModelRelay | None) -> tuple[HostRelay, ModelAnswers]:
    """Both sides, each message through JSON as between processes."""

    def through(deliver: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
        return lambda message: deliver(json.loads(json.dumps(message)))

    relay = HostRelay()

    async def to_host(message: dict[str, Any]) -> None:
        through(relay.heard)(message)

    answering = ModelAnswers(model, to_host)
    relay.connect(through(answering.heard))
    return relay, answering


async def test_the_request_arrives_as_it_was_and_the_answer_in_order() -> None:
    model = Model(Completion("one two", "gpt", 10, 2), ("one ", "two"))
    relay, _ = wired(model)
    shown: list[str] = []
    assert await relay.complete(REQUEST, shown.append) == model.answer
    assert model.asked == [REQUEST]
    assert shown == ["one ", "two"]


async def test_a_refusal_comes_back_as_one() -> None:
    refusal = CompletionFailure(FailureKind.NO_CONSENT, "it was not allowed", "ask again")
    relay, _ = wired(Model(refusal))
    assert await relay.complete(REQUEST, print) == refusal


@pytest.mark.parametrize("relay", [HostRelay(), wired(None)[0]])
async def test_a_front_end_without_a_model_says_so(relay: HostRelay) -> None:
    answer = await relay.complete(REQUEST, print)
    assert isinstance(answer, CompletionFailure) and answer.kind is FailureKind.NO_MODEL


async def test_cancelling_the_job_cancels_the_editors_request() -> None:
    model = Model(Completion("late", "gpt", None, None))
    model.is_slow = True
    relay, answering = wired(model)
    asking = asyncio.create_task(relay.complete(REQUEST, print))
    await model.is_asked.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await answering.end()
    assert model.is_cancelled


async def test_what_comes_too_late_is_passed_over() -> None:
    relay, _ = wired(Model(Completion("x", "gpt", None, None)))
    await relay.complete(REQUEST, print)
    relay.heard({"ask": 1, "piece": "late"})
    relay.heard({"ask": 7, "answer": {}})


async def test_several_requests_at_once_get_their_own_answers() -> None:
    relay, _ = wired(Model(Completion("x", "gpt", None, None), ("p",)))
    heard: list[list[str]] = [[], [], []]
    answers = await asyncio.gather(*(relay.complete(REQUEST, pieces.append) for pieces in heard))
    assert len(answers) == 3 and heard == [["p"]] * 3


async def test_the_provider_bounds_what_an_editor_says() -> None:
    async def ask(model: Model, timeout_s: float = 5) -> Completion | CompletionFailure:
        return await EditorProvider(model, Patience(timeout_s, 60), PriceTable()).complete(REQUEST, print)

    answer = await ask(Model(Completion("a\ud800", "gpt\x1b", None, None)))
    assert answer == Completion("a\ufffd", "gpt", None, None)
    large = await ask(Model(Completion("x" * 1_100_000, "gpt", None, None)))
    assert isinstance(large, CompletionFailure) and large.kind is FailureKind.TOO_LARGE
    slow = Model(Completion("late", "gpt", None, None), ("begun",))
    slow.is_slow = True
    late = await ask(slow, timeout_s=0.1)
    assert isinstance(late, CompletionFailure) and (late.kind, late.partial_text) == (FailureKind.TIMED_OUT, "begun")
    assert slow.is_cancelled
