// kernel=moments line=20 finding=KO115
#include <cuda_runtime.h>

__global__ void moments(const int *samples, long long *total, int *largest, int n)
{
    __shared__ long long sums[256];
    __shared__ int peaks[256];
    long long mine = 0;
    int peak = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine += samples[i];
        peak = max(peak, samples[i]);
    }
    sums[threadIdx.x] = mine;
    peaks[threadIdx.x] = peak;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            peaks[threadIdx.x] = max(peaks[threadIdx.x], peaks[threadIdx.x + half]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        total[blockIdx.x] = sums[0];
        atomicMax(largest, peaks[0]);
    }
}

void run(const int *samples, long long *total, int *largest, int n)
{
    moments<<<120, 256>>>(samples, total, largest, n);
}
