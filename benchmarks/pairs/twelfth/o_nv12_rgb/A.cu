// NV12 (BT.601, limited range) to planar RGB float [0,1], as the input of a detector network.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void chk(cudaError_t e, const char* file, int line)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s(%d): %s\n", file, line, cudaGetErrorString(e));
    std::exit(1);
}
#define CHK(e) chk((e), __FILE__, __LINE__)

struct Frame {
    const uint8_t* y;     // height rows
    const uint8_t* uv;    // height/2 rows, U and V interleaved
    int width, height;    // both even
    int stride;
};

__device__ inline float to01(int v)
{
    v = v < 0 ? 0 : v;
    v = v > 255 ? 255 : v;
    return (float)v * (1.0f / 255.0f);
}

__global__ void nv12_to_rgb(Frame f, float* __restrict__ rgb)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height) return;

    int C = f.y[y * f.stride + x] - 16;
    int D = f.uv[(y >> 1) * f.stride + (x & ~1)] - 128;
    int E = f.uv[(y >> 1) * f.stride + (x & ~1) + 1] - 128;

    int r = (298 * C + 409 * E + 128) >> 8;
    int g = (298 * C - 100 * D - 208 * E + 128) >> 8;
    int b = (298 * C + 516 * D + 128) >> 8;

    size_t plane = (size_t)f.width * f.height;
    size_t o = (size_t)y * f.width + x;
    rgb[o] = to01(r);
    rgb[o + plane] = to01(g);
    rgb[o + 2 * plane] = to01(b);
}

int main()
{
    const int W = 854, H = 480, S = 896, frames = 4;
    const size_t ysz = (size_t)S * H, fsz = ysz * 3 / 2;
    std::vector<uint8_t> host(fsz);
    std::vector<float> rgb((size_t)3 * W * H);
    uint8_t* dimg;
    float* drgb;
    CHK(cudaMalloc(&dimg, fsz));
    CHK(cudaMalloc(&drgb, rgb.size() * sizeof(float)));

    for (int t = 0; t < frames; ++t) {
        // muted camera-like picture: luma ramp with texture, soft chroma waves
        for (int y = 0; y < H; ++y)
            for (int x = 0; x < W; ++x)
                host[(size_t)y * S + x] = (uint8_t)(16 + ((x + 2 * y + 9 * t + ((x * y) & 15)) % 220));
        for (int y = 0; y < H / 2; ++y)
            for (int x = 0; x < W / 2; ++x) {
                host[ysz + (size_t)y * S + 2 * x] = (uint8_t)(128 + ((x + y + t) % 97) - 48);
                host[ysz + (size_t)y * S + 2 * x + 1] = (uint8_t)(128 + ((3 * x + y + 5 * t) % 81) - 40);
            }
        CHK(cudaMemcpy(dimg, host.data(), fsz, cudaMemcpyHostToDevice));
        Frame f{dimg, dimg + ysz, W, H, S};
        dim3 blk(32, 8), grd((W + 31) / 32, (H + 7) / 8);
        nv12_to_rgb<<<grd, blk>>>(f, drgb);
        CHK(cudaGetLastError());
        CHK(cudaMemcpy(rgb.data(), drgb, rgb.size() * sizeof(float), cudaMemcpyDeviceToHost));

        double m[3] = {0, 0, 0};
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < W * H; i += 3) m[c] += rgb[(size_t)c * W * H + i];
        int cnt = (W * H + 2) / 3;
        std::printf("frame %d mean RGB %.5f %.5f %.5f\n", t, m[0] / cnt, m[1] / cnt, m[2] / cnt);
    }
    CHK(cudaFree(dimg));
    CHK(cudaFree(drgb));
    return 0;
}
