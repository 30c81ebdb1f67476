// Count canonical k-mers of a set of reads with a GPU hash table (open addressing, linear probing).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(c) if ((c) != cudaSuccess) { printf("CUDA failure at %s:%d: %s\n", __FILE__, __LINE__, \
                     cudaGetErrorString(cudaGetLastError())); exit(1); }

typedef unsigned int u32;

#define K          13
#define TABLE_BITS 19
#define TABLE_SIZE (1u << TABLE_BITS)
#define EMPTY      0xFFFFFFFFu

struct Table { u32* key; u32* cnt; };

__device__ u32 baseCode(char c)
{
    switch (c) {
        case 'A': return 0; case 'C': return 1; case 'G': return 2; case 'T': return 3;
    }
    return 4;
}

__device__ u32 slotOf(u32 k) { k ^= k >> 16; k *= 0x7feb352du; k ^= k >> 15; k *= 0x846ca68bu; k ^= k >> 16; return k & (TABLE_SIZE - 1); }

__device__ void insert(Table t, u32 k)
{
    u32 s = slotOf(k);
    for (u32 probe = 0; probe < TABLE_SIZE; probe++) {
        u32 old = atomicCAS(&t.key[s], EMPTY, k);
        if (old == EMPTY || old == k) { atomicAdd(&t.cnt[s], 1u); return; }
        s = (s + 1) & (TABLE_SIZE - 1);
    }
}

// one thread per start position; reads are separated by '\n', which is no base
__global__ void countKmers(const char* text, int len, Table t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + K > len) return;
    u32 fw = 0, rc = 0;
    for (int j = 0; j < K; j++) {
        u32 c = baseCode(text[i + j]);
        if (c > 3) return;
        fw = (fw << 2) | c;
        rc = rc | ((3 - c) << (2 * j));
    }
    insert(t, fw < rc ? fw : rc);
}

__global__ void spectrum(Table t, u32* hist, int nHist, unsigned long long* checksum)
{
    u32 s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= TABLE_SIZE || t.key[s] == EMPTY) return;
    u32 c = t.cnt[s];
    atomicAdd(&hist[c < (u32)nHist ? c : nHist - 1], 1u);
    atomicAdd(checksum, (unsigned long long)t.key[s] * c);
}

int main()
{
    // a random 30 kb genome, sampled with overlapping reads, some errors and Ns
    std::string genome, text;
    u32 s = 99;
    auto rnd = [&]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    for (int i = 0; i < 30000; i++) genome += "ACGT"[rnd() >> 30];
    for (int r = 0; r < 2400; r++) {
        std::string rd = genome.substr(rnd() % (genome.size() - 150), 150);
        for (auto& c : rd) { u32 x = rnd() % 1000; if (x < 4) c = "ACGT"[rnd() >> 30]; else if (x == 4) c = 'N'; }
        text += rd + "\n";
    }
    int len = (int)text.size();

    char* dText; Table t; u32* dHist; unsigned long long* dSum;
    const int NH = 64;
    CHECK(cudaMalloc(&dText, len));
    CHECK(cudaMalloc(&t.key, TABLE_SIZE * sizeof(u32)));
    CHECK(cudaMalloc(&t.cnt, TABLE_SIZE * sizeof(u32)));
    CHECK(cudaMalloc(&dHist, NH * sizeof(u32)));
    CHECK(cudaMalloc(&dSum, sizeof(*dSum)));
    CHECK(cudaMemcpy(dText, text.data(), len, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(t.key, 0xFF, TABLE_SIZE * sizeof(u32)));
    CHECK(cudaMemset(t.cnt, 0, TABLE_SIZE * sizeof(u32)));
    CHECK(cudaMemset(dHist, 0, NH * sizeof(u32)));
    CHECK(cudaMemset(dSum, 0, sizeof(*dSum)));

    countKmers<<<(len + 255) / 256, 256>>>(dText, len, t);
    CHECK(cudaGetLastError());
    spectrum<<<TABLE_SIZE / 256, 256>>>(t, dHist, NH, dSum);
    CHECK(cudaGetLastError());

    u32 hist[NH]; unsigned long long sum;
    CHECK(cudaMemcpy(hist, dHist, sizeof hist, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&sum, dSum, sizeof sum, cudaMemcpyDeviceToHost));
    unsigned long long distinct = 0;
    for (int i = 0; i < NH; i++) distinct += hist[i];
    printf("%d bytes, %llu distinct canonical %d-mers, checksum %llu\n", len, distinct, K, sum);
    for (int i = 1; i < NH; i++) if (hist[i]) printf("%2d%s %u\n", i, i == NH - 1 ? "+" : " ", hist[i]);
    cudaFree(dText); cudaFree(t.key); cudaFree(t.cnt); cudaFree(dHist); cudaFree(dSum);
    return 0;
}
