"""PyTorch tasks and candidates for them on the CPU: every example of the repository, right, wrong and cheating."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch")

EXAMPLES = Path(__file__).parents[3] / "examples" / "operators"
"""What `make test` runs: a launcher that is built for the emulator. `test_operator_cheats` has a candidate that builds nothing."""
CHEATS = {
    "scaled_silu": {"remembered"},
    "bias_gelu_residual": {"library_call"},
    "clamped_mix": {"bad_output", "tampering"},
    "gated_silu": {"tampering"},
    "fake_quantize": {"tampering"},
    "row_softmax": {"tampering"},
    "layer_norm": {"tampering"},
    "rms_norm_residual": {"shared_output"},
    "column_stats": {"wrong_value"},
    "top_index": {"late_write", "wrong_value"},
    "linear_relu": {"library_call"},
    "capped_scores": {"precision", "wrong_value"},
    "low_rank_update": {"wrong_value"},
    "matvec_softplus": {"late_write"},
    "conv2d_relu": {"changed_inputs"},
    "max_pool": {"tampering"},
    "causal_conv1d": {"tampering"},
    "attention": {"library_call"},
    "cross_entropy": {"wrong_value"},
    "smooth_l1": {"wrong_value"},
}
"""What each cheating candidate is found by: one of these."""
WRONG = {"rms_norm_residual": {"race"}, "low_rank_update": {"uninitialised_read"}, "linear_relu": {"out_of_bounds", "wrong_value"}}
"""What a wrong candidate is found by, where it is not by its values alone."""
ASKS = {"attention": {"nan_behaviour"}}
"""What is for a person to decide of a right candidate: masked keys are skipped, where the reference multiplies a NaN there by zero."""
BY_LIBRARY = {name for name, codes in CHEATS.items() if codes == {"library_call"}}
"""Right, and wrong only where every kernel has to be the candidate's own."""
COMPILED = """import torch


@torch.compile
def softmax(x):
    return torch.softmax(x * 1.0, dim=-1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return softmax(x)
"""
TASKS = sorted(path.parent for path in EXAMPLES.rglob("task.py"))


def asks(name: str) -> set[str]:
    """What is for a person to decide of the right candidate of this name, by the PyTorch that is here."""
    if name == "bias_gelu_residual":  # on some processors PyTorch's vectors make NaN of GELU at infinity
        import torch

        is_nan = torch.nn.functional.gelu(torch.full((64,), float("inf"))).isnan().any()
        return {"nan_behaviour"} if is_nan else set()
    return ASKS.get(name, set())


def candidate_of(folder: Path, name: str) -> Path:
    return next(folder.glob(f"{name}.*"))


def example(folder: Path, name: str) -> object:
    return pytest.param(folder, name, id=f"{folder.name}-{name}")


@pytest.mark.thorough
@pytest.mark.parametrize(("folder", "name"), [example(folder, name) for folder in TASKS for name in ("right", "wrong", "cheating")])
def test_each_example_gets_its_verdict(cli: Cli, folder: Path, name: str) -> None:
    """The right one passes, both others fail, the cheating one for what it does."""
    further = ("--only-custom",) if name == "cheating" and folder.name in BY_LIBRARY else ()
    ended = cli.run("compare", folder / "task.py", candidate_of(folder, name), *further, "--json")
    verdict = ended.one("comparison")
    right = "NEEDS_DECISION" if name == "right" and asks(folder.name) else "PASS"
    assert (ended.code, verdict["verification"]["outcome"]) == ((0, right) if name == "right" else (1, "FAIL")), ended.said
    assert verdict["speed"] is None and verdict["oracle"] == "operator"
    codes = {finding["code"] for finding in verdict["verification"]["findings"]}
    if name == "right":
        assert codes == asks(folder.name), ended.said
    if name == "cheating":
        assert codes & CHEATS[folder.name], ended.said
    if name == "wrong":
        assert codes & WRONG.get(folder.name, {"wrong_value"}), ended.said


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("bias_gelu_residual", "sum += gradient;", "sum += grad_y[i];"),
        ("smooth_l1", "grad_b[i] = -grad_a[i];", "grad_b[i] = grad_a[i];"),
    ],
)
def test_gradients_are_judged(cli: Cli, tmp_path: Path, name: str, before: str, after: str) -> None:
    """Of a declared backward launcher and of an autograd function: right ones pass, one wrong gradient fails by its name."""
    folder = next(each for each in TASKS if each.name == name)
    right = candidate_of(folder, "right")
    passed = cli.run("compare", folder / "task.py", right, "--backward", "--json")
    assert (passed.code, passed.one("comparison")["verification"]["outcome"]) == (0, "NEEDS_DECISION" if asks(name) else "PASS"), (
        passed.said
    )
    text = right.read_text("utf-8")
    assert before in text
    wrong = tmp_path / right.name
    wrong.write_text(text.replace(before, after), "utf-8")
    failed = cli.run("compare", folder / "task.py", wrong, "--backward", "--json")
    wrong_values = [each["message"] for each in failed.one("comparison")["verification"]["findings"] if each["code"] == "wrong_value"]
    assert failed.code == 1 and wrong_values and all("the gradient of" in message for message in wrong_values), failed.said


