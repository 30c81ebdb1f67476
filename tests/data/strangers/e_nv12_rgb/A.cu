// NV12 decoder surface -> RGBA, BT.709 limited range, fixed point.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Surface {            // as handed over by the video decoder
    uint8_t *data;          // luma rows, then interleaved chroma rows (height / 2 of them)
    int width, height;      // even
    int pitch;              // bytes from one row to the next, in both planes; multiple of 256
};

#define OK(x) do { cudaError_t rc = (x); if (rc != cudaSuccess) { std::fprintf(stderr, #x ": %s\n", cudaGetErrorName(rc)); std::exit(1); } } while (0)

__device__ inline uint8_t clip(int v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

__global__ void nv12ToRgba(Surface s, uchar4 *out, int outStride /* pixels */)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height) return;
    const uint8_t *chroma = s.data + (size_t)s.pitch * s.height;
    int Y = s.data[(size_t)y * s.pitch + x] - 16;
    int U = chroma[(size_t)(y / 2) * s.pitch + (x & ~1)] - 128;
    int V = chroma[(size_t)(y / 2) * s.pitch + (x & ~1) + 1] - 128;
    int c = 1192 * Y + 512;
    uchar4 p;
    p.x = clip((c + 1836 * V) >> 10);
    p.y = clip((c - 218 * U - 546 * V) >> 10);
    p.z = clip((c + 2163 * U) >> 10);
    p.w = 255;
    out[(size_t)y * outStride + x] = p;
}

int main()
{
    Surface s;
    s.width = 1280; s.height = 720;
    s.pitch = (s.width + 255) / 256 * 256;
    const int outStride = (s.width + 15) / 16 * 16;
    const size_t bytes = (size_t)s.pitch * s.height * 3 / 2;
    std::vector<uint8_t> frame(bytes, 0);
    for (int y = 0; y < s.height; ++y)
        for (int x = 0; x < s.width; ++x)
            frame[(size_t)y * s.pitch + x] = (uint8_t)(16 + (x * 3 + y * 5 + (x * y >> 7)) % 220);
    for (int y = 0; y < s.height / 2; ++y)
        for (int x = 0; x < s.width / 2; ++x) {
            uint8_t *p = &frame[(size_t)(s.height + y) * s.pitch + 2 * x];
            p[0] = (uint8_t)(16 + (x + 2 * y) % 225);
            p[1] = (uint8_t)(240 - (3 * x + y) % 225);
        }

    uchar4 *dOut;
    OK(cudaMalloc(&s.data, bytes));
    OK(cudaMalloc(&dOut, (size_t)outStride * s.height * sizeof(uchar4)));
    OK(cudaMemcpy(s.data, frame.data(), bytes, cudaMemcpyHostToDevice));
    OK(cudaMemset(dOut, 0, (size_t)outStride * s.height * sizeof(uchar4)));
    dim3 b(32, 8), g((s.width + b.x - 1) / b.x, (s.height + b.y - 1) / b.y);
    nv12ToRgba<<<g, b>>>(s, dOut, outStride);
    OK(cudaGetLastError());
    std::vector<uchar4> rgba((size_t)outStride * s.height);
    OK(cudaMemcpy(rgba.data(), dOut, rgba.size() * sizeof(uchar4), cudaMemcpyDeviceToHost));

    unsigned long long r = 0, gr = 0, bl = 0; uint32_t h = 2166136261u;
    for (const uchar4 &p : rgba) {
        r += p.x; gr += p.y; bl += p.z;
        h = (h ^ (p.x | p.y << 8 | p.z << 16)) * 16777619u;
    }
    std::printf("%dx%d  R %llu  G %llu  B %llu  hash %08x\n", s.width, s.height, r, gr, bl, h);
    cudaFree(s.data); cudaFree(dOut);
    return 0;
}
