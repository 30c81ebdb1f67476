"""What every implementation of ``ports.provider.Provider`` must do: an endpoint, the editor's model, a person, a script."""

from __future__ import annotations

import asyncio

import pytest

from assistant.model.completion import ChatMessage, Completion, CompletionRequest, ModelRole, Price
from assistant.ports.provider import Provider

__all__ = ["ANSWER", "PRICE", "ProviderContract"]

ANSWER = '{"code": "é"}'
PRICE = Price(1.0, 2.0)


def request(role: ModelRole) -> CompletionRequest:
    return CompletionRequest("M1", role, "code@1", (ChatMessage("user", f"as {role.value}"),), 100)


class ProviderContract:
    """Subclasses give two fixtures: ``provider``, which answers ``ANSWER`` for ``PRICE``, and ``stuck``, whose answers never end."""

    async def test_each_role_is_answered_whole_and_in_pieces(self, provider: Provider) -> None:
        for role in ModelRole:
            pieces: list[str] = []
            answer = await provider.complete(request(role), pieces.append)
            assert isinstance(answer, Completion)
            assert answer.text == "".join(pieces) == ANSWER
            assert answer.model

    def test_who_would_answer_is_known_beforehand(self, provider: Provider) -> None:
        for role in ModelRole:
            served = provider.served(role)
            assert served.role is role and served.endpoint and served.price == PRICE

    async def test_calls_at_once_do_not_mix(self, provider: Provider) -> None:
        answers = await asyncio.gather(*(provider.complete(request(role), lambda _: None) for role in ModelRole for _ in range(2)))
        assert [answer.text for answer in answers if isinstance(answer, Completion)] == [ANSWER] * 6

    async def test_a_call_can_be_cancelled(self, stuck: Provider) -> None:
        asking = asyncio.create_task(stuck.complete(request(ModelRole.CODER), lambda _: None))
        await asyncio.sleep(0.05)
        assert not asking.done()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    async def test_closing_twice_is_closing_once(self, provider: Provider) -> None:
        await provider.close()
        await provider.close()
