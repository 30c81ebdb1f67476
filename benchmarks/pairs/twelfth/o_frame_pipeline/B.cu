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

// Two slots, each with its own stream: decoding, upload, filter and download of neighbouring frames overlap.
struct Slot {
    cudaStream_t stream;
    uint8_t* h_stage;   // pinned
    uint8_t* d_src;
    uint8_t* d_dst;
};

int main()
{
    const size_t bytes = (size_t)W * H;
    uint8_t* out;
    TRY(cudaMallocHost(&out, bytes * FRAMES));
    Slot slot[2];
    for (Slot& s : slot) {
        TRY(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
        TRY(cudaMallocHost(&s.h_stage, bytes));
        TRY(cudaMalloc(&s.d_src, bytes));
        TRY(cudaMalloc(&s.d_dst, bytes));
    }
    dim3 blk(32, 8), grd((W + 31) / 32, (H + 7) / 8);

    for (int f = 0; f < FRAMES; f++) {
        Slot& s = slot[f & 1];
        decode_frame(s.h_stage, f);
        TRY(cudaMemcpyAsync(s.d_src, s.h_stage, bytes, cudaMemcpyHostToDevice, s.stream));
        unsharp<<<grd, blk, 0, s.stream>>>(s.d_src, s.d_dst, W, H, 80);
        TRY(cudaGetLastError());
        TRY(cudaMemcpyAsync(out + f * bytes, s.d_dst, bytes, cudaMemcpyDeviceToHost, s.stream));
    }
    for (Slot& s : slot) TRY(cudaStreamSynchronize(s.stream));

    for (int f = 0; f < FRAMES; f++) {
        uint32_t a = 1, b = 0;   // adler32
        for (size_t i = 0; i < bytes; i++) {
            a = (a + out[f * bytes + i]) % 65521;
            b = (b + a) % 65521;
        }
        printf("frame %02d adler %08x\n", f, (b << 16) | a);
    }
    for (Slot& s : slot) {
        cudaFree(s.d_src);
        cudaFree(s.d_dst);
        cudaFreeHost(s.h_stage);
        cudaStreamDestroy(s.stream);
    }
    cudaFreeHost(out);
    return 0;
}
