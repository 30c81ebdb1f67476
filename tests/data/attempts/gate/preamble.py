import torch
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

__global__ void gate(float* y, const float* x, const float* scale, int columns, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = tanhf(x[i] * scale[i % columns]) + x[i];
}

torch::Tensor gate_of(torch::Tensor x, torch::Tensor scale) {
    auto in = x.contiguous();
    auto y = torch::empty_like(in);
    int count = in.numel(), columns = scale.numel();
    if (count > 0)
        gate<<<(count + 127) / 128, 128>>>(y.data_ptr<float>(), in.data_ptr<float>(), scale.data_ptr<float>(), columns, count);
    return y;
}
"""

extension = load_inline(
    name="gate", cpp_sources="torch::Tensor gate_of(torch::Tensor x, torch::Tensor scale);", cuda_sources=CUDA, functions=["gate_of"]
)


class Gate(torch.nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(columns) + 0.5)

    def forward(self, x):
        return extension.gate_of(x, self.scale)
