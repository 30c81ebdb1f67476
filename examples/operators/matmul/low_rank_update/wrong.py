"""The narrow product is summed into memory that is never set to zero."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

__global__ void down_kernel(float* narrow, const float* x, const float* down, int width, int rank) {
    const int row = blockIdx.x;
    for (int r = 0; r < rank; ++r) {
        float sum = 0.0f;
        for (int i = threadIdx.x; i < width; i += blockDim.x) sum += x[row * width + i] * down[i * rank + r];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (threadIdx.x % 32 == 0) atomicAdd(&narrow[row * rank + r], sum);
    }
}

__global__ void up_kernel(float* y, const float* x, const float* narrow, const float* up, int width, int rank, float alpha) {
    const int row = blockIdx.x;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float sum = 0.0f;
        for (int r = 0; r < rank; ++r) sum += narrow[row * rank + r] * up[r * width + i];
        y[row * width + i] = x[row * width + i] + alpha * sum;
    }
}

torch::Tensor low_rank(torch::Tensor x, torch::Tensor down, torch::Tensor up, float alpha) {
    x = x.contiguous();
    const int rows = x.size(0), width = x.size(1), rank = down.size(1);
    auto narrow = torch::empty({rows, rank}, x.options());
    auto y = torch::empty_like(x);
    if (rows > 0) {
        down_kernel<<<rows, 64>>>(narrow.data_ptr<float>(), x.data_ptr<float>(), down.data_ptr<float>(), width, rank);
        up_kernel<<<rows, 64>>>(y.data_ptr<float>(), x.data_ptr<float>(), narrow.data_ptr<float>(), up.data_ptr<float>(), width, rank, alpha);
    }
    return y;
}
"""

extension = load_inline(
    name="low_rank",
    cpp_sources="torch::Tensor low_rank(torch::Tensor x, torch::Tensor down, torch::Tensor up, float alpha);",
    cuda_sources=CUDA,
    functions=["low_rank"],
)


class ModelNew(nn.Module):
    def __init__(self, width: int, rank: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.down = nn.Parameter(torch.empty(width, rank))
        self.up = nn.Parameter(torch.empty(rank, width))
        self.alpha = alpha

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.low_rank(x, self.down, self.up, self.alpha)
