// Offline video filter: unsharp mask on luma frames delivered by a (here: synthetic) decoder.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define TRY(c) do { cudaError_t r = (c); if (r != cudaSuccess) { printf("error %d in %s\n", (int)r, #c); return 1; } } while (0)

static const int W = 512, H = 288, FRAMES = 10;

// stands for the decoder: fills the given buffer with frame number f
static void decode_frame(uint8_t* dst, int f)
{
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            int v = ((x + 3 * f) >> 3) ^ ((y + 2 * f) >> 3);
            int bx = x - (40 + 30 * f), by = y - 140;
            if (bx * bx + by * by < 1600) v += 90;
            dst[y * W + x] = (uint8_t)(v * 3 + (x & 7));
        }
    }
}

__global__ void unsharp(const uint8_t* src, uint8_t* dst, int w, int h, int amount_q6)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int sum = 0;
    for (int dy = -2; dy <= 2; dy++) {
        int yy = min(max(y + dy, 0), h - 1);
        for (int dx = -2; dx <= 2; dx++) {
            int xx = min(max(x + dx, 0), w - 1);
            sum += src[yy * w + xx];
        }
    }
    int c = src[y * w + x];
    int blur = (sum + 12) / 25;
    int v = c + (((c - blur) * amount_q6) >> 6);
    dst[y * w + x] = (uint8_t)min(max(v, 0), 255);
}

int main()
{
    const size_t bytes = (size_t)W * H;
    std::vector<uint8_t> frame(bytes), out(bytes * FRAMES);
    uint8_t *d_src, *d_dst;
    TRY(cudaMalloc(&d_src, bytes));
    TRY(cudaMalloc(&d_dst, bytes));
    dim3 blk(32, 8), grd((W + 31) / 32, (H + 7) / 8);

    for (int f = 0; f < FRAMES; f++) {
        decode_frame(frame.data(), f);
        TRY(cudaMemcpy(d_src, frame.data(), bytes, cudaMemcpyHostToDevice));
        unsharp<<<grd, blk>>>(d_src, d_dst, W, H, 80);
        TRY(cudaGetLastError());
        TRY(cudaMemcpy(out.data() + f * bytes, d_dst, bytes, cudaMemcpyDeviceToHost));
    }

    for (int f = 0; f < FRAMES; f++) {
        uint32_t a = 1, b = 0;   // adler32
        for (size_t i = 0; i < bytes; i++) {
            a = (a + out[f * bytes + i]) % 65521;
            b = (b + a) % 65521;
        }
        printf("frame %02d adler %08x\n", f, (b << 16) | a);
    }
    cudaFree(d_src);
    cudaFree(d_dst);
    return 0;
}
