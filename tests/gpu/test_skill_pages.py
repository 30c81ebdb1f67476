"""Examples of skills' pages for Hopper, run against sums and tables on the host: at sizes with tails, and twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.shipped import shipped_prompts
from tests.gpu.pages import BLOCK, run_example

HEAD = """
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
static float *uploaded(const std::vector<float> &values)
{
    float *p;
    cudaMalloc(&p, values.size() * sizeof(float));
    cudaMemcpy(p, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return p;
}
static std::vector<float> made(size_t count)
{
    std::vector<float> values(count);
    for (size_t i = 0; i < count; i++) values[i] = ((int)(i * 37 % 101) - 50) / 64.0f;
    return values;
}
static void compare(float found, double expected, double allowed, const char *what, int at)
{
    if (!(fabs(found - expected) <= allowed)) { printf("%s %d: %g, expected %g\\n", what, at, found, expected); exit(1); }
}
static void downloaded(std::vector<float> &values, const float *p)
{
    if (cudaMemcpy(values.data(), p, values.size() * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("failed: %s\\n", cudaGetErrorString(cudaGetLastError()));
        exit(2);
    }
}
"""
PERSISTENT = """
int main()
{
    for (int n : {1, 1023, 1024, 5000001}) {
        std::vector<float> table = made(4096), y(n);
        std::vector<unsigned short> x(n);
        for (int i = 0; i < n; i++) x[i] = (unsigned short)(i * 7919u);
        unsigned short *dx;
        int *next;
        cudaMalloc(&dx, n * sizeof(unsigned short));
        cudaMalloc(&next, sizeof(int));
        cudaMemcpy(dx, x.data(), n * sizeof(unsigned short), cudaMemcpyHostToDevice);
        float *dy = uploaded(y), *dt = uploaded(table);
        for (int again = 0; again < 2; again++) {
            cudaMemset(dy, 255, n * sizeof(float));
            launch(dy, dx, dt, n, next);
            downloaded(y, dy);
            for (int i = 0; i < n; i++) compare(y[i], table[x[i] & 4095], 0, "y", i);
        }
    }
}
"""
CLUSTERS = """
int main()
{
    const int rows = 37;
    for (int columns : {1, 255, 2048, 100003}) {
        std::vector<float> in = made((size_t)rows * columns), sums(rows);
        float *din = uploaded(in), *ds = uploaded(sums);
        for (int again = 0; again < 2; again++) {
            cudaMemset(ds, 255, rows * sizeof(float));
            row_sums<<<rows * 8, 256>>>(ds, din, columns);
            downloaded(sums, ds);
            for (int r = 0; r < rows; r++) {
                double expected = 0;
                for (int i = 0; i < columns; i++) expected += in[(size_t)r * columns + i];
                compare(sums[r], expected, 1e-6 * columns, "row", r);
            }
        }
    }
}
"""
SPECIALIZED = """
int main()
{
    const int blocks = 300;
    for (int per_block : {4, 2044, 2048, 2052, 40960, 100004}) {
        std::vector<float> in = made((size_t)blocks * per_block), sums(blocks);
        float *din = uploaded(in), *ds = uploaded(sums);
        for (int again = 0; again < 2; again++) {
            cudaMemset(ds, 0, blocks * sizeof(float));
            special_sums<<<blocks, 288>>>(ds, din, per_block);
            downloaded(sums, ds);
            for (int b = 0; b < blocks; b++) {
                double expected = 0;
                for (int i = 0; i < per_block; i++) expected += in[(size_t)b * per_block + i];
                compare(sums[b], expected, 1e-6 * per_block, "block", b);
            }
        }
    }
}
"""
PAGES = [("persistent-blocks", PERSISTENT), ("thread-block-clusters", CLUSTERS), ("warp-specialization", SPECIALIZED)]


@pytest.mark.parametrize(("page", "main"), PAGES, ids=[page for page, _ in PAGES])
def test_an_example_computes_what_it_says(page: str, main: str, nvcc: str, architecture: str, tmp_path: Path) -> None:
    if architecture != "sm_90":
        pytest.skip(f"the pages are for sm_90, and this is {architecture}")
    code = "\n".join(BLOCK.findall((shipped_prompts() / "skills" / "references" / f"{page}.md").read_text("utf-8")))
    run_example(code + HEAD + main, "90a", nvcc, tmp_path)
