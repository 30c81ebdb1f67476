"""A downloaded folder, in Restricted Mode, whose own texts try to become links and images in VS Code's places."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.programs import HALVE
from tests.e2e.vscode.code_server import servers
from tests.e2e.vscode.conftest import OpenWindow, Settings

pytestmark = pytest.mark.asyncio(loop_scope="session")

IMAGE = "https://evil.example/leak.png"
KEY = f"![x]({IMAGE}) [fix me](command:workbench.action.openSettings)"


async def test_a_settings_file_makes_no_link_and_fetches_nothing(
    open_window: OpenWindow, cli: Cli, folder: Path, settings: Settings, user_settings: Settings
) -> None:
    user_settings({"workbench.hover.delay": 100})
    ran = folder / "ran"
    python = folder / "python"
    python.write_text(f"#!/bin/sh\ntouch {ran}\n", "utf-8")
    python.chmod(0o755)
    settings({"kernelopt.server.python": str(python), "kernelopt.program.python": str(python)})
    cli.write("kernelopt.toml", f'"{KEY}" = 1\n')
    cli.write("halve.cu", HALVE)
    window = await open_window(folder, is_trusted=False)
    requests: list[str] = []
    window.page.on("request", lambda request: requests.append(request.url))
    await window.open_file("halve.cu")
    told = await window.see_notification("unknown setting")
    await window.see(told, "fix me")
    await window.shoot("told")
    assert await told.locator("a[href]").count() == 0

    await window.page.locator(".statusbar-item").filter(has_text="kernelopt").first.hover()
    hover = await window.see(window.hover, "unknown setting")
    await window.shoot("status")
    assert await hover.locator("""img, a[href^="command:"], a[data-href^="command:"]""").count() == 0
    assert not [url for url in requests if "evil.example" in url]
    assert servers() and not ran.exists()
