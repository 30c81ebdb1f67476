// SELECT rowid WHERE lo <= amount < hi   -- row ids come out in ascending order (the merge join needs that)
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define THREADS 256
#define ITEMS 4
#define TILE (THREADS * ITEMS)
#define SAFE(c) { cudaError_t r = c; if (r) { fprintf(stderr, "%s -> %s\n", #c, cudaGetErrorString(r)); abort(); } }

__device__ __forceinline__ bool hit(int v, int lo, int hi) { return v >= lo && v < hi; }

// exclusive scan of one int per thread; total to all
__device__ int blockScan(int v, int *sm, int &total)
{
    int t = threadIdx.x;
    sm[t] = v;
    __syncthreads();
    for (int o = 1; o < THREADS; o <<= 1) {
        int a = t >= o ? sm[t - o] : 0;
        __syncthreads();
        sm[t] += a;
        __syncthreads();
    }
    total = sm[THREADS - 1];
    int r = sm[t] - v;
    __syncthreads();
    return r;
}

__global__ void countTiles(const int *amount, int n, int lo, int hi, int *tileCount)
{
    __shared__ int sm[THREADS];
    int c = 0, total;
    for (int k = 0; k < ITEMS; k++) {
        int i = blockIdx.x * TILE + threadIdx.x * ITEMS + k;
        if (i < n && hit(amount[i], lo, hi)) c++;
    }
    blockScan(c, sm, total);
    if (threadIdx.x == 0) tileCount[blockIdx.x] = total;
}

__global__ void scanTiles(int *tileCount, int tiles, int *total)
{
    __shared__ int sm[THREADS];
    int carry = 0;
    for (int b = 0; b < tiles; b += THREADS) {
        int i = b + threadIdx.x, sum;
        int v = i < tiles ? tileCount[i] : 0;
        int e = blockScan(v, sm, sum);
        if (i < tiles) tileCount[i] = carry + e;
        carry += sum;
    }
    if (threadIdx.x == 0) *total = carry;
}

__global__ void emitRows(const int *amount, int n, int lo, int hi, const int *tileStart, int *rows)
{
    __shared__ int sm[THREADS];
    int c = 0, total;
    for (int k = 0; k < ITEMS; k++) {
        int i = blockIdx.x * TILE + threadIdx.x * ITEMS + k;
        if (i < n && hit(amount[i], lo, hi)) c++;
    }
    int pos = tileStart[blockIdx.x] + blockScan(c, sm, total);
    for (int k = 0; k < ITEMS; k++) {
        int i = blockIdx.x * TILE + threadIdx.x * ITEMS + k;
        if (i < n && hit(amount[i], lo, hi)) rows[pos++] = i;
    }
}

int main()
{
    const int n = 500000, tiles = (n + TILE - 1) / TILE;
    std::vector<int> amount(n), rows(n);
    unsigned x = 2463534242u;
    for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; amount[i] = (int)(x % 100000) - 20000; }
    int *dA, *dR, *dT, *dTot;
    SAFE(cudaMalloc(&dA, n * sizeof(int)));
    SAFE(cudaMalloc(&dR, n * sizeof(int)));
    SAFE(cudaMalloc(&dT, tiles * sizeof(int)));
    SAFE(cudaMalloc(&dTot, sizeof(int)));
    SAFE(cudaMemcpy(dA, amount.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    const int ranges[3][2] = { { 0, 5000 }, { -20000, 30000 }, { 79990, 80000 } };
    for (int q = 0; q < 3; q++) {
        int lo = ranges[q][0], hi = ranges[q][1], m = 0;
        countTiles<<<tiles, THREADS>>>(dA, n, lo, hi, dT);
        scanTiles<<<1, THREADS>>>(dT, tiles, dTot);
        emitRows<<<tiles, THREADS>>>(dA, n, lo, hi, dT, dR);
        SAFE(cudaGetLastError());
        SAFE(cudaMemcpy(&m, dTot, sizeof(int), cudaMemcpyDeviceToHost));
        SAFE(cudaMemcpy(rows.data(), dR, m * sizeof(int), cudaMemcpyDeviceToHost));
        unsigned h = 0; bool sorted = true;
        for (int i = 0; i < m; i++) { h = h * 16777619u ^ (unsigned)rows[i]; if (i && rows[i] <= rows[i - 1]) sorted = false; }
        printf("[%d,%d): %d rows, hash %08x, %s\n", lo, hi, m, h, sorted ? "ordered" : "NOT ORDERED");
    }
    cudaFree(dA); cudaFree(dR); cudaFree(dT); cudaFree(dTot);
    return 0;
}
