// kernel=levels line=9 finding=KO110
#include <cstdio>
typedef unsigned char pixel;

__global__ void levels(const pixel *image, int *level_count, int width, int height) {
    __shared__ int block_level_count[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        block_level_count[bin] = 0;
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width * height) {
        pixel p = image[x];
        atomicAdd(&block_level_count[p], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&level_count[bin], block_level_count[bin]);
}

void count(const pixel *image, int *level_count, int n) { levels<<<(n + 255) / 256, 256>>>(image, level_count, n, 1); }

int main() {
    const int n = 20001;
    pixel *in, *h = new pixel[n];
    for (int i = 0; i < n; i++) h[i] = i * 7 % 255;
    cudaMalloc(&in, n * sizeof(pixel));
    cudaMemcpy(in, h, n * sizeof(pixel), cudaMemcpyHostToDevice);
    int *counts, h1[256];
    cudaMalloc(&counts, sizeof(h1));
    cudaMemset(counts, 0, sizeof(h1));
    count(in, counts, n);
    cudaMemcpy(h1, counts, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i += 9) printf("%d ", h1[i]);
    return 0;
}
