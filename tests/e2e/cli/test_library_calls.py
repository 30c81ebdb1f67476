"""Extensions whose C++ calls functions of PyTorch, without a GPU: PyTorch computes those, the emulator runs the kernels."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.e2e.cli.harness import DATA, Cli

pytestmark = [pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch"), pytest.mark.thorough]

FOLDER = DATA / "library_calls"
USES = {
    "rms_norm": {"rsqrt", "mean", "pow"},
    "attention": {"bmm", "_softmax"},
    "linear_gelu": {"addmm"},
    "standardize": {"sum", "div"},
    "conv_relu": {"convolution"},
    "gating": {"topk"},
    "huber_mean": {"mean"},
    "quantize": {"abs", "max", "add_"},
    "per_head": {"cat"},
    "mask_options": {"triu", "_log_softmax", "sum"},
    "mixed": {"mul", "mm"},
    "aten_alone": {"_softmax", "relu"},
}
"""Functions of PyTorch that each names, some of them."""
WRONG = {
    "rms_norm": ("inv[i / cols]", "inv[i % rows]"),
    "attention": ("col > row", "col >= row"),
    "gating": ("eb = expf(b - a)", "eb = expf(a - b)"),
    "per_head": ("y[i].data_ptr", "y[0].data_ptr"),
    "quantize": ("y.add_(bias);", ""),
}


def judged(cli: Cli, folder: Path, candidate: Path) -> tuple[int, str, dict[str, str]]:
    ended = cli.run("compare", folder / "task.py", candidate, "--json", deadline_s=600)
    found = ended.one("comparison")["verification"]
    return ended.code, found["outcome"], {each["code"]: each["message"] for each in found["findings"]}


@pytest.mark.parametrize("name", USES)
def test_the_work_of_pytorch_is_named_beside_the_kernels(cli: Cli, name: str) -> None:
    code, outcome, findings = judged(cli, FOLDER / name, FOLDER / name / "candidate.py")
    assert (code, outcome, set(findings)) == (0, "NEEDS_DECISION", {"library_call"}), findings
    said = findings["library_call"]
    assert all(f"{each} (" in said for each in USES[name]), said
    assert ("no kernel of its own ran" in said) == (name == "aten_alone")


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_beside_it_is_found(cli: Cli, tmp_path: Path, name: str) -> None:
    before, after = WRONG[name]
    text = (FOLDER / name / "candidate.py").read_text("utf-8")
    assert before in text
    wrong = tmp_path / "wrong.py"
    wrong.write_text(text.replace(before, after), "utf-8")
    code, outcome, findings = judged(cli, FOLDER / name, wrong)
    assert (code, outcome) == (1, "FAIL") and "wrong_value" in findings, findings


def test_a_function_that_the_text_does_not_declare_is_named(cli: Cli, tmp_path: Path) -> None:
    text = (FOLDER / "aten_alone" / "candidate.py").read_text("utf-8")
    other = tmp_path / "other.py"
    other.write_text(text.replace('functions=["fused"]', 'functions=["fuse"]'), "utf-8")
    ended = cli.run("compare", FOLDER / "aten_alone" / "task.py", other)
    assert ended.code == 1 and "the extension aten_alone has no function fuse" in ended.said, ended.said


def test_what_is_not_there_is_named_with_its_place(cli: Cli, tmp_path: Path) -> None:
    text = (FOLDER / "aten_alone" / "candidate.py").read_text("utf-8").replace("torch::relu(x)", "torch::autograd::grad(x)")
    other = tmp_path / "other.py"
    other.write_text(text, "utf-8")
    ended = cli.run("compare", FOLDER / "aten_alone" / "task.py", other)
    line = text[: text.index("autograd")].count("\n") + 1
    assert ended.code == 3 and "autograd" in ended.said and f"other.py:{line}" in ended.said, ended.said


def test_gradients_through_functions_that_cpp_calls_are_not_guessed(cli: Cli) -> None:
    folder = FOLDER / "rms_norm"
    ended = cli.run("compare", folder / "task.py", folder / "candidate.py", "--backward")
    assert ended.code == 3 and "rms_norm_cuda() calls functions of PyTorch in C++, through which no gradients" in ended.said, ended.said
