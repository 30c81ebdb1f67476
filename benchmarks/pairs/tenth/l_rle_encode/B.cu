// Run length encoding of a byte plane: heads are found, scanned and scattered in one pass, then lengths.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
typedef unsigned char u8;

#define TRY(expr) do { cudaError_t r = (expr); if (r) { printf("%s failed: %s\n", #expr, cudaGetErrorString(r)); return 1; } } while (0)

enum { BS = 256, ITEMS = 4, TILE = BS * ITEMS };

__device__ __forceinline__ int isHead(const u8 *x, int i, int n)
{
    return i < n && (i == 0 || x[i] != x[i - 1]);
}

struct ScanState {
    int ticket;              // tiles are handed out in the order in which blocks start
    int pad[31];
};

// Single pass: every tile waits for the inclusive prefix of its predecessor and publishes its own.
__global__ void __launch_bounds__(BS)
encodeHeads(const u8 *__restrict__ x, int n, int ntiles, ScanState *state,
            int *prefix, volatile int *ready, u8 *val, int *start, int *total)
{
    __shared__ int warpSum[BS / 32];
    __shared__ int sTile, sBase;
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;

    if (threadIdx.x == 0) sTile = atomicAdd(&state->ticket, 1);
    __syncthreads();
    const int tile = sTile;
    const int i0 = tile * TILE + threadIdx.x * ITEMS;

    int flag[ITEMS], cnt = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        flag[k] = isHead(x, i0 + k, n);
        cnt += flag[k];
    }
    int inc = cnt;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int o = __shfl_up_sync(0xffffffffu, inc, d);
        if (lane >= d) inc += o;
    }
    if (lane == 31) warpSum[wid] = inc;
    __syncthreads();
    int before = 0, tileSum = 0;
#pragma unroll
    for (int w = 0; w < BS / 32; w++) {
        int v = warpSum[w];
        if (w < wid) before += v;
        tileSum += v;
    }

    if (threadIdx.x == 0) {
        int base = 0;
        if (tile > 0) {
            while (ready[tile - 1] == 0) { }
            base = prefix[tile - 1];
        }
        prefix[tile] = base + tileSum;
        ready[tile] = 1;
        if (tile == ntiles - 1) *total = base + tileSum;
        sBase = base;
    }
    __syncthreads();

    int r = sBase + before + inc - cnt;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (flag[k]) {
            val[r] = x[i0 + k];
            start[r] = i0 + k;
            r++;
        }
}

__global__ void runLengths(const int *start, const int *total, int n, int *len)
{
    int runs = *total;
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < runs; r += gridDim.x * blockDim.x)
        len[r] = (r + 1 < runs ? start[r + 1] : n) - start[r];
}

int main()
{
    const int n = 250007;
    std::vector<u8> x(n);
    unsigned s = 99;
    for (int i = 0; i < n;) {
        s = s * 69069u + 1u;
        int run = 1 + ((s >> 20) % 13) * ((s >> 9) % 3);
        u8 v = (u8)(s >> 24);
        while (run-- && i < n) x[i++] = v;
    }
    const int nt = (n + TILE - 1) / TILE;
    u8 *dx, *dval; int *dprefix, *dready, *dtotal, *dstart, *dlen; ScanState *dstate;
    TRY(cudaMalloc(&dx, n));
    TRY(cudaMalloc(&dval, n));
    TRY(cudaMalloc(&dprefix, nt * sizeof(int)));
    TRY(cudaMalloc(&dready, nt * sizeof(int)));
    TRY(cudaMalloc(&dtotal, sizeof(int)));
    TRY(cudaMalloc(&dstate, sizeof(ScanState)));
    TRY(cudaMalloc(&dstart, n * sizeof(int)));
    TRY(cudaMalloc(&dlen, n * sizeof(int)));
    TRY(cudaMemcpy(dx, x.data(), n, cudaMemcpyHostToDevice));

    TRY(cudaMemset(dstate, 0, sizeof(ScanState)));
    TRY(cudaMemset(dready, 0, nt * sizeof(int)));
    encodeHeads<<<nt, BS>>>(dx, n, nt, dstate, dprefix, dready, dval, dstart, dtotal);
    runLengths<<<128, BS>>>(dstart, dtotal, n, dlen);
    TRY(cudaGetLastError());

    int runs = 0;
    TRY(cudaMemcpy(&runs, dtotal, sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<u8> val(runs);
    std::vector<int> len(runs);
    TRY(cudaMemcpy(val.data(), dval, runs, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(len.data(), dlen, runs * sizeof(int), cudaMemcpyDeviceToHost));

    long long pos = 0; int bad = 0; unsigned h = 2166136261u;
    for (int r = 0; r < runs; r++) {
        if (pos >= n || x[pos] != val[r]) bad++;
        pos += len[r];
        h = (h ^ (val[r] + 256u * (unsigned)len[r])) * 16777619u;
    }
    printf("%d bytes -> %d runs, covers %lld, bad %d, hash %08x\n", n, runs, pos, bad, h);
    cudaFree(dx); cudaFree(dval); cudaFree(dprefix); cudaFree(dready); cudaFree(dtotal); cudaFree(dstate); cudaFree(dstart); cudaFree(dlen);
    return 0;
}
