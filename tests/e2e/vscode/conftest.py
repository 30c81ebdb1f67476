"""One code-server with the installed extension and one browser for all tests; each test has a window, a folder and a memory of its own."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
import pytest_asyncio

from tests.e2e.cli.harness import Cli, adopt_orphans, make_cli
from tests.e2e.vscode.code_server import CodeServer, code_server, install
from tests.e2e.vscode.parts import BROWSER_FLAGS, browser, extension, missing

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from tests.e2e.vscode.window import Window

OpenWindow: TypeAlias = "Callable[..., Awaitable[Window]]"

_SIZE = {"width": 1440, "height": 900}


@pytest.fixture(scope="session", autouse=True)
def _parts() -> None:  # pyright: ignore[reportUnusedFunction]
    if (reason := missing()) is not None:
        pytest.skip(f"{reason}: make vscode")
    adopt_orphans()


@pytest.fixture(scope="session")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The command line that shares its memory with the editor."""
    return make_cli(tmp_path_factory.mktemp("vscode"))


@pytest.fixture(scope="session")
def served(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Generator[CodeServer]:
    """code-server with the extension, installed from its package as a person would."""
    data = tmp_path_factory.mktemp("user")
    said = install(cli, data, extension())
    assert "successfully installed" in said, said
    with code_server(cli, data, {"kernelopt.server.python": sys.executable}) as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncGenerator[Browser]:
    from playwright.async_api import async_playwright  # here, as the tests are skipped where it is not installed

    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=browser(), args=BROWSER_FLAGS)
        yield started
        await started.close()


@pytest.fixture
def shots(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where the test's pictures go: ``$KERNELOPT_SCREENSHOTS``, or its temporary folder."""
    kept = os.environ.get("KERNELOPT_SCREENSHOTS")
    folder = Path(kept or tmp_path / "screenshots") / re.sub(r"\W+", "-", request.node.name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest_asyncio.fixture(loop_scope="session")
async def open_window(chromium: Browser, served: CodeServer, shots: Path) -> AsyncGenerator[OpenWindow]:
    """Opens windows on folders; each has a browser profile of its own, and its last sight is kept as a picture."""
    from tests.e2e.vscode.window import Window

    windows: list[Window] = []

    async def opened(folder: Path, *, is_trusted: bool = True) -> Window:
        context = await chromium.new_context(viewport=_SIZE, permissions=["clipboard-read", "clipboard-write"])
        windows.append(Window(await context.new_page(), shots))
        await windows[-1].visit(served.address(folder), is_trusted=is_trusted)
        return windows[-1]

    yield opened
    for window in windows:
        await window.shoot("end")
        await window.page.context.close()
