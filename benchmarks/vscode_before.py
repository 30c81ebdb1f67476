"""Takes the pictures of the extension's first version that ``benchmarks.vscode_pictures`` shows under *Before*, in the same VS Code.

    python -m benchmarks.vscode_before TREE                # all of them, light and dark, into docs/how-to/vscode-pictures
    python -m benchmarks.vscode_before TREE review         # only the scenes with this word in their names

TREE is a checkout of the first version (the last commit of 20 November 2026), after ``make .venv/.installed-dev vscode``. Its server,
its command line and its extension are used; the window, the folders, the programs and the theme are those of the pictures of today.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.vscode_pictures import FOLDER, OWN, THEMES, Stage, empty, write
from benchmarks.vscode_scenes import NOTEBOOK, RACE, line_of, look_closer
from tests.e2e.cli.harness import DATA, NO_NETWORK, Cli, make_cli, small_text
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.code_server import code_server, install
from tests.e2e.vscode.programs import WAVES

if TYPE_CHECKING:
    from tests.e2e.vscode.window import Window

_QUIET = '[background]\nverify = "off"\nprofile = "off"\n'
_COMMAND_S = 900


async def _first_look(stage: Stage) -> None:
    text = small_text("transpose.cu")
    stage.cli.write("transpose.cu", text)
    window = await stage.open("transpose.cu")
    await _see_question(window)
    await stage.keep("question")
    await _let_run(window)
    await window.see(window.lens("PREDICTED"))
    await window.go_to(1)
    await stage.keep("at-rest")
    await window.go_to(line_of(text, "out["), 20)
    await look_closer(stage, window, text)


async def _searching(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    stage.cli.write("transpose.cu", small_text("transpose.cu"))
    window = await stage.open("transpose.cu")
    await window.command("View: Show kernelopt")
    await (await window.see(window.lens("Optimize"))).click()
    await _let_run(window)
    await window.see(window.rows, "optimize")
    await asyncio.sleep(6)
    await stage.keep("searching")
    await window.see(window.lens("Proposal: "))
    await stage.keep("proposal")
    await (await window.see(window.lens("Proposal: "))).click()
    await window.see(window.threads, "Hunk 1 of")
    await stage.keep("review")
    await window.command("View: Close All Editors")
    await window.open_file("transpose.cu")
    await (await window.see(window.lens("Accept"))).click()
    await window.gone(window.lens("Proposal: "))
    await asyncio.sleep(4)
    await stage.keep("decided")


async def _hunks(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    _run(stage, "optimize", stage.cli.write("waves.cu", WAVES), "--json", "--allow-host-code")
    window = await stage.open("waves.cu")
    await window.see(window.lens("Proposal: "))
    await stage.keep("tinted")
    await (await window.see(window.lens("Proposal: "))).click()
    first = await window.see(window.threads, "Hunk 1 of 3")
    await stage.keep("keep-and-skip")
    await first.get_by_role("link", name="Leave it out").click()
    await window.see(window.threads, "Left out of Accept")
    await stage.keep("skipped")


async def _header(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    shutil.copytree(DATA / "programs" / "cmake_header", stage.cli.folder, dirs_exist_ok=True)
    window = await stage.open("scale.cuh")
    await window.see(window.lens("Optimize"))
    await window.see(window.text, "registers")
    await stage.keep("header")


async def _failed_check(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    stage.cli.write("total.cu", RACE)
    window = await stage.open("total.cu")
    await (await window.see(window.lens("Verify"))).click()
    await _let_run(window)
    await window.page.locator(".squiggly-error").first.wait_for(state="attached")
    await window.go_to(7, 11)
    await window.command("Show or Focus Hover")
    await window.see(window.hover)
    await stage.keep("failed-check")


async def _profile_panel(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    stage.cli.write("transpose.cu", small_text("transpose.cu"))
    window = await stage.open("transpose.cu")
    await (await window.see(window.lens("Profile"))).click()
    await _let_run(window)
    panel = await window.webview("Source, with heat")
    await stage.keep("profile")
    await panel.get_by_text("Source, with heat").scroll_into_view_if_needed()
    await panel.evaluate("scrollBy(0, innerHeight - 100)")
    await stage.keep("profile-lines")


async def _notebook(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    path = stage.cli.write("lab.ipynb", json.dumps(NOTEBOOK))
    window = await stage.open(path.name)
    await (await window.see(window.lens("Optimize"))).click()
    await _let_run(window)
    await window.see(window.lens("Proposal: "))
    await stage.keep("notebook")


async def _begin(stage: Stage) -> None:
    stage.cli.write("transpose.cu", small_text("transpose.cu"))
    window = await stage.open()
    await window.command("View: Close Primary Side Bar")
    await window.command("kernelopt: Get Started")
    await window.see(window.page.locator(".gettingStartedContainer .getting-started-step"))
    await asyncio.sleep(3)
    await stage.keep("walkthrough")
    await window.command("View: Close All Editors")
    await window.command("Preferences: Open Settings (UI)")
    await window.page.keyboard.insert_text("@ext:kernelopt.kernelopt")
    await window.see(window.page.locator(".settings-editor"), "Kernelopt")
    await asyncio.sleep(2)
    await stage.keep("settings")


_SCENES: dict[str, Callable[[Stage], Awaitable[None]]] = {
    "first look": _first_look,
    "searching": _searching,
    "keep and skip": _hunks,
    "header": _header,
    "failed check": _failed_check,
    "profile": _profile_panel,
    "notebook": _notebook,
    "begin": _begin,
}


async def _see_question(window: Window):
    return await window.see_notification("wants to build and run")


async def _let_run(window: Window) -> None:
    await (await _see_question(window)).get_by_role("button", name="Once").click()


def _run(stage: Stage, *arguments: str | Path) -> None:
    """The first version's own command line, to its end."""
    command = (stage.python, "-P", "-m", "assistant", *map(str, arguments))
    subprocess.run(command, cwd=stage.cli.folder, env=stage.cli.environment(), check=True, stdout=subprocess.PIPE, timeout=_COMMAND_S)


