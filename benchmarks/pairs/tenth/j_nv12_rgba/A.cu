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

__device__ __forceinline__ uchar4 convert(int Y, int U, int V)
{
    int c = 298 * (Y - 16) + 128, d = U - 128, e = V - 128;
    return make_uchar4((unsigned char)clamp255((c + 459 * e) >> 8),
                       (unsigned char)clamp255((c - 55 * d - 136 * e) >> 8),
                       (unsigned char)clamp255((c + 541 * d) >> 8), 255);
}

__global__ void nv12ToRgba(Nv12 f, uint8_t *rgba, size_t pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.w || y >= f.h) return;
    int Y = f.y[y * f.yPitch + x];
    const uint8_t *c = f.uv + (y / 2) * f.uvPitch + (x / 2) * 2;
    reinterpret_cast<uchar4 *>(rgba + y * pitch)[x] = convert(Y, c[0], c[1]);
}

static void convertFrame(const Nv12 &f, uint8_t *rgba, size_t pitch)
{
    dim3 b(32, 8), g((f.w + 31) / 32, (f.h + 7) / 8);
    nv12ToRgba<<<g, b>>>(f, rgba, pitch);
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
