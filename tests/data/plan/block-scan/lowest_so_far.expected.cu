// kernel=lowestSoFar line=13 finding=KO119
#include <cstdio>

#define SAMPLES 320

// each sample becomes the lowest of its row up to it
__global__ void lowestSoFar(int *x)
{
    __shared__ int row[SAMPLES / 32];
    int t = threadIdx.x;
    int lowest = x[blockIdx.x * SAMPLES + t];
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, lowest, offset);
        if (t % 32 >= offset)
            lowest = min(lowest, left);
    }
    if (t % 32 == 31)
        row[t / 32] = lowest;
    __syncthreads();
    if (t < 32) {
        int warps = row[t < SAMPLES / 32 ? t : 0];
        for (int offset = 1; offset < 32; offset *= 2) {
            int left = __shfl_up_sync(0xffffffff, warps, offset);
            if (t >= offset)
                warps = min(warps, left);
        }
        if (t < SAMPLES / 32)
            row[t] = warps;
    }
    __syncthreads();
    if (t >= 32)
        lowest = min(lowest, row[t / 32 - 1]);
    x[blockIdx.x * SAMPLES + t] = lowest;
}

int main()
{
    const int rows = 6;
    int *x;
    cudaMallocManaged(&x, rows * SAMPLES * sizeof(int));
    for (int i = 0; i < rows * SAMPLES; i++) x[i] = 5000 - i * 7919 % 4001;
    lowestSoFar<<<rows, SAMPLES>>>(x);
    cudaDeviceSynchronize();
    printf("%d\n", x[SAMPLES - 1]);
}
