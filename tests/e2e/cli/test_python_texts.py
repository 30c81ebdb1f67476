"""CUDA texts inside Python files on the command line: no Python of the user's runs, and an accepted edit stands in the string."""

from __future__ import annotations

import pytest

from assistant.cuda.embedded.in_python import texts_of
from tests.e2e.cli.harness import DATA, Cli, quick_text

SCRIPT = """\
open(__file__ + ".ran", "w")
import cupy as cp

grow = cp.RawKernel(r'''
extern "C" __global__ void grow(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < 200; k++) v = v * 0.999 + 0.25;
    x[i] = v;
}
''', "grow")
"""


@pytest.mark.thorough
def test_an_edit_is_accepted_into_the_string_and_taken_back(cli: Cli) -> None:
    file = cli.write("train.py", f"open(__file__ + '.ran', 'w')\nimport cupy as cp\nk = cp.RawKernel(r'''{quick_text()}''', 'transpose')\n")
    before = file.read_text()
    ended = cli.run("optimize", file, "--accept", "none", "--device", "cpu", "--json")
    assert ended.code == 0, ended.said
    proposal = ended.all("proposal")[-1]["id"]
    assert "P1" in cli.run("proposals", file).out, "it is listed for the Python file"
    assert cli.run("accept", proposal).code == 0
    (edited,) = texts_of(file, file.read_text())
    assert edited.embedded.text != quick_text() and edited.path.name.startswith("train.py.transpose")
    assert cli.run("undo", proposal).code == 0
    assert file.read_text() == before
    assert [path.name for path in cli.folder.glob("train.py*")] == ["train.py"], "no Python was started, no other file was made"


def test_a_workload_is_declared_in_the_string(cli: Cli) -> None:
    file = cli.write("train.py", SCRIPT)
    assert cli.run("init", file).code == 0
    (declared,) = texts_of(file, file.read_text())
    assert "[workload.grow]" in declared.embedded.text
    assert cli.run("init", file).code == 2, "it has one"


@pytest.mark.thorough
def test_a_text_for_pytorch_is_inspected_and_says_what_would_run_it(cli: Cli) -> None:
    text = (DATA / "programs" / "torch_inline" / "swish.py").read_text()
    file = cli.write("swish.py", text.replace("#include <torch/extension.h>\n", ""))
    ended = cli.run("inspect", file)
    assert ended.code == 0 and "registers/thread" in ended.out, ended.said
    ended = cli.run("check", file, "--device", "cpu")
    assert ended.code == 3, ended.said
    assert "swish.py launches these kernels on a GPU alone" in ended.out
    assert f"kernelopt init {file}.swish_fwd.cu writes [workload.KERNEL]" in ended.out


@pytest.mark.thorough
def test_two_versions_of_a_file_are_compared(cli: Cli) -> None:
    wrong = SCRIPT.replace(
        "r'''",
        "r'''\n/* kernelopt\n[workload.grow]\nargs = { x = 'randn(n)', n = 'n' }\n"
        "grid = ['ceil(n/256)']\nblock = [256]\nshapes = [{ n = 1000 }]\nboundary = false\n*/",
    )
    a, b = cli.write("a.py", wrong), cli.write("b.py", wrong.replace("0.25", "0.26"))
    ended = cli.run("compare", a, b, "--device", "cpu", "--json")
    assert ended.code == 1, ended.said
    assert ended.all("comparison")[-1]["verification"]["outcome"] == "FAIL"
