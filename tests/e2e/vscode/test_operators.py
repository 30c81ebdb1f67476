"""PyTorch tasks and candidates in Python files: their lenses, and what a click on one finds."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.thorough,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch"),
]

TASK = '''"""A scaled ReLU."""

import torch

rows = 4


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 0.5


def get_inputs():
    return [torch.randn(rows, 24)]
'''
WRONG = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 0.25
"""


async def test_a_task_is_profiled_by_its_lens(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("task.py", TASK)
    window = await open_window(folder)
    await window.open_file("task.py")
    await window.see(window.lens("Optimize"))
    await window.shoot("opened")
    await window.click(window.lens("Profile"))
    await window.let_run()
    await window.see(window.lens("2 functions"), "1 group for one kernel")
    await window.gone(window.lens("Profile"))
    await window.shoot("profiled")
    assert await window.page.locator(".tabs-container .tab").count() == 1, "the panel of CUDA profiles has nothing to show here"
    await window.click(window.lens("2 functions"))
    table = await window.webview("Model of task.py")
    rows = await table.locator("table tr").all_inner_texts()
    assert [name for name in ("relu", "mul") for row in rows if name in row] == ["relu", "mul"], rows
    await window.shoot("table")


async def test_a_candidate_beside_its_task_is_judged_by_its_lens(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("task.py", TASK)
    cli.write("candidate.py", WRONG)
    window = await open_window(folder)
    await window.open_file("candidate.py")
    await window.click(window.lens("Check"))
    await window.let_run()
    await window.see(window.lens("FAIL: wrong value"))
    await window.command("View: Toggle Problems")
    await window.see(window.problems, "ModelNew: on the task's own inputs output 0")
    await window.shoot("wrong")
    await window.command("View: Toggle Problems")
    await window.go_to(6)
    await window.page.keyboard.press("End")
    for _ in "25":
        await window.page.keyboard.press("Backspace")
    await window.insert("5")
    await window.see(window.lens("before the edit: FAIL"))
    await window.shoot("edited")
    await window.click(window.lens("Check"))
    await window.see(window.lens("for you to decide: library call"))
    await window.shoot("right")
