// 64-bin luma histogram of video frames and a black-level / exposure report per frame.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <cuda_runtime.h>

#define BINS 64

#define cudaOk(call) { cudaError_t s_ = (call); if (s_) { \
    fprintf(stderr, "error %d (%s) in %s\n", (int)s_, cudaGetErrorString(s_), #call); exit(-1); } }

#define TPB 128
#define WORDS_PER_THREAD 64          // 256 pixels per thread: byte-sized private counters are enough

// Every thread owns a private histogram of byte counters (no atomics while counting);
// the 128 private histograms of a block are summed once at the end.
__global__ void __launch_bounds__(TPB)
histKernel(const uint4 *__restrict__ pix16, int nWords, unsigned *hist)
{
    __shared__ __align__(16) uint8_t cnt[BINS * TPB];     // [bin][thread]
    for (int i = threadIdx.x; i < BINS * TPB / 16; i += TPB)
        reinterpret_cast<uint4 *>(cnt)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();

    uint8_t *mine = cnt + threadIdx.x;
    const int nVec = nWords / 4;                          // frames are multiples of 16 pixels
    const uint4 *frame = pix16 + (size_t)blockIdx.y * nVec;
    const int base = blockIdx.x * (TPB * WORDS_PER_THREAD / 4) + threadIdx.x;
#pragma unroll 4
    for (int k = 0; k < WORDS_PER_THREAD / 4; k++) {
        int i = base + k * TPB;
        if (i >= nVec) break;
        uint4 q = __ldg(&frame[i]);
        uint32_t w[4] = { q.x, q.y, q.z, q.w };
#pragma unroll
        for (int j = 0; j < 4; j++) {
            mine[((w[j] >> 2) & 63) * TPB]++;
            mine[((w[j] >> 10) & 63) * TPB]++;
            mine[((w[j] >> 18) & 63) * TPB]++;
            mine[(w[j] >> 26) * TPB]++;
        }
    }
    __syncthreads();

    if (threadIdx.x < BINS) {
        const uint32_t *row = reinterpret_cast<const uint32_t *>(cnt + threadIdx.x * TPB);
        unsigned sum = 0;
        for (int k = 0; k < TPB / 4; k++) {
            uint32_t v = row[(k + threadIdx.x) & (TPB / 4 - 1)];   // rotated: no bank conflicts
            sum += (v & 255) + ((v >> 8) & 255) + ((v >> 16) & 255) + (v >> 24);
        }
        atomicAdd(&hist[blockIdx.y * BINS + threadIdx.x], sum);
    }
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

    const int perBlock = TPB * WORDS_PER_THREAD;
    histKernel<<<dim3((nWords + perBlock - 1) / perBlock, FRAMES), TPB>>>((const uint4 *)d, nWords, dh);
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
