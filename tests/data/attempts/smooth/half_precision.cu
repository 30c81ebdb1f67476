// hope: three digits are enough
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void smooth(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __half sum = __hadd(__float2half(in[i > 0 ? i - 1 : 0]), __float2half(in[i]));
        sum = __hadd(sum, __float2half(in[i < n - 1 ? i + 1 : n - 1]));
        out[i] = __half2float(sum) * 0.33333f;
    }
}
