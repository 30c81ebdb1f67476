"""The matrix product, which is nearly all of the work, is PyTorch's; only ReLU is a kernel."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

__global__ void relu_kernel(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fmaxf(x[i], 0.0f);
}

torch::Tensor relu_(torch::Tensor x) {
    int n = x.numel();
    if (n > 0) relu_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), n);
    return x;
}
"""

extension = load_inline("relu_in_place", "torch::Tensor relu_(torch::Tensor x);", CUDA, functions=["relu_"])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super(ModelNew, self).__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return extension.relu_(self.linear(x))
