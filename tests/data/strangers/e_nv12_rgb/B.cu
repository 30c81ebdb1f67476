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

__device__ __forceinline__ unsigned pack(int Y, int r, int g, int b)
{
    int c = 1192 * (Y - 16) + 512;
    unsigned R = min(max((c + r) >> 10, 0), 255);
    unsigned G = min(max((c + g) >> 10, 0), 255);
    unsigned B = min(max((c + b) >> 10, 0), 255);
    return R | G << 8 | B << 16 | 0xff000000u;
}

// One thread makes a 4x2 block of pixels: two chroma pairs are fetched and multiplied once for eight pixels,
// loads are 4 bytes and stores 16 bytes wide.
__global__ void __launch_bounds__(128)
nv12ToRgba(const uint8_t *__restrict__ luma, const uint8_t *__restrict__ chroma, int width, int height, int pitch,
           unsigned *__restrict__ out, int outStride /* pixels, multiple of 4 */)
{
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    const int y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height) return;

    const uint8_t *row = luma + (size_t)y * pitch + x;
    const unsigned y0 = *reinterpret_cast<const unsigned *>(row);
    const unsigned y1 = *reinterpret_cast<const unsigned *>(row + pitch);
    const unsigned uv = *reinterpret_cast<const unsigned *>(chroma + (size_t)(y >> 1) * width + x);

    int r[2], g[2], b[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        int U = (int)((uv >> (16 * k)) & 255) - 128;
        int V = (int)((uv >> (16 * k + 8)) & 255) - 128;
        r[k] = 1836 * V;
        g[k] = -218 * U - 546 * V;
        b[k] = 2163 * U;
    }
    unsigned p[2][4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        p[0][k] = pack((y0 >> (8 * k)) & 255, r[k >> 1], g[k >> 1], b[k >> 1]);
        p[1][k] = pack((y1 >> (8 * k)) & 255, r[k >> 1], g[k >> 1], b[k >> 1]);
    }
    unsigned *o = out + (size_t)y * outStride + x;
    if (x + 4 <= width) {
        *reinterpret_cast<uint4 *>(o) = make_uint4(p[0][0], p[0][1], p[0][2], p[0][3]);
        *reinterpret_cast<uint4 *>(o + outStride) = make_uint4(p[1][0], p[1][1], p[1][2], p[1][3]);
    } else {                                   // width is even: two pixels are left
        o[0] = p[0][0]; o[1] = p[0][1];
        o[outStride] = p[1][0]; o[outStride + 1] = p[1][1];
    }
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
    dim3 b(32, 4), g((s.width / 4 + b.x) / b.x, (s.height / 2 + b.y - 1) / b.y);
    nv12ToRgba<<<g, b>>>(s.data, s.data + (size_t)s.pitch * s.height, s.width, s.height, s.pitch,
                         reinterpret_cast<unsigned *>(dOut), outStride);
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
