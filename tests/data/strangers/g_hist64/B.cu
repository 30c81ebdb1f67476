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

static const int THREADS = 64;
static const int BLOCKS  = 128;

// No atomics on the hot path: every thread has its own 64 byte-sized counters in shared memory
// (4 KB per block), and reads 16 pixels per load. The counters are laid out bin-major, so that
// the threads of a warp stay in their own bytes.
__global__ void __launch_bounds__(THREADS) histogram64(const uint8_t* __restrict__ pix, unsigned n, unsigned* __restrict__ hist)
{
    __shared__ uint8_t cnt[BINS * THREADS];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < BINS * THREADS / 4; i += THREADS) reinterpret_cast<unsigned*>(cnt)[i] = 0;
    __syncthreads();

    const uint4* p = reinterpret_cast<const uint4*>(pix);
    const unsigned n16 = n / 16, gt = blockIdx.x * THREADS + t, stride = gridDim.x * THREADS;
    for (unsigned i = gt; i < n16; i += stride) {
        uint4 q = __ldg(&p[i]);
        unsigned w[4] = {q.x, q.y, q.z, q.w};
        #pragma unroll
        for (int k = 0; k < 4; k++) {
            cnt[((w[k] >> 2) & 63) * THREADS + t]++;
            cnt[((w[k] >> 10) & 63) * THREADS + t]++;
            cnt[((w[k] >> 18) & 63) * THREADS + t]++;
            cnt[(w[k] >> 26) * THREADS + t]++;
        }
    }
    if (gt < n - n16 * 16) cnt[(pix[n16 * 16 + gt] >> 2) * THREADS + t]++;      // up to 15 pixels are left
    __syncthreads();

    // thread t sums the counters of bin t, four at a time
    static_assert(THREADS == BINS, "one thread per bin in the end");
    const unsigned* row = reinterpret_cast<const unsigned*>(cnt + t * THREADS);
    unsigned sum = 0;
    for (int k = 0; k < THREADS / 4; k++) {
        unsigned v = row[(k + t) & (THREADS / 4 - 1)];
        sum += (v & 0xff) + ((v >> 8) & 0xff) + ((v >> 16) & 0xff) + (v >> 24);
    }
    atomicAdd(&hist[t], sum);
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

    histogram64<<<BLOCKS, THREADS>>>(dImg, n, dHist);
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
