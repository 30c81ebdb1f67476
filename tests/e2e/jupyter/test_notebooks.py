"""The example notebooks, run from top to bottom by nbclient; and mistakes, each told by its argument's name."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Generator
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter

from assistant.lab.gpus import NoGpu, list_gpus
from tests.deadlines import HANG_S
from tests.e2e.cli.harness import EXAMPLES, Cli, no_orphans, working_cli

NOTEBOOKS = EXAMPLES / "notebooks"
_CELL_DEADLINE_S = round(HANG_S)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Generator[Cli]:
    """A user whose folder the notebooks run in; ``kernelopt`` on their path is this tree's."""
    with working_cli(tmp_path_factory.mktemp("notebooks"), "notebooks") as made:
        programs = made.home / "bin"
        programs.mkdir(parents=True)
        command = programs / "kernelopt"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m assistant "$@"\n')
        command.chmod(0o755)
        made.variables["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
        yield made


def check(cli: Cli, notebook: Any, may_fail: bool = False) -> list[str]:
    """What each code cell said, as text without colours; nothing that it started is alive afterwards."""
    resources = {"metadata": {"path": str(cli.folder)}}
    client = NotebookClient(notebook, timeout=_CELL_DEADLINE_S, kernel_name="python3", resources=resources, allow_errors=may_fail)
    with no_orphans():
        client.execute(env=cli.environment())
    return [_said(cell) for cell in notebook.cells if cell.cell_type == "code"]


def page_of(notebook: Any) -> str:
    """What a notebook shows that was saved and converted to HTML, where no script runs and nothing is loaded."""
    html, _ = HTMLExporter().from_notebook_node(notebook)
    return re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.S)


def example(name: str) -> Any:
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def made_of(*cells: str) -> Any:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])


def _said(cell: Any) -> str:
    parts: list[str] = []
    for output in cell.outputs:
        data = output.get("data", {})
        parts += [output.get("text", ""), data.get("text/plain", ""), "\n".join(output.get("traceback", ()))]
    return _ANSI.sub("", "\n".join(part for part in parts if part))


@pytest.mark.thorough
def test_first_steps_end_with_an_accepted_edit_that_is_not_judged_again(cli: Cli) -> None:
    notebook = example("first-steps")
    said = check(cli, notebook)
    shown = "\n".join(said)
    assert "KO103 line 10" in shown and "+  __shared__ float tile[32][32 + 1];" in shown
    assert "accepted: the new text is in a cell below" in shown
    page = page_of(notebook)
    for words in (
        "shared memory padding, ≈1.",
        "Before and after",
        "+   __shared__ float tile[32][32 + 1];",
        'aria-label="time before',
    ):
        assert words in page, "the proposal, its verdict and its diff need no widgets"
    assert re.search(r"P1 \(accepted\): shared memory padding, ≈1\.\d\dx predicted, right in \d+ of \d+ cases", said[-2])
    assert "✓ profile: 1 kernel profiled" in said[-2] and "previous version" not in said[-2], "its verdict is known"
    assert "accepted  notebook.ipynb.transpose  shared memory padding" in said[-1]


@pytest.mark.thorough
def test_a_pytorch_op_is_held_against_pytorch_and_its_mistake_is_found(cli: Cli) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed here")
    said = check(cli, example("your-own-pytorch-op"))
    assert "✓ check: no problem found" in said[3] and "✓ profile: 1 kernel profiled" in said[3]
    assert re.search(r"out\[\d+\] is [-\d.]+, the reference has [-\d.]+ \(\d+ of 16384 values differ\); rms_norm at columns=256", said[-2])
    assert "✓ check: no problem found" in said[-1]


@pytest.mark.thorough
def test_an_operators_kernel_is_wrong_by_its_values_and_passes_without_its_mistake(cli: Cli) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed here")
    notebook = example("pytorch-operator")
    _, task, of_pytorch, wrong, right = check(cli, notebook)
    assert "one kernel could do _softmax, mul: 3,360 B instead of 6,720 B" in task and "_softmax, 1 x, line 8" in task
    assert "ModelNew: for you to decide: library call" in of_pytorch and "amax (15 calls)" in of_pytorch
    assert "the kernel: FAIL: wrong value" in wrong and "the kernel: PASS; 15 of 15 cases passed" in right
    page = page_of(notebook)
    assert "the kernel: FAIL: wrong value" in page and "15 of 15 cases passed" in page, "a saved notebook shows it without a kernel"


