// kernel=sw_antidiag line=54 finding=KO125
// Smith-Waterman with affine gaps: three tables, the best score by an atomic maximum.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

constexpr int TILE = 32;

// Each block fills a tile of the table, and a launch the diagonal `diag` of tiles.
__global__ void sw_antidiag(int *H, int *E, int *F, const char *query, const char *subject, int qlen, int slen, int diag, int first, int *best)
{
    __shared__ int H_tile[TILE + 1][TILE + 2];
    __shared__ int E_tile[TILE + 1][TILE + 2];
    __shared__ int F_tile[TILE + 1][TILE + 2];
    int stride = slen + 1;
    int t = threadIdx.x;
    int r0 = 1 + (first + blockIdx.x) * TILE;
    int c0 = 1 + (diag - first - blockIdx.x) * TILE;
    int r = r0 + t;

    // what the tiles above and to the left have stored next to this one
    if (r <= qlen) {
        H_tile[t + 1][0] = H[r * stride + c0 - 1];
        E_tile[t + 1][0] = E[r * stride + c0 - 1];
    }
    if (c0 + t <= slen) {
        H_tile[0][t + 1] = H[(r0 - 1) * stride + c0 + t];
        F_tile[0][t + 1] = F[(r0 - 1) * stride + c0 + t];
    }
    if (t == 0)
        H_tile[0][0] = H[(r0 - 1) * stride + c0 - 1];
    __syncthreads();

    for (int step = 0; step < 2 * TILE - 1; step++) {
        int k = step - t;
        int c = c0 + k;
        if (k >= 0 && k < TILE && r <= qlen && c <= slen) {
            int e = max(E_tile[t + 1][k] - 1, H_tile[t + 1][k] - 3);
            int f = max(F_tile[t][k + 1] - 1, H_tile[t][k + 1] - 3);
            int match = query[r - 1] == subject[c - 1] ? 2 : -1;
            int h = max(0, max(H_tile[t][k] + match, max(e, f)));
            E_tile[t + 1][k + 1] = e;
            F_tile[t + 1][k + 1] = f;
            H_tile[t + 1][k + 1] = h;
            if (h > 0)
                atomicMax(best, h);
        }
        __syncthreads();
    }

    if (c0 + t <= slen)
        for (int q = 0; q < TILE && r0 + q <= qlen; q++) {
            H[(r0 + q) * stride + c0 + t] = H_tile[q + 1][t + 1];
            E[(r0 + q) * stride + c0 + t] = E_tile[q + 1][t + 1];
            F[(r0 + q) * stride + c0 + t] = F_tile[q + 1][t + 1];
        }
}

int main(int argc, char **argv)
{
    int qlen = argc > 1 ? atoi(argv[1]) : 120;
    int slen = argc > 2 ? atoi(argv[2]) : 170;
    size_t cells = (size_t)(qlen + 1) * (slen + 1);
    char *q = (char *)malloc(qlen), *s = (char *)malloc(slen);
    for (int i = 0; i < qlen; i++) q[i] = "ACGT"[(i * 31 + i / 5) & 3];
    for (int i = 0; i < slen; i++) s[i] = "ACGT"[(i * 29 + i / 7) & 3];
    int *H, *E, *F, *best;
    char *dq, *ds;
    CHECK(cudaMalloc(&H, cells * sizeof(int)));
    CHECK(cudaMalloc(&E, cells * sizeof(int)));
    CHECK(cudaMalloc(&F, cells * sizeof(int)));
    CHECK(cudaMalloc(&best, sizeof(int)));
    CHECK(cudaMalloc(&dq, qlen));
    CHECK(cudaMalloc(&ds, slen));
    CHECK(cudaMemset(H, 0, cells * sizeof(int)));
    CHECK(cudaMemset(E, 0, cells * sizeof(int)));
    CHECK(cudaMemset(F, 0, cells * sizeof(int)));
    CHECK(cudaMemset(best, 0, sizeof(int)));
    CHECK(cudaMemcpy(dq, q, qlen, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(ds, s, slen, cudaMemcpyHostToDevice));
    int tile_rows = (qlen + TILE - 1) / TILE;
    int tile_columns = (slen + TILE - 1) / TILE;
    for (int diag = 0; diag < tile_rows + tile_columns - 1; diag++) {
        int first = diag < tile_columns ? 0 : diag - tile_columns + 1;
        int last = diag < tile_rows ? diag : tile_rows - 1;
        if (last < first) continue;  // no rows or no columns
        sw_antidiag<<<last - first + 1, TILE>>>(H, E, F, dq, ds, qlen, slen, diag, first, best);
        CHECK(cudaGetLastError());
    }
    int result;
    CHECK(cudaMemcpy(&result, best, sizeof(int), cudaMemcpyDeviceToHost));
    int *h = (int *)malloc(cells * sizeof(int));
    CHECK(cudaMemcpy(h, H, cells * sizeof(int), cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (size_t i = 0; i < cells; i++) sum += h[i] * (long long)(i % 7);
    printf("best %d sum %lld\n", result, sum);
    return 0;
}
