"""What the editor's own model may answer: as much as its tokens allow, in bytes."""

from __future__ import annotations

import asyncio

from assistant.model.completion import ChatMessage, Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole
from assistant.plan.providers.editor import EditorProvider
from assistant.plan.providers.patience import Patience
from assistant.plan.providers.prices import PriceTable
from assistant.ports.provider import OnText

REQUEST = CompletionRequest("M1", ModelRole.CODER, "code@1", (ChatMessage("user", "as coder"),), 100)


class Endless:
    """Streams for ever; is cancelled."""

    def __init__(self) -> None:
        self.is_cancelled = False

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        try:
            while True:
                on_text("é" * 50)
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise


async def test_an_answer_without_an_end_is_stopped_at_the_bytes_of_its_tokens() -> None:
    relay, pieces = Endless(), list[str]()
    answer = await EditorProvider(relay, Patience(60.0, 60), PriceTable({})).complete(REQUEST, pieces.append)
    assert isinstance(answer, CompletionFailure)
    assert (answer.kind, answer.partial_text) == (FailureKind.TOO_LARGE, "".join(pieces))
    assert len("".join(pieces).encode()) == 8 * 100
    assert relay.is_cancelled


async def test_an_answer_is_bounded_in_bytes_not_letters() -> None:
    class Long:
        async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
            return Completion("é" * 401, "editors-own", None, None)

    answer = await EditorProvider(Long(), Patience(60.0, 60), PriceTable({})).complete(REQUEST, lambda _: None)
    assert isinstance(answer, CompletionFailure)
    assert answer.kind is FailureKind.TOO_LARGE
