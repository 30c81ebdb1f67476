"""Takes the pictures of VS Code that the documentation shows, light and dark, in a real VS Code (``make vscode`` fetches it).

    python -m benchmarks.vscode_pictures                # all of them, into docs/how-to/vscode-pictures, and the page that shows them
    python -m benchmarks.vscode_pictures review hover   # only the scenes with these words in their names
    python -m benchmarks.vscode_pictures --page         # the page alone, once its words have changed

A scene is a small folder, what a person does in it, and the pictures it takes on the way; ``SCENES`` names them in the order of the page.
Each is played once in each theme, in a window, a folder and a memory of its own. Pictures are kept as lossless WebP.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.cli.harness import ROOT, Cli, make_cli
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.code_server import CodeServer, code_server, install, servers
from tests.e2e.vscode.parts import extension, is_outdated, missing

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from benchmarks.vscode_scenes import Scene
    from tests.e2e.vscode.window import Window

THEMES = {"light": "Default Light Modern", "dark": "Default Dark Modern"}
FOLDER = ROOT / "docs" / "how-to" / "vscode-pictures"
PAGE = ROOT / "docs" / "how-to" / "vscode-pictures.md"
_SIZE = {"width": 1080, "height": 620}
OWN = {
    "breadcrumbs.enabled": False,
    "workbench.layoutControl.enabled": False,
    "window.commandCenter": False,
    "chat.disableAIFeatures": True,
}
"""Beyond the tests' own settings: what is not about kernelopt is left out of the pictures."""
WALKTHROUGH = ROOT / "vscode-client" / "media" / "walkthrough"
_OF_WALKTHROUGH = {"hot-line": ("look", (48, 38)), "proposal": ("optimize", (334, 38)), "review": ("review", (320, 0))}
"""Pictures that the extension's walkthrough shows, too, in the theme that a person has: their names there, and where on the window each
begins, as VS Code shows them half a window wide."""
_COLORS = 24
"""Of the walkthrough's, which are in the packed extension: text on a plain ground needs no more."""
_WALKTHROUGH_SIZE = (784, 316)
"""In pixels, at most: letters of a wider one are too small to read there."""
_REST_S = 0.7
"""Before a picture, for what fades in."""
_SCENE_S = 900.0
"""Of one scene; what it waited for in vain is in its last picture."""


@dataclass
class Stage:
    """Where a scene is played in one theme."""

    cli: Cli
    served: CodeServer
    browser: Browser
    theme: str
    python: str = sys.executable
    """Of the language server and the command line."""
    pictures: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """By name, in the order in which they were taken."""
    windows: list[Window] = field(default_factory=list["Window"])

    async def open(self, name: str | None = None) -> Window:
        """A new window on the folder, with a file of it."""
        from tests.e2e.vscode.window import Window

        self.served.forget()
        context = await self.browser.new_context(viewport=_SIZE, reduced_motion="reduce")
        window = Window(await context.new_page(), self.cli.temporary)
        self.windows.append(window)
        await window.visit(self.served.address(self.cli.folder), is_trusted=True)
        if name is not None:
            await window.command("View: Close Primary Side Bar")
            await window.open_file(name)
        return window

    async def keep(self, name: str) -> None:
        """Take a picture of the window that was opened last."""
        await asyncio.sleep(_REST_S)
        self.pictures[name] = await self.windows[-1].page.screenshot()

    async def close(self) -> None:
        for window in self.windows:
            await window.leave()
            await window.until(lambda: not servers())
            await window.page.context.close()


async def main(words: list[str]) -> None:
    from benchmarks.vscode_scenes import SCENES

    wanted = [scene for scene in SCENES if not words or any(word in scene.name for word in words)]
    FOLDER.mkdir(exist_ok=True)
    for theme in THEMES if wanted else ():
        await _play_all(wanted, theme)
    PAGE.write_text(page(SCENES), "utf-8")


