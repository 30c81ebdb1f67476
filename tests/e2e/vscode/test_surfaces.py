"""Pictures of what the editor shows of a program, light and dark: at rest, on a line, over a kernel, waiting for an answer, in a review."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import Offered, OpenWindow, Settings

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.thorough]

THEMES = {"light": "Default Light Modern", "dark": "Default Dark Modern"}


@pytest.mark.parametrize("theme", THEMES)
async def test_a_profiled_file(open_window: OpenWindow, cli: Cli, user_settings: Settings, theme: str, folder: Path) -> None:
    user_settings({"workbench.colorTheme": THEMES[theme]})
    cli.write("kernelopt.toml", "")
    source = cli.small("transpose.cu")
    window = await open_window(folder)
    await window.open_file("transpose.cu")
    await window.see(window.lens("Optimize"))
    await window.shoot("opened")
    await window.let_run()
    await window.command("View: Toggle Problems")
    await window.see(window.problems, "KO101")
    await window.command("View: Toggle Problems")
    await window.shoot("at-rest")
    for name, line in (("hover-kernel", "__global__"), ("hover-line", "out[")):
        number = next(n for n, text in enumerate(source.read_text().splitlines(), start=1) if line in text)
        await window.go_to(number, 22)
        await window.shoot(f"cursor-{name}")
        await window.command("Show or Focus Hover")
        await window.see(window.hover)
        await window.shoot(name)
        await window.page.keyboard.press("Escape")


@pytest.mark.parametrize("theme", THEMES)
async def test_a_review(open_window: OpenWindow, offered: Offered, user_settings: Settings, theme: str) -> None:
    user_settings({"workbench.colorTheme": THEMES[theme]})
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.see(window.lens("Accept"))
    await window.shoot("offered")
    await window.click(window.lens("Review"))
    await window.see(window.title_buttons.get_by_role("button", name="Accept"))
    await window.shoot("review")
    await window.unfold_threads()
    await window.see(window.threads)
    await window.shoot("review-unfolded")
