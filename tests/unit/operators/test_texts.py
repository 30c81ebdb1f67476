"""What is read from the texts of tasks and candidates, without running them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.operators.extension_text import Extension, extension_text
from assistant.operators.launcher import Launcher, find_launcher
from assistant.operators.tampering import tampering
from assistant.operators.task import FreeSize, NoTask, Task, find_candidate, find_task, looks_like_task

TASK = """
import torch
rows = 8
columns = 16
class Model(torch.nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(columns))
    def forward(self, x):
        return x * self.weight
def get_inputs():
    return [torch.rand(rows, columns)]
def get_init_inputs():
    return [columns]
"""
PATH = Path("/p/task.py")
LAUNCHER = """
/* kernelopt
[operator]
launcher = "twice"
inputs   = { x = ["n"] }
outputs  = { y = ["n"] }
args     = ["y", "x", "n"]
*/
void twice(float* y, const float* x, int n) { }
"""


def test_a_task_is_recognised_with_the_sizes_that_only_its_inputs_have() -> None:
    found = find_task(PATH, TASK, None)
    assert isinstance(found, Task) and found.name == "Model"
    assert found.free_sizes == (FreeSize("rows", 8),) and looks_like_task(TASK)
    assert not looks_like_task("import torch\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TASK.replace("class Model(", "class Net("), "has no class Model"),
        (TASK.replace("def get_inputs", "def inputs"), "has no get_inputs()"),
        (TASK.replace("def forward(self, x)", "def call(self, x)"), "has no forward"),
        (TASK.replace("def get_init_inputs", "def init"), "needs columns"),
        (TASK.replace("[torch.rand(rows, columns)]", "[1, 2, 3]"), "returns 3 values and Model.forward takes 1"),
        ("def f(:", "is no Python"),
    ],
)
def test_what_a_task_lacks_is_said(text: str, said: str) -> None:
    found = find_task(PATH, text, None)
    assert isinstance(found, NoTask) and said in found.message and found.remedy


def test_a_candidate_is_the_class_model_new() -> None:
    assert find_candidate(PATH, TASK.replace("class Model(", "class ModelNew(")) == "ModelNew"
    assert isinstance(find_candidate(PATH, TASK), NoTask)


@pytest.mark.parametrize(
    ("line", "what", "is_refused"),
    [
        ("torch.softmax = fast", "replaces torch.softmax", True),
        ("setattr(torch.cuda, 'synchronize', fast)", "replaces an attribute of torch.cuda", True),
        ("time.perf_counter = fast", "replaces time.perf_counter", True),
        ("import gc", "imports gc", True),
        ("from task import Model", "imports the reference (task)", True),
        ("frame = sys._getframe(3)", "calls sys._getframe", True),
        ("torch.backends.cuda.matmul.allow_tf32 = True", "sets torch.backends.cuda.matmul.allow_tf32", False),
        ("exec(text)", "calls exec", False),
    ],
)
def test_what_a_candidate_may_not_do_is_named(line: str, what: str, is_refused: bool) -> None:
    (found,) = tampering(f"import torch, time, sys\n{line}\n", PATH)
    assert found.line == 2 and found.what.startswith(what) and found.is_refused is is_refused


def test_a_usual_candidate_does_none_of_that() -> None:
    assert tampering(TASK, PATH) == ()


def test_a_launcher_is_found_with_the_types_of_its_outputs() -> None:
    found = find_launcher(Path("/p/a.cu"), LAUNCHER)
    assert isinstance(found, Launcher) and found.types == (("y", "float32"),) and found.args == ("y", "x", "n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("void twice() {}", "has no [operator] table"),
        (LAUNCHER.replace('"twice"', '"thrice"'), "defines no function thrice"),
        (LAUNCHER.replace('["y", "x", "n"]', '["y", "x"]'), "takes 3 arguments and args has 2"),
    ],
)
def test_what_a_launcher_lacks_is_said(text: str, said: str) -> None:
    found = find_launcher(Path("/p/a.cu"), text)
    assert isinstance(found, NoTask) and said in found.message


def test_lines_of_an_extension_are_lines_of_the_candidate() -> None:
    cuda = "\n#include <torch/extension.h>\nint f() {\n  return 1;\n}\n"
    candidate = f'import torch\nCUDA = r"""{cuda}"""\n'
    made = extension_text(Extension("f", ("int f();", cuda), ("f",)), "int main() {}\n")
    lines = made.text.splitlines()
    assert made.place(lines.index("  return 1;") + 1, candidate) == candidate.splitlines().index("  return 1;") + 1
    assert made.place(1, candidate) is None and "torch/extension.h" not in made.text