def page(scenes: tuple[Scene, ...]) -> str:
    """The page of the documentation: each picture in both themes, above it one sentence, and the first version's below it."""
    lines = [
        "# What VS Code shows, in pictures",
        "",
        "Taken by `python -m benchmarks.vscode_pictures` in a real VS Code (code-server in Chromium), on a machine without a GPU.",
        "[What each place shows and how to use it](vscode.md).",
        "",
        "*Before* is the first version of the extension (of 20 November 2026) in the same VS Code, on the same programs, as far as it had",
        "something in the same place: taken by `python -m benchmarks.vscode_before`.",
    ]
    for scene in scenes:
        lines += ["", f"## {scene.title}"]
        for name, sentence in scene.pictures.items():
            lines += ["", sentence, "", *_in_themes(name, sentence)]
            before = scene.before[name]
            lines += ["", f"*Before*: {before}"]
            if name not in scene.without:
                lines += ["", *_in_themes(f"before-{name}", f"Before: {before}")]
    return "\n".join(lines) + "\n"


def _in_themes(name: str, sentence: str) -> tuple[str, ...]:
    """A table with the picture in each theme in which it was taken."""
    themes = [theme for theme in THEMES if (FOLDER / f"{name}-{theme}.webp").exists()]
    pictures = (f"![{sentence}](vscode-pictures/{name}-{theme}.webp)" for theme in themes)
    return f"| {' | '.join(themes)} |", f"|{'---|' * len(themes)}", f"| {' | '.join(pictures)} |"


async def _play_all(scenes: list[Scene], theme: str) -> None:
    from playwright.async_api import async_playwright

    with tempfile.TemporaryDirectory() as name:
        cli = make_cli(Path(name))
        data = Path(name) / "user"
        install(cli, data, extension())
        settings = {"kernelopt.server.python": sys.executable, "workbench.colorTheme": THEMES[theme], **OWN}
        for scene in scenes:
            with code_server(cli, data, settings) as served:
                async with async_playwright() as playwright:
                    browser = await playwright.chromium.launch(**(launch_options() or {}))
                    await _play(scene, Stage(cli, served, browser, theme))
                    await browser.close()
            empty(cli)


async def _play(scene: Scene, stage: Stage) -> None:
    try:
        async with asyncio.timeout(_SCENE_S):
            await scene.play(stage)
    except Exception:
        await stage.keep("failed")  # of no scene: it is there to be looked at
        raise
    finally:
        for name, picture in stage.pictures.items():
            write(FOLDER / f"{name}-{stage.theme}.webp", picture)
            if name in _OF_WALKTHROUGH:
                shown, corner = _OF_WALKTHROUGH[name]
                _write_small(WALKTHROUGH / f"{shown}-{stage.theme}.webp", picture, corner)
        await stage.close()
    assert list(stage.pictures) == list(scene.pictures), (scene.name, list(stage.pictures))


def write(path: Path, png: bytes) -> None:
    from PIL import Image

    Image.open(BytesIO(png)).convert("RGB").save(path, "WEBP", lossless=True, method=6)


def _write_small(path: Path, png: bytes, corner: tuple[int, int]) -> None:
    from PIL import Image

    picture = Image.open(BytesIO(png)).convert("RGB")
    (left, top), (width, height) = corner, _WALKTHROUGH_SIZE
    part = picture.crop((left, top, min(left + width, picture.width), top + height))
    few_colors = part.quantize(_COLORS, dither=Image.Dither.NONE)
    few_colors.convert("RGB").save(path, "WEBP", lossless=True, quality=100, method=6)


def empty(cli: Cli) -> None:
    """Forget the scene: its folder, and all of memory but what was compiled."""
    for place in (cli.folder, cli.home):
        for path in place.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != "cache":
                path.unlink()


if __name__ == "__main__":
    if (reason := missing()) is not None or is_outdated():
        sys.exit(f"kernelopt: no pictures: {reason or 'the packed extension is older than its sources'}: make vscode")
    asyncio.run(main(sys.argv[1:]))
