"""Heat next to the lines, the panel as a file, and the Test Explorer: what a profile and a verification add to VS Code's own places."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import Offered, OpenWindow

if TYPE_CHECKING:
    from tests.e2e.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.thorough
async def test_a_hot_line_with_the_cursor_says_its_number_until_heat_is_hidden(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.small("transpose.cu")
    window = await open_window(folder)
    await window.open_file("transpose.cu")
    await window.click(window.lens("Profile"))
    await window.let_run()
    panel = await window.webview("Source, with heat")
    await window.click(panel.get_by_role("button", name="Go to line 11"))
    await window.see(window.page.locator(".statusbar-item").filter(has_text="Ln 11"))

    for kind in ("HTML", "PNG"):
        await window.click(panel.get_by_role("button", name=f"Export as {kind}"))
        await window.click(window.page.get_by_role("button", name="OK", exact=True))
        await window.see_notification(f"Saved transpose.cu.profile.{kind.lower()}")
    page = (folder / "transpose.cu.profile.html").read_text("utf-8")
    assert "Uncoalesced global access" in page and "<script" not in page and not re.search(r"https?:", page)
    assert (folder / "transpose.cu.profile.png").read_bytes().startswith(PNG)

    await window.command("View: Close All Editors")
    await window.open_file("transpose.cu")
    await window.see(window.page.locator(".statusbar-item").filter(has_text="Heat: 1"))
    await window.go_to(11)
    await window.shoot("heat")
    assert any("32 sectors/request, 4 would do" in text for text in await beside_lines(window))
    await window.command("kernelopt: Show or Hide Heat")
    await window.see(window.page.locator(".statusbar-item").filter(has_text="Heat: off"))
    assert not any("would do" in text for text in await beside_lines(window))


@pytest.mark.thorough
async def test_a_proposal_is_verified_case_by_case_in_the_test_explorer(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.see(window.lens("Review"))
    await window.command("Testing: Focus on Test Explorer View")
    rows = window.page.locator(".test-explorer .monaco-list-row")
    await window.see(rows, "waves.cu")
    await unfold(window)
    await window.see(rows, "smooth, proposal: ")
    await window.gone(window.page.locator('.test-explorer [aria-label*="(Passed)"], .testing-run-glyph.codicon-testing-passed-icon'))
    await window.command("Test: Run All Tests")
    await window.let_run()
    await window.see_notification("judged on the current text")
    await window.command("Testing: Focus on Test Explorer View")
    await unfold(window)
    await window.see(window.page.locator('.test-explorer [aria-label^="smooth"]'))
    await window.see(window.page.locator('.test-explorer [aria-label*="runs clean"][aria-label*="(Passed)"]'))
    await window.see(window.page.locator('.test-explorer [aria-label*="seed"][aria-label*="(Passed)"]'))
    await window.see(window.page.locator('.test-explorer [aria-label*="NEEDS_DECISION"]'))
    await window.shoot("test-explorer")


async def unfold(window: Window) -> None:
    """The tree of tests, down into the first shapes of the proposal."""
    rows = window.page.locator(".test-explorer .monaco-list-row")
    await window.click(rows.first)
    for _ in range(8):
        if await rows.and_(window.page.locator(".focused")).get_attribute("aria-expanded") == "false":
            await window.page.keyboard.press("ArrowRight")
        await window.page.keyboard.press("ArrowDown")


async def beside_lines(window: Window) -> list[str]:
    """What decorations write behind lines: style, so it is no text of the page."""
    read = "spans => spans.map(span => getComputedStyle(span, '::after').content)"
    return await window.text.locator("span").evaluate_all(read)
