"""Pictures of what stands below a cell: in JupyterLab by day and by night, in Notebook 7, in the page that nbconvert makes, and in VS Code.

Example::

    python -m tests.e2e.jupyter.pictures docs/how-to/pictures
"""

from __future__ import annotations

import asyncio
import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from tests.caches import shared_cache
from tests.deadlines import HANG_S
from tests.e2e.cli.harness import EXAMPLES, Cli, make_cli
from tests.e2e.jupyter.conftest import QUIET
from tests.e2e.jupyter.lab import JupyterLab, jupyter_lab, notebook
from tests.e2e.jupyter.page import LabPage
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.code_server import code_server
from tests.e2e.vscode.window import Window

if TYPE_CHECKING:
    from playwright.async_api import Browser, Locator

_SIZE = {"width": 1100, "height": 1400}
_QUALITY = 80
_THEMES = "@jupyterlab/apputils-extension/themes.jupyterlab-settings"
SETUP = """\
%load_ext kernelopt
import numpy as np

n = 256
x = np.random.default_rng(1).standard_normal((n, n)).astype(np.float32)
out = np.zeros_like(x)

def transposed(x):
    return x.T"""
RIGHT = """\
%%kernelopt --grid n//32,n//32 --block 32,32 --ref transposed
__global__ void transpose(float *out, const float *x, int n)
{
    __shared__ float tile[32][32];
    int column = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = x[row * n + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    out[row * n + column] = tile[threadIdx.x][threadIdx.y];
}"""
WRONG = """\
%%kernelopt --args "v=x,count=n*n" --grid "(count+255)//256" --block 256
__global__ void blur(float *out, const float *v, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = 0.5f * (v[i] + v[i + 1]);  // the last thread reads beyond v
}"""
CELLS = (SETUP, RIGHT, WRONG)
_OPERATORS = EXAMPLES / "notebooks" / "pytorch-operator.ipynb"


async def picture_all(target: Path) -> None:
    """Write every picture into ``target``."""
    from playwright.async_api import async_playwright

    with tempfile.TemporaryDirectory(dir=shared_cache().parent) as folder:
        cli, user = _user(Path(folder))
        with jupyter_lab(cli, user) as lab:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(**(launch_options() or {}))
                _choose_theme(user, "JupyterLab Light")
                await _picture_notebook(browser, lab, cli, target / "lab-light", lab.address)
                await _picture_notebook(browser, lab, cli, target / "notebook7", lab.notebook_address)
                await picture_operators(browser, lab, cli, target / "operators-light")
                _choose_theme(user, "JupyterLab Dark")
                await _picture_notebook(browser, lab, cli, target / "lab-dark", lab.address)
                await picture_operators(browser, lab, cli, target / "operators-dark")
                executed = await _executed(cli)
                await _picture_page(browser, cli, executed, target / "html")
                for name, theme in (("vscode-light", "Default Light Modern"), ("vscode-dark", "Default Dark Modern")):
                    await _picture_vscode(browser, cli, executed, theme, target / f"{name}.webp")
                await browser.close()


def _user(folder: Path) -> tuple[Cli, Path]:
    """A command line in a trusted folder, and an empty folder for what is Jupyter's."""
    cli, user = make_cli(folder), folder / "user"
    user.mkdir()
    cli.write("kernelopt.toml", QUIET)
    cli.run("trust", cli.folder)
    return cli, user


def _choose_theme(user: Path, name: str) -> None:
    path = user / "settings" / _THEMES
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"theme": name}), "utf-8")


async def _picture_notebook(browser: Browser, lab: JupyterLab, cli: Cli, target: Path, at: Callable[[str], str]) -> None:
    """Each cell of the notebook when all that it began has ended."""
    name = f"{target.name}.ipynb"
    cli.write(name, notebook(*CELLS))
    context = await browser.new_context(viewport=_SIZE, reduced_motion="reduce")
    page = LabPage(await context.new_page(), target.parent)
    await page.visit(at(name))
    if at == lab.address:
        await page.command("Show Left Sidebar")  # which hides it where it is shown
    for index in range(len(CELLS)):
        await page.run(index)
        await page.gone(page.page.get_by_role("button", name="Cancel", exact=True))
    await page.see(page.output(1).get_by_role("button", name="Accept", exact=True))
    await page.see(page.output(2), "FAILED")
    for index, what in ((1, "proposal"), (2, "wrong")):
        await _keep(page.cell(index), target.with_name(f"{target.name}-{what}.webp"))
    await context.close()
    lab.end_kernels()


async def picture_operators(browser: Browser, lab: JupyterLab, cli: Cli, target: Path) -> None:
    """A task and a candidate with a mistake, of the example notebook; PyTorch has to be installed."""
    texts = [cell.source for cell in nbformat.read(_OPERATORS, as_version=4).cells if cell.cell_type == "code"]
    cli.write(f"{target.name}.ipynb", notebook(*texts))
    context = await browser.new_context(viewport=_SIZE, reduced_motion="reduce")
    page = LabPage(await context.new_page(), target.parent)
    await page.visit(lab.address(f"{target.name}.ipynb"))
    for index, said in ((0, None), (1, "one kernel could do"), (3, "FAIL: wrong value")):
        await page.run(index)
        if said is not None:
            await page.see(page.output(index), said)
    for index, what in ((1, "task"), (3, "wrong")):
        await _keep(page.cell(index), target.with_name(f"{target.name}-{what}.webp"))
    await context.close()
    lab.end_kernels()


async def _executed(cli: Cli) -> nbformat.NotebookNode:
    """The notebook as it is saved where no front end is."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    client = NotebookClient(made, timeout=round(HANG_S), kernel_name="python3", resources={"metadata": {"path": str(cli.folder)}})
    return await client.async_execute(env=cli.environment())


async def _picture_page(browser: Browser, cli: Cli, executed: nbformat.NotebookNode, target: Path) -> None:
    """The converted notebook, with no kernel, no widgets and no network."""
    html, _ = HTMLExporter().from_notebook_node(executed)
    context = await browser.new_context(viewport=_SIZE, offline=True)
    page = await context.new_page()
    await page.goto(Path(cli.write("page.html", html)).as_uri())
    cells = page.locator(".jp-Cell")
    for index, what in ((1, "proposal"), (2, "wrong")):
        await _keep(cells.nth(index), target.with_name(f"{target.name}-{what}.webp"))
    await context.close()


async def _picture_vscode(browser: Browser, cli: Cli, executed: nbformat.NotebookNode, theme: str, target: Path) -> None:
    """The saved notebook in VS Code's own notebook view, which needs neither a kernel nor an extension for it."""
    cli.write("saved.ipynb", nbformat.writes(executed))
    with (
        tempfile.TemporaryDirectory(dir=cli.folder.parent) as data,
        code_server(cli, Path(data), {"workbench.colorTheme": theme}) as served,
    ):
        context = await browser.new_context(viewport=_SIZE, reduced_motion="reduce")
        window = Window(await context.new_page(), target.parent)
        await window.visit(served.address(cli.folder), is_trusted=True)
        await window.open_file("saved.ipynb")
        await window.webview("FAILED check")
        await _keep(window.page.locator(".notebookOverlay"), target)
        await window.leave()
        await context.close()


async def _keep(what: Locator, path: Path) -> None:
    """As WebP, which takes a fifth of a PNG."""
    from PIL import Image  # comes with matplotlib

    picture = await what.screenshot()
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(picture)).save(path, "WEBP", quality=_QUALITY)


if __name__ == "__main__":
    asyncio.run(picture_all(Path(sys.argv[1])))