async def _main(tree: Path, words: list[str]) -> None:
    wanted = {name: play for name, play in _SCENES.items() if not words or any(word in name for word in words)}
    (package,) = (tree / "vscode-client").glob("kernelopt-*.vsix")
    for theme in THEMES:
        with tempfile.TemporaryDirectory() as name:
            cli = _cli_of(tree, Path(name))
            data = Path(name) / "user"
            install(cli, data, package)
            python = str(tree / ".venv" / "bin" / "python")
            settings = {"kernelopt.server.python": python, "workbench.colorTheme": THEMES[theme], **OWN}
            for play in wanted.values():
                await _play(play, cli, data, settings, theme)
                empty(cli)


async def _play(play: Callable[[Stage], Awaitable[None]], cli: Cli, data: Path, settings: Mapping[str, object], theme: str) -> None:
    from playwright.async_api import async_playwright

    with code_server(cli, data, settings) as served:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(**(launch_options() or {}))
            stage = Stage(cli, served, browser, theme, str(settings["kernelopt.server.python"]))
            try:
                await play(stage)
            except Exception:
                await stage.keep("failed")  # to be looked at
                raise
            finally:
                for name, picture in stage.pictures.items():
                    write(FOLDER / f"before-{name}-{theme}.webp", picture)
                await stage.close()
                await browser.close()


def _cli_of(tree: Path, folder: Path) -> Cli:
    """As today's pictures have it, but nothing of today's tree can be imported, and what was built is kept apart."""
    cli = make_cli(folder)
    cache = cli.home / "cache"
    cache.unlink()
    kept = tree / ".kernelopt" / "cache"
    kept.mkdir(parents=True, exist_ok=True)
    cache.symlink_to(kept)
    cli.variables["PYTHONPATH"] = f"{tree}:{NO_NETWORK}"
    return cli


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
