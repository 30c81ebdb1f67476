"""Softmax of PyTorch as a task: what a call consists of, and two CUDA kernels in its place, one right and one wrong."""

from pathlib import Path

import torch

import kernelopt

RIGHT = """
/* kernelopt
[operator]
launcher = "row_softmax"
inputs   = { x = ["n", "m"] }
outputs  = { y = ["n", "m"] }
args     = ["y", "x", "n", "m"]
*/
#include <math.h>

// One warp for each row; the largest element is taken off first, so that no exponential overflows.
__global__ void softmax_of_row(float *y, const float *x, int m)
{
    const float *row = x + (long long)blockIdx.x * m;
    float largest = -INFINITY, sum = 0.0f;
    for (int i = threadIdx.x; i < m; i += 32) largest = fmaxf(largest, row[i]);
    for (int away = 16; away > 0; away /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, away));
    for (int i = threadIdx.x; i < m; i += 32) sum += expf(row[i] - largest);
    for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffff, sum, away);
    for (int i = threadIdx.x; i < m; i += 32) y[(long long)blockIdx.x * m + i] = expf(row[i] - largest) / sum;
}

void row_softmax(float *y, const float *x, int n, int m)
{
    if (n > 0 && m > 0) softmax_of_row<<<n, 32>>>(y, x, m);
}
"""
WRONG = RIGHT.replace("away = 16; away > 0; away /= 2) sum", "away = 8; away > 0; away /= 2) sum")
"""Half of the warp's lanes are left out of the sum."""

softmax = kernelopt.operator(torch.nn.Softmax(-1), [torch.randn(6, 70)])
print(softmax.profile())
for name, text in (("right", RIGHT), ("wrong", WRONG)):
    found = softmax.check(text)
    print(f"{name}: {found.verification}", *(finding.message for finding in found.findings), sep="\n  ")
print(softmax.check(Path(__file__).with_name("softmax_new.py")))
