"""What every provider keeps to, whoever answers: an endpoint, the editor's model, a person."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from assistant.config.settings import Settings
from assistant.model.completion import ChatMessage, Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole, Price
from assistant.plan.providers import EDITOR_ENDPOINT, PriceTable, ProviderSetup, open_provider
from assistant.ports.provider import OnText, Provider
from tests.endpoint.server import Says, ScriptedEndpoint

ANSWER = '{"code": "é"}'
PRICE = Price(1.0, 2.0)
Open = Callable[[Path, bool], contextlib.AbstractAsyncContextManager[Provider]]
"""(folder, whether it answers at once)"""


@contextlib.asynccontextmanager
async def opened(around: ProviderSetup, **provider: object) -> AsyncGenerator[Provider]:
    made = open_provider(Settings.model_validate({"provider": provider}), around)
    try:
        yield made
    finally:
        await made.close()
        await made.close()


@contextlib.asynccontextmanager
async def endpoint(folder: Path, is_quick: bool) -> AsyncGenerator[Provider]:
    with ScriptedEndpoint(lambda _: Says(ANSWER, piece_length=3, pause_s=0 if is_quick else 20)) as server:
        around = ProviderSetup({}, folder, PriceTable({server.base_url: PRICE}))
        async with opened(around, kind="openai", base_url=server.base_url, model="small") as made:
            yield made


class Relay:
    def __init__(self, is_quick: bool) -> None:
        self.is_quick = is_quick

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        on_text(ANSWER)
        await asyncio.sleep(0 if self.is_quick else 20)
        return Completion(ANSWER, "editors-own", None, None)


@contextlib.asynccontextmanager
async def editor(folder: Path, is_quick: bool) -> AsyncGenerator[Provider]:
    async with opened(ProviderSetup({}, folder, PriceTable({EDITOR_ENDPOINT: PRICE}), Relay(is_quick)), kind="editor") as made:
        yield made


@contextlib.asynccontextmanager
async def manual(folder: Path, is_quick: bool) -> AsyncGenerator[Provider]:
    def waiting(_: Path, place: Path) -> None:
        if is_quick:
            place.write_text(ANSWER, "utf-8")

    around = ProviderSetup({}, folder, PriceTable({"manual": PRICE}), on_waiting=waiting)
    async with opened(around, kind="manual") as made:
        yield made


def request(role: ModelRole) -> CompletionRequest:
    return CompletionRequest("M1", role, "code@1", (ChatMessage("user", f"as {role.value}"),), 100)


every_provider = pytest.mark.parametrize("provider", [endpoint, editor, manual])


@every_provider
async def test_each_role_is_answered_whole_and_in_pieces(provider: Open, tmp_path: Path) -> None:
    async with provider(tmp_path, True) as made:
        for role in ModelRole:
            pieces: list[str] = []
            answer = await made.complete(request(role), pieces.append)
            assert isinstance(answer, Completion)
            assert answer.text == "".join(pieces) == ANSWER
            assert answer.model


@every_provider
async def test_who_would_answer_is_known_beforehand(provider: Open, tmp_path: Path) -> None:
    async with provider(tmp_path, True) as made:
        for role in ModelRole:
            served = made.served(role)
            assert served.role is role and served.endpoint and served.price == PRICE


@every_provider
async def test_calls_at_once_do_not_mix(provider: Open, tmp_path: Path) -> None:
    async with provider(tmp_path, True) as made:
        answers = await asyncio.gather(*(made.complete(request(role), lambda _: None) for role in ModelRole for _ in range(2)))
    assert [answer.text for answer in answers if isinstance(answer, Completion)] == [ANSWER] * 6


@every_provider
async def test_a_call_can_be_cancelled(provider: Open, tmp_path: Path) -> None:
    async with provider(tmp_path, False) as made:
        asking = asyncio.create_task(made.complete(request(ModelRole.CODER), lambda _: None))
        await asyncio.sleep(0.1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


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


async def test_an_editors_answer_without_an_end_is_stopped_at_the_bytes_of_its_tokens(tmp_path: Path) -> None:
    relay, pieces = Endless(), list[str]()
    async with opened(ProviderSetup({}, tmp_path, PriceTable({}), relay), kind="editor") as made:
        answer = await made.complete(request(ModelRole.CODER), pieces.append)
    assert isinstance(answer, CompletionFailure)
    assert (answer.kind, answer.partial_text) == (FailureKind.TOO_LARGE, "".join(pieces))
    assert len("".join(pieces).encode()) == 8 * 100
    assert relay.is_cancelled


async def test_an_editors_answer_is_bounded_in_bytes_not_letters(tmp_path: Path) -> None:
    class Long:
        async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
            return Completion("é" * 401, "editors-own", None, None)

    async with opened(ProviderSetup({}, tmp_path, PriceTable({}), Long()), kind="editor") as made:
        answer = await made.complete(request(ModelRole.CODER), lambda _: None)
    assert isinstance(answer, CompletionFailure)
    assert answer.kind is FailureKind.TOO_LARGE
