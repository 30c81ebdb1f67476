"""A block for each token: sums of squares go through shared memory."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

constexpr int THREADS = 64;

__global__ void rms_norm(float* y, float* total, const float* x, const float* residual, const float* weight, int width, float epsilon) {
    __shared__ float partial[THREADS];
    const int start = blockIdx.x * width;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < width; i += THREADS) {
        const float sum = x[start + i] + residual[start + i];
        total[start + i] = sum;
        squares += sum * sum;
    }
    partial[threadIdx.x] = squares;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    const float scale = rsqrtf(partial[0] / width + epsilon);
    for (int i = threadIdx.x; i < width; i += THREADS) y[start + i] = total[start + i] * scale * weight[i];
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor residual, torch::Tensor weight, double epsilon) {
    x = x.contiguous();
    residual = residual.contiguous();
    auto y = torch::empty_like(x);
    auto total = torch::empty_like(x);
    if (x.size(0) > 0) {
        rms_norm<<<x.size(0), THREADS>>>(y.data_ptr<float>(), total.data_ptr<float>(), x.data_ptr<float>(),
                                         residual.data_ptr<float>(), weight.data_ptr<float>(), x.size(1), epsilon);
    }
    return {y, total};
}
"""

CPP = "std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor residual, torch::Tensor weight, double epsilon);"
extension = load_inline("rms_norm_residual", CPP, CUDA, functions=["forward"])


class ModelNew(nn.Module):
    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.epsilon = epsilon

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y, total = extension.forward(x, residual, self.weight, self.epsilon)
        return y, total
