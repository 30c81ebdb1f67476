/* All pairs shortest paths (blocked Floyd-Warshall), integer road lengths, directed graph without negative cycles. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define NO_ROAD (1 << 29)

void chk(cudaError_t e, const char* where)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
    exit(1);
}

#define T 32            // tile edge
#define ROWS 8          // thread block is T x ROWS, a thread owns T / ROWS rows of a column

__device__ __forceinline__ int viaRoad(int cur, int a, int b)
{
    return (a < NO_ROAD && b < NO_ROAD && a + b < cur) ? a + b : cur;
}

__device__ __forceinline__ void loadTile(int (*t)[T + 1], const int* d, int n, int bi, int bj)
{
    for (int r = threadIdx.y; r < T; r += ROWS) {
        int i = bi * T + r, j = bj * T + threadIdx.x;
        t[r][threadIdx.x] = (i < n && j < n) ? d[i * n + j] : NO_ROAD;
    }
}

__device__ __forceinline__ void storeTile(int (*t)[T + 1], int* d, int n, int bi, int bj)
{
    for (int r = threadIdx.y; r < T; r += ROWS) {
        int i = bi * T + r, j = bj * T + threadIdx.x;
        if (i < n && j < n) d[i * n + j] = t[r][threadIdx.x];
    }
}

// c = min(c, a + b) over the T intermediate vertices, one after the other; a or b may be c itself
__device__ __forceinline__ void relaxTile(int (*c)[T + 1], int (*a)[T + 1], int (*b)[T + 1])
{
    for (int k = 0; k < T; ++k) {
        int v[T / ROWS];
        for (int q = 0; q < T / ROWS; ++q) {
            int r = threadIdx.y + q * ROWS;
            v[q] = viaRoad(c[r][threadIdx.x], a[r][k], b[k][threadIdx.x]);
        }
        __syncthreads();
        for (int q = 0; q < T / ROWS; ++q) c[threadIdx.y + q * ROWS][threadIdx.x] = v[q];
        __syncthreads();
    }
}

__global__ void fwDiagonal(int* d, int n, int kb)
{
    __shared__ int c[T][T + 1];
    loadTile(c, d, n, kb, kb);
    __syncthreads();
    relaxTile(c, c, c);
    storeTile(c, d, n, kb, kb);
}

// blockIdx.y 0: tiles of row kb, 1: tiles of column kb; blockIdx.x skips the diagonal tile
__global__ void fwCross(int* d, int n, int kb)
{
    __shared__ int diag[T][T + 1], c[T][T + 1];
    const int other = blockIdx.x + (blockIdx.x >= kb ? 1 : 0);
    const int bi = blockIdx.y == 0 ? kb : other, bj = blockIdx.y == 0 ? other : kb;
    loadTile(diag, d, n, kb, kb);
    loadTile(c, d, n, bi, bj);
    __syncthreads();
    if (blockIdx.y == 0) relaxTile(c, diag, c);
    else                 relaxTile(c, c, diag);
    storeTile(c, d, n, bi, bj);
}

// all other tiles: the inputs do not change any more, so no barrier inside the loop
__global__ void fwRest(int* d, int n, int kb)
{
    __shared__ int a[T][T + 1], b[T][T + 1];
    const int bi = blockIdx.y + (blockIdx.y >= kb ? 1 : 0);
    const int bj = blockIdx.x + (blockIdx.x >= kb ? 1 : 0);
    loadTile(a, d, n, bi, kb);
    loadTile(b, d, n, kb, bj);
    const int j = bj * T + threadIdx.x;
    int v[T / ROWS];
#pragma unroll
    for (int q = 0; q < T / ROWS; ++q) {
        int i = bi * T + threadIdx.y + q * ROWS;
        v[q] = (i < n && j < n) ? d[i * n + j] : NO_ROAD;
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < T; ++k) {
        const int bk = b[k][threadIdx.x];
#pragma unroll
        for (int q = 0; q < T / ROWS; ++q) v[q] = viaRoad(v[q], a[threadIdx.y + q * ROWS][k], bk);
    }
#pragma unroll
    for (int q = 0; q < T / ROWS; ++q) {
        int i = bi * T + threadIdx.y + q * ROWS;
        if (i < n && j < n) d[i * n + j] = v[q];
    }
}

void allPairs(int* d, int n)
{
    const int nb = (n + T - 1) / T;
    dim3 blk(T, ROWS);
    for (int kb = 0; kb < nb; ++kb) {
        fwDiagonal<<<1, blk>>>(d, n, kb);
        if (nb > 1) {
            fwCross<<<dim3(nb - 1, 2), blk>>>(d, n, kb);
            fwRest<<<dim3(nb - 1, nb - 1), blk>>>(d, n, kb);
        }
    }
    chk(cudaGetLastError(), "allPairs");
}

int main()
{
    const int n = 118;
    std::vector<int> d(n * n, NO_ROAD);
    unsigned s = 1u;
    for (int i = 0; i < n; ++i) {
        d[i * n + i] = 0;
        for (int k = 0; k < 4; ++k) {
            s = s * 1103515245u + 12345u;
            int j = (int)((s >> 12) % n);
            s = s * 1103515245u + 12345u;
            int w = 1 + (int)((s >> 12) % 900);
            if (i % 10 == 9 && j < n / 2) continue;        // some dead ends
            if (i != j && w < d[i * n + j]) d[i * n + j] = w;
        }
    }
    int* dev;
    chk(cudaMalloc(&dev, d.size() * sizeof(int)), "malloc");
    chk(cudaMemcpy(dev, d.data(), d.size() * sizeof(int), cudaMemcpyHostToDevice), "upload");
    allPairs(dev, n);
    chk(cudaMemcpy(d.data(), dev, d.size() * sizeof(int), cudaMemcpyDeviceToHost), "download");
    long long sum = 0; int unreachable = 0, longest = 0;
    for (int v : d) { if (v >= NO_ROAD) ++unreachable; else { sum += v; if (v > longest) longest = v; } }
    printf("sum %lld, longest %d, unreachable pairs %d\n", sum, longest, unreachable);
    printf("d(0,1)=%d d(5,100)=%d d(117,3)=%d\n", d[1], d[5 * n + 100], d[117 * n + 3]);
    cudaFree(dev);
    return 0;
}
