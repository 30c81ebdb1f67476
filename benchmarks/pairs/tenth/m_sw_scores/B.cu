// Batched Smith-Waterman score-only alignment (linear gaps): each read against its candidate window.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <string>
#include <vector>
#include <cuda_runtime.h>

static const int READ_LEN = 120;
static const int WIN_LEN = 136;
static const int MATCH = 3, MISMATCH = -2, GAP = -4;

#define CUDA_CHECK(stmt) \
    if (cudaError_t err__ = (stmt)) { fprintf(stderr, "%s -> %s\n", #stmt, cudaGetErrorString(err__)); exit(EXIT_FAILURE); }

struct Hit {
    int score;
    int end_in_window;   // window column of the best cell, first one in row-major order
};

static const int TPB = 64;

// The DP row of every thread lives in shared memory as bytes (scores are never negative);
// [column][thread] keeps a warp's accesses to a column side by side.
__global__ void __launch_bounds__(TPB)
sw_kernel(const char* __restrict__ reads, const char* __restrict__ windows, Hit* __restrict__ hits, int n)
{
    __shared__ uint8_t row[WIN_LEN + 1][TPB];
    __shared__ char win[WIN_LEN][TPB];
    const int t = threadIdx.x;
    const int id = blockIdx.x * TPB + t;
    if (id >= n) return;               // a thread only ever touches its own column of the tables
    const char* q = reads + (size_t)id * READ_LEN;
    const char* w = windows + (size_t)id * WIN_LEN;

    for (int j = 0; j < WIN_LEN; j++) { row[j][t] = 0; win[j][t] = __ldg(w + j); }
    row[WIN_LEN][t] = 0;

    int best = 0, end = 0;
    for (int i = 0; i < READ_LEN; i++) {
        const char c = __ldg(q + i);
        const bool known = c != 'N';
        int diag = 0, left = 0;
#pragma unroll 4
        for (int j = 1; j <= WIN_LEN; j++) {
            const int up = row[j][t];
            const int s = (known && c == win[j - 1][t]) ? MATCH : MISMATCH;
            const int h = max(max(diag + s, 0), max(up, left) + GAP);
            diag = up;
            left = h;
            row[j][t] = (uint8_t)h;
            if (h > best) { best = h; end = j; }
        }
    }
    hits[id] = Hit{best, end};
}

int main()
{
    const int n = 1100;
    std::string reads, wins;
    uint32_t st = 20240607u;
    auto rnd = [&st](uint32_t m) { st = st * 1664525u + 1013904223u; return (st >> 10) % m; };
    const char* nt = "ACGT";
    // noisy long-read like data: a window, and a read from it with many substitutions and indels
    for (int k = 0; k < n; k++) {
        std::string w, r;
        for (int j = 0; j < WIN_LEN; j++) w += nt[rnd(4)];
        int p = (int)rnd(8);
        while ((int)r.size() < READ_LEN) {
            uint32_t e = rnd(100);
            if (e < 30) { r += nt[rnd(4)]; p++; }
            else if (e < 36) r += nt[rnd(4)];
            else if (e < 42) p++;
            else { r += p < WIN_LEN ? w[p] : 'N'; p++; }
        }
        reads += r;
        wins += w;
    }

    char *d_r, *d_w; Hit* d_h;
    CUDA_CHECK(cudaMalloc(&d_r, reads.size()));
    CUDA_CHECK(cudaMalloc(&d_w, wins.size()));
    CUDA_CHECK(cudaMalloc(&d_h, n * sizeof(Hit)));
    CUDA_CHECK(cudaMemcpy(d_r, reads.data(), reads.size(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_w, wins.data(), wins.size(), cudaMemcpyHostToDevice));

    sw_kernel<<<(n + TPB - 1) / TPB, TPB>>>(d_r, d_w, d_h, n);
    CUDA_CHECK(cudaGetLastError());
    std::vector<Hit> hits(n);
    CUDA_CHECK(cudaMemcpy(hits.data(), d_h, n * sizeof(Hit), cudaMemcpyDeviceToHost));

    long total = 0, ends = 0; int top = 0;
    for (int k = 0; k < n; k++) {
        total += hits[k].score;
        ends += hits[k].end_in_window;
        if (hits[k].score > hits[top].score) top = k;
    }
    printf("pairs %d  total score %ld  end sum %ld  best pair %d score %d\n", n, total, ends, top, hits[top].score);
    cudaFree(d_r); cudaFree(d_w); cudaFree(d_h);
    return 0;
}
