"""The walkthrough: a step is ticked off by what holds, not by what was opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.thorough
async def test_steps_are_ticked_off_by_what_holds(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.example("transpose.cu")
    window = await open_window(folder)
    ticked = window.page.locator('.gettingStartedContainer [role="checkbox"][aria-checked="true"]')
    await window.command("kernelopt: Get Started")
    await window.see(window.page.locator(".gettingStartedContainer"), "Open a CUDA source")
    await window.command("View: Show kernelopt")
    assert await ticked.count() == 0, "our view was opened, and no CUDA source"
    await window.command("View: Close All Editors")
    await window.open_file("transpose.cu")
    await window.see(window.lens("Optimize"))
    await window.command("kernelopt: Get Started")
    await window.see_count(ticked, 2)
    await window.shoot("walkthrough")
