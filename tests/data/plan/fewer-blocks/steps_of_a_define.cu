// kernel=colours line=21 finding=KO110
#include <stdio.h>
#include <stdlib.h>

#define THREADS 256
#define COLOURS (3 * THREADS)

__global__ void colours(const unsigned char *rgb, unsigned int *histogram, int values)
{
    __shared__ unsigned int part[COLOURS];
    for (int b = threadIdx.x; b < COLOURS; b += THREADS)
        part[b] = 0;
    __syncthreads();

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < values; i += gridDim.x * THREADS)
        atomicAdd(&part[(i % 3) * 256 + rgb[i]], 1);
    __syncthreads();

    for (int b = threadIdx.x; b < COLOURS; b += THREADS)
        if (part[b] > 0)
            atomicAdd(&histogram[b], part[b]);
}

int main(void)
{
    int values = 3 * 5000;
    unsigned char *h = (unsigned char *)malloc(values), *rgb;
    for (int i = 0; i < values; i++) h[i] = i * 11 % 253;
    unsigned int result[COLOURS], *histogram;
    cudaMalloc((void **)&rgb, values);
    cudaMalloc((void **)&histogram, sizeof(result));
    cudaMemcpy(rgb, h, values, cudaMemcpyHostToDevice);
    cudaMemset(histogram, 0, sizeof(result));
    colours<<<20, THREADS>>>(rgb, histogram, values);
    cudaMemcpy(result, histogram, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%u red, %u green, %u blue\n", result[7], result[256 + 8], result[512 + 9]);
    return 0;
}
