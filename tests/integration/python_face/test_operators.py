"""PyTorch callables as tasks: broken down, and held against candidates, in processes of their own."""

from __future__ import annotations

import importlib.util
import inspect
import linecache
import re
from pathlib import Path
from typing import Any

import pytest

import kernelopt
from tests.integration.python_face.test_examples import run

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="references are PyTorch's")

REPOSITORY = Path(__file__).parents[3]
_SECTION = re.compile(r"^## From Python\n(.*?)^## ", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shifted(x: Any) -> Any:
    import torch

    return torch.relu(x) + 1.0


def other(x: Any) -> Any:
    if x.shape[0] == 3:
        raise ValueError("three rows are too many")
    return x.clamp(min=0.0) + 1.0


LINE = inspect.getsourcelines(other)[1] + 2
"""Of its ``raise``."""


@pytest.fixture
def operator(session: kernelopt.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> kernelopt.Operator:
    import torch

    monkeypatch.chdir(tmp_path)
    return kernelopt.operator(shifted, [torch.linspace(-1.0, 1.0, 12).reshape(3, 4)], session=session)


def test_a_function_is_broken_down_at_its_own_lines(operator: kernelopt.Operator) -> None:
    found = operator.profile()
    line = inspect.getsourcelines(shifted)[1] + 3
    assert [(each.name, each.line) for each in found.functions] == [("relu", line), ("add", line)]
    assert found.groups[0].names == ("relu", "add") and "one kernel could do relu, add" in repr(found)


@pytest.mark.thorough
def test_what_a_candidate_raises_is_said_at_its_own_line(operator: kernelopt.Operator) -> None:
    found = operator.check(other)
    assert found.verification == "FAIL" and found.findings[0].code == "raised"
    assert f"three rows are too many (line {LINE})" in repr(found)


@pytest.mark.thorough
def test_a_first_kernel_is_written_and_passes(operator: kernelopt.Operator) -> None:
    written = operator.optimize()
    assert written.comparison.verification == "PASS" and written.path.read_text() == written.text
    assert operator.check(written.path).verification == operator.check(written.text).verification == "PASS"


@pytest.mark.thorough
async def test_async_code_awaits_the_same(session: kernelopt.Session) -> None:
    import torch

    made = await kernelopt.aio.operator(torch.nn.Softmax(-1), [torch.rand(3, 4)], session=session)
    assert (await made.profile()).functions[0].name == "_softmax"


def test_what_is_no_candidate_is_refused_before_anything_runs(operator: kernelopt.Operator, tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    for candidate, said in (("empty.py", "has no class ModelNew"), ("x = 1\n", "has no class ModelNew"), (Path("none.cu"), "none.cu")):
        with pytest.raises(kernelopt.KernelOptError, match=said):
            operator.check(candidate)


@pytest.mark.thorough
def test_the_pages_snippets_run_and_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (section,) = _SECTION.findall((REPOSITORY / "docs" / "how-to" / "operators.md").read_text("utf-8"))
    names: dict[str, object] = {"__name__": "__main__"}
    printed, shown_count = "", 0
    for language, text in _BLOCK.findall(section):
        if language == "python":
            cell = f"<snippet {len(names)}>"
            linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)  # as of a notebook's cell
            exec(compile(text, cell, "exec", dont_inherit=True), names)
            printed = capsys.readouterr().out
        else:
            assert printed == text
            shown_count += 1
    assert shown_count == 2


@pytest.mark.thorough
def test_the_example_script_has_a_kernel_written_and_tells_a_wrong_gradient(tmp_path: Path) -> None:
    said = run(tmp_path, str(REPOSITORY / "examples" / "python" / "gated_operator.py"))
    assert "written by rules: PASS\n" in said and "own, with its gradients: PASS\n" in said, said
    assert "own, with a wrong gradient: FAIL\n" in said and "the gradient of" in said, said


@pytest.mark.thorough
def test_the_example_script_tells_right_from_wrong(tmp_path: Path) -> None:
    said = run(tmp_path, str(REPOSITORY / "examples" / "python" / "softmax_operator.py"))
    assert "right: PASS\n" in said and "wrong: FAIL\n" in said and "PyTorch computes a part of it: amax" in said
