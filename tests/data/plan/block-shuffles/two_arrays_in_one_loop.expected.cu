// kernel=moments line=20 finding=KO115
#include <cuda_runtime.h>

__global__ void moments(const int *samples, long long *total, int *largest, int n)
{
    __shared__ long long sums[8];
    __shared__ int peaks[8];
    long long mine = 0;
    int peak = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine += samples[i];
        peak = max(peak, samples[i]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        mine += __shfl_down_sync(0xffffffff, mine, offset);
        peak = max(peak, __shfl_down_sync(0xffffffff, peak, offset));
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = mine;
        peaks[threadIdx.x / 32] = peak;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++) {
            mine += sums[warp];
            peak = max(peak, peaks[warp]);
        }
        total[blockIdx.x] = mine;
        atomicMax(largest, peak);
    }
}

void run(const int *samples, long long *total, int *largest, int n)
{
    moments<<<120, 256>>>(samples, total, largest, n);
}