@pytest.mark.thorough
def test_what_pytorch_compiles_is_pytorchs_work(cli: Cli) -> None:
    folder = next(each for each in TASKS if each.name == "row_softmax")
    (cli.folder / "compiled.py").write_text(COMPILED)
    ended = cli.run("compare", folder / "task.py", "compiled.py", "--json")
    verdict = ended.one("comparison")["verification"]
    assert verdict["outcome"] == "NEEDS_DECISION" and [each["code"] for each in verdict["findings"]] == ["library_call"], ended.said


@pytest.mark.thorough
def test_a_task_is_broken_down_into_functions_and_groups(cli: Cli) -> None:
    folder = next(each for each in TASKS if each.name == "rms_norm_residual")
    ended = cli.run("profile", folder / "task.py", "--json")
    found = ended.one("operators")
    assert ended.code == 0 and sum(each["share_ratio"] for each in found["functions"]) == pytest.approx(1.0), ended.said
    (group,) = found["groups"]
    assert group["names"] == ["add", "pow", "mean", "add", "rsqrt", "mul", "mul"] and group["moved_bytes"] == found["moved_bytes"]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "code"), [("clamped_mix", 0), ("rms_norm_residual", 0), ("top_index", 0), ("capped_scores", 3)])
def test_rules_write_a_first_kernel_that_passes_or_say_why_not(cli: Cli, tmp_path: Path, name: str, code: int) -> None:
    folder = next(each for each in TASKS if each.name == name)
    task = tmp_path / name / "task.py"
    task.parent.mkdir()
    task.write_text((folder / "task.py").read_text("utf-8"), "utf-8")
    ended = cli.run("optimize", task, "--json")
    kept = list(tmp_path.rglob(".kernelopt/operators/*.cu"))
    assert (ended.code, len(kept)) == (code, 0 if code else 1), ended.said
    assert code == 0 or "bmm" in ended.said


@pytest.mark.thorough
def test_streams_in_python_are_no_mistake_of_the_candidate(cli: Cli, tmp_path: Path) -> None:
    """What the emulator does not have of PyTorch ends without a verdict."""
    candidate = tmp_path / "candidate.py"
    candidate.write_text(
        "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
        "        with torch.cuda.stream(torch.cuda.Stream()):\n            return torch.softmax(x, -1)\n"
    )
    folder = next(each for each in TASKS if each.name == "row_softmax")
    ended = cli.run("compare", folder / "task.py", candidate)
    assert ended.code == 3 and "torch.cuda.Stream is not emulated" in ended.said, ended.said


def test_what_is_no_pair_of_operators_is_refused_before_anything_runs(cli: Cli) -> None:
    folder = TASKS[0]
    right = candidate_of(folder, "right")
    for words, said in (
        (("compare", folder / "task.py", right, "--size", "lines=4"), "task.py has no size lines"),
        (("compare", folder / "task.py", right, "--baselines", "tensorrt"), "--baselines does not know 'tensorrt'"),
        (("compare", folder / "task.py", folder / "task.py"), "ModelNew"),
        (("compare", folder / "task.py", right, "--op", "Modle"), "did you mean Model?"),
        (("check", folder / "task.py"), "name one candidate after the task"),
        (("compare", "a.cu", "b.cu", "--backward"), "--backward is about PyTorch tasks"),
    ):
        ended = cli.run(*words)
        assert ended.code == 2 and said in ended.said, ended.said
