"""Types that a program calls by names of its own: its sizes are known, and tried, as if it said `int`."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli
from tests.thorough import only

TYPES = "#pragma once\n#include <cstdint>\ntypedef std::int32_t idx;\nusing real = float;\n"
PROGRAM = """\
#include "types.h"
#include <cstdio>
#include <vector>
WORDS __global__ void grow(idx n, real *y, const real *x) {
    idx i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
int main() {
    const idx n = 1000;
    std::vector<real> host(n, 3.0f);
    real *x, *y;
    cudaMalloc(&x, n * sizeof(real));
    cudaMalloc(&y, n * sizeof(real));
    cudaMemcpy(x, host.data(), n * sizeof(real), cudaMemcpyHostToDevice);
    grow<<<(n + 127) / 128, 128>>>(n, y, x);
    cudaMemcpy(host.data(), y, n * sizeof(real), cudaMemcpyDeviceToHost);
    printf("%g\\n", host[999]);
}
"""


@pytest.mark.parametrize("words", only([""], ["", 'extern "C"']))
def test_a_size_of_a_named_type_is_known_and_other_sizes_are_tried(cli: Cli, words: str) -> None:
    cli.write("types.h", TYPES)
    before = cli.write("grow.cu", PROGRAM.replace("WORDS", words))
    after = cli.write("edit.cu", PROGRAM.replace("WORDS", words).replace("2.0f * x[i]", "x[i] + x[i]"))
    ended = cli.run("compare", before, after)
    assert "PASS" in ended.said and "at the program's own sizes" not in ended.said, ended.said
    assert "resized" in ended.said and "gridDim" not in ended.said, ended.said
    assert "those tried in addition (n=" in ended.said, ended.said
