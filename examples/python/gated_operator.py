"""A gated unit of PyTorch: the first kernel that rules write for it, then a kernel of one's own with its gradients, right and wrong."""

import torch
from torch.nn import functional

import kernelopt


class Gated(torch.nn.Module):
    """``silu(left half) * right half``."""

    def forward(self, x):
        gate, value = x.chunk(2, dim=-1)
        return functional.silu(gate) * value


OWN = """
/* kernelopt
[operator]
launcher = "gated"
inputs   = { x = ["n", "m"] }
outputs  = { y = ["n", "m / 2"] }
args     = ["y", "x", "n", "m / 2"]
[operator.backward]
launcher = "gated_backward"
args     = ["grad_x", "grad_y", "x", "n", "m / 2"]
*/
#include <math.h>

__global__ void gated_of(float *y, const float *x, int n, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * half) return;
    float gate = x[i / half * 2 * half + i % half], value = x[i / half * 2 * half + half + i % half];
    y[i] = gate / (1.0f + expf(-gate)) * value;
}

__global__ void gradient_of(float *grad_x, const float *grad_y, const float *x, int n, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * half) return;
    int at = i / half * 2 * half + i % half;
    float gate = x[at], value = x[at + half], share = 1.0f / (1.0f + expf(-gate));
    grad_x[at] = grad_y[i] * value * share * (1.0f + gate * (1.0f - share));
    grad_x[at + half] = grad_y[i] * gate * share;
}

void gated(float *y, const float *x, int n, int half)
{
    if (n * half > 0) gated_of<<<(n * half + 127) / 128, 128>>>(y, x, n, half);
}

void gated_backward(float *grad_x, const float *grad_y, const float *x, int n, int half)
{
    if (n * half > 0) gradient_of<<<(n * half + 127) / 128, 128>>>(grad_x, grad_y, x, n, half);
}
"""

operator = kernelopt.operator(Gated, [torch.randn(6, 48)])
written = operator.optimize(rounds=1)
print(f"written by rules: {written.comparison.verification}")
right = operator.check(OWN, backward=True)
print(f"own, with its gradients: {right.verification}")
wrong = operator.check(OWN.replace("(1.0f + gate * (1.0f - share))", "(1.0f + gate)"), backward=True)
print(f"own, with a wrong gradient: {wrong.verification}", *(finding.message for finding in wrong.findings), sep="\n  ")
