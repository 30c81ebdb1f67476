"""A PyTorch task without CUDA, from the command to what a person may accept: the first kernel, and the search that goes on from it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, ScriptedModel, asked_by, plan

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch")

REVERSED = """import torch

rows = 3


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.flip(x, dims=(1,))


def get_inputs():
    return [torch.randn(rows, 9)]
"""
KERNEL = """/* kernelopt
[operator]
launcher = "reversed"
inputs   = { x = ["n", "m"] }
outputs  = { y = ["n", "m"] }
args     = ["y", "x", "n", "m"]
*/
__global__ void reversed_of(float* y, const float* x, int n, int m) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    for (int i = 0; i < m; ++i) y[row * m + i] = x[row * m + (m - 1 - i)];
}

void reversed(float* y, const float* x, int n, int m) {
    if (n > 0) reversed_of<<<(n + 31) / 32, 32>>>(y, x, n, m);
}
"""


def task(cli: Cli, text: str = REVERSED) -> Path:
    path = cli.folder / "task.py"
    path.write_text(text)
    return path


def fenced(code: str) -> str:
    return f"Here it is.\n\n```cuda\n{code}```\n"


@pytest.mark.thorough
def test_a_model_writes_the_kernel_that_rules_do_not_and_is_told_what_is_wrong_with_it(cli: Cli) -> None:
    wrong = KERNEL.replace("(m - 1 - i)", "(m - i) % m")
    model = ScriptedModel(plans=[plan()], codes=[fenced(KERNEL.replace('"reversed"', '"other"')), fenced(wrong), fenced(KERNEL)])
    with asked_by(cli, model, search=ONE_VARIANT):
        ended = cli.run("optimize", task(cli), "--planner", "llm", "--json", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    (written,) = ended.all("kernel_written")
    assert Path(written["file"]).read_text() == KERNEL
    first, second, third = model.questions("code_reply")
    assert "torch.flip(x, dims=(1,))" in first and "What you wrote before" not in first
    assert "defines no function other" in second and "wrong_value" in third and "(m - i) % m" in third
    assert "written by scripted-1: PASS" in ended.all("job_ended")[-1]["reason"]
    assert [asked for asked in model.questions("plan_reply") if "reversed_of" in asked], "the search goes on from it"


@pytest.mark.thorough
def test_a_model_is_given_up_after_a_few_wrong_texts(cli: Cli) -> None:
    model = ScriptedModel(codes=[fenced(KERNEL.replace('"reversed"', '"other"'))])
    with asked_by(cli, model, search=ONE_VARIANT):
        ended = cli.run("optimize", task(cli), "--planner", "llm", "--json", deadline_s=LONG_S)
    assert ended.code == 3 and not ended.all("kernel_written"), ended.said
    assert len(model.questions("code_reply")) == 4 and [each["name"] for each in ended.all("kernel_declined")] == ["Model"]


@pytest.mark.thorough
def test_a_search_goes_on_from_ones_own_candidate_and_what_it_offers_is_right_in_pytorch_too(cli: Cli) -> None:
    text = REVERSED.replace("torch.flip(x, dims=(1,))", "x * 2 + 1").replace("rows, 9", "rows, 64, 64").replace("rows = 3", "rows = 4")
    own = cli.folder / "own.cu"
    own.write_text(STRIDED)
    ended = cli.run("optimize", task(cli, text), own, "--allow-host-code", "--accept", "best-predicted", "--json", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    (made,) = ended.all("proposal")
    assert made["file"] == str(own) and own.read_text() != STRIDED
    assert cli.run("check", "task.py", own, deadline_s=LONG_S).code == 0
    assert " accepted by cli " in cli.run("history").out, "it is in memory as any decision is"


STRIDED = """/* kernelopt
[operator]
launcher = "scaled"
inputs   = { x = ["b", "n", "m"] }
outputs  = { y = ["b", "n", "m"] }
args     = ["y", "x", "b", "n", "m"]
*/
__global__ void scaled_of(float* y, const float* x, int n, int m) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= m) return;
    const long long at = ((long long)blockIdx.z * n + row) * m + column;
    y[at] = x[at] * 2.0f + 1.0f;
}

void scaled(float* y, const float* x, int b, int n, int m) {
    if (b > 0 && n > 0 && m > 0) scaled_of<<<dim3((n + 31) / 32, (m + 7) / 8, b), dim3(32, 8)>>>(y, x, n, m);
}
"""
