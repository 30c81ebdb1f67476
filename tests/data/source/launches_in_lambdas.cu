#include <torch/extension.h>

template <typename scalar_t>
__global__ void relu_kernel(scalar_t *__restrict__ out, const scalar_t *__restrict__ in, int64_t n)
{
    CUDA_KERNEL_LOOP(i, n) {
        out[i] = in[i] > scalar_t(0) ? in[i] : scalar_t(0);
    }
}

torch::Tensor relu(torch::Tensor in)
{
    auto out = torch::empty_like(in);
    const int threads = 256;
    const int64_t n = in.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "relu", ([&] {
        relu_kernel<scalar_t><<<(n + threads - 1) / threads, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
            out.data_ptr<scalar_t>(), in.data_ptr<scalar_t>(), n);
    }));
    return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("relu", &relu, "ReLU"); }
