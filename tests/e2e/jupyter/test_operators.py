"""PyTorch tasks in a notebook's cells: what goes on is behind the cell, can be cancelled, and a first kernel comes in a cell below."""

from __future__ import annotations

import importlib.util
import re

import pytest

from tests.e2e.jupyter.conftest import OpenNotebook

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed: make packages"),
]

BEGIN = "%load_ext kernelopt\nimport torch\nfrom torch import nn"
TASK = """\
%%kernelopt --op Model --until propose
rows = 6


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x * 0.5 + 1.0)


def get_inputs():
    return [torch.randn(rows, 70)]
"""
ENDLESS = """\
%%kernelopt --op Model
class ModelNew(nn.Module):
    def forward(self, x):
        while True:
            x = x + 0
"""


WAVE = """\
%%kernelopt --op Model --until propose
rows = 16


class Model(nn.Module):
    def forward(self, x):
        return torch.exp(torch.sin(x) * 2.0) / (x.pow(2.5) + 1.0)


def get_inputs():
    return [torch.rand(rows, 256)]
"""


@pytest.mark.thorough
async def test_an_edit_that_a_search_finds_is_shown_and_accepted_into_a_cell_below(open_notebook: OpenNotebook) -> None:
    page = await open_notebook("wave.ipynb", BEGIN, WAVE)
    await page.run(0)
    await page.run(1)
    await page.see(page.output(1), re.compile(r"%kernelopt accept (P\d+) writes it"))
    shown = await page.output(1).inner_text()
    (name,) = set(re.findall(r"%kernelopt accept (P\d+) writes it", shown))
    await page.shoot("proposed")
    await page.until(lambda: page.cells.count(), lambda count: count == 3)
    first = await page.source(2)
    await page.editor(2).click()
    await page.page.keyboard.press("Control+A")
    await page.page.keyboard.insert_text(f"%kernelopt accept {name}")
    await page.run(2)
    await page.see(page.output(2), f"{name} accepted")
    await page.until(lambda: page.cells.count(), lambda count: count == 4)
    accepted = await page.source(3)
    assert accepted.startswith("%%kernelopt --op Model") and accepted != first
    await page.run(3)
    await page.see(page.output(3), "the kernel: PASS")


@pytest.mark.thorough
async def test_a_first_kernel_comes_in_a_cell_below_and_is_judged_there(open_notebook: OpenNotebook) -> None:
    page = await open_notebook("task.ipynb", BEGIN, TASK, ENDLESS, "%kernelopt status")
    await page.run(0)
    await page.run(1)  # returns at once
    await page.run(2)
    await page.run(3)
    for words in ("1  task.ipynb.Model  running", "2  task.ipynb.Model  running"):
        await page.see(page.output(3), words)
    await page.shoot("running")
    await page.output(2).get_by_role("button", name="Cancel", exact=True).click()
    await page.see(page.output(2), "check: cancelled")
    await page.gone(page.output(2).get_by_role("button"))

    await page.see(page.output(1), "one kernel could do")
    await page.until(lambda: page.cells.count(), lambda count: count == 5)
    await page.until_source(2, "__global__")
    await page.see(page.output(1), "its cell is below")
    await page.shoot("written")

    await page.run(2)
    await page.see(page.output(2), "the kernel: PASS")
    await page.shoot("judged")
