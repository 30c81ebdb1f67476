// SELECT rowid WHERE lo <= amount < hi   -- row ids come out in ascending order (the merge join needs that)
// One pass: the column is read once; the tiles hand their running total to the next one (chained scan).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define THREADS 256
#define ITEMS 4
#define TILE (THREADS * ITEMS)
#define SAFE(c) { cudaError_t r = c; if (r) { fprintf(stderr, "%s -> %s\n", #c, cudaGetErrorString(r)); abort(); } }

__device__ __forceinline__ bool hit(int v, int lo, int hi) { return v >= lo && v < hi; }

// exclusive scan of one int per thread (warp shuffles); total to all
__device__ __forceinline__ int blockScan(int v, int *sm, int &total)
{
    const unsigned full = 0xffffffffu;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, s = v;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        int a = __shfl_up_sync(full, s, o);
        if (lane >= o) s += a;
    }
    if (lane == 31) sm[warp] = s;
    __syncthreads();
    int before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < THREADS / 32; w++) {
        if (w == warp) before = all;
        all += sm[w];
    }
    total = all;
    return before + s - v;
}

// state[t].sum = rows in tiles 0..t, valid once state[t].ready is set
struct TileState { int sum; int ready; };

__global__ void __launch_bounds__(THREADS)
filterRows(const int *__restrict__ amount, int n, int lo, int hi, volatile TileState *state, int *__restrict__ rows)
{
    __shared__ int sm[THREADS / 32];
    __shared__ int tileStart;
    const int i0 = blockIdx.x * TILE + threadIdx.x * ITEMS;
    int v[ITEMS];
    if (i0 + ITEMS <= n) {
        int4 q = *reinterpret_cast<const int4 *>(amount + i0);
        v[0] = q.x; v[1] = q.y; v[2] = q.z; v[3] = q.w;
    } else {
#pragma unroll
        for (int k = 0; k < ITEMS; k++) v[k] = i0 + k < n ? amount[i0 + k] : hi;   // hi never qualifies
    }
    int c = 0, total;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) c += hit(v[k], lo, hi);
    int pos = blockScan(c, sm, total);

    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (state[blockIdx.x - 1].ready == 0) { }
            before = state[blockIdx.x - 1].sum;
        }
        state[blockIdx.x].sum = before + total;
        state[blockIdx.x].ready = 1;
        tileStart = before;
    }
    __syncthreads();
    pos += tileStart;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (hit(v[k], lo, hi)) rows[pos++] = i0 + k;
}

int main()
{
    const int n = 500000, tiles = (n + TILE - 1) / TILE;
    std::vector<int> amount(n), rows(n);
    unsigned x = 2463534242u;
    for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; amount[i] = (int)(x % 100000) - 20000; }
    int *dA, *dR;
    TileState *dT;
    SAFE(cudaMalloc(&dA, n * sizeof(int)));
    SAFE(cudaMalloc(&dR, n * sizeof(int)));
    SAFE(cudaMalloc(&dT, tiles * sizeof(TileState)));
    SAFE(cudaMemcpy(dA, amount.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    const int ranges[3][2] = { { 0, 5000 }, { -20000, 30000 }, { 79990, 80000 } };
    for (int q = 0; q < 3; q++) {
        int lo = ranges[q][0], hi = ranges[q][1], m = 0;
        SAFE(cudaMemsetAsync(dT, 0, tiles * sizeof(TileState)));
        filterRows<<<tiles, THREADS>>>(dA, n, lo, hi, dT, dR);
        SAFE(cudaGetLastError());
        SAFE(cudaMemcpy(&m, &dT[tiles - 1].sum, sizeof(int), cudaMemcpyDeviceToHost));
        SAFE(cudaMemcpy(rows.data(), dR, m * sizeof(int), cudaMemcpyDeviceToHost));
        unsigned h = 0; bool sorted = true;
        for (int i = 0; i < m; i++) { h = h * 16777619u ^ (unsigned)rows[i]; if (i && rows[i] <= rows[i - 1]) sorted = false; }
        printf("[%d,%d): %d rows, hash %08x, %s\n", lo, hi, m, h, sorted ? "ordered" : "NOT ORDERED");
    }
    cudaFree(dA); cudaFree(dR); cudaFree(dT);
    return 0;
}
