// PyTorch's macros for checks and for kernels of several types, and its current stream.
#ifndef KERNELOPT_MACROS_H
#define KERNELOPT_MACROS_H

#include "kernelopt/factories.h"

#define TORCH_CHECK(CONDITION, ...) \
    do { if (!(CONDITION)) c10::fail("" __VA_OPT__(,) __VA_ARGS__); } while (0)
#define TORCH_INTERNAL_ASSERT(CONDITION, ...) TORCH_CHECK(CONDITION, #CONDITION)
#define AT_ASSERTM TORCH_CHECK
#define AT_ERROR(...) c10::fail(__VA_ARGS__)
#define TORCH_WARN(...)
#define C10_CUDA_CHECK(CALL) \
    do { const cudaError_t kernelopt_error = (CALL); if (kernelopt_error != cudaSuccess) c10::fail("CUDA error: ", cudaGetErrorString(kernelopt_error)); } while (0)
#define AT_CUDA_CHECK C10_CUDA_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_LAUNCH_BOUNDS_1(...) __launch_bounds__(__VA_ARGS__)
#define C10_LAUNCH_BOUNDS_2(...) __launch_bounds__(__VA_ARGS__)

#define KERNELOPT_CASE(VALUE, T, ...) case c10::ScalarType::VALUE: { using scalar_t [[maybe_unused]] = T; return __VA_ARGS__(); }
#define KERNELOPT_SWITCH(TYPE, NAME, CASES) \
    [&] { switch (TYPE) { CASES default: c10::fail('"', NAME, "\" not implemented for '", c10::toString(TYPE), "'"); } }()
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Float, float, __VA_ARGS__) KERNELOPT_CASE(Double, double, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Float, float, __VA_ARGS__) KERNELOPT_CASE(Double, double, __VA_ARGS__) \
                     KERNELOPT_CASE(Half, c10::Half, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(FIRST, SECOND, TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Float, float, __VA_ARGS__) KERNELOPT_CASE(Double, double, __VA_ARGS__) \
                     KERNELOPT_CASE(Half, c10::Half, __VA_ARGS__) KERNELOPT_CASE(BFloat16, c10::BFloat16, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Byte, uint8_t, __VA_ARGS__) KERNELOPT_CASE(Char, int8_t, __VA_ARGS__) \
                     KERNELOPT_CASE(Short, int16_t, __VA_ARGS__) KERNELOPT_CASE(Int, int, __VA_ARGS__) KERNELOPT_CASE(Long, int64_t, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Float, float, __VA_ARGS__) KERNELOPT_CASE(Double, double, __VA_ARGS__) \
                     KERNELOPT_CASE(Byte, uint8_t, __VA_ARGS__) KERNELOPT_CASE(Char, int8_t, __VA_ARGS__) KERNELOPT_CASE(Short, int16_t, __VA_ARGS__) \
                     KERNELOPT_CASE(Int, int, __VA_ARGS__) KERNELOPT_CASE(Long, int64_t, __VA_ARGS__))

namespace c10::cuda {
struct CUDAStream {
    cudaStream_t stream() const { return nullptr; }
    operator cudaStream_t() const { return nullptr; }
};
inline CUDAStream getCurrentCUDAStream(int = 0) { return {}; }
struct CUDAGuard { template <typename Where> explicit CUDAGuard(Where&&) {} };
struct OptionalCUDAGuard { template <typename... Where> explicit OptionalCUDAGuard(Where&&...) {} };
}  // namespace c10::cuda
namespace at::cuda {
using namespace c10::cuda;
inline cudaDeviceProp* getCurrentDeviceProperties() {
    static cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return &properties;
}
}  // namespace at::cuda
namespace at { inline Device device_of(const Tensor& tensor) { return tensor.device(); } }

#endif
