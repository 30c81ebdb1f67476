"""The step is read on the GPU; rounding is to even, as PyTorch's is."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__global__ void fake_quantize_kernel(const float* x, const float* step, float* y, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return;
    float s = *step;
    float level = rintf(x[idx] / s);
    level = level < -128.0f ? -128.0f : level > 127.0f ? 127.0f : level;  // what is not a number stays so, as by clamp
    y[idx] = level * s;
}

torch::Tensor fake_quantize(torch::Tensor x, torch::Tensor step) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto input = x.contiguous();
    auto y = torch::empty(input.sizes(), input.options());
    int n = static_cast<int>(input.numel());
    if (n == 0) return y;
    cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    fake_quantize_kernel<<<(n + 255) / 256, 256, 0, stream>>>(input.data_ptr<float>(), step.data_ptr<float>(), y.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("fake_quantize", &fake_quantize, "fake quantization");
}
"""

module = load_inline(name="fake_quantize", cpp_sources="", cuda_sources=source)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("step", torch.tensor(0.0625))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return module.fake_quantize(x, self.step)
