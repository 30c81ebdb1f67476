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

__device__ char lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

__global__ void countNeedles(const char *text, int n, unsigned *hits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int p = 0; p < d_needles.count; p++) {
        int m = d_needles.len[p];
        if (i + m > n) continue;
        int k = 0;
        while (k < m && lower(text[i + k]) == lower(d_needles.text[p][k])) k++;
        if (k == m) atomicAdd(&hits[p], 1u);
    }
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
        std::memcpy(nd.text[p], pats[p], nd.len[p]);
    }
    char *dText; unsigned *dHits, hits[MAX_PAT];
    HANDLE(cudaMalloc(&dText, n));
    HANDLE(cudaMalloc(&dHits, sizeof hits));
    HANDLE(cudaMemcpy(dText, log.data(), n, cudaMemcpyHostToDevice));
    HANDLE(cudaMemset(dHits, 0, sizeof hits));
    HANDLE(cudaMemcpyToSymbol(d_needles, &nd, sizeof nd));
    countNeedles<<<(n + 255) / 256, 256>>>(dText, n, dHits);
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(hits, dHits, sizeof hits, cudaMemcpyDeviceToHost));
    std::printf("%d bytes\n", n);
    for (int p = 0; p < nd.count; p++) std::printf("%8u  %s\n", hits[p], pats[p]);
    cudaFree(dText); cudaFree(dHits);
    return 0;
}
