"""One JupyterLab and one browser for all tests here; each test has a notebook, a page and kernels of its own."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
import pytest_asyncio

from tests.e2e.cli.harness import Cli, make_cli, no_orphans
from tests.e2e.jupyter.lab import Cell, JupyterLab, jupyter_lab, notebook
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.parts import AXE

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from tests.e2e.jupyter.page import LabPage

OpenNotebook: TypeAlias = "Callable[..., Awaitable[LabPage]]"

_SIZE = {"width": 1280, "height": 900}
QUIET = '[background]\nverify = "off"\nprofile = "off"\n\n[limits]\ncandidates = 1\n'
"""Nothing but the compiler runs unasked, and a search tries one edit of a kernel: what it finds is not what these tests are about."""


@pytest.fixture(scope="session")
def lab_cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The command line that shares its memory and folder with JupyterLab."""
    cli = make_cli(tmp_path_factory.mktemp("lab"))
    cli.write("kernelopt.toml", QUIET)
    return cli


@pytest.fixture(scope="session")
def lab(lab_cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Generator[JupyterLab]:
    """Nothing that it started is alive afterwards."""
    if launch_options() is None or importlib.util.find_spec("playwright") is None or not AXE.exists():
        pytest.skip("no browser, no playwright, or no axe-core is there: make vscode")
    assert lab_cli.run("trust", lab_cli.folder).code == 0
    with no_orphans(), jupyter_lab(lab_cli, tmp_path_factory.mktemp("jupyter")) as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium(lab: JupyterLab) -> AsyncGenerator[Browser]:
    """A browser that is closed before JupyterLab is."""
    from playwright.async_api import async_playwright  # here, as the tests are skipped where it is not installed

    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(**(launch_options() or {}))
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
async def open_notebook(chromium: Browser, lab: JupyterLab, lab_cli: Cli, shots: Path) -> AsyncGenerator[OpenNotebook]:
    """Writes a notebook of these cells and opens it, in JupyterLab unless said; its last sight is kept as a picture, its kernel ended."""
    from tests.e2e.jupyter.page import LabPage

    pages: list[LabPage] = []

    async def opened(name: str, *cells: str | Cell, at: Callable[[str], str] = lab.address) -> LabPage:
        """A page that shows a new notebook with these cells."""
        lab_cli.write(name, notebook(*cells))
        context = await chromium.new_context(viewport=_SIZE, reduced_motion="reduce")
        pages.append(LabPage(await context.new_page(), shots))
        await pages[-1].visit(at(name))
        return pages[-1]

    yield opened
    for page in pages:
        await page.shoot("end")
        await page.page.context.close()
    lab.end_kernels()
