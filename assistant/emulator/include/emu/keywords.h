// CUDA's declaration keywords as attributes of the host compiler. (__noinline__ is rewritten by the translator: libstdc++ uses the word.)
#pragma once
#include "marks.h"
#define __host__
#define __device__
// noinline, noclone: one symbol per kernel instance. flatten: device functions are inlined, as nvcc does.
// hot: kernels stand in sections .text.hot.*, where the build finds them to see what device code calls.
#define __global__ __attribute__((noinline, noclone, flatten, hot))
// One instance per worker thread, which runs one block at a time. Aligned for the widest access: nvcc aligns what it fuses.
#define __shared__ static __thread __attribute__((aligned(16)))
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __block_size__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __nv_pure__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_LIST__ 900
#define __KERNELOPT_EMULATOR__ 1
// An assumption that does not hold makes the program undefined: it is looked at, where nvcc would use it.
extern "C" void emu_false_assumption(const char* condition);
#define __builtin_assume(...) (static_cast<bool>(__VA_ARGS__) ? void(0) : emu_false_assumption(#__VA_ARGS__))
#define __nv_constexpr constexpr
