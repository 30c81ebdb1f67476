// 256-bin histogram of the luminance of an interleaved RGB image.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void luma_histogram(const unsigned char *rgb, unsigned int *hist, int pixels)
{
    __shared__ unsigned int bins[256];
    const long long covered = (long long)gridDim.x * blockDim.x;
    const int limit = covered < pixels ? (int)covered : pixels;
    const int active = min((int)gridDim.x, min(1056, max(1, limit / 2048)));
    if (blockIdx.x >= active) return;
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        bins[bin] = 0;
    __syncthreads();
    const int step = active * blockDim.x;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < limit; i += step) {
        unsigned char r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        unsigned char y = (unsigned char)((77 * r + 150 * g + 29 * b) >> 8);
        atomicAdd(&bins[y], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        if (bins[bin] != 0)
            atomicAdd(&hist[bin], bins[bin]);
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 320;
    int height = argc > 2 ? atoi(argv[2]) : 240;
    int pixels = width * height;
    unsigned char *image = (unsigned char *)malloc(3 * (size_t)pixels);
    for (int i = 0; i < 3 * pixels; ++i)
        image[i] = (unsigned char)((i / 7) % 61 + (i % 3) * 20 + 90);
    unsigned char *d_image;
    unsigned int *d_hist, hist[256];
    cudaMalloc(&d_image, 3 * (size_t)pixels);
    cudaMalloc(&d_hist, sizeof hist);
    cudaMemcpy(d_image, image, 3 * (size_t)pixels, cudaMemcpyHostToDevice);
    cudaMemset(d_hist, 0, sizeof hist);
    luma_histogram<<<(pixels + 255) / 256, 256>>>(d_image, d_hist, pixels);
    cudaMemcpy(hist, d_hist, sizeof hist, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; ++i)
        if (hist[i]) printf("%d:%u ", i, hist[i]);
    printf("\n");
    cudaFree(d_image);
    cudaFree(d_hist);
    free(image);
    return 0;
}
