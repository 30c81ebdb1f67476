"""Kernels that rules write for long rows and for columns, run with every check on: their values beside float64, where a mean is large."""

from __future__ import annotations

import math
import os
import random
from array import array
from pathlib import Path

import pytest

from assistant.emulator.__main__ import Emulator
from assistant.operators.first_kernel import FirstKernel, first_kernel
from assistant.operators.graph import Graph
from tests.caches import kept_emulator
from tests.unit.operators.test_first_kernel import call, use

pytestmark = pytest.mark.thorough

MAIN = """
#include <cstdio>

int main() {
    static float values[COUNT];
    FILE *file = fopen("x.bin", "rb");
    if (file == nullptr || fread(values, sizeof(float), COUNT, file) != COUNT) return 1;
    float *x, *y;
    cudaMalloc(&x, sizeof(values));
    cudaMalloc(&y, sizeof(values));
    cudaMemcpy(x, values, sizeof(values), cudaMemcpyHostToDevice);
    model(y, x, ROWS, COLUMNS);
    cudaMemcpy(values, y, sizeof(values), cudaMemcpyDeviceToHost);
    file = fopen("y.bin", "wb");
    return fwrite(values, sizeof(float), COUNT, file) == COUNT ? 0 : 1;
}
"""
JOINED = """
#include <cstdio>

static float *filled(int count, float first) {
    float *there, here[200];
    cudaMalloc(&there, count * sizeof(float));
    for (int at = 0; at < count; ++at) here[at] = first + at;
    cudaMemcpy(there, here, count * sizeof(float), cudaMemcpyHostToDevice);
    return there;
}

int main() {
    const int sizes[][3] = {{6, 5, 8}, {3, 9, 8}, {1, 4, 5}, {0, 4, 8}, {2, 0, 7}, {0, 0, 8}};
    for (const int *size : sizes) {
        const int first = size[0] * size[2], count = first + size[1] * size[2];
        float *y = filled(count, 0.0f), got[200];
        model(y, size[0] ? filled(first, 1.0f) : nullptr, size[1] ? filled(count - first, -100.0f) : nullptr, size[2], size[0], size[1]);
        cudaMemcpy(got, y, count * sizeof(float), cudaMemcpyDeviceToHost);
        for (int at = 0; at < count; ++at)
            if (got[at] != (at < first ? 1.0f + at : -100.0f + (at - first))) return 2;
    }
}
"""


def normalized(emulator: Emulator, folder: Path, dim: int, rows: int, columns: int, x: array[float]) -> array[float]:
    """``(x - mean) / (var + 1e-5).sqrt()`` along a dimension, as the kernel that rules write leaves it."""
    one = (1, 40) if dim == 0 else (6, 1)
    calls = (
        call("mean", "reduction", use(1, one), use(0), (dim,), True),
        call("sub", "pointwise", use(2), use(0), use(1, one)),
        call("var", "reduction", use(3, one), use(0), (dim,), True, correction=0),
        call("add", "pointwise", use(4, one), use(3, one), 1e-5),
        call("sqrt", "pointwise", use(5, one), use(4, one)),
        call("div", "pointwise", use(6), use(2), use(5, one)),
    )
    kernel = first_kernel(Graph((use(0),), (), calls, (use(6),)), "Model", ("x",))
    assert isinstance(kernel, FirstKernel)
    sizes = {"COUNT": rows * columns, "ROWS": rows, "COLUMNS": columns}
    text = kernel.text + "".join(f"#define {name} {value}\n" for name, value in sizes.items()) + MAIN
    source = folder / "model.cu"
    built = emulator.reply(
        {"op": "build", "sources": [[str(source), text]], "cache_dir": str(kept_emulator()), "flavour": "checked", "kernels": []}
    )
    assert built.get("binary"), built
    (folder / "x.bin").write_bytes(x.tobytes())
    ran = emulator.reply({"op": "run", "binary": built["binary"], "cwd": str(folder), "args": [], "mode": "check", "device_fill": 255})
    assert (ran["exit_status"], ran["problems"]) == (0, []), ran
    return array("f", (folder / "y.bin").read_bytes())


@pytest.mark.parametrize(
    ("dim", "rows", "columns"),
    [(1, 2, 17_000), (1, 3, 16_387), (1, 3, 402), (0, 1024, 68), (0, 520, 33), (0, 61, 20)],
    ids=["shared rows", "shared rows one by one", "kept rows", "shared columns", "columns one by one", "kept columns"],
)
def test_values_keep_their_digits_beside_a_large_mean(tmp_path: Path, dim: int, rows: int, columns: int) -> None:
    draw = random.Random(7)
    x = array("f", (1e4 + draw.gauss(0.0, 1.0) for _ in range(rows * columns)))
    (tmp_path / "runs").mkdir()
    y = normalized(Emulator(os.environ, tmp_path / "runs"), tmp_path, dim, rows, columns, x)
    lines = [range(row * columns, (row + 1) * columns) for row in range(rows)]
    for places in lines if dim == 1 else [range(column, rows * columns, columns) for column in range(columns)]:
        mean = math.fsum(x[at] for at in places) / len(places)
        deviation = math.sqrt(math.fsum((x[at] - mean) ** 2 for at in places) / len(places) + 1e-5)
        offset = math.fsum(y[at] for at in places) / len(places)
        assert abs(offset) < 5e-3, "the mean itself is a float, of which one step is 0.001 there"
        assert max(abs(y[at] - offset - (x[at] - mean) / deviation) for at in places) < 2e-5


def test_a_batch_that_is_joined_may_be_of_another_length_and_empty(tmp_path: Path) -> None:
    """Which arrays hold nothing is not read: their addresses are none."""
    parts = (use(0, (6, 8)), use(1, (5, 8)))
    joined = call("cat", "other", use(2, (11, 8)), parts, 0)
    kernel = first_kernel(Graph(parts, (), (joined,), (use(2, (11, 8)),)), "Model", ("a", "x"))
    assert isinstance(kernel, FirstKernel) and "void model(float* y, const float* a, const float* x, int m, int n2, int m2)" in kernel.text
    (tmp_path / "runs").mkdir()
    emulator = Emulator(os.environ, tmp_path / "runs")
    sources = [[str(tmp_path / "model.cu"), kernel.text + JOINED]]
    built = emulator.reply({"op": "build", "sources": sources, "cache_dir": str(kept_emulator()), "flavour": "checked", "kernels": []})
    assert built.get("binary"), built
    ran = emulator.reply({"op": "run", "binary": built["binary"], "cwd": str(tmp_path), "args": [], "mode": "check", "device_fill": 255})
    assert (ran["exit_status"], ran["problems"]) == (0, []), ran
