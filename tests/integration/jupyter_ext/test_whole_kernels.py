"""A cell's kernel has all that one of `kernelopt.compile` has, on the cell's arrays and with the launch of the magic's line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelopt
from jupyter_ext.cells import cell_of
from jupyter_ext.opening import CellOpener, MagicLine
from jupyter_ext.workshop import Workshop
from kernelopt.cells import CellKernel

CELL = """%%kernelopt --grid "(n+blocks-1)//blocks" --block blocks
__global__ void twice(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * x[i];
}
"""
LINE = MagicLine(grid="(n+blocks-1)//blocks", block="blocks", until="bind")


def opened(workshop: Workshop, folder: Path, kernel_of: Any = CellKernel) -> tuple[Any, dict[str, Any]]:
    arrays = {"x": np.arange(100, dtype=np.float32), "out": np.zeros(100, np.float32), "n": 100, "blocks": 64}
    found = CellOpener(workshop, arrays, kernel_of).open(cell_of(CELL, folder / "lab.ipynb", "c1"), LINE)
    return found.callables["twice"], arrays


def test_a_cells_kernel_is_asked_as_any_other(workshop: Workshop, tmp_path: Path) -> None:
    twice, arrays = opened(workshop, tmp_path)
    out, x, n = arrays["out"], arrays["x"], arrays["n"]
    twice[1, 128](out, x, n)
    assert (out == 2 * x).all()
    assert (twice.name, twice.parameters) == ("twice", ("out", "x", "n")) and "registers" in dir(twice)
    assert twice.config({"n": 100}).grid.x == 2 and twice.check(ref=lambda x: 2 * x).ok
    (wrong,) = twice.check((out, x, n), ref=lambda x: 3 * x).problems[:1]
    assert wrong.line == 2, "as the notebook numbers the lines"
    with pytest.raises(kernelopt.OutOfBounds, match="line 5") as fault:
        twice[2, 64](np.zeros(10, np.float32), x, n)
    assert fault.value.array == "out"
    assert {line.line for line in twice.profile().lines} == {5}
    assert kernelopt.compare(twice, twice, (out, x, n)).verification == "PASS"
    assert isinstance(twice, kernelopt.Kernel)


def test_arrays_are_given_where_the_cell_bound_none(workshop: Workshop, tmp_path: Path) -> None:
    made = CellOpener(workshop, {"blocks": 64}, CellKernel).open(cell_of(CELL, tmp_path / "lab.ipynb", "c1"), LINE)
    twice: Any = made.callables["twice"]
    with pytest.raises(kernelopt.KernelOptError, match="the cell bound no arrays for twice") as refused:
        twice.check()
    assert refused.value.remedy == "give (out, x, n), or bind them by --args on the cell's first line"


def test_magics_of_the_extension_alone_bind_what_can_be_called(workshop: Workshop, tmp_path: Path) -> None:
    alone, arrays = opened(workshop, tmp_path, None)
    alone()
    assert (arrays["out"] == 2 * arrays["x"]).all() and not isinstance(alone, kernelopt.Kernel)
