import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor standardize(const torch::Tensor& x);"""

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void standardize_kernel(const float* x, const float* mean, const float* var, float* out, int n, int d) {
    int row = blockIdx.x;
    for (int j = threadIdx.x; j < d; j += blockDim.x)
        out[row * d + j] = (x[row * d + j] - mean[row]) * rsqrtf(var[row] + 1e-5f);
}

torch::Tensor standardize(const torch::Tensor& x_) {
    torch::Tensor x = x_.is_contiguous() ? x_ : x_.contiguous();
    auto mean = x.sum(1) / (double)x.size(1);
    auto centered = x - mean.unsqueeze(1);
    auto var = (centered * centered).sum({1}) / x.size(1);
    auto out = torch::zeros({x.size(0), x.size(1)}, torch::dtype(torch::kFloat32).device(torch::kCUDA));
    if (x.size(0)) standardize_kernel<<<x.size(0), 32>>>(x.data_ptr<float>(), mean.data_ptr<float>(), var.data_ptr<float>(), out.data_ptr<float>(), x.size(0), x.size(1));
    return out;
}
"""

ops = load_inline(name="standardize", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["standardize"], verbose=False)


class ModelNew(nn.Module):
    def forward(self, x):
        return ops.standardize(x)
