// bool arrays <-> packed bit masks
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cuda_runtime.h>

#define N 400009

// a warp packs 32 flags into a word
__global__ void pack_ballot(const bool *flag, uint32_t *mask, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool f = false;
    if (i < n)
        f = flag[i];
    uint32_t w = __ballot_sync(0xffffffffu, f);
    if ((threadIdx.x & 31) == 0 && i < n)
        mask[i >> 5] = w;
}

// a thread packs 8 flags into a byte
__global__ void pack_bytes(const bool *flag, uint8_t *mask, int n)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= (n + 7) / 8) return;
    unsigned v = 0;
    for (int k = 0; k < 8; ++k) {
        int i = 8 * b + k;
        if (i < n) {
            bool f = flag[i];
            v |= (unsigned)f << k;
        }
    }
    mask[b] = (uint8_t)v;
}

// test bits: eight lanes look at the same byte; keep every flagged value
__global__ void select(const uint8_t *mask, const short *val, short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint8_t m = mask[i >> 3];
    if (m >> (i & 7) & 1) {
        short v = val[i];
        out[i] = v;
    } else {
        out[i] = -1;
    }
}

// set bits of multiples of p that are not flagged yet, word by word
__global__ void set_multiples(uint32_t *mask, int p, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x + 1) * p;
    if (i < n)
        atomicOr(&mask[i >> 5], 1u << (i & 31));
}

int main()
{
    static bool flag[N];
    static short val[N];
    for (int i = 0; i < N; ++i) {
        flag[i] = ((i * 2654435761u) >> 28) < 5;
        val[i] = (short)(i % 30011);
    }
    const int words = (N + 31) / 32, bytes = (N + 7) / 8;
    bool *d_flag;
    uint32_t *d_words;
    uint8_t *d_bytes;
    short *d_val, *d_out;
    cudaMalloc(&d_flag, N * sizeof(bool));
    cudaMalloc(&d_words, words * 4);
    cudaMalloc(&d_bytes, bytes);
    cudaMalloc(&d_val, N * 2);
    cudaMalloc(&d_out, N * 2);
    cudaMemcpy(d_flag, flag, N * sizeof(bool), cudaMemcpyHostToDevice);
    cudaMemcpy(d_val, val, N * 2, cudaMemcpyHostToDevice);

    pack_ballot<<<(N + 255) / 256, 256>>>(d_flag, d_words, N);
    pack_bytes<<<(bytes + 127) / 128, 128>>>(d_flag, d_bytes, N);
    select<<<(N + 255) / 256, 256>>>(d_bytes, d_val, d_out, N);
    set_multiples<<<(N / 3 + 255) / 256, 256>>>(d_words, 3, N);
    set_multiples<<<(N / 7 + 255) / 256, 256>>>(d_words, 7, N);

    uint32_t *w = (uint32_t *)malloc(words * 4);
    uint8_t *b = (uint8_t *)malloc(bytes);
    cudaMemcpy(w, d_words, words * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, d_bytes, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(val, d_out, N * 2, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) {
        printf("cuda error\n");
        return 1;
    }
    uint64_t h = 0;
    for (int i = 0; i < words; ++i) h = h * 1000003 + w[i];
    for (int i = 0; i < bytes; ++i) h = h * 1000003 + b[i];
    for (int i = 0; i < N; ++i) h = h * 1000003 + (uint16_t)val[i];
    printf("checksum %llu\n", (unsigned long long)h);
    free(w);
    free(b);
    return 0;
}
