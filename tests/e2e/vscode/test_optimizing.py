"""From an open file to a proposal, with the mouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.programs import HALVE
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.programs import WAVES_TEMPLATE

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.thorough
async def test_optimize_asks_runs_and_offers(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.quick()
    window = await open_window(folder)
    await window.open_file("transpose.cu")
    await window.click(window.lens("Optimize"))
    await window.let_run()
    await window.see(window.lens("Review"))
    await window.see(window.lens("≈"), "x predicted")
    await window.shoot("proposal")


@pytest.mark.thorough
async def test_a_search_in_vain_is_still_said_over_the_kernel_once_its_message_is_gone(
    open_window: OpenWindow, cli: Cli, folder: Path
) -> None:
    cli.write("halve.cu", HALVE)
    window = await open_window(folder)
    await window.open_file("halve.cu")
    await window.click(window.lens("Optimize"))
    await window.let_run()
    in_vain = window.lens("≈").filter(has_text="no edit found")
    said = await window.see(in_vain)
    assert "no edit found: no known edit is left to try" in (await said.get_attribute("title") or "")
    await window.command("Notifications: Clear All Notifications")
    await window.see(in_vain)
    await window.go_to(3, 18)
    await window.command("Show or Focus Hover")
    await window.see(window.hover, "No edit found: no known edit is left to try")
    await window.shoot("in-vain")
    await window.page.keyboard.press("Escape")
    await window.go_to(6, 1)
    await window.insert("    x += 0;\n")
    await window.gone(in_vain)


@pytest.mark.thorough
async def test_what_is_found_for_a_template_is_offered_over_it(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    source = cli.write("waves.cu", WAVES_TEMPLATE)
    ended = cli.run("optimize", source, "--json", "--allow-host-code")
    assert ended.code == 0 and ended.one("proposal")["kernel"] == "smooth(T *, int, int)", ended.said
    window = await open_window(folder)
    await window.open_file("waves.cu")
    await window.see(window.lens("Review"))
    await window.shoot("proposal")
    await window.click(window.lens("Accept"))
    await window.gone(window.lens("Review"))
    await window.see(window.text, "1.0f - t")
