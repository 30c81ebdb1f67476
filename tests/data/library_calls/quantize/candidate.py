import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor fake_quant(torch::Tensor x, torch::Tensor bias);"""

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void quant(const float* x, float* y, float scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = rintf(x[i] / scale) * scale;
}

torch::Tensor fake_quant(torch::Tensor x, torch::Tensor bias) {
    x = x.contiguous();
    float scale = x.abs().max().item<float>() / 127.0f;
    auto y = torch::empty(x.sizes(), x.options());
    quant<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), scale, x.numel());
    y.add_(bias);
    return y;
}
"""

ops = load_inline(name="quantize", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["fake_quant"], verbose=False)


class ModelNew(nn.Module):
    def forward(self, x, bias):
        return ops.fake_quant(x, bias)
