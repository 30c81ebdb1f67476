"""Kernels that rules write for a PyTorch task, each form of them, held against PyTorch at several sizes."""

from __future__ import annotations

import importlib.util

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.scripted_model import LONG_S

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch")

TASK = """import torch

n, m = {sizes}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, x):
        {forward}


def get_inputs():
    return [torch.randn({shape})]
"""
FORMS = {
    "rows that are kept in registers": (
        "3, 520",
        "n, m",
        "self.norm = torch.nn.LayerNorm(520)",
        "return torch.softmax(self.norm(x) * 2, dim=-1)",
    ),
    "rows of odd length": ("7, 41", "n, m", "pass", "return x - torch.logsumexp(x, dim=1, keepdim=True)"),
    "rows of several dimensions": (
        "5, 8",
        "2, n, m, 4",
        "self.scale = torch.nn.Parameter(torch.randn(8, 1))",
        "return x * self.scale / torch.linalg.vector_norm(x * self.scale, dim=(2, 3), keepdim=True)",
    ),
    "columns": (
        "37, 12",
        "2, n, m",
        "pass",
        "return (x - x.mean(dim=1, keepdim=True)) / torch.sqrt((x * x).sum(dim=1, keepdim=True) + 1e-5)",
    ),
    "columns that end the model": ("70, 33", "n, m", "pass", "return torch.amax(x, dim=0)"),
    "long rows that blocks share": ("3, 20001", "n, m", "pass", "return x - torch.logsumexp(x, dim=1, keepdim=True)"),
    "one value of all": ("60, 33", "n, m", "pass", "return torch.nn.functional.huber_loss(x, x * 0.25)"),
    "elements with a buffer": (
        "11, 32",
        "n, m",
        "self.register_buffer('step', torch.tensor(0.0625))",
        "return torch.round(x / self.step) * self.step",
    ),
    "groups of channels": ("6, 5", "2, 12, n, m", "self.norm = torch.nn.GroupNorm(4, 12)", "return torch.relu(self.norm(x))"),
    "elements with broadcast weights": (
        "6, 8",
        "3, n, 5, m",
        "self.a, self.b = torch.nn.Parameter(torch.randn(6, 1, 1)), torch.nn.Parameter(torch.randn(8))",
        "return torch.nn.functional.gelu(x * self.a + self.b)",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_what_pytorch_computes(cli: Cli, form: str) -> None:
    sizes, shape, init, forward = FORMS[form]
    task = cli.folder / "task.py"
    task.write_text(TASK.format(sizes=sizes, shape=shape, init=init, forward=forward))
    ended = cli.run("optimize", task, "--accept", "none", "--json", deadline_s=LONG_S)
    assert ended.code == 0 and ended.all("kernel_written"), ended.said
    assert "a first kernel of Model: PASS" in ended.all("job_ended")[-1]["reason"]
