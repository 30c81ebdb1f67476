// kernel=byteHistogram line=23 finding=KO110
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define NUM_BINS 256

// every block keeps its own histogram and merges it at the very end
__global__ void byteHistogram(const unsigned char *data, int size, unsigned int *histo)
{
    __shared__ unsigned int local[NUM_BINS];
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < size) {
        atomicAdd(&local[data[i]], 1);
        i += blockDim.x * gridDim.x;
    }
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        atomicAdd(&histo[b], local[b]);
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 20003;
    unsigned char *h_data = (unsigned char *)malloc(size), *d_data;
    for (int i = 0; i < size; i++)
        h_data[i] = (i * 131 + i / 7) & 0xff;
    unsigned int h_histo[NUM_BINS], *d_histo;
    cudaMalloc(&d_data, size);
    cudaMalloc(&d_histo, sizeof(h_histo));
    cudaMemcpy(d_data, h_data, size, cudaMemcpyHostToDevice);
    cudaMemset(d_histo, 0, sizeof(h_histo));

    int blocks = (size + 255) / 256;
    if (blocks > 30) blocks = 30;
    byteHistogram<<<(blocks + 3) / 4, 1024>>>(d_data, size, d_histo);

    cudaMemcpy(h_histo, d_histo, sizeof(h_histo), cudaMemcpyDeviceToHost);
    unsigned int total = 0;
    for (int b = 0; b < NUM_BINS; b++)
        total += h_histo[b];
    printf("%u values, %u zeros, %u of 255\n", total, h_histo[0], h_histo[255]);
    cudaFree(d_data);
    cudaFree(d_histo);
    free(h_data);
    return 0;
}
