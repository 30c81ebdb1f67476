// The host waits for a flag that the kernel sets in its memory: no call of CUDA's tells that it waits.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void twice(float* x, int n, volatile int* flag) {
    int i = threadIdx.x;
    if (i < n) x[i] = i * 2.0f;
    __syncthreads();
    if (i == 0) {
        __threadfence_system();
        *flag = 1;
    }
}

int main() {
    float *device, host[64];
    volatile int* flag;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&device, sizeof host);
    cudaHostAlloc((void**)&flag, sizeof(int), cudaHostAllocMapped);
    *flag = 0;
    twice<<<1, 64, 0, stream>>>(device, 64, flag);
    while (!*flag) {}
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[63]);
}
