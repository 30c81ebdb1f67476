"""The profile panel and what a profile adds to the code: for everybody, whatever the theme, with eyes or by ear."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow, Settings

pytestmark = pytest.mark.asyncio(loop_scope="session")

THEMES = ("Light 2026", "Dark 2026", "Default High Contrast", "Default High Contrast Light")


async def test_a_profile_opens_a_panel_that_everybody_can_read(open_window: OpenWindow, cli: Cli, folder: Path, settings: Settings) -> None:
    cli.example("transpose.cu")
    window = await open_window(folder)
    await window.open_file("transpose.cu")
    await (await window.see(window.lens("Profile"))).click()
    await window.let_run()
    panel = await window.webview("Roofline")
    text = await panel.locator("body").inner_text()
    assert "PREDICTED" in text and "Uncoalesced global access" in text
    assert "Stalls" in text and "emulator" in text
    await window.see(window.text, "sectors/request")
    await window.see(window.lens("PREDICTED"))
    await window.command("View: Close Primary Side Bar")
    broken = {}
    for theme in THEMES:
        settings({"workbench.colorTheme": theme})
        await window.see(panel.locator(f'body[data-vscode-theme-id="{theme}"]'))
        broken[theme] = await window.accessibility_violations(panel)
        await window.shoot(f"panel-{theme}")
    assert broken == {theme: [] for theme in THEMES}
