// kernel=lowestSoFar line=13 finding=KO119
#include <cstdio>

#define SAMPLES 320

// each sample becomes the lowest of its row up to it
__global__ void lowestSoFar(int *x)
{
    __shared__ int row[SAMPLES];
    int t = threadIdx.x;
    row[t] = x[blockIdx.x * SAMPLES + t];
    __syncthreads();
    for (int d = 1; d < SAMPLES; d *= 2) {
        int other = row[t >= d ? t - d : t];
        __syncthreads();
        row[t] = min(row[t], other);
        __syncthreads();
    }
    x[blockIdx.x * SAMPLES + t] = row[t];
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
