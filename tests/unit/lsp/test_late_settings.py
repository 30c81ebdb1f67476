"""Settings that come late: until they do, nothing runs that they may forbid."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lsp import settings_sync
from tests.unit.lsp.session import Session, opened

CAPABILITIES = {"workspace": {"configuration": True, "didChangeWatchedFiles": {"dynamicRegistration": True}}}
FILE = Path("/w/k.cu")


def asked(session: Session) -> list[Any]:
    """Ids of the questions for settings."""
    return [message["id"] for message in session.sent if message.get("method") == "workspace/configuration"]


def stages(session: Session) -> tuple[str, str, str]:
    background = session.server.parts.configuration.settings_of(FILE).background
    return background.compile, background.verify, background.profile


def answered(tmp_path: Path, answer: dict[str, Any]) -> tuple[str, str, str]:
    """The stages once the client has answered ``answer``; before, though it was late, nothing may run."""

    async def talk() -> tuple[str, str, str]:
        """The stages before and after the client answers a request for its settings."""
        async with opened(tmp_path, CAPABILITIES) as session:
            session.notify("initialized", {})
            while not any("no background work runs" in str(message) for message in session.sent):
                assert stages(session) == ("off", "off", "off")
                await asyncio.sleep(0.005)
            assert stages(session) == ("off", "off", "off")
            session._take({"id": asked(session)[0], **answer})  # pyright: ignore[reportPrivateUsage]
            await asyncio.sleep(0.02)
            return stages(session)

    async def in_time() -> tuple[str, str, str]:
        async with asyncio.timeout(10):
            return await talk()

    return asyncio.run(in_time())


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))
    monkeypatch.setattr(settings_sync, "ANSWER_S", 0.01)


def test_nothing_runs_until_the_client_has_said_its_settings(tmp_path: Path) -> None:
    assert answered(tmp_path, {"result": [{"background": {"verify": "on_command"}}]})[1] == "on_command"


def test_a_client_that_answers_with_an_error_has_no_settings(tmp_path: Path) -> None:
    assert "off" not in answered(tmp_path, {"error": {"code": -32601, "message": "no such method"}})
