// Shallow "pond" simulation for a game: a simulation stream and a render stream.
// The simulation publishes a height snapshot for every frame, the renderer shades it.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(expr)                                                          \
    do {                                                                       \
        cudaError_t rc = (expr);                                               \
        if (rc != cudaSuccess) {                                               \
            fprintf(stderr, "%s failed: %s\n", #expr, cudaGetErrorString(rc)); \
            abort();                                                           \
        }                                                                      \
    } while (0)

static const int W = 192, H = 160, FRAMES = 10, SUBSTEPS = 2;

__global__ void wave_step(const float* __restrict__ cur, const float* __restrict__ prev, float* __restrict__ next,
                          float* __restrict__ snap, int w, int h, float c2, float damp)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int id = y * w + x;
    float v = 0.f;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        float c = cur[id];
        float lap = cur[id - 1] + cur[id + 1] + cur[id - w] + cur[id + w] - 4.f * c;
        v = (2.f * c - prev[id] + c2 * lap) * damp;
    }
    next[id] = v;
    if (snap) snap[id] = v;
}

__global__ void shade(const float* snap, uchar4* img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int xm = max(x - 1, 0), xp = min(x + 1, w - 1), ym = max(y - 1, 0), yp = min(y + 1, h - 1);
    float gx = snap[y * w + xp] - snap[y * w + xm];
    float gy = snap[yp * w + x] - snap[ym * w + x];
    float inv = rsqrtf(gx * gx + gy * gy + 1.f);
    float l = fmaxf(0.f, (0.4f - 0.6f * gx - 0.5f * gy) * inv + 0.4f);
    float d = fminf(fmaxf(0.5f + 0.25f * snap[y * w + x], 0.f), 1.f);
    img[y * w + x] = make_uchar4((unsigned char)fminf(255.f, 90.f * l), (unsigned char)fminf(255.f, 140.f * l),
                                 (unsigned char)fminf(255.f, 200.f * l * d), 255);
}

int main()
{
    const int n = W * H;
    std::vector<float> h0(n, 0.f);
    for (int y = 1; y < H - 1; ++y)
        for (int x = 1; x < W - 1; ++x) {
            int dx = x - 60, dy = y - 70, ex = x - 130, ey = y - 40;
            if (dx * dx + dy * dy < 120) h0[y * W + x] = 2.0f;
            if (ex * ex + ey * ey < 60) h0[y * W + x] = -1.5f;
        }
    float* field[3];
    float* snap[2];              // double-buffered: the simulation runs ahead of the renderer
    uchar4* d_img;
    for (int i = 0; i < 3; ++i) CUDA_OK(cudaMalloc(&field[i], n * sizeof(float)));
    for (int i = 0; i < 2; ++i) CUDA_OK(cudaMalloc(&snap[i], n * sizeof(float)));
    CUDA_OK(cudaMalloc(&d_img, (size_t)n * FRAMES * sizeof(uchar4)));
    for (int i = 0; i < 3; ++i) CUDA_OK(cudaMemcpy(field[i], h0.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    cudaStream_t sim, ren;
    cudaEvent_t ready[2];
    CUDA_OK(cudaStreamCreateWithFlags(&sim, cudaStreamNonBlocking));
    CUDA_OK(cudaStreamCreateWithFlags(&ren, cudaStreamNonBlocking));
    for (int i = 0; i < 2; ++i) CUDA_OK(cudaEventCreateWithFlags(&ready[i], cudaEventDisableTiming));
    CUDA_OK(cudaDeviceSynchronize());

    dim3 blk(16, 16), grd((W + 15) / 16, (H + 15) / 16);
    int cur = 0, prev = 1, next = 2;
    for (int f = 0; f < FRAMES; ++f) {
        const int slot = f & 1;
        for (int s = 0; s < SUBSTEPS - 1; ++s) {
            wave_step<<<grd, blk, 0, sim>>>(field[cur], field[prev], field[next], nullptr, W, H, 0.22f, 0.997f);
            int t = prev; prev = cur; cur = next; next = t;
        }
        // the last substep writes the snapshot too, no publish kernel
        wave_step<<<grd, blk, 0, sim>>>(field[cur], field[prev], field[next], snap[slot], W, H, 0.22f, 0.997f);
        { int t = prev; prev = cur; cur = next; next = t; }
        CUDA_OK(cudaEventRecord(ready[slot], sim));

        CUDA_OK(cudaStreamWaitEvent(ren, ready[slot], 0));
        shade<<<grd, blk, 0, ren>>>(snap[slot], d_img + (size_t)f * n, W, H);
        CUDA_OK(cudaGetLastError());
    }
    CUDA_OK(cudaStreamSynchronize(sim));
    CUDA_OK(cudaStreamSynchronize(ren));

    std::vector<uchar4> img((size_t)n * FRAMES);
    CUDA_OK(cudaMemcpy(img.data(), d_img, img.size() * sizeof(uchar4), cudaMemcpyDeviceToHost));
    for (int f = 0; f < FRAMES; ++f) {
        unsigned long r = 0, g = 0, b = 0;
        for (int i = 0; i < n; ++i) { uchar4 p = img[(size_t)f * n + i]; r += p.x; g += p.y; b += p.z; }
        printf("frame %2d  rgb sums %lu %lu %lu\n", f, r, g, b);
    }
    for (int i = 0; i < 3; ++i) CUDA_OK(cudaFree(field[i]));
    for (int i = 0; i < 2; ++i) CUDA_OK(cudaFree(snap[i]));
    CUDA_OK(cudaFree(d_img));
    for (int i = 0; i < 2; ++i) CUDA_OK(cudaEventDestroy(ready[i]));
    CUDA_OK(cudaStreamDestroy(sim));
    CUDA_OK(cudaStreamDestroy(ren));
    return 0;
}
