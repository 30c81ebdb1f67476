"""A PyTorch task in an editor: checked and searched on by its lenses, in PyTorch, once a person has agreed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from lsprotocol import types

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.conftest import Start

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch")

FILE = """import torch

rows = 3


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.clamp(min=0) * {factor}


def get_inputs():
    return [torch.randn(rows, 4)]


def get_init_inputs():
    return []
"""


async def test_a_candidate_in_the_file_of_its_task_is_judged_as_it_is_typed(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor()
    editor.answer = lambda question: question.actions[0].title if question.actions else None
    document = editor.open(cli.write("both.py", FILE.format(factor=2)), language="python")
    assert await editor.titles(document) == ["Profile", "Optimize", "Check"]
    editor.type(document, FILE.format(factor=3))
    await editor.run("kernelopt.check", uri=document.uri, op="ModelNew")
    await editor.until(lambda: any(note.severity is types.DiagnosticSeverity.Error for note in editor.diagnostics(document)))
    assert any(title.startswith("FAIL: wrong value") for title in await editor.titles(document))
    (question,) = {asked.message for asked in editor.asked if "both.py" in asked.message}
    assert str(document.path) in question
    assert cli.folder.joinpath("both.py").read_text("utf-8") == FILE.format(factor=2), "nothing was saved"


TASK = """import torch

rows = 16


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.exp(torch.sin(x) * 2.0) / (x.pow(2.5) + 1.0)


def get_inputs():
    return [torch.rand(rows, 256)]
"""
SEARCH_S = 600.0


@pytest.mark.thorough
async def test_a_search_on_a_task_ends_with_an_edit_of_the_kernel_that_is_right_in_pytorch(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings={"background": {"compile": "off", "verify": "off", "profile": "off"}})
    task = editor.open(cli.write("wave.py", TASK), language="python")
    await editor.run("kernelopt.optimize", uri=task.uri, op="Model")
    made = await editor.until(lambda: [event for event in editor.events if event["event"] == "proposal"], deadline_s=SEARCH_S)
    (written,) = {event["file"] for event in editor.events if event["event"] == "kernel_written"}
    assert Path(written).as_uri() in [shown.uri for shown in editor.client.shown_documents], "the kernel is put in front of the person"
    assert made[0]["file"] == written
    kernel = editor.open(Path(written))
    before = kernel.text
    await editor.until(lambda: [note for note in editor.diagnostics(kernel) if note.data])
    assert "Review" in await editor.titles(kernel)
    await editor.run("kernelopt.proposal.accept", proposal_id=made[0]["id"])
    await editor.until(lambda: kernel.text != before)
    editor.save(kernel)
    assert cli.run("check", "wave.py", written, deadline_s=SEARCH_S).code == 0
