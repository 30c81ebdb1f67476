import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor masked(torch::Tensor s);"""

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
using namespace torch::indexing;
__global__ void add_mask(float* s, const bool* m, int nn, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total && m[i % nn]) s[i] = 0.25f;
}
torch::Tensor masked(torch::Tensor s) {
    auto f = s.to(torch::kFloat32).contiguous().clone();
    int64_t n = f.size(-1);
    auto mask = torch::triu(torch::ones({n, n}, f.options()), 1).to(torch::kBool);
    if (f.numel()) add_mask<<<(f.numel() + 31) / 32, 32>>>(f.data_ptr<float>(), mask.data_ptr<bool>(), n * n, f.numel());
    namespace F = torch::nn::functional;
    auto p = F::log_softmax(f, F::LogSoftmaxFuncOptions(-1));
    return p.index({Slice(), Slice(0, n)}).sum({1, 2});
}
"""

ops = load_inline(name="mask_options", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["masked"], verbose=False)


class ModelNew(nn.Module):
    def forward(self, s):
        return ops.masked(s)