OPERATOR = """%%kernelopt --op Net
class Net(torch.nn.Module):
    def forward(self, x):
        return helper(x) + 1.0

def get_inputs():
    return [torch.linspace(-1.0, 1.0, 12).reshape(3, 4)]
"""
RAISING = """%%kernelopt --op Net --raise
class ModelNew(torch.nn.Module):
    def forward(self, x):
        raise ValueError(helper.__name__)
"""


@pytest.mark.thorough
def test_a_task_of_two_cells_is_broken_down_and_its_candidate_judged_at_the_cells_lines(cli: Cli) -> None:
    """The candidate is not run here: its error is the verdict's, not the notebook's."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed here")
    begin = "%load_ext kernelopt\nimport torch\ndef helper(x):\n    return torch.relu(x)"
    _, task, raised, misread = check(cli, made_of(begin, OPERATOR, RAISING, "%%kernelopt --op Net --grid 4\nx = 1"), may_fail=True)
    assert "Net: 2 function calls of PyTorch" in task and "add, 1 x, line 4," in task
    assert "on the task's own inputs forward raised ValueError: helper (line 4)" in raised
    assert "ModelNew: FAIL: raised" in raised and "→ fix the cell" in raised
    assert "--grid and --op do not go together" in misread


@pytest.mark.thorough
def test_a_pair_session_is_begun_in_a_notebook_and_gone_on_with_in_the_terminal(cli: Cli) -> None:
    said = check(cli, example("pair-programming"))
    begun, suggested, answered, terminal, report = said[2], said[3], said[5], said[7], said[8]
    assert "pairs on row_sums of row_sums.cu" in begun
    assert "P01" in suggested or "nothing" in suggested
    assert re.search(r"v1: PASS, PREDICTED \d\.\d\dx against the baseline", answered)
    assert "resumes S" in terminal and "constraints: 1. keep block 128" in terminal
    assert "constraint 1: keep block 128" in report and "Best: v1" in report


MISTAKES = {
    "--args x=y": "missing argument out, n: halve takes (float *out, const float *x, int n)",
    "--args out=y,x=y": "missing argument n",
    "--args out=y,x=doubles,n=4": "x: expected float32 for `const float *x`, got a float64 NumPy array of shape (4,)",
    "--args out=y,x=wide.T,n=4": "x: expected a contiguous array",
    "--args out=y,x=on_gpu,n=4": "x: expected an array on cpu, where out is, got one on cuda:1",
    "--args out=y,x=y,n=doubles": "n: expected a number for `int n`, got a float64 NumPy array of shape (4,)",
    "--args out=y,x=y,n=4 --ref wrong_size": "the reference wrong_size returned 1 values for out",
    "--args out=y,x=y,n=4 --ref no_such": "--ref=no_such: NameError",
    "--args out=y,x=y,n=4 --ref wrong_size --ref-time 0": "--ref-time 0: expected seconds above 0",
    "--args 'out=y,x=y,n=4": "the magic's line cannot be read: No closing quotation",
    "--args out=y,x=y,n=4 // halves y": "cannot be read: unrecognized arguments: halves y",
    "--args out=y,x=y,n=4 --shared (n + 3) // 4": "cannot be read: unrecognized arguments: 3) // 4",
    "--args out=y,x=y,n=4 --file no_such/halve.cu": "No such file or directory",
}
KERNEL = "__global__ void halve(float *out, const float *x, int n) { int i = threadIdx.x; if (i < n) out[i] = x[i] / 2.0f; }"
SETUP = """%load_ext jupyter_ext
import numpy as np
class OnGpu:
    shape, device = (4,), type("Device", (), {"id": 1})
    __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "strides": None, "data": (4096, False), "version": 3}
