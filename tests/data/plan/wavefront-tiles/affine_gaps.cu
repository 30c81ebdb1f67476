// kernel=sw_antidiag line=54 finding=KO125
// Smith-Waterman with affine gaps: three tables, the best score by an atomic maximum.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void sw_antidiag(int *H, int *E, int *F, const char *query, const char *subject, int qlen, int slen, int diag, int *best)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int r = min(diag, qlen) - tid;
    int c = diag - r + 1;
    if (r >= 1 && c >= 1 && c <= slen) {
        int stride = slen + 1;
        int e = max(E[r * stride + c - 1] - 1, H[r * stride + c - 1] - 3);
        int f = max(F[(r - 1) * stride + c] - 1, H[(r - 1) * stride + c] - 3);
        int match = query[r - 1] == subject[c - 1] ? 2 : -1;
        int h = max(0, max(H[(r - 1) * stride + c - 1] + match, max(e, f)));
        E[r * stride + c] = e;
        F[r * stride + c] = f;
        H[r * stride + c] = h;
        if (h > 0)
            atomicMax(best, h);
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
    int threads = 128;
    int blocks = (qlen + threads - 1) / threads;
    for (int diag = 1; diag < qlen + slen; diag++) {
        sw_antidiag<<<blocks, threads>>>(H, E, F, dq, ds, qlen, slen, diag, best);
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
