"""What is read from the texts of tasks and candidates, without running them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.operators.extension_text import Extension, extension_text
from assistant.operators.launcher import BackwardLauncher, Launcher, find_launcher
from assistant.operators.tampering import tampering
from assistant.operators.task import FreeSize, NoTask, Task, find_candidate, find_task, looks_like_task
from assistant.torch_worker.side.sizes import SizeError, bound, size_of

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
    assert found.model_sizes == (FreeSize("columns", 16),)
    assert not looks_like_task("import torch\n")


def test_a_size_that_is_read_elsewhere_too_is_not_the_models() -> None:
    found = find_task(PATH, TASK.replace("return x * self.weight", "return x * self.weight * columns"), None)
    assert isinstance(found, Task) and found.model_sizes == ()


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
        ("modules = sys.modules", "uses sys.modules", True),
        ("with torch.utils._python_dispatch._disable_current_modes(): pass", "uses torch.utils._python_dispatch", True),
        ("import pickle", "imports pickle", False),
        ("import ctypes", "imports ctypes", False),
        ("from multiprocessing import Pool", "imports multiprocessing", False),
        ("from scipy.special import softmax", "imports scipy.special", False),
        ("y = torch.from_numpy(x)", "calls from_numpy", False),
        ("y = fast(x.numpy())", "calls numpy", False),
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


BACKWARD = LAUNCHER.replace(
    "*/", '[operator.backward]\nlauncher = "once"\nargs     = ["grad_x", "grad_y", "n"]\n*/\nvoid once(float* a, const float* b, int n) { }'
)


def test_a_launcher_of_gradients_is_found() -> None:
    found = find_launcher(Path("/p/a.cu"), BACKWARD)
    assert isinstance(found, Launcher) and found.backward == BackwardLauncher("once", ("grad_x", "grad_y", "n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BACKWARD.replace('"grad_x"', '"grad_z"'), "grad_z is the gradient of no input, weight or output"),
        (BACKWARD.replace('"once"', '"never"'), "defines no function never"),
        (BACKWARD.replace('"grad_y", "n"]', '"grad_y"]'), "takes 3 arguments and args has 2"),
        (BACKWARD.replace('launcher = "once"\n', ""), "needs launcher and args"),
    ],
)
def test_what_a_launcher_of_gradients_lacks_is_said(text: str, said: str) -> None:
    found = find_launcher(Path("/p/a.cu"), text)
    assert isinstance(found, NoTask) and said in found.message


def test_sizes_are_arithmetic_over_the_sizes_of_inputs() -> None:
    sizes = bound({"x": ["n", "m", 3]}, {"x": (5, 8, 3)})
    assert [size_of(word, sizes) for word in ("n", 4, "m/2", "(n - 1) // 2 + 1", "n * m + 1")] == [5, 4, 4, 3, 41]
    for word, said in (("n / 2", "no whole number"), ("k", "no size of an input"), ("n ** 2", "is no size"), ("n +", "is no size")):
        with pytest.raises(SizeError, match=said):
            size_of(word, sizes)


@pytest.mark.parametrize("shape", [(5, 8), (5, 8, 4), (5, 7, 3)])
def test_shapes_that_are_not_those_of_the_table_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(SizeError):
        bound({"y": ["m"], "x": ["n", "m", 3]}, {"y": (8,), "x": shape})


def test_lines_of_an_extension_are_lines_of_the_candidate() -> None:
    cuda = "\n#include <torch/extension.h>\nint f() {\n  return 1;\n}\n"
    candidate = f'import torch\nCUDA = r"""{cuda}"""\n'
    made = extension_text(Extension("f", ("int f();", cuda), ("f",)), "int main() {}\n")
    assert 'kernelopt::offer("f", &f);' in made.text
    lines = made.text.splitlines()
    assert made.place(lines.index("  return 1;") + 1, candidate) == candidate.splitlines().index("  return 1;") + 1
    assert made.place(1, candidate) is None and "torch/extension.h" not in made.text


def test_a_function_that_is_called_as_one_of_cudas_is_the_extensions_own() -> None:
    made = extension_text(Extension("e", ("torch::Tensor norm(torch::Tensor x, double eps);", ""), ("norm",)), "int main() {}\n")
    assert 'kernelopt::offer("norm", static_cast<torch::Tensor (*)(torch::Tensor x, double eps)>(&norm));' in made.text
