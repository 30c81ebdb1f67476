// 64-bin luma histogram of video frames and a black-level / exposure report per frame.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <cuda_runtime.h>

#define BINS 64

#define cudaOk(call) { cudaError_t s_ = (call); if (s_) { \
    fprintf(stderr, "error %d (%s) in %s\n", (int)s_, cudaGetErrorString(s_), #call); exit(-1); } }

__global__ void histKernel(const uint32_t *pix4, int nWords, unsigned *hist)
{
    __shared__ unsigned h[BINS];
    if (threadIdx.x < BINS) h[threadIdx.x] = 0;
    __syncthreads();
    const uint32_t *frame = pix4 + (size_t)blockIdx.y * nWords;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nWords; i += gridDim.x * blockDim.x) {
        uint32_t w = frame[i];
        atomicAdd(&h[(w >> 2) & 63], 1u);
        atomicAdd(&h[(w >> 10) & 63], 1u);
        atomicAdd(&h[(w >> 18) & 63], 1u);
        atomicAdd(&h[(w >> 26) & 63], 1u);
    }
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&hist[blockIdx.y * BINS + threadIdx.x], h[threadIdx.x]);
}

int main(void)
{
    const int W = 1024, H = 512, FRAMES = 6;
    const int nWords = W * H / 4;
    uint8_t *h = (uint8_t *)malloc((size_t)W * H * FRAMES);
    uint32_t s = 1;
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < W * H; i++) {
            s = s * 747796405u + 2891336453u;
            int noise = (int)((s >> 24) & 31) + (int)((s >> 16) & 31);
            int v = 20 * f + (i % W) / 8 + noise;           // gradient plus film grain, brighter every frame
            h[(size_t)f * W * H + i] = (uint8_t)(v > 255 ? 255 : v);
        }
    uint32_t *d; unsigned *dh, hist[BINS * 6];
    cudaOk(cudaMalloc((void **)&d, (size_t)W * H * FRAMES));
    cudaOk(cudaMalloc((void **)&dh, sizeof hist));
    cudaOk(cudaMemcpy(d, h, (size_t)W * H * FRAMES, cudaMemcpyHostToDevice));
    cudaOk(cudaMemset(dh, 0, sizeof hist));

    histKernel<<<dim3(64, FRAMES), 128>>>(d, nWords, dh);
    cudaOk(cudaGetLastError());
    cudaOk(cudaMemcpy(hist, dh, sizeof hist, cudaMemcpyDeviceToHost));

    for (int f = 0; f < FRAMES; f++) {
        unsigned long total = 0, acc = 0; int black = -1, median = -1;
        for (int b = 0; b < BINS; b++) total += hist[f * BINS + b];
        for (int b = 0; b < BINS; b++) {
            acc += hist[f * BINS + b];
            if (black < 0 && acc * 100 >= total) black = b;
            if (median < 0 && acc * 2 >= total) median = b;
        }
        printf("frame %d: %lu pixels, 1%% black level %d, median %d, top bin %u\n",
               f, total, black * 4, median * 4, hist[f * BINS + BINS - 1]);
    }
    cudaFree(d); cudaFree(dh); free(h);
    return 0;
}
