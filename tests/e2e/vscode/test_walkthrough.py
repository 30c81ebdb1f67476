"""The walkthrough: a step is ticked off by what holds, not by what was opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Locator

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow, Settings
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


@pytest.mark.thorough
@pytest.mark.parametrize(("theme", "shown"), [("Default Light Modern", "light"), ("Default Dark Modern", "dark")])
async def test_every_step_shows_something_beside_it_in_the_theme_of_the_window(
    open_window: OpenWindow, folder: Path, user_settings: Settings, theme: str, shown: str
) -> None:
    user_settings({"workbench.colorTheme": theme})
    window = await open_window(folder)
    await window.command("kernelopt: Get Started")
    steps = window.page.locator(".gettingStartedContainer .getting-started-step")
    await window.see(steps, "Install")
    for title, text in (("Install", "What is installed, and where"), ("See what this machine", "From best to least")):
        await window.click(steps.filter(has_text=title))
        await window.webview(text)
    for title, name in (("Open a CUDA source", "look"), ("Ask for a faster version", "optimize"), ("Take it, a part of it", "review")):
        await window.click(steps.filter(has_text=title))
        picture = await window.see(window.page.locator(".getting-started-media img"))
        await window.see(window.page.locator(f'.getting-started-media img[srcset*="{name}-{shown}.webp"]'))
        assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
        await window.shoot(name)
    assert "*" not in "".join(await steps.all_inner_texts()), "stars would stand there as they are written"