y, doubles, wide, on_gpu = np.ones(4, np.float32), np.ones(4), np.ones((4, 2), np.float32), OnGpu()
def wrong_size(x): return x[:1]"""


def test_mistakes_are_known_by_the_arguments_name_and_change_nothing(cli: Cli) -> None:
    cells = [f"%%kernelopt {line} --grid 1 --block 32 --until bind\n{KERNEL}" for line in MISTAKES]
    cells = [cell.replace("--until bind", "--until check") if "--ref" in cell else cell for cell in cells]
    bound = f"%%kernelopt --args out=y,x=y,n=4 --grid 1 --block 32 --until bind\n{KERNEL}"
    calls = ["halve(y, y, 2)\nprint(y)", "halve(y, doubles, 4)", "halve(y, on_gpu, 4)", "halve(y)"]
    summed = f"%%kernelopt --until bind --args out=y,x=y,n=4 --grid 1 --block 32\n{KERNEL.replace('halve', 'sum')}"
    broken = f"%%kernelopt\n{KERNEL.replace('x[i]', 'z[i]')}"
    said = check(cli, made_of(SETUP, *cells, bound, *calls, broken, "%kernelopt accept PX", "%kernelopt dance", summed), may_fail=True)
    for told, expected in zip(said[1:], MISTAKES.values(), strict=False):
        assert expected in told and "Traceback" not in told
    bound_only, called, *refused, compiler, no_proposal, no_verb, hidden = said[len(MISTAKES) + 1 :]
    assert bound_only == "", "the arrays are bound, as was asked for"
    assert called.strip() == "[0.5 0.5 1.  1. ]"
    assert "x: expected float32" in refused[0] and "cuda:1" in refused[1] and "missing argument x, n" in refused[2]
    assert "the compiler refuses the cell" in compiler
    assert re.search(r"line 1: error: .*(\"z\" is undefined|‘z’ was not declared)", compiler)  # NVIDIA's compiler, or g++ without one
    assert hidden.strip() == "sum is the kernel from now on; Python's own is builtins.sum"
    assert "no proposal" in no_proposal.lower() and "%kernelopt has no 'dance'" in no_verb


def test_a_notebook_that_runs_by_itself_waits_has_values_and_ends_at_a_wrong_kernel(cli: Cli) -> None:
    right = f"%%kernelopt --args out=y,x=z,n=4 --grid 1 --block 32 --until check\n{KERNEL}"
    values = "done = %kernelopt wait\nprint(done.ok, done.problems, done.steps[0].exit_code)"
    wrong = f"%%kernelopt --args out=y,x=short,n=4 --grid 1 --block 32 --until check --raise\n{KERNEL}"
    setup = f"{SETUP}\nshort, z = np.ones(2, np.float32), np.ones(4, np.float32)"
    notebook = made_of(setup, right, values, "%kernelopt status", "done", wrong, "print('went on')")
    with pytest.raises(CellExecutionError, match=r"FAILED check: \d problem"):
        check(cli, notebook)
    waited, printed, status, shown, ended, after = map(_said, notebook.cells[1:])
    assert "check: waiting" not in waited and "✓ check" in waited, "without somebody who looks on, a cell ends with its run"
    assert printed.splitlines()[-1] == "True () 0"
    assert status.count("1  notebook.ipynb.halve  done") == 1 == shown.count("1  notebook.ipynb.halve  done")
    assert "error line 2: out of bounds, block" in ended and "went on" not in after


@pytest.mark.thorough
def test_cells_of_other_extensions_work_as_they_are(cli: Cli) -> None:
    program = "#include <cstdio>\n__global__ void k(int *x) { *x = 42; }\nint main() { int *x, y; cudaMalloc(&x, 4); k<<<1, 1>>>(x);"
    program += ' cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost); printf("it is %d\\n", y); }'
    captured = "%%kernelopt --capture\nprint(f'{6 * 7} is printed')"
    cells = ("%load_ext jupyter_ext", f"%%cu\n{program}", "%kernelopt cancel", f"%%cuda -t\n{KERNEL}", "print(halve)", captured)
    said = check(cli, made_of(*cells), may_fail=True)
    assert said[3].startswith("-t does nothing here: one run is not a measurement")
    assert "it is 42" in said[1]
    assert "compiled only: to verify, profile and improve halve, bind arrays" in said[3]
    assert said[4].strip() == "<kernel halve(float*, float const*, int)>"
    no_gpu = isinstance(list_gpus(os.environ), NoGpu)
    assert ("--capture records launches on a GPU: " in said[5] and "so the cell was not run" in said[5]) == no_gpu, said[5]
    assert ("42 is printed" in said[5]) != no_gpu
