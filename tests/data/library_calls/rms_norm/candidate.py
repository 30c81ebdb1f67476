import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor rms_norm_cuda(torch::Tensor x, torch::Tensor weight, double eps);"""

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void scale_kernel(const float* x, const float* inv, const float* w, float* y, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) y[i] = x[i] * inv[i / cols] * w[i % cols];
}

torch::Tensor rms_norm_cuda(torch::Tensor x, torch::Tensor weight, double eps) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    auto xc = x.contiguous();
    auto inv = torch::rsqrt(xc.pow(2).mean(-1, true) + eps);
    auto y = torch::empty_like(xc);
    int rows = xc.size(0), cols = xc.size(1);
    if (rows > 0)
        scale_kernel<<<(rows * cols + 255) / 256, 256>>>(xc.data_ptr<float>(), inv.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
    return y;
}
"""

ops = load_inline(name="rms_norm", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["rms_norm_cuda"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width))

    def forward(self, x):
        return ops.rms_norm_cuda(x, self.weight, 1e-6)
