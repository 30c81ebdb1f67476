"""The walkthrough: a step is ticked off by what holds, not by what was opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Locator

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")


def ticked(window: Window, step: str = "") -> Locator:
    """Steps with these words that are ticked off."""
    steps = window.page.locator(".gettingStartedContainer .getting-started-step").filter(has_text=step)
    return steps.locator('[role="checkbox"][aria-checked="true"]')


@pytest.mark.thorough
async def test_steps_are_ticked_off_by_what_holds(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.example("transpose.cu")
    window = await open_window(folder)
    await window.command("View: Show kernelopt")
    await window.command("kernelopt: Get Started")
    await window.see_count(ticked(window, "Install the language server"), 1)  # it starts with a window whose folder holds CUDA
    await window.see_count(ticked(window), 1)
    await window.command("View: Close All Editors")
    await window.open_file("transpose.cu")
    await window.see(window.lens("Optimize"))
    await window.command("kernelopt: Get Started")
    await window.see_count(ticked(window, "Open a CUDA source"), 1)
    await window.see_count(ticked(window), 2)
    await window.shoot("walkthrough")
