"""PyTorch tasks and candidates for them on the CPU: every example of the repository, right, wrong and cheating."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch")

EXAMPLES = Path(__file__).parents[3] / "examples" / "operators"
SHORT = {("row_softmax", "right")}
"""What `make test` runs: a launcher that is built for the emulator."""
TASKS = sorted(path.parent for path in EXAMPLES.rglob("task.py"))


def candidate_of(folder: Path, name: str) -> Path:
    return next(folder.glob(f"{name}.*"))


def example(folder: Path, name: str) -> object:
    marks = () if (folder.name, name) in SHORT else (pytest.mark.thorough,)
    return pytest.param(folder, name, id=f"{folder.name}-{name}", marks=marks)


@pytest.mark.parametrize(("folder", "name"), [example(folder, name) for folder in TASKS for name in ("right", "wrong", "cheating")])
def test_each_example_gets_its_verdict(cli: Cli, folder: Path, name: str) -> None:
    """The right one passes, both others fail, the cheating one for what it does."""
    ended = cli.run("compare", folder / "task.py", candidate_of(folder, name), "--json")
    verdict = ended.one("comparison")
    assert (ended.code, verdict["verification"]["outcome"]) == ((0, "PASS") if name == "right" else (1, "FAIL")), ended.said
    assert verdict["speed"] is None and verdict["oracle"] == "operator"
    codes = {finding["code"] for finding in verdict["verification"]["findings"] if finding["outcome"] == "FAIL"}
    if name == "cheating":
        assert codes & {"remembered", "tampering", "shared_output", "late_write"}, ended.said
    if name == "wrong":
        assert codes & {"wrong_value", "wrong_shape"}, ended.said


def test_what_is_no_pair_of_operators_is_refused_before_anything_runs(cli: Cli) -> None:
    folder = TASKS[0]
    right = candidate_of(folder, "right")
    for words, said in (
        (("compare", folder / "task.py", right, "--device", "gpu:0"), "operators are judged on the CPU only so far"),
        (("compare", folder / "task.py", folder / "task.py"), "ModelNew"),
        (("compare", folder / "task.py", right, "--op", "Modle"), "did you mean Model?"),
        (("check", folder / "task.py"), "name one candidate after the task"),
    ):
        ended = cli.run(*words)
        assert ended.code == 2 and said in ended.said, ended.said
