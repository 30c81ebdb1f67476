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
#define EMPTY      0u
#define RUN        16              // k-mer starts per thread

// key and count side by side: one cache line per probe, and one memset clears everything
struct Slot  { u32 key; u32 cnt; };
struct Table { Slot* slot; };

__device__ __forceinline__ u32 baseCode(char c)
{
    // A=0x41 C=0x43 G=0x47 T=0x54: bits 1..2 tell the four apart
    u32 code = ((u32)c >> 1) & 3;          // A 0, C 1, T 2, G 3
    code ^= code >> 1;                     // A 0, C 1, T 3, G 2
    return (c == 'A' || c == 'C' || c == 'G' || c == 'T') ? code : 4u;
}

__device__ __forceinline__ u32 slotOf(u32 k) { k ^= k >> 16; k *= 0x7feb352du; k ^= k >> 15; k *= 0x846ca68bu; k ^= k >> 16; return k & (TABLE_SIZE - 1); }

__device__ void insert(Table t, u32 k)
{
    u32 s = slotOf(k);
    for (u32 probe = 0; probe < TABLE_SIZE; probe++) {
        u32 cur = *(volatile u32*)&t.slot[s].key;         // most k-mers are there already: no CAS needed
        if (cur != k) {
            if (cur == EMPTY) cur = atomicCAS(&t.slot[s].key, EMPTY, k);
            if (cur != EMPTY && cur != k) { s = (s + 1) & (TABLE_SIZE - 1); continue; }
        }
        atomicAdd(&t.slot[s].cnt, 1u);
        return;
    }
}

// Each thread rolls over RUN consecutive start positions; the block's text is staged in shared memory.
__global__ void __launch_bounds__(128) countKmers(const char* __restrict__ text, int len, Table t)
{
    __shared__ unsigned char code[128 * RUN + K - 1];
    int base = blockIdx.x * 128 * RUN;
    for (int i = threadIdx.x; i < 128 * RUN + K - 1; i += 128)
        code[i] = base + i < len ? (unsigned char)baseCode(text[base + i]) : 4;
    __syncthreads();

    const u32 mask = (1u << (2 * K)) - 1;
    u32 fw = 0, rc = 0;
    int valid = 0;
    int first = threadIdx.x * RUN;
    for (int j = 0; j < RUN + K - 1; j++) {
        u32 c = code[first + j];
        if (c > 3) { valid = 0; continue; }
        fw = ((fw << 2) | c) & mask;
        rc = (rc >> 2) | ((3 - c) << (2 * (K - 1)));
        if (++valid >= K) insert(t, min(fw, rc));
    }
}

__global__ void spectrum(Table t, u32* hist, int nHist, unsigned long long* checksum)
{
    u32 s = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long part = 0;
    if (s < TABLE_SIZE) {
        Slot e = t.slot[s];
        if (e.cnt) {
            atomicAdd(&hist[e.cnt < (u32)nHist ? e.cnt : nHist - 1], 1u);
            part = (unsigned long long)e.key * e.cnt;
        }
    }
    for (int o = 16; o; o >>= 1) part += __shfl_down_sync(0xffffffffu, part, o);
    if ((threadIdx.x & 31) == 0 && part) atomicAdd(checksum, part);
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
    CHECK(cudaMalloc(&t.slot, TABLE_SIZE * sizeof(Slot)));
    CHECK(cudaMalloc(&dHist, NH * sizeof(u32)));
    CHECK(cudaMalloc(&dSum, sizeof(*dSum)));
    CHECK(cudaMemcpy(dText, text.data(), len, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(t.slot, 0, TABLE_SIZE * sizeof(Slot)));
    CHECK(cudaMemset(dHist, 0, NH * sizeof(u32)));
    CHECK(cudaMemset(dSum, 0, sizeof(*dSum)));

    countKmers<<<(len + 128 * RUN - 1) / (128 * RUN), 128>>>(dText, len, t);
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
    cudaFree(dText); cudaFree(t.slot); cudaFree(dHist); cudaFree(dSum);
    return 0;
}
