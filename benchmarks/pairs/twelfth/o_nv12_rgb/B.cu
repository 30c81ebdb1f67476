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

// Chroma contributions by table: .x -> red (V), .y -> green (V), .z -> green (U), .w -> blue (U)
__constant__ short4 kChroma[256];

static void upload_chroma_table()
{
    short4 t[256];
    for (int i = 0; i < 256; ++i) {
        const int d = i - 128;
        t[i].x = (short)(409 * d);
        t[i].y = (short)(-208 * d);
        t[i].z = (short)(-100 * d);
        t[i].w = (short)(516 * d);
    }
    CHK(cudaMemcpyToSymbol(kChroma, t, sizeof t));
}

// One thread converts a 2x2 block: its chroma pair is fetched and weighted only once.
__global__ void nv12_to_rgb(Frame f, float* __restrict__ rgb)
{
    __shared__ short4 tab[256];
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < 256; i += blockDim.x * blockDim.y) tab[i] = kChroma[i];
    __syncthreads();

    const int cx = blockIdx.x * blockDim.x + threadIdx.x;
    const int cy = blockIdx.y * blockDim.y + threadIdx.y;
    if (2 * cx >= f.width || 2 * cy >= f.height) return;

    const uint8_t* uv = f.uv + cy * f.stride + 2 * cx;
    const short4 tu = tab[uv[0]], tv = tab[uv[1]];
    const int cr = tv.x + 128;
    const int cg = tv.y + tu.z + 128;
    const int cb = tu.w + 128;

    const size_t plane = (size_t)f.width * f.height;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
        const int y = 2 * cy + j;
        const uint8_t* yr = f.y + y * f.stride + 2 * cx;
        float* o = rgb + (size_t)y * f.width + 2 * cx;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int l = 298 * (yr[i] - 16);
            o[i] = to01((l + cr) >> 8);
            o[plane + i] = to01((l + cg) >> 8);
            o[2 * plane + i] = to01((l + cb) >> 8);
        }
    }
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

    upload_chroma_table();
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
        dim3 blk(32, 8), grd((W / 2 + 31) / 32, (H / 2 + 7) / 8);
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
