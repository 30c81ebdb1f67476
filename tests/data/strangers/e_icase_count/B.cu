// grep -ic for a handful of ASCII needles over a log buffer (counts occurrences, overlapping ones too)
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define MAX_PAT 8
#define MAX_LEN 24

struct Needles {
    int count;
    int len[MAX_PAT];
    char text[MAX_PAT][MAX_LEN];
};

__constant__ Needles d_needles;

#define HANDLE(e) if ((e) != cudaSuccess) { std::printf("CUDA failure, line %d\n", __LINE__); std::exit(1); }

#define TPB 256
#define SPAN (4 * TPB)                 // text positions per block

// The block's text is folded to lower case once, four characters per instruction (setting bit 5 lower-cases
// ASCII), and kept in shared memory; the needles are folded on the host. Counts are kept per block.
__global__ void __launch_bounds__(TPB)
countNeedles(const unsigned char *__restrict__ text, int n, unsigned *hits)
{
    __shared__ unsigned folded[(SPAN + MAX_LEN) / 4];
    __shared__ unsigned cnt[MAX_PAT];
    const int base = blockIdx.x * SPAN;

    for (int w = threadIdx.x; w < (SPAN + MAX_LEN) / 4; w += TPB) {
        int g = base + 4 * w;
        unsigned v = 0;
        if (g + 4 <= n) {
            v = *reinterpret_cast<const unsigned *>(text + g);
        } else {
            for (int k = 0; k < 4; k++)
                if (g + k < n) v |= (unsigned)text[g + k] << (8 * k);
        }
        folded[w] = v | 0x20202020u;
    }
    if (threadIdx.x < MAX_PAT) cnt[threadIdx.x] = 0;
    __syncthreads();

    const unsigned char *s = reinterpret_cast<const unsigned char *>(folded);
    for (int p = 0; p < d_needles.count; p++) {
        const int m = d_needles.len[p];
        const unsigned char first = (unsigned char)d_needles.text[p][0];
        unsigned found = 0;
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const int o = threadIdx.x + q * TPB;
            if (base + o + m > n || s[o] != first) continue;
            int k = 1;
            while (k < m && s[o + k] == (unsigned char)d_needles.text[p][k]) k++;
            found += k >= m;
        }
        if (found) atomicAdd(&cnt[p], found);
    }
    __syncthreads();
    if (threadIdx.x < d_needles.count && cnt[threadIdx.x]) atomicAdd(&hits[threadIdx.x], cnt[threadIdx.x]);
}

static std::string makeLog(int lines)
{
    static const char *level[] = { "INFO", "Warning", "error", "DEBUG", "ERROR" };
    static const char *what[] = { "Connection reset by peer", "user login from 10.0.0.7", "Disk Full on volume C",
                                  "cache MISS, refetching", "timeout after 30s", "TimeOut while reading block" };
    std::string s;
    unsigned r = 17;
    for (int i = 0; i < lines; i++) {
        r = r * 1103515245u + 12345u;
        char buf[160];
        std::snprintf(buf, sizeof buf, "2024-03-%02d 12:%02d:%02d %s node%u: %s\n", 1 + (int)(r >> 8) % 28, i / 60 % 60, i % 60,
                      level[(r >> 16) % 5], (r >> 20) % 64, what[(r >> 12) % 6]);
        s += buf;
    }
    return s;
}

int main()
{
    std::string log = makeLog(14000);
    const int n = (int)log.size();
    const char *pats[] = { "error", "Timeout", "connection RESET", "node1", "cache miss" };
    Needles nd;
    std::memset(&nd, 0, sizeof nd);
    nd.count = 5;
    for (int p = 0; p < nd.count; p++) {
        nd.len[p] = (int)std::strlen(pats[p]);
        for (int k = 0; k < nd.len[p]; k++) nd.text[p][k] = (char)(pats[p][k] | 0x20);
    }
    unsigned char *dText; unsigned *dHits, hits[MAX_PAT];
    HANDLE(cudaMalloc(&dText, n));
    HANDLE(cudaMalloc(&dHits, sizeof hits));
    HANDLE(cudaMemcpy(dText, log.data(), n, cudaMemcpyHostToDevice));
    HANDLE(cudaMemset(dHits, 0, sizeof hits));
    HANDLE(cudaMemcpyToSymbol(d_needles, &nd, sizeof nd));
    countNeedles<<<(n + SPAN - 1) / SPAN, TPB>>>(dText, n, dHits);
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(hits, dHits, sizeof hits, cudaMemcpyDeviceToHost));
    std::printf("%d bytes\n", n);
    for (int p = 0; p < nd.count; p++) std::printf("%8u  %s\n", hits[p], pats[p]);
    cudaFree(dText); cudaFree(dHits);
    return 0;
}
