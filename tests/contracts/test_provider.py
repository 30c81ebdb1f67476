"""The providers that need no network, and the scripted model of the tests, keep to one contract."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.config.settings import Settings
from assistant.model.completion import Completion, CompletionFailure, CompletionRequest
from assistant.plan.providers import EDITOR_ENDPOINT, PriceTable, ProviderSetup, open_provider
from assistant.ports.provider import OnText, Provider
from tests.contracts.fake_model import FakeModel
from tests.contracts.provider_contract import ANSWER, PRICE, ProviderContract


@asynccontextmanager
async def opened(around: ProviderSetup, kind: str) -> AsyncGenerator[Provider]:
    made = open_provider(Settings.model_validate({"provider": {"kind": kind}}), around)
    try:
        yield made
    finally:
        await made.close()


class TestFakeModel(ProviderContract):
    @pytest.fixture
    def provider(self) -> Provider:
        return FakeModel(lambda _: ANSWER, PRICE)

    @pytest.fixture
    def stuck(self) -> Provider:
        return FakeModel(lambda _: ANSWER, PRICE, is_stuck=True)


@dataclass
class Relay:
    """An editor whose model answers, or begins to."""

    is_stuck: bool = False

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        on_text(ANSWER)
        if self.is_stuck:
            await asyncio.Event().wait()
        return Completion(ANSWER, "editors-own", None, None)


class TestEditorsModel(ProviderContract):
    @pytest.fixture
    async def provider(self, tmp_path: Path) -> AsyncGenerator[Provider]:
        async with opened(ProviderSetup({}, tmp_path, PriceTable({EDITOR_ENDPOINT: PRICE}), Relay()), "editor") as made:
            yield made

    @pytest.fixture
    async def stuck(self, tmp_path: Path) -> AsyncGenerator[Provider]:
        async with opened(ProviderSetup({}, tmp_path, PriceTable({}), Relay(is_stuck=True)), "editor") as made:
            yield made


class TestPersonAtAChatWindow(ProviderContract):
    @pytest.fixture
    async def provider(self, tmp_path: Path) -> AsyncGenerator[Provider]:
        def paste(_: Path, place: Path) -> None:
            place.write_text(ANSWER, "utf-8")

        async with opened(ProviderSetup({}, tmp_path, PriceTable({"manual": PRICE}), on_waiting=paste), "manual") as made:
            yield made

    @pytest.fixture
    async def stuck(self, tmp_path: Path) -> AsyncGenerator[Provider]:
        async with opened(ProviderSetup({}, tmp_path, PriceTable({}), on_waiting=lambda _, __: None), "manual") as made:
            yield made
