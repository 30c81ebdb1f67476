// NV12 (BT.709, limited range) -> RGBA8 for a short clip. Any width and height, odd ones included.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t status_ = call;                                                   \
        if (status_ != cudaSuccess) {                                                 \
            fprintf(stderr, "%s at line %d\n", cudaGetErrorString(status_), __LINE__);\
            exit(EXIT_FAILURE);                                                       \
        }                                                                             \
    } while (0)

struct Nv12 {
    const uint8_t *y;  size_t yPitch;
    const uint8_t *uv; size_t uvPitch;    // (w+1)/2 pairs, (h+1)/2 rows
    int w, h;
};

__device__ __forceinline__ int clamp255(int v) { return v < 0 ? 0 : (v > 255 ? 255 : v); }

// One thread makes a 4x2 patch: its two chroma pairs are decoded once and used for eight pixels.
struct Chroma { int r, g, b; };

__device__ __forceinline__ Chroma chroma(int U, int V)
{
    const int d = U - 128, e = V - 128;
    return { 459 * e, -55 * d - 136 * e, 541 * d };
}

__device__ __forceinline__ unsigned pixel(int Y, const Chroma &k)
{
    const int c = 298 * (Y - 16) + 128;
    const unsigned r = clamp255((c + k.r) >> 8), g = clamp255((c + k.g) >> 8), b = clamp255((c + k.b) >> 8);
    return r | (g << 8) | (b << 16) | 0xff000000u;
}

template <bool kVector>
__global__ void nv12ToRgba(Nv12 f, uint8_t *__restrict__ rgba, size_t pitch)
{
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const int cy = blockIdx.y * blockDim.y + threadIdx.y;
    const int y = cy * 2;
    if (x >= f.w || y >= f.h) return;
    const uint8_t *uv = f.uv + cy * f.uvPitch + x;      // pair x/2 starts at byte x, x is a multiple of 4
    const int rows = min(2, f.h - y);

    if (kVector && x + 4 <= f.w) {
        const uchar4 c = *reinterpret_cast<const uchar4 *>(uv);
        const Chroma k0 = chroma(c.x, c.y), k1 = chroma(c.z, c.w);
#pragma unroll
        for (int j = 0; j < 2; j++) {
            if (j >= rows) break;
            const uchar4 l = *reinterpret_cast<const uchar4 *>(f.y + (y + j) * f.yPitch + x);
            *reinterpret_cast<uint4 *>(rgba + (y + j) * pitch + (size_t)x * 4) =
                make_uint4(pixel(l.x, k0), pixel(l.y, k0), pixel(l.z, k1), pixel(l.w, k1));
        }
    } else {
        const int n = min(4, f.w - x);
        for (int j = 0; j < rows; j++) {
            unsigned *dst = reinterpret_cast<unsigned *>(rgba + (y + j) * pitch) + x;
            const uint8_t *src = f.y + (y + j) * f.yPitch + x;
            for (int i = 0; i < n; i++) {
                const uint8_t *c = uv + (i / 2) * 2;
                dst[i] = pixel(src[i], chroma(c[0], c[1]));
            }
        }
    }
}

static void convertFrame(const Nv12 &f, uint8_t *rgba, size_t pitch)
{
    // cropped views or tight pitches may not be aligned: those take the scalar path
    const bool inOk = ((reinterpret_cast<uintptr_t>(f.y) | f.yPitch | reinterpret_cast<uintptr_t>(f.uv) | f.uvPitch) & 3) == 0;
    const bool outOk = ((reinterpret_cast<uintptr_t>(rgba) | pitch) & 15) == 0;
    const int px = (f.w + 3) / 4, pyy = (f.h + 1) / 2;
    dim3 b(32, 4), g((px + 31) / 32, (pyy + 3) / 4);
    if (inOk && outOk) nv12ToRgba<true><<<g, b>>>(f, rgba, pitch);
    else nv12ToRgba<false><<<g, b>>>(f, rgba, pitch);
    CHECK(cudaGetLastError());
}

int main()
{
    const int w = 637, h = 359, frames = 4;
    const int cw = (w + 1) / 2, ch = (h + 1) / 2;
    std::vector<uint8_t> hy((size_t)w * h), huv((size_t)cw * 2 * ch), out((size_t)w * h * 4);

    uint8_t *dy, *duv, *drgba;
    size_t py, puv, prgba;
    CHECK(cudaMallocPitch((void **)&dy, &py, w, h));
    CHECK(cudaMallocPitch((void **)&duv, &puv, cw * 2, ch));
    CHECK(cudaMallocPitch((void **)&drgba, &prgba, w * 4, h));

    for (int f = 0; f < frames; f++) {
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) hy[(size_t)y * w + x] = (uint8_t)((x + 3 * y + 11 * f) ^ (x * y >> 5));
        for (int y = 0; y < ch; y++)
            for (int x = 0; x < cw * 2; x++) huv[(size_t)y * cw * 2 + x] = (uint8_t)(x & 1 ? 200 - y + f * 5 : 40 + x / 2 + f * 9);
        CHECK(cudaMemcpy2D(dy, py, hy.data(), w, w, h, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy2D(duv, puv, huv.data(), cw * 2, cw * 2, ch, cudaMemcpyHostToDevice));

        convertFrame(Nv12{dy, py, duv, puv, w, h}, drgba, prgba);

        CHECK(cudaMemcpy2D(out.data(), w * 4, drgba, prgba, w * 4, h, cudaMemcpyDeviceToHost));
        uint64_t s[4] = {0, 0, 0, 0};
        uint32_t adler = 1;
        for (size_t i = 0; i < out.size(); i++) { s[i & 3] += out[i]; adler = (adler * 33u) ^ out[i]; }
        printf("frame %d R %llu G %llu B %llu A %llu  %08x\n", f, (unsigned long long)s[0], (unsigned long long)s[1],
               (unsigned long long)s[2], (unsigned long long)s[3], adler);
    }
    CHECK(cudaFree(dy));
    CHECK(cudaFree(duv));
    CHECK(cudaFree(drgba));
    return 0;
}
