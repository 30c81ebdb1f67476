// kernel=twice line=15 finding=KO115
#include <cuda_runtime.h>

__global__ void twice(const float *in, float *out, int columns)
{
    __shared__ float buf[128];
    int t = threadIdx.x;
    buf[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    float first = buf[0];
    __syncthreads();
    buf[t] = in[blockIdx.x * 256 + 128 + t] - first;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = buf[0];
}

void run(const float *in, float *out, int rows)
{
    twice<<<rows, 128>>>(in, out, 256);
}
