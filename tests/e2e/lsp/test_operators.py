"""A PyTorch task in an editor: checked by its lens, in PyTorch, once a person has agreed."""

from __future__ import annotations

import importlib.util

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
