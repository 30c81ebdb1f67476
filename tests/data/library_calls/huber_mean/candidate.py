import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor huber(torch::Tensor p, torch::Tensor t);"""

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void huber_kernel(const float* p, const float* t, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float d = fabsf(p[i] - t[i]); out[i] = d < 1.f ? 0.5f * d * d : d - 0.5f; }
}

torch::Tensor huber(torch::Tensor p, torch::Tensor t) {
    p = p.contiguous(); t = t.contiguous();
    auto losses = torch::empty_like(p);
    int n = p.numel();
    if (n) huber_kernel<<<(n + 255) / 256, 256>>>(p.data_ptr<float>(), t.data_ptr<float>(), losses.data_ptr<float>(), n);
    return losses.mean();
}
"""

ops = load_inline(name="huber_mean", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["huber"], verbose=False)


class ModelNew(nn.Module):
    def forward(self, p, t):
        return ops.huber(p, t)
