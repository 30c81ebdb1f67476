#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__device__ __forceinline__ unsigned lane_id()
{
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__global__ void tensor_cores(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

__global__ void copy_async(float4 *dst, const float4 *__restrict__ src)
{
    extern __shared__ float4 stage[];
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&stage[threadIdx.x]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address), "l"(src + threadIdx.x));
    asm volatile("cp.async.wait_all;\n" ::: "memory");
    __syncthreads();
    if (lane_id() < 32) dst[threadIdx.x] = stage[threadIdx.x ^ 1];
}
