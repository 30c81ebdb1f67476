"""What a person sees on opening a CUDA file, a notebook with CUDA, or a folder that is not trusted."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.programs import HALVE
from tests.e2e.vscode.conftest import OpenWindow, Settings

if TYPE_CHECKING:
    from tests.e2e.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

FAULTY = HALVE.replace("threadIdx.x;", "threadIdx.x")
"""A semicolon is missing at the end of line 5."""
CELL = "%%cu\n__global__ void scale(float *x)\n{\n    x[threadIdx.x] *= missing;\n}\n"


_LOOKS = 20
"""At a hover, before what it waits for has to be there."""
_LOOK_MS = 3000.0


async def see_in_hover(window: Window, line: int, words: str) -> None:
    """Hover over a kernel's name again and again until it says so: compiled behind the editor, it has no text of its own to wait for."""
    from playwright.async_api import Error

    for _ in range(_LOOKS):
        await window.go_to(line, 20)
        await window.command("Show or Focus Hover")
        with contextlib.suppress(Error):
            await window.hover.filter(has_text=words).first.wait_for(timeout=_LOOK_MS)
            return
        await window.page.keyboard.press("Escape")
    raise AssertionError(f"no hover over line {line} says {words!r}")


def line_of_kernel(text: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if "__global__" in line)


def notebook(*cells: str) -> str:
    """A notebook of Python cells, as Jupyter writes it."""
    written = [
        {"cell_type": "code", "id": f"cell{i}", "source": text.splitlines(True), "metadata": {}, "outputs": [], "execution_count": None}
        for i, text in enumerate(cells)
    ]
    return json.dumps({"cells": written, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.thorough
async def test_a_kernel_gets_lenses_its_resources_on_hover_and_no_text_behind_it(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    source = cli.small("transpose.cu")
    window = await open_window(folder)
    await window.open_file("transpose.cu")
    for action in ("Optimize", "Profile", "Verify"):
        await window.see(window.lens(action))
    await see_in_hover(window, line_of_kernel(source.read_text("utf-8")), "registers, occupancy ≤")
    await window.shoot("hover")
    assert "registers" not in await window.text.inner_text(), "nothing is wanting: nothing stands at the line"


@pytest.mark.thorough
async def test_a_mistake_is_a_problem_until_it_is_fixed_and_a_setting_counts_at_once(
    open_window: OpenWindow, cli: Cli, folder: Path, settings: Settings
) -> None:
    cli.write("halve.cu", FAULTY)
    window = await open_window(folder)
    await window.open_file("halve.cu")
    await window.command("View: Toggle Problems")
    await window.see(window.problems, "expected")
    await window.shoot("mistake")
    settings({"kernelopt.diagnostics.compiler": "off"})
    await window.gone(window.problems.filter(has_text="nvcc"))
    settings({})
    await window.see(window.problems, "expected")
    await window.go_to(5, len(FAULTY.splitlines()[4]) + 1)
    await window.page.keyboard.type(";")
    await window.gone(window.problems)
    await see_in_hover(window, line_of_kernel(FAULTY), "registers")


@pytest.mark.thorough
async def test_a_notebook_cell_is_treated_as_a_cuda_file(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("lab.ipynb", notebook("import math", CELL))
    window = await open_window(folder)
    await window.open_file("lab.ipynb")
    await window.see(window.lens("Optimize"))
    await window.command("View: Toggle Problems")
    await window.see(window.problems, 'identifier "missing" is undefined')
    await window.shoot("notebook")


@pytest.mark.thorough
async def test_in_restricted_mode_nothing_runs_until_the_folder_is_trusted(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("halve.cu", HALVE)
    window = await open_window(folder, is_trusted=False)
    await window.open_file("halve.cu")
    await window.see(window.page.get_by_role("button", name="Restricted Mode"))
    await window.click(window.lens("Verify"))
    await window.see_notification("not trusted")
    await window.shoot("restricted")
    await window.go_to(line_of_kernel(HALVE), 20)
    await window.command("Show or Focus Hover")
    assert "registers" not in await (await window.see(window.hover)).inner_text()
    await window.page.keyboard.press("Escape")
    await window.command("Workspaces: Manage Workspace Trust")
    await window.click(window.page.get_by_role("button", name="Trust", exact=True))
    await window.open_file("halve.cu")
    await see_in_hover(window, line_of_kernel(HALVE), "registers")
