// Row lengths -> 64-bit row offsets (exclusive prefix sum), as used when packing variable-length records.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA(x) do { cudaError_t _e = (x); if (_e != cudaSuccess) { printf("[%d] %s\n", __LINE__, cudaGetErrorString(_e)); exit(1); } } while (0)

typedef unsigned int       u32;
typedef unsigned long long u64;

static const int BLOCK = 256;
static const int ITEMS = 4;
static const int TILE  = BLOCK * ITEMS;

__global__ void tile_scan(const u32* len, u64* off, u64* tile_sum, int n)
{
    __shared__ u64 buf[2][BLOCK];
    int t = threadIdx.x;
    int base = blockIdx.x * TILE + t * ITEMS;
    u64 v[ITEMS], s = 0;
    for (int k = 0; k < ITEMS; k++) { v[k] = s; if (base + k < n) s += len[base + k]; }
    int cur = 0;
    buf[0][t] = s;
    __syncthreads();
    for (int d = 1; d < BLOCK; d <<= 1) {
        buf[cur ^ 1][t] = buf[cur][t] + (t >= d ? buf[cur][t - d] : 0);
        cur ^= 1;
        __syncthreads();
    }
    u64 before = t ? buf[cur][t - 1] : 0;
    for (int k = 0; k < ITEMS; k++) if (base + k < n) off[base + k] = before + v[k];
    if (t == BLOCK - 1) tile_sum[blockIdx.x] = buf[cur][t];
}

// exclusive scan of the tile sums by one block; the grand total goes to the end
__global__ void scan_sums(u64* sum, int m)
{
    __shared__ u64 buf[2][BLOCK];
    int t = threadIdx.x;
    u64 carry = 0;
    for (int b = 0; b < m; b += BLOCK) {
        u64 x = b + t < m ? sum[b + t] : 0;
        int cur = 0;
        buf[0][t] = x;
        __syncthreads();
        for (int d = 1; d < BLOCK; d <<= 1) {
            buf[cur ^ 1][t] = buf[cur][t] + (t >= d ? buf[cur][t - d] : 0);
            cur ^= 1;
            __syncthreads();
        }
        if (b + t < m) sum[b + t] = carry + buf[cur][t] - x;
        carry += buf[cur][BLOCK - 1];
        __syncthreads();
    }
    if (t == 0) sum[m] = carry;
}

__global__ void add_base(u64* off, const u64* sum, int n, int m)
{
    int i = blockIdx.x * TILE + threadIdx.x;
    for (int k = 0; k < ITEMS; k++, i += BLOCK) if (i < n) off[i] += sum[blockIdx.x];
    if (blockIdx.x == 0 && threadIdx.x == 0) off[n] = sum[m];
}

int main()
{
    const int n = 1000003;
    const int tiles = (n + TILE - 1) / TILE;
    std::vector<u32> len(n);
    u32 s = 31337;
    for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; len[i] = (s >> 12) % (i % 1000 == 0 ? 900001 : 6000); }

    u32* d_len; u64 *d_off, *d_sum;
    CUDA(cudaMalloc(&d_len, n * sizeof(u32)));
    CUDA(cudaMalloc(&d_off, (n + 1) * sizeof(u64)));
    CUDA(cudaMalloc(&d_sum, (tiles + 1) * sizeof(u64)));
    CUDA(cudaMemcpy(d_len, len.data(), n * sizeof(u32), cudaMemcpyHostToDevice));

    tile_scan<<<tiles, BLOCK>>>(d_len, d_off, d_sum, n);
    scan_sums<<<1, BLOCK>>>(d_sum, tiles);
    add_base<<<tiles, BLOCK>>>(d_off, d_sum, n, tiles);
    CUDA(cudaGetLastError());

    std::vector<u64> off(n + 1);
    CUDA(cudaMemcpy(off.data(), d_off, (n + 1) * sizeof(u64), cudaMemcpyDeviceToHost));
    u64 h = 1469598103934665603ull;
    for (u64 v : off) h = (h ^ v) * 1099511628211ull;
    printf("total bytes %llu  hash %016llx\n", off[n], h);
    for (int i = 0; i < n; i += 199999) printf("off[%d] = %llu\n", i, off[i]);
    cudaFree(d_len); cudaFree(d_off); cudaFree(d_sum);
    return 0;
}
