// kernel=shades line=12 finding=KO118
#include <cstdio>

// a block counts the shades of its own row and stores them: no element may come to another block
__global__ void shades(const short* image, unsigned* counts, int width) {
    __shared__ unsigned row_counts[64];
    if (threadIdx.x < 64) row_counts[threadIdx.x] = 0;
    __syncthreads();
    const short* row = image + blockIdx.x * width;
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
        int shade = row[x] >> 4;
        atomicAdd(&row_counts[shade], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 64) counts[blockIdx.x * 64 + threadIdx.x] = row_counts[threadIdx.x];
}

int main() {
    const int width = 1500, rows = 5;
    static short h[width * rows];
    static unsigned c[rows * 64];
    for (int i = 0; i < width * rows; ++i) h[i] = (short)(i * 7 % 1024);
    short* image;
    unsigned* counts;
    cudaMalloc(&image, sizeof h);
    cudaMalloc(&counts, sizeof c);
    cudaMemcpy(image, h, sizeof h, cudaMemcpyHostToDevice);
    shades<<<rows, 128>>>(image, counts, width);
    cudaMemcpy(c, counts, sizeof c, cudaMemcpyDeviceToHost);
    printf("%u %u\n", c[0], c[rows * 64 - 1]);
}
