"""The same extension in Notebook 7: the panel is there and can be pressed, and a cell is replaced by its id."""

from __future__ import annotations

import pytest

from tests.e2e.jupyter.conftest import OpenNotebook
from tests.e2e.jupyter.lab import JupyterLab
from tests.e2e.jupyter.test_cells import AFTER, ASK, BEFORE
from tests.e2e.jupyter.test_magic import BEGIN, ENDLESS

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.thorough
async def test_what_runs_is_cancelled_by_button_and_a_cell_is_replaced(open_notebook: OpenNotebook, lab: JupyterLab) -> None:
    replace = f'comm = ask("cell2", {BEFORE!r}, {AFTER!r})\nwhile not heard: time.sleep(0.05)\nprint("heard", heard)'
    page = await open_notebook("notebook7.ipynb", BEGIN + ASK, ENDLESS.replace(" --wait", ""), BEFORE, replace, at=lab.notebook_address)
    cancel = page.page.get_by_role("button", name="Cancel", exact=True)
    await page.run(0)
    await page.run(1)
    await page.see(page.page.locator(".kernelopt-progress"), "check")
    await page.shoot("progress")
    await cancel.click()
    await page.see(page.output(1), "check: cancelled")
    await page.gone(cancel)
    await page.run(3)
    await page.see(page.output(3), "heard ['done']")
    assert await page.source(2) == AFTER
