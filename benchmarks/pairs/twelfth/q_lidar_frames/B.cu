// Depth frames of a range camera, frame by frame: histogram -> equalization table -> 8-bit preview,
// plus a box-filtered depth (integer). Two frames in flight on two streams,
// each with its own device buffers and pinned host slot.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void must(cudaError_t e, const char* where)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
    exit(1);
}

enum { W = 320, H = 180, LEVELS = 256, FRAMES = 9 };

// 12-bit depth
__global__ void histogram(const uint16_t* __restrict__ depth, unsigned* __restrict__ hist, int n)
{
    __shared__ unsigned local[LEVELS];
    for (int b = threadIdx.x; b < LEVELS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[(depth[i] & 0xFFF) >> 4], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < LEVELS; b += blockDim.x)
        if (local[b]) atomicAdd(&hist[b], local[b]);
}

// one block of LEVELS threads
__global__ void table(const unsigned* hist, uint8_t* lut, int n)
{
    __shared__ unsigned cdf[LEVELS];
    int t = threadIdx.x;
    cdf[t] = hist[t];
    __syncthreads();
    for (int d = 1; d < LEVELS; d *= 2) {
        unsigned v = t >= d ? cdf[t - d] : 0;
        __syncthreads();
        cdf[t] += v;
        __syncthreads();
    }
    lut[t] = (uint8_t)((unsigned long long)cdf[t] * 255 / n);
}

enum { TX = 32, TY = 8, R = 2 };

// block (TX, TY). The 5x5 box is done as rows, then columns; pixels outside count as 0 and are left out of the divisor.
__global__ void preview(const uint16_t* __restrict__ depth, const uint8_t* __restrict__ lut, uint8_t* __restrict__ img,
                        uint16_t* __restrict__ smooth, int w, int h)
{
    __shared__ uint16_t tile[TY + 2 * R][TX + 2 * R];
    __shared__ unsigned rows[TY + 2 * R][TX];
    const int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;
    for (int r = threadIdx.y; r < TY + 2 * R; r += TY)
        for (int c = threadIdx.x; c < TX + 2 * R; c += TX) {
            int xx = x0 + c - R, yy = y0 + r - R;
            bool in = xx >= 0 && yy >= 0 && xx < w && yy < h;
            tile[r][c] = in ? depth[yy * w + xx] & 0xFFF : 0;
        }
    __syncthreads();
    for (int r = threadIdx.y; r < TY + 2 * R; r += TY) {
        unsigned s = 0;
        for (int k = 0; k <= 2 * R; ++k) s += tile[r][threadIdx.x + k];
        rows[r][threadIdx.x] = s;
    }
    __syncthreads();
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= w || y >= h) return;
    img[y * w + x] = lut[tile[threadIdx.y + R][threadIdx.x + R] >> 4];
    unsigned s = 0;
    for (int k = 0; k <= 2 * R; ++k) s += rows[threadIdx.y + k][threadIdx.x];
    unsigned c = (min(x + R, w - 1) - max(x - R, 0) + 1) * (min(y + R, h - 1) - max(y - R, 0) + 1);
    smooth[y * w + x] = (uint16_t)((s + c / 2) / c);
}

static void grab(uint16_t* d, int f)
{
    uint32_t s = 99u + f;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            s = s * 1664525u + 1013904223u;
            int dx = x - 40 - 25 * f, dy = y - 90;
            int v = 900 + 9 * y + (int)(s >> 26);
            if (dx * dx + dy * dy < 1600) v = 500 + (dx * dx + dy * dy) / 8 + (int)(s >> 28);
            d[y * W + x] = (uint16_t)(v | (f & 7) << 12);      // frame tag in the top bits
        }
}

struct Slot {
    cudaStream_t stream;
    cudaEvent_t  uploaded;          // hostDepth may be refilled
    uint16_t *hostDepth, *depth, *smooth;
    uint8_t  *lut, *img;
    unsigned* hist;
};

int main()
{
    const int n = W * H;
    uint16_t* smooth;
    uint8_t* img;
    must(cudaMallocHost(&smooth, (size_t)n * FRAMES * 2), "pinned");
    must(cudaMallocHost(&img, (size_t)n * FRAMES), "pinned");
    Slot slot[2];
    for (Slot& s : slot) {
        must(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking), "stream");
        must(cudaEventCreateWithFlags(&s.uploaded, cudaEventDisableTiming), "event");
        must(cudaMallocHost(&s.hostDepth, n * 2), "pinned");
        must(cudaMalloc(&s.depth, n * 2), "malloc");
        must(cudaMalloc(&s.smooth, n * 2), "malloc");
        must(cudaMalloc(&s.img, n), "malloc");
        must(cudaMalloc(&s.lut, LEVELS), "malloc");
        must(cudaMalloc(&s.hist, LEVELS * sizeof(unsigned)), "malloc");
    }

    dim3 blk(32, 8), grd((W + 31) / 32, (H + 7) / 8);
    for (int f = 0; f < FRAMES; ++f) {
        Slot& s = slot[f % 2];
        if (f >= 2) must(cudaEventSynchronize(s.uploaded), "event");
        grab(s.hostDepth, f);
        must(cudaMemcpyAsync(s.depth, s.hostDepth, n * 2, cudaMemcpyHostToDevice, s.stream), "h2d");
        must(cudaEventRecord(s.uploaded, s.stream), "event");
        must(cudaMemsetAsync(s.hist, 0, LEVELS * sizeof(unsigned), s.stream), "memset");
        histogram<<<32, 256, 0, s.stream>>>(s.depth, s.hist, n);
        table<<<1, LEVELS, 0, s.stream>>>(s.hist, s.lut, n);
        preview<<<grd, blk, 0, s.stream>>>(s.depth, s.lut, s.img, s.smooth, W, H);
        must(cudaGetLastError(), "launch");
        must(cudaMemcpyAsync(img + (size_t)f * n, s.img, n, cudaMemcpyDeviceToHost, s.stream), "d2h");
        must(cudaMemcpyAsync(smooth + (size_t)f * n, s.smooth, n * 2, cudaMemcpyDeviceToHost, s.stream), "d2h");
    }
    for (Slot& s : slot) must(cudaStreamSynchronize(s.stream), "sync");

    for (int f = 0; f < FRAMES; ++f) {
        unsigned long a = 0, b = 0;
        for (int i = 0; i < n; ++i) {
            a = (a * 33 + img[(size_t)f * n + i]) % 1000000007ul;
            b += smooth[(size_t)f * n + i];
        }
        printf("frame %d: preview %lu, mean depth %.4f\n", f, a, (double)b / n);
    }
    for (Slot& s : slot) {
        must(cudaFree(s.depth), "free"); must(cudaFree(s.smooth), "free"); must(cudaFree(s.img), "free");
        must(cudaFree(s.lut), "free"); must(cudaFree(s.hist), "free"); must(cudaFreeHost(s.hostDepth), "free");
        must(cudaEventDestroy(s.uploaded), "free");
        must(cudaStreamDestroy(s.stream), "free");
    }
    must(cudaFreeHost(smooth), "free");
    must(cudaFreeHost(img), "free");
    return 0;
}
