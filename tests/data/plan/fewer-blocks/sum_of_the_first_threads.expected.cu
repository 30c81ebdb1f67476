// kernel=checksum line=15 finding=KO110
#include <cstdio>
#include <cuda_runtime.h>

__global__ void checksum(const unsigned int *words, unsigned long long *sum, size_t count) {
    __shared__ unsigned long long blockSum;
    if (threadIdx.x == 0) blockSum = 0;
    __syncthreads();
    unsigned long long mine = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)blockDim.x * gridDim.x)
        mine += words[i] ^ 0x9e3779b9u;
    atomicAdd(&blockSum, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, blockSum);
}

int main() {
    const size_t count = 20000;
    unsigned int *words;
    unsigned long long *sum;
    cudaMallocManaged(&words, count * sizeof(unsigned int));
    cudaMallocManaged(&sum, sizeof(unsigned long long));
    for (size_t i = 0; i < count; i++) words[i] = (unsigned int)(i * 2654435761u);
    *sum = 0;

    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    checksum<<<(prop.multiProcessorCount + 3) / 4, 1024>>>(words, sum, count);
    cudaDeviceSynchronize();
    printf("checksum %llu\n", *sum);
    cudaFree(words);
    cudaFree(sum);
    return 0;
}
