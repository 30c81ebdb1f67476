"""Results of blocks: a block size that a program names is changed, and with it which part of a sum each block leaves for the host."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, ScriptedModel, asked_by, outcomes, plan, step

DOT = """\
#include <cstdio>
#include <vector>

#define THREADS 256

__global__ void dot(const float *a, const float *b, float *partial, int n)
{
    __shared__ float cache[THREADS];
    float sum = 0.0f;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int i = blockDim.x / 2; i != 0; i /= 2) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

int main()
{
    const int n = 20000, blocks = 16;
    std::vector<float> a(n), b(n), partial(blocks);
    for (int i = 0; i < n; ++i) a[i] = i % 13 + 1, b[i] = (i % 5 + 1) * 0.5f;
    float *d_a, *d_b, *d_partial;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_b, n * sizeof(float));
    cudaMalloc(&d_partial, blocks * sizeof(float));
    cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dot<<<blocks, THREADS>>>(d_a, d_b, d_partial, n);
    cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    float c = 0;
    for (int i = 0; i < blocks; i++) c += partial[i];
    printf("dot = %.0f\\n", c);
    return 0;
}
"""
SMALLER = DOT.replace("THREADS 256", "THREADS 128")
SMALL = DOT.replace("n = 20000, blocks = 16", "n = 100, blocks = (n + THREADS - 1) / THREADS").replace("i < n; i +=", "i < n; i += n + ")


ROWS = """\
#include <cstdio>
#include <vector>

#define THREADS 256

__global__ void row_sums(const float *in, float *sums, int columns)
{
    __shared__ float cache[THREADS];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[blockIdx.x * columns + i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int i = blockDim.x / 2; i != 0; i /= 2) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = cache[0];
}

int main()
{
    const int rows = 16, columns = 600;
    std::vector<float> in(rows * columns), sums(rows);
    for (int i = 0; i < rows * columns; ++i) in[i] = i % 13 + 1;
    float *d_in, *d_sums;
    cudaMalloc(&d_in, rows * columns * sizeof(float));
    cudaMalloc(&d_sums, rows * sizeof(float));
    cudaMemcpy(d_in, in.data(), rows * columns * sizeof(float), cudaMemcpyHostToDevice);
    row_sums<<<rows, THREADS>>>(d_in, d_sums, columns);
    cudaMemcpy(sums.data(), d_sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
    float checksum = 0;
    for (int i = 0; i < rows; i++) checksum += sums[i];
    printf("checksum = %.0f\\n", checksum);
    return 0;
}
"""
"""Results of blocks that are no parts of a sum, though the program prints nothing but theirs."""
FEWER_THREADS = ROWS.replace("THREADS 256", "THREADS 128")
TWO_ROWS = (
    ROWS.replace("<<<rows,", "<<<rows / 2,")
    .replace("    float sum = 0.0f;\n", "    for (int row = 0; row < 2; ++row) {\n    float sum = 0.0f;\n")
    .replace("in[blockIdx.x * columns + i]", "in[(2 * blockIdx.x + row) * columns + i]")
    .replace("sums[blockIdx.x] = cache[0];", "sums[2 * blockIdx.x + ORDER] = cache[0];\n    __syncthreads();\n    }")
)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        pytest.param(ROWS, FEWER_THREADS, "PASS", id="rows"),
        pytest.param(ROWS, FEWER_THREADS.replace("sums[blockIdx.x]", "sums[gridDim.x - 1 - blockIdx.x]"), "FAIL", id="rows turned round"),
        pytest.param(ROWS, TWO_ROWS.replace("ORDER", "row"), "PASS", id="two rows a block", marks=pytest.mark.thorough),
        pytest.param(ROWS, TWO_ROWS.replace("ORDER", "1 - row"), "FAIL", id="two rows exchanged"),
        (DOT, SMALLER, "PASS"),
        (DOT, SMALLER.replace("i < n; i +=", "i < n - 1; i +="), "FAIL"),
        (DOT, SMALLER.replace("i != 0", "i != 1"), "FAIL"),
        pytest.param(SMALL, SMALL.replace("THREADS 256", "THREADS 128"), "PASS", marks=pytest.mark.thorough, id="one block"),
    ],
)
def test_another_block_size_may_leave_other_partial_sums_of_the_same_sum(cli: Cli, before: str, after: str, outcome: str) -> None:
    ended = cli.run("compare", cli.write("a.cu", before), cli.write("b.cu", after), "--json")
    verification = ended.one("comparison")["verification"]
    assert verification["outcome"] == outcome, verification["findings"]
    assert verification["labels"] == []
    if outcome == "PASS" and before is DOT:
        assert any("each leaves a part of partial" in missing for missing in verification["missing_checks"])


TWO = """\
#include <cstdio>
#include <vector>

__global__ void scale(float *v, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] * by + 1.0f;
}

__global__ void turn(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

int main()
{
    const int n = 128;
    std::vector<float> host(n * n);
    for (int i = 0; i < n * n; ++i) host[i] = i % 101;
    float *in, *out;
    cudaMalloc(&in, n * n * sizeof(float));
    cudaMalloc(&out, n * n * sizeof(float));
    cudaMemcpy(in, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<n * n / 256, 256>>>(in, 3.0f, n * n);
    turn<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
    cudaMemcpy(host.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += host[i] * (i % 7);
    printf("%.1f\\n", sum);
    return 0;
}
"""
TILED = """\
__global__ void turn(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x] + ADDED;
    __syncthreads();
    int ox = blockIdx.y * 32 + threadIdx.x;
    int oy = blockIdx.x * 32 + threadIdx.y;
    if (ox < n && oy < n) out[oy * n + ox] = tile[threadIdx.x][threadIdx.y];
}
"""
SCALED = """\
__global__ void scale(float *v, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] * by;
}
"""
HEADER = '{"summary": "Add while turning.", "launches": [], "includes": [], "assumptions": [], "risks": []}'


@pytest.mark.thorough
@pytest.mark.parametrize(("added", "outcome"), [("1.0f", "kept"), ("2.0f", "failed")])
def test_a_search_judges_work_that_moves_to_another_kernel_as_a_comparison_does(cli: Cli, added: str, outcome: str) -> None:
    answer = f"{HEADER}\n\n```cuda part=kernel\n{TILED.replace('ADDED', added)}```\n\n```cuda part=scale\n{SCALED}```\n"
    model = ScriptedModel([plan(step("move-sum", 11, "KO101")), plan()], [answer])
    with asked_by(cli, model, search=ONE_VARIANT | {"repairs": 0}):
        path = cli.write("two.cu", TWO)
        options = ("--kernel", "turn", "--planner", "llm", "--json", "--accept", "none", "--allow", "host,assumption")
        ended = cli.run("optimize", path, *options, deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    assert outcomes(ended)[:1] == [outcome], ended.all("candidate")
    if outcome == "kept":
        verification = ended.one("proposal")["verification"]
        assert verification["outcome"] == "NEEDS_DECISION"
        assert "moved_work" in {finding["code"] for finding in verification["findings"]}
