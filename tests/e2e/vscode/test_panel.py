"""The profile panel and what a profile adds to the code: for everybody, whatever the theme, with eyes or by ear."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assistant.memory import open_store
from tests.contracts.stored import Given
from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow, Settings

if TYPE_CHECKING:
    from tests.e2e.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

THEMES = ("Light 2026", "Dark 2026", "Default High Contrast", "Default High Contrast Light")


@pytest.mark.thorough
async def test_a_profile_opens_a_panel_that_everybody_can_read(open_window: OpenWindow, cli: Cli, folder: Path, settings: Settings) -> None:
    cli.small("transpose.cu")
    window = await open_window(folder)
    await window.open_file("transpose.cu")
    await window.click(window.lens("Profile"))
    await window.let_run()
    panel = await window.webview("Roofline")
    text = await panel.locator("body").inner_text()
    assert "PREDICTED" in text and "Uncoalesced global access" in text
    assert "Stalls" in text and "emulator" in text
    await window.see(window.lens("≈ "))
    await window.command("View: Close Primary Side Bar")
    broken = {}
    for theme in THEMES:
        settings({"workbench.colorTheme": theme})
        await window.see(panel.locator(f'body[data-vscode-theme-id="{theme}"]'))
        broken[theme] = await window.accessibility_violations(panel)
        await window.shoot(f"panel-{theme}")
    assert broken == {theme: [] for theme in THEMES}

    await window.click(window.page.get_by_role("tab", name="Profile: transpose.cu"))
    page, picture = [await exported(window, folder, suffix) for suffix in ("html", "png")]
    assert b"Roofline" in page and b"<script" not in page
    assert picture.startswith(b"\x89PNG\r\n")


async def exported(window: Window, folder: Path, suffix: str) -> bytes:
    """What the export of the panel wrote, under the name that it suggests."""
    await window.command(f"kernelopt: Export Profile as {suffix.upper()}…")
    await window.see(window.quick_title, "Export Profile")
    await window.page.keyboard.press("Enter")
    await window.see_notification(f"Saved transpose.cu.profile.{suffix}")
    return await asyncio.to_thread((folder / f"transpose.cu.profile.{suffix}").read_bytes)


@pytest.mark.thorough
async def test_the_page_of_what_was_learned_can_be_read_by_everybody(
    open_window: OpenWindow, cli: Cli, folder: Path, settings: Settings
) -> None:
    cli.write("one.cu", "__global__ void one(float *x) { x[threadIdx.x] = 1.0f; }\n")
    made = Given.attempt().comparison
    assert made is not None
    with open_store(cli.home / "memory.sqlite3") as store:
        for number, ratio in enumerate((1.4, 1.9, 2.6)):
            comparison = replace(made, ratio=ratio, low=ratio, high=ratio)
            text = f"// {number}\n"
            why = f"{number + 1} of 3: expected 1.92x; the finding promises 7.20x by the performance model"
            changes = {"kernel": f"kernel{number}()", "text": text, "comparison": comparison, "why": why}
            store.add_attempt(Given.attempt(f"C0{number}", **changes))
    window = await open_window(folder)
    await window.open_file("one.cu")
    await window.command("kernelopt: Show What Was Learned")
    page = await window.webview("Why each edit was tried")
    text = await page.locator("body").inner_text()
    assert "Shared-memory-bound kernels" in text and "1.90x [1.40, 2.60]" in text and "measured on 3" in text
    assert "3 of 3: expected 1.92x" in text
    await window.command("View: Close Primary Side Bar")
    broken = {}
    for theme in THEMES:
        settings({"workbench.colorTheme": theme})
        await window.see(page.locator(f'body[data-vscode-theme-id="{theme}"]'))
        broken[theme] = await window.accessibility_violations(page)
        await window.shoot(f"learned-{theme}")
    assert broken == {theme: [] for theme in THEMES}
