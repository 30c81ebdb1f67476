"""A header that two programs use, with launches of other shapes: an edit that is right in the one may be wrong in the other."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.cli.harness import Cli

__all__ = ["ONLY_SQUARE", "TURN", "write_project"]

TURN = """#pragma once
__global__ void turn(float* out, const float* in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
"""
_MAIN = """#include <cstdio>
#include "turn.cuh"
int main() {
    const int n = 96;
    float *a, *b, h[n * n];
    cudaMalloc(&a, n * n * 4); cudaMalloc(&b, n * n * 4);
    for (int i = 0; i < n * n; i++) h[i] = i % 97;
    cudaMemcpy(a, h, n * n * 4, cudaMemcpyHostToDevice);
    turn<<<LAUNCH>>>(b, a, n);
    cudaMemcpy(h, b, n * n * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n * n; i++) s += h[i] * (i % 7);
    printf("%g\\n", s);
}
"""
ONLY_SQUARE = TURN.replace("out[x * n + y] = in", "out[(blockIdx.x * blockDim.y + threadIdx.x) * n + y] = in")
"""Right for square blocks alone."""


def write_project(cli: Cli, settings: str) -> Path:
    """The header's path; of both programs, the one with square blocks is chosen."""
    cli.write("kernelopt.toml", settings)
    cli.write(
        "square.cu",
        _MAIN.replace("LAUNCH", "dim3(n / 16, n / 16), dim3(16, 16)")
        .replace("n = 96", "n = 256")
        .replace("h[n * n]", "*h = new float[n * n]"),
    )
    cli.write("wide.cu", _MAIN.replace("LAUNCH", "dim3(n / 16, n / 4), dim3(16, 4)"))
    header = cli.write("turn.cuh", TURN)
    assert cli.run("program", header, "--use", "square.cu").code == 0
    return header
