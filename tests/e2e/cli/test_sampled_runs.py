"""A program of real size that the emulator cannot run in its time is profiled all the same, and says what was counted."""

from __future__ import annotations

import re

import pytest

from tests.e2e.cli.harness import Cli

MATMUL = """\
#include <cstdio>
#include <cstdlib>
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float s = 0;
        for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
        c[row * n + col] = s;
    }
}
int main() {
    const int n = 1536;
    float *h = (float *)malloc(n * n * 4), *a, *b, *c;
    for (int i = 0; i < n * n; i++) h[i] = i % 13;
    cudaMalloc(&a, n * n * 4); cudaMalloc(&b, n * n * 4); cudaMalloc(&c, n * n * 4);
    cudaMemcpy(a, h, n * n * 4, cudaMemcpyHostToDevice); cudaMemcpy(b, h, n * n * 4, cudaMemcpyHostToDevice);
    matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(h, c, n * n * 4, cudaMemcpyDeviceToHost);
    printf("c[7] = %f\\n", h[7]);
}
"""


def test_what_takes_too_long_is_counted_in_part_and_named(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("matmul.cu", MATMUL), "--timeout", "6", "--json")
    assert ended.code == 0, ended.said
    said = [message["message"] for message in ended.all("message")]
    assert any(re.search(r"counted on [\d,]+ of 9,216 blocks; scaled, so estimated", message) for message in said), said
    assert "what the program computes and prints in such a run is not right and is not shown" in said
    assert not any("the program printed" in message for message in said)
    profile = ended.one("profile")
    assert sum(line["sectors"] for line in profile["lines"]) == 1536**3 // 8 + 1536**2 // 8, "what all blocks would have shown"
    assert {line["grade"] for line in profile["lines"]} == {"estimated"}


@pytest.mark.thorough
def test_whoever_asks_for_every_block_is_told_that_they_take_too_long(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("matmul.cu", MATMUL), "--timeout", "3", "--count", "all", "--json")
    assert not any("scaled, so estimated" in message["message"] for message in ended.all("message"))
