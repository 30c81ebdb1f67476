"""One thread for each element, for float and double."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

cpp_source = "torch::Tensor mix(torch::Tensor a, torch::Tensor b, torch::Tensor gate);"

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

template <typename scalar_t>
__global__ void mix_kernel(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b, const scalar_t* __restrict__ gate,
                           scalar_t* __restrict__ out, int64_t size) {
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < size) {
        const scalar_t w = scalar_t(1) / (scalar_t(1) + exp(-gate[i]));
        const scalar_t held = a[i] < scalar_t(-1) ? scalar_t(-1) : a[i] > scalar_t(1) ? scalar_t(1) : a[i];
        out[i] = w * held + (scalar_t(1) - w) * b[i];
    }
}

torch::Tensor mix(torch::Tensor a, torch::Tensor b, torch::Tensor gate) {
    TORCH_CHECK(a.sizes() == b.sizes() && a.sizes() == gate.sizes(), "a, b and gate must have one shape");
    a = a.contiguous();
    b = b.contiguous();
    gate = gate.contiguous();
    auto out = torch::empty_like(a);
    const int64_t size = a.numel();
    const int threads = 256;
    const int blocks = (size + threads - 1) / threads;
    if (size == 0) return out;
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "mix", ([&] {
        mix_kernel<scalar_t><<<blocks, threads>>>(a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), gate.data_ptr<scalar_t>(),
                                                  out.data_ptr<scalar_t>(), size);
    }));
    return out;
}
"""

mix = load_inline(name="mix", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["mix"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mix = mix

    def forward(self, a: torch.Tensor, b: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        return self.mix.mix(a, b, gate)
