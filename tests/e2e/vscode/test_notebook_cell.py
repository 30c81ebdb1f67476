"""A CUDA cell of a notebook is profiled, and its proposal reviewed, as a file is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.programs import WAVES
from tests.e2e.vscode.test_showing import notebook

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_cell_is_profiled_and_its_proposal_accepted(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("lab.ipynb", notebook("%%cu --run\n" + WAVES))
    window = await open_window(folder)
    await window.open_file("lab.ipynb")
    await (await window.see(window.lens("Profile"))).click()
    await window.let_run()
    await window.webview("Source, with heat")
    await window.shoot("cell-profile")

    await (await window.see(window.lens("Optimize"))).click()
    await (await window.see(window.lens("Proposal: "))).click()
    for number in (1, 2, 3):
        await window.see(window.threads, f"Hunk {number} of 3")
    await window.shoot("cell-review")
    await window.title_buttons.get_by_role("button", name="Accept").click()
    await window.gone(window.page.locator(".tabs-container .tab").filter(has_text="proposal"))
    await window.see(window.page.locator(".view-lines"), "0.01f * s")
    await window.command("File: Save")
    await window.until(lambda: "0.01f * s" in (folder / "lab.ipynb").read_text("utf-8"))
