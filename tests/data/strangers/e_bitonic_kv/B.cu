// ORDER BY key, rowid  (signed 32-bit keys with duplicates) by a bitonic network; n is a power of two.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t _e = (x); if (_e != cudaSuccess) { fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(_e)); exit(1); } } while (0)

typedef unsigned long long u64;

// A pair is one 64-bit word (key with its sign flipped, then row id), so that one unsigned comparison decides.
// Everything within TILE elements is done in shared memory: 16 launches instead of 105 for n = 16384.
#define TILE 1024
#define HALF (TILE / 2)

__device__ __forceinline__ void cmpSwap(u64 &a, u64 &b, bool up)
{
    if ((a > b) == up) { u64 t = a; a = b; b = t; }
}

__device__ __forceinline__ u64 pack(int key, unsigned row) { return ((u64)((unsigned)key ^ 0x80000000u) << 32) | row; }

// network steps k (from..to), each with all strides below min(k, TILE), on the tile of this block
__device__ void tileSteps(u64 *s, int tileBase, int from, int to)
{
    for (int k = from; k <= to; k <<= 1)
        for (int j = min(k, TILE) >> 1; j > 0; j >>= 1) {
            __syncthreads();
            int t = threadIdx.x;
            int lo = 2 * t - (t & (j - 1));
            cmpSwap(s[lo], s[lo + j], ((tileBase + lo) & k) == 0);
        }
    __syncthreads();
}

__global__ void __launch_bounds__(HALF) sortTiles(const int *__restrict__ key, const unsigned *__restrict__ row, u64 *__restrict__ kv)
{
    __shared__ u64 s[TILE];
    const int base = blockIdx.x * TILE;
    for (int i = threadIdx.x; i < TILE; i += HALF) s[i] = pack(key[base + i], row[base + i]);
    tileSteps(s, base, 2, TILE);
    for (int i = threadIdx.x; i < TILE; i += HALF) kv[base + i] = s[i];
}

__global__ void __launch_bounds__(HALF) mergeTiles(u64 *kv, int k)
{
    __shared__ u64 s[TILE];
    const int base = blockIdx.x * TILE;
    for (int i = threadIdx.x; i < TILE; i += HALF) s[i] = kv[base + i];
    tileSteps(s, base, k, k);
    for (int i = threadIdx.x; i < TILE; i += HALF) kv[base + i] = s[i];
}

__global__ void wideStep(u64 *kv, int j, int k)          // one thread per pair, stride j >= TILE
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int lo = 2 * t - (t & (j - 1));
    u64 a = kv[lo], b = kv[lo + j];
    if ((a > b) == ((lo & k) == 0)) { kv[lo] = b; kv[lo + j] = a; }
}

__global__ void unpack(const u64 *__restrict__ kv, int *__restrict__ key, unsigned *__restrict__ row)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 v = kv[i];
    key[i] = (int)((unsigned)(v >> 32) ^ 0x80000000u);
    row[i] = (unsigned)v;
}

static void sortPairsSmall(int *dKey, unsigned *dRow, int n);

static void sortPairs(int *dKey, unsigned *dRow, int n)
{
    if (n < TILE) { sortPairsSmall(dKey, dRow, n); return; }
    u64 *kv;
    TRY(cudaMalloc(&kv, n * sizeof(u64)));
    sortTiles<<<n / TILE, HALF>>>(dKey, dRow, kv);
    for (int k = 2 * TILE; k <= n; k <<= 1) {
        for (int j = k >> 1; j >= TILE; j >>= 1) wideStep<<<n / 2 / 256, 256>>>(kv, j, k);
        mergeTiles<<<n / TILE, HALF>>>(kv, k);
    }
    unpack<<<n / 256, 256>>>(kv, dKey, dRow);
    TRY(cudaGetLastError());
    TRY(cudaFree(kv));
}

// fewer than TILE pairs: the plain network in one block
__global__ void bitonicSmall(int *key, unsigned *row, int n)
{
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
                int lo = 2 * t - (t & (j - 1));
                u64 a = pack(key[lo], row[lo]), b = pack(key[lo + j], row[lo + j]);
                if ((a > b) == ((lo & k) == 0)) {
                    int x = key[lo]; key[lo] = key[lo + j]; key[lo + j] = x;
                    unsigned y = row[lo]; row[lo] = row[lo + j]; row[lo + j] = y;
                }
            }
            __syncthreads();
        }
}

static void sortPairsSmall(int *dKey, unsigned *dRow, int n)
{
    bitonicSmall<<<1, 256>>>(dKey, dRow, n);
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
