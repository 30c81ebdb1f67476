"""What a kernel asks of JupyterLab's extension, by its protocol alone: cells are replaced by their id, undoably, and only as expected."""

from __future__ import annotations

import re

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.jupyter.conftest import OpenNotebook
from tests.e2e.jupyter.lab import Cell

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASK = """\
from comm import create_comm
from jupyter_ext.comms import heard_at_once
import time
heard = []
def ask(cell_id, expected, replacement, protocol=1):
    data = dict(protocol=protocol, request="replace", cell_id=cell_id, expected=expected, replacement=replacement, proposal_id="P1")
    comm = create_comm(target_name="kernelopt.cells", data=data)
    heard_at_once(comm)
    comm.on_msg(lambda message: heard.append(message["content"]["data"].get("reason") or message["content"]["data"]["status"]))
    return comm
"""
BEFORE = "# one\n# two\n# three"
BROKEN = "__global__ void halve(float *x)\n{\n    x[threadIdx.x] = missing * 0.5f;\n}\n"
AFTER = "# one\n# 2\n# three"


@pytest.mark.thorough
async def test_a_cell_is_replaced_where_it_stands_now_and_undone_in_the_editor(open_notebook: OpenNotebook) -> None:
    replace = f'comm = ask("cell1", {BEFORE!r}, {AFTER!r})\nwhile len(heard) < 3: time.sleep(0.05)\nprint("heard", heard)'
    page = await open_notebook("cells.ipynb", ASK, BEFORE, "# below", replace)
    await page.run(0)
    await page.cell(1).click()
    await page.page.keyboard.press("Escape")
    await page.page.keyboard.press("Control+Shift+ArrowUp")  # the cell moves above the first
    await page.begin(3)
    await page.until_source(0, "# 2")
    assert await page.source(0) == AFTER and await page.source(2) == "# below"
    await page.editor(0).click()
    await page.page.keyboard.press("Control+Z")
    assert await page.source(0) == BEFORE
    await page.page.keyboard.press("Control+Shift+Z")
    assert await page.source(0) == AFTER
    await page.see(page.output(3), "heard ['done', 'undone', 'done']")  # while that very cell ran
    await page.shoot("replaced")


@pytest.mark.thorough
async def test_what_cannot_be_replaced_is_left_alone_and_said(open_notebook: OpenNotebook) -> None:
    asked = [
        f'ask("cell1", "# other", {AFTER!r})',
        f'ask("cell9", {BEFORE!r}, {AFTER!r})',
        f'ask("cell2", "# locked", {AFTER!r})',
        f'ask("cell1", {BEFORE!r}, {AFTER!r}, protocol=2)',
    ]
    locked = Cell("# locked", {"editable": False})
    page = await open_notebook("refused.ipynb", ASK, BEFORE, locked, *asked, "while len(heard) < 4: time.sleep(0.05)\nprint(sorted(heard))")
    for index in (0, 3, 4, 5, 6):
        await page.run(index)
    await page.run(7)
    await page.see(page.output(7), "['changed', 'missing', 'protocol', 'read_only']")
    assert await page.source(1) == BEFORE and await page.source(2) == "# locked"


@pytest.mark.thorough
async def test_a_cuda_cell_is_coloured_as_cuda_but_for_its_magics_line(open_notebook: OpenNotebook) -> None:
    page = await open_notebook("colours.ipynb", '%%cu --flags "a//b"\nint a;  // halves', "x = 7 // 2")
    kept = page.cell(0).locator(".cm-line").nth(0)
    await page.see(page.cell(0).locator(".cm-line").nth(1).locator("span"), re.compile("^// halves$"))
    assert await kept.inner_text() == '%%cu --flags "a//b"' and await kept.locator("span").count() == 0
    await page.see(page.cell(1).locator("span"), re.compile("^7$"))
    await page.editor(1).click()
    await page.page.keyboard.press("Control+A")
    await page.page.keyboard.type("%%cu\n// halves")
    await page.see(page.cell(1).locator("span"), re.compile("^// halves$"))
    await page.page.keyboard.press("Control+A")
    await page.page.keyboard.type("y = 8 // 2")
    await page.see(page.cell(1).locator("span"), re.compile("^8$"))


@pytest.mark.thorough
async def test_compiler_errors_stand_in_their_cell_and_their_file(open_notebook: OpenNotebook, lab_cli: Cli) -> None:
    page = await open_notebook("errors.ipynb", "x = 1", f"%%cu\n{BROKEN}", f"%%kernelopt halve\n{BROKEN.replace('missing', 'absent')}")
    for index, name in ((1, "missing"), (2, "absent")):
        await page.see(page.cell(index).locator(".cm-lintRange-error"), re.compile(f"^{name}$"))
    await page.shoot("errors")
    await page.page.keyboard.down("Control")  # jupyterlab-lsp shows a hover while it is held
    await page.cell(1).locator(".cm-line").nth(1).get_by_text("halve").hover()
    await page.see(page.page.locator(".lsp-tooltip, .jp-Tooltip"), "halve(float *)")
    await page.page.keyboard.up("Control")
    lab_cli.write("broken.cu", BROKEN)
    await page.open_file("broken.cu")
    await page.see(page.page.locator(".jp-FileEditor .cm-lintRange-error"), "missing")
    await page.see(page.page.locator("#jp-main-statusbar"), "CUDA")
    await page.shoot("file")
