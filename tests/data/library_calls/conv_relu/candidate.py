import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor conv_relu_scale(torch::Tensor x, torch::Tensor w, c10::optional<torch::Tensor> bias, torch::Tensor scale, int stride, int padding);"""

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <vector>

__global__ void relu_scale(float* y, const float* scale, int channels, int plane, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) y[i] = (y[i] < 0.f ? 0.f : y[i]) * scale[(i / plane) % channels];
}

torch::Tensor conv_relu_scale(torch::Tensor x, torch::Tensor w, c10::optional<torch::Tensor> bias, torch::Tensor scale, int stride, int padding) {
    auto y = at::conv2d(x, w, bias, {stride, stride}, {padding, padding}, {1, 1}, 1).contiguous();
    if (y.numel() == 0) return y;
    auto sizes = y.sizes();
    relu_scale<<<(y.numel() + 255) / 256, 256>>>(y.data_ptr<float>(), scale.data_ptr<float>(), sizes[1], sizes[2] * sizes[3], y.numel());
    return y;
}
"""

ops = load_inline(name="conv_relu", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["conv_relu_scale"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 3, stride=2, padding=1)
        self.scale = nn.Parameter(torch.rand(o, 1, 1))

    def forward(self, x):
        return ops.conv_relu_scale(x, self.conv.weight, self.conv.bias, self.scale, 2, 1)
