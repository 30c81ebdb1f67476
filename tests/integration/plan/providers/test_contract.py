"""An endpoint keeps to the contract of providers, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assistant.config.settings import Settings
from assistant.model.completion import ChatMessage, CompletionRequest, ModelRole
from assistant.plan.providers import PriceTable, ProviderSetup, open_provider
from assistant.ports.provider import Provider
from tests.contracts.provider_contract import ANSWER, PRICE, ProviderContract
from tests.endpoint.server import Says, ScriptedEndpoint


@asynccontextmanager
async def opened(folder: Path, pause_s: float) -> AsyncGenerator[Provider]:
    """``pause_s``: between the pieces of an answer."""
    with ScriptedEndpoint(lambda _: Says(ANSWER, piece_length=3, pause_s=pause_s)) as server:
        asked = {"kind": "openai", "base_url": server.base_url, "model": "small"}
        made = open_provider(Settings.model_validate({"provider": asked}), ProviderSetup({}, folder, PriceTable({server.base_url: PRICE})))
        try:
            yield made
        finally:
            await made.close()


class TestEndpoint(ProviderContract):
    @pytest.fixture
    async def provider(self, tmp_path: Path) -> AsyncGenerator[Provider]:
        async with opened(tmp_path, pause_s=0) as made:
            yield made

    @pytest.fixture
    async def stuck(self, tmp_path: Path) -> AsyncGenerator[Provider]:
        async with opened(tmp_path, pause_s=20) as made:
            yield made


async def test_islands_of_a_search_may_have_models_of_their_own(tmp_path: Path) -> None:
    with ScriptedEndpoint([Says("a")]) as server:
        asked = {"kind": "openai", "base_url": server.base_url, "model": "small", "island_models": ["second", "third"]}
        made = open_provider(Settings.model_validate({"provider": asked}), ProviderSetup({}, tmp_path, PriceTable()))
        for island in range(4):
            await made.complete(CompletionRequest("M1", ModelRole.CODER, "code@1", (ChatMessage("user", "Go."),), 10, island=island), print)
        served = [made.served(role, 1).model for role in (ModelRole.PLANNER, ModelRole.CODER, ModelRole.SUMMARISER)]
        await made.close()
    assert [received.body["model"] for received in server.asked] == ["small", "second", "third", "small"]
    assert served == ["second", "second", "small"], "explanations are one model's"
