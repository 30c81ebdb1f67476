"""One thread for each output: it looks back as far as there are taps."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

__global__ void causal_conv(const float* x, const float* weight, const float* bias, float* y, int count, int channels, int length, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int t = i % length, channel = i / length % channels;
    float sum = bias[channel];
    for (int k = 0; k < taps; ++k) {
        const int from = t - (taps - 1) + k;
        if (from >= 0) sum += x[i - t + from] * weight[channel * taps + k];
    }
    y[i] = sum / (1.0f + expf(-sum));
}

torch::Tensor causal_conv_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    const auto input = x.contiguous();
    auto y = torch::empty_like(input);
    const int count = input.numel();
    if (count == 0) return y;
    causal_conv<<<(count + 127) / 128, 128>>>(input.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                              y.data_ptr<float>(), count, input.size(1), input.size(2), weight.size(2));
    return y;
}
"""

CPP = "torch::Tensor causal_conv_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);"
extension = load_inline(name="causal_conv", cpp_sources=[CPP], cuda_sources=[CUDA], functions=["causal_conv_silu"])


class ModelNew(nn.Module):
    def __init__(self, channels: int, taps: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, taps, groups=channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.causal_conv_silu(x, self.conv.weight, self.conv.bias)
