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

__global__ void sw_kernel(const char* reads, const char* windows, int* row_buf, Hit* hits, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    const char* q = reads + (size_t)id * READ_LEN;
    const char* w = windows + (size_t)id * WIN_LEN;
    int* row = row_buf + (size_t)id * (WIN_LEN + 1);

    for (int j = 0; j <= WIN_LEN; j++) row[j] = 0;
    Hit best = {0, 0};
    for (int i = 0; i < READ_LEN; i++) {
        int diag = 0, left = 0;
        for (int j = 1; j <= WIN_LEN; j++) {
            int up = row[j];
            int s = (q[i] == w[j - 1] && q[i] != 'N') ? MATCH : MISMATCH;
            int h = diag + s;
            if (up + GAP > h) h = up + GAP;
            if (left + GAP > h) h = left + GAP;
            if (h < 0) h = 0;
            diag = up;
            left = h;
            row[j] = h;
            if (h > best.score) { best.score = h; best.end_in_window = j; }
        }
    }
    hits[id] = best;
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

    char *d_r, *d_w; int* d_row; Hit* d_h;
    CUDA_CHECK(cudaMalloc(&d_r, reads.size()));
    CUDA_CHECK(cudaMalloc(&d_w, wins.size()));
    CUDA_CHECK(cudaMalloc(&d_row, (size_t)n * (WIN_LEN + 1) * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_h, n * sizeof(Hit)));
    CUDA_CHECK(cudaMemcpy(d_r, reads.data(), reads.size(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_w, wins.data(), wins.size(), cudaMemcpyHostToDevice));

    sw_kernel<<<(n + 63) / 64, 64>>>(d_r, d_w, d_row, d_h, n);
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
    cudaFree(d_r); cudaFree(d_w); cudaFree(d_row); cudaFree(d_h);
    return 0;
}
