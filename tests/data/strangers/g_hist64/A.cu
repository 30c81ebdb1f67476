#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>

// 64-bin luminance histogram (upper 6 bits of 8-bit pixels) and the exposure statistics made from it

#define HANDLE(e) handle((e), __LINE__)
static void handle(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        std::printf("cuda error at line %d: %s\n", line, cudaGetErrorName(e));
        std::exit(EXIT_FAILURE);
    }
}

static const int BINS = 64;

__global__ void histogram64(const uint8_t* pix, unsigned n, unsigned* hist)
{
    __shared__ unsigned local[BINS];
    if (threadIdx.x < BINS) local[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[pix[i] >> 2], 1u);
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&hist[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int width = 2048, height = 1536;
    const unsigned n = width * height;
    std::vector<uint8_t> img(n);
    uint32_t s = 0xC0FFEE;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            s ^= s << 13; s ^= s >> 17; s ^= s << 5;
            int g = (x * 150) / width + (y * 60) / height;      // a soft gradient with film grain
            int v = g + (int)(s % 91) - 20;
            img[(size_t)y * width + x] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
        }

    uint8_t* dImg; unsigned* dHist;
    HANDLE(cudaMalloc(&dImg, n));
    HANDLE(cudaMalloc(&dHist, BINS * sizeof(unsigned)));
    HANDLE(cudaMemcpy(dImg, img.data(), n, cudaMemcpyHostToDevice));
    HANDLE(cudaMemset(dHist, 0, BINS * sizeof(unsigned)));

    histogram64<<<128, 256>>>(dImg, n, dHist);
    HANDLE(cudaGetLastError());

    unsigned hist[BINS];
    HANDLE(cudaMemcpy(hist, dHist, sizeof hist, cudaMemcpyDeviceToHost));
    unsigned long long total = 0, weighted = 0;
    for (int b = 0; b < BINS; b++) { total += hist[b]; weighted += (unsigned long long)hist[b] * b; }
    unsigned long long acc = 0; int median = 0;
    while (median < BINS && (acc += hist[median]) * 2 < total) median++;
    std::printf("pixels %llu  mean bin %.4f  median bin %d\n", total, (double)weighted / total, median);
    for (int b = 0; b < BINS; b++) std::printf("%7u%c", hist[b], b % 8 == 7 ? '\n' : ' ');
    cudaFree(dImg);
    cudaFree(dHist);
    return 0;
}
