"""An endpoint keeps to the contract of providers, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assistant.config.settings import Settings
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
