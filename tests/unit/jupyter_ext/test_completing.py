"""What is completed inside of CUDA cells, asked of IPython's own completer."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from jupyter_ext.loading import load, unload

CELL = "%%kernelopt --grid 1\n__global__ void squash(float *out, const float *xvalues, Pair p) {\n  p.second = 1;\n"


@pytest.fixture(scope="module")
def shell() -> Generator[InteractiveShell]:
    opened = InteractiveShell()
    load(opened)
    yield opened
    unload(opened)


def names(shell: InteractiveShell, text: str) -> list[str]:
    with provisionalcompleter():
        return [found.text for found in shell.Completer.completions(text, len(text))]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (f"{CELL}  xval", ["xvalues"]),
        (f"{CELL}  out[i] = squ", ["squash"]),
        (f"{CELL}  int i = thr", ["threadIdx"]),
        (f"{CELL}  int i = threadIdx.", ["x", "y", "z"]),
        (f"{CELL}  p.se", ["second"]),
        (f"{CELL}  __shfl_d", ["__shfl_down_sync"]),
        (f"{CELL}  out[i] = ", ["Pair", "const", "float", "out", "second", "squash", "void", "xvalues", "__global__"]),
        ("%%cu\n__global__ void k() { atomicM", ["atomicMax", "atomicMin"]),
    ],
)
def test_names_of_the_cell_and_of_cuda(shell: InteractiveShell, typed: str, found: list[str]) -> None:
    assert names(shell, typed) == found


def test_the_magics_line_knows_options_and_variables_and_python_stays_as_it_is(shell: InteractiveShell) -> None:
    shell.push({"my_reference": len})
    assert names(shell, "%%kernelopt --gri") == ["--grid"]
    assert names(shell, "%%kernelopt --ref my_r") == ["my_reference"]
    assert "my_reference" in names(shell, "x = 1\nmy_r")
    assert "my_reference" in names(shell, "%%kernelopt --capture\nmy_r")


def test_nothing_is_completed_once_the_extension_is_gone() -> None:
    opened = InteractiveShell()
    load(opened)
    unload(opened)
    assert "xvalues" not in names(opened, f"{CELL}  xval")
