import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = """
#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>
#include <tuple>

__global__ void relu_inplace(float* x, long n) {
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) x[i] = x[i] > 0.f || x[i] != x[i] ? x[i] : 0.f;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> forward(at::Tensor x, at::Tensor w) {
    TORCH_CHECK(x.scalar_type() == at::kFloat, "float only");
    const at::cuda::OptionalCUDAGuard guard(device_of(x));
    at::Tensor y = at::empty({x.size(0), w.size(1)}, x.options());
    at::mm_out(y, x, w);
    if (y.numel() > 0) relu_inplace<<<4, 64>>>(y.data_ptr<float>(), y.numel());
    auto c = torch::tensor({0.5f, 2.0f}, x.options());
    std::vector<at::Tensor> parts;
    parts.push_back(y * c[0]);
    parts.push_back(y.sqrt() * c[1].item<float>());
    at::Tensor count = (y > 0.5).sum({1});
    at::Tensor deviation = std::get<0>(at::std_mean(y, 1, /*unbiased=*/true));
    at::Tensor joined = at::stack(parts, 1);
    joined += 0.0;
    return std::make_tuple(joined, count, deviation);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, "forward"); }
"""

ext = load_inline(name="mixed", cpp_sources="", cuda_sources=cuda_src)


class ModelNew(nn.Module):
    def forward(self, x, w):
        return ext.forward(x, w)
