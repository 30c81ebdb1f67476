"""Each block leaves a sum, a second kernel adds them: the order is the same in every run."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

template <int THREADS>
__device__ float sum_of_block(float value) {
    __shared__ float partial[THREADS];
    partial[threadIdx.x] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    return partial[0];
}

__global__ void sums_of_blocks(float* sums, const float* a, const float* b, int count, float beta) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float distance = fabsf(a[i] - b[i]);
        sum += distance < beta ? 0.5f * distance * distance / beta : distance - 0.5f * beta;
    }
    sum = sum_of_block<64>(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void mean_of_sums(float* loss, const float* sums, int blocks, int count) {
    const float sum = sum_of_block<32>(threadIdx.x < blocks ? sums[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) *loss = sum / count;
}

torch::Tensor smooth_l1(torch::Tensor predictions, torch::Tensor targets, double beta) {
    predictions = predictions.contiguous();
    targets = targets.contiguous();
    const int count = predictions.numel(), blocks = 3;
    auto sums = torch::empty({blocks}, predictions.options());
    auto loss = torch::empty({}, predictions.options());
    sums_of_blocks<<<blocks, 64>>>(sums.data_ptr<float>(), predictions.data_ptr<float>(), targets.data_ptr<float>(), count, beta);
    mean_of_sums<<<1, 32>>>(loss.data_ptr<float>(), sums.data_ptr<float>(), blocks, count);
    return loss;
}

__global__ void slopes(float* grad_a, float* grad_b, const float* grad_loss, const float* a, const float* b, int count, float beta) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float distance = a[i] - b[i];
    const float slope = fabsf(distance) < beta ? distance / beta : distance > 0.0f ? 1.0f : -1.0f;
    grad_a[i] = *grad_loss * slope / count;
    grad_b[i] = -grad_a[i];
}

std::vector<torch::Tensor> smooth_l1_backward(torch::Tensor grad_loss, torch::Tensor predictions, torch::Tensor targets, double beta) {
    predictions = predictions.contiguous();
    targets = targets.contiguous();
    auto grad_a = torch::empty_like(predictions);
    auto grad_b = torch::empty_like(targets);
    const int count = predictions.numel();
    if (count > 0) {
        slopes<<<(count + 63) / 64, 64>>>(grad_a.data_ptr<float>(), grad_b.data_ptr<float>(), grad_loss.data_ptr<float>(),
                                          predictions.data_ptr<float>(), targets.data_ptr<float>(), count, beta);
    }
    return {grad_a, grad_b};
}
"""

CPP = """
torch::Tensor smooth_l1(torch::Tensor predictions, torch::Tensor targets, double beta);
std::vector<torch::Tensor> smooth_l1_backward(torch::Tensor grad_loss, torch::Tensor predictions, torch::Tensor targets, double beta);
"""
extension = load_inline("smooth_l1", CPP, CUDA, functions=["smooth_l1", "smooth_l1_backward"])


class SmoothL1(torch.autograd.Function):
    @staticmethod
    def forward(ctx, predictions, targets, beta):
        ctx.save_for_backward(predictions, targets)
        ctx.beta = beta
        return extension.smooth_l1(predictions, targets, beta)

    @staticmethod
    def backward(ctx, grad_loss):
        predictions, targets = ctx.saved_tensors
        grad_a, grad_b = extension.smooth_l1_backward(grad_loss, predictions, targets, ctx.beta)
        return grad_a, grad_b, None


class ModelNew(nn.Module):
    def __init__(self, beta: float) -> None:
        super().__init__()
        self.beta = beta

    def forward(self, predictions: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return SmoothL1.apply(predictions, targets, self.beta)
