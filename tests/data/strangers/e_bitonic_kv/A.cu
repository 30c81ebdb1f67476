// ORDER BY key, rowid  (signed 32-bit keys with duplicates) by a bitonic network; n is a power of two.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t _e = (x); if (_e != cudaSuccess) { fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(_e)); exit(1); } } while (0)

__global__ void bitonicStep(int *key, unsigned *row, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int l = i ^ j;
    if (l <= i) return;
    bool up = (i & k) == 0;
    int a = key[i], b = key[l];
    unsigned ra = row[i], rb = row[l];
    bool greater = a > b || (a == b && ra > rb);
    if (greater == up) {
        key[i] = b; key[l] = a;
        row[i] = rb; row[l] = ra;
    }
}

static void sortPairs(int *dKey, unsigned *dRow, int n)
{
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            bitonicStep<<<n / 256, 256>>>(dKey, dRow, j, k);
    TRY(cudaGetLastError());
}

int main()
{
    const int n = 1 << 14;
    int *key = (int *)malloc(n * sizeof(int));
    unsigned *row = (unsigned *)malloc(n * sizeof(unsigned));
    unsigned s = 20240501u;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        key[i] = (int)(s >> 18) - 8192;                 // many duplicates, both signs
        row[i] = (unsigned)i;
    }
    int *dKey; unsigned *dRow;
    TRY(cudaMalloc(&dKey, n * sizeof(int)));
    TRY(cudaMalloc(&dRow, n * sizeof(unsigned)));
    TRY(cudaMemcpy(dKey, key, n * sizeof(int), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dRow, row, n * sizeof(unsigned), cudaMemcpyHostToDevice));
    sortPairs(dKey, dRow, n);
    TRY(cudaMemcpy(key, dKey, n * sizeof(int), cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(row, dRow, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    int bad = 0; unsigned h = 0;
    for (int i = 0; i < n; i++) {
        if (i && (key[i] < key[i - 1] || (key[i] == key[i - 1] && row[i] < row[i - 1]))) bad++;
        h = (h ^ (unsigned)key[i]) * 16777619u;
        h = (h ^ row[i]) * 16777619u;
    }
    printf("n=%d first (%d,%u) last (%d,%u) inversions %d hash %08x\n", n, key[0], row[0], key[n - 1], row[n - 1], bad, h);
    cudaFree(dKey); cudaFree(dRow);
    free(key); free(row);
    return 0;
}
