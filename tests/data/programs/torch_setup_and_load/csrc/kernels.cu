#include "common.h"
#include <cuda.h>
#include <cuda_runtime.h>

// y = gelu(x + bias), one thread per element
template <typename scalar_t>
__global__ void bias_gelu_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        float v = static_cast<float>(x[i]) + static_cast<float>(bias[i % cols]);
        y[i] = static_cast<scalar_t>(0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))));
    }
}

// one block per row
__global__ void row_norm_kernel(const float* x, float* y, int cols, float eps) {
    __shared__ float part[BLOCK];
    const float* row = x + (size_t)blockIdx.x * cols;
    float s = 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += row[c] * row[c];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    float scale = rsqrtf(part[0] / cols + eps);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = row[c] * scale;
}

torch::Tensor bias_gelu_cuda(torch::Tensor x, torch::Tensor bias) {
    const at::cuda::OptionalCUDAGuard guard(x.device());
    auto y = torch::empty_like(x);
    int rows = x.size(0), cols = x.size(1);
    int n = rows * cols;
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "bias_gelu", ([&] {
        bias_gelu_kernel<scalar_t><<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows, cols);
    }));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

torch::Tensor row_norm_cuda(torch::Tensor x, double eps) {
    const at::cuda::OptionalCUDAGuard guard(x.device());
    auto y = torch::empty_like(x);
    row_norm_kernel<<<x.size(0), BLOCK, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), (int)x.size(1), (float)eps);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
