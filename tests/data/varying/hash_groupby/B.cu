// SELECT key, COUNT(*), SUM(amount) GROUP BY key  -- open addressing in global memory,
// then point lookups against the finished table.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CHK(x) if (cudaError_t e__ = (x)) { fprintf(stderr, "err %s line %d\n", cudaGetErrorString(e__), __LINE__); exit(1); }

constexpr uint32_t EMPTY = 0xFFFFFFFFu;      // reserved, never a key

struct Table {
    uint32_t* key;
    uint32_t* count;
    unsigned long long* sum;                 // two's complement of a signed sum
    uint32_t mask;                           // capacity - 1; capacity >= 2 * rows
};

__host__ __device__ inline uint32_t mix(uint32_t k)
{
    k ^= k >> 16; k *= 0x7feb352du; k ^= k >> 15; k *= 0x846ca68bu; k ^= k >> 16;
    return k;
}

__device__ __forceinline__ void upsert(const Table& t, uint32_t k, uint32_t count, unsigned long long sum)
{
    uint32_t slot = mix(k) & t.mask;
    while (true) {
        uint32_t old = atomicCAS(&t.key[slot], EMPTY, k);
        if (old == EMPTY || old == k) break;
        slot = (slot + 1) & t.mask;
    }
    atomicAdd(&t.count[slot], count);
    atomicAdd(&t.sum[slot], sum);
}

// Pre-aggregation: a direct-mapped cache of groups per block in shared memory. The first key to
// claim a cache line keeps it; rows of other keys go straight to the global table.
constexpr int CACHE = 1024;

__global__ void __launch_bounds__(256)
build(const uint32_t* __restrict__ key, const int32_t* __restrict__ amount, int n, Table t)
{
    __shared__ unsigned long long csum[CACHE];
    __shared__ uint32_t ckey[CACHE], ccount[CACHE];
    for (int c = threadIdx.x; c < CACHE; c += blockDim.x) { ckey[c] = EMPTY; ccount[c] = 0; csum[c] = 0; }
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t k = key[i];
        const unsigned long long a = (unsigned long long)(long long)amount[i];
        const uint32_t line = (mix(k) >> 20) & (CACHE - 1);
        const uint32_t old = atomicCAS(&ckey[line], EMPTY, k);
        if (old == EMPTY || old == k) {
            atomicAdd(&ccount[line], 1u);
            atomicAdd(&csum[line], a);
        } else {
            upsert(t, k, 1u, a);
        }
    }
    __syncthreads();
    for (int c = threadIdx.x; c < CACHE; c += blockDim.x)
        if (ckey[c] != EMPTY) upsert(t, ckey[c], ccount[c], csum[c]);
}

__global__ void lookup(const uint32_t* probe, int n, Table t, long long* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t k = probe[i];
    uint32_t slot = mix(k) & t.mask;
    long long r = 0;
    uint32_t seen;
    while ((seen = __ldg(&t.key[slot])) != EMPTY) {
        if (seen == k) { r = (long long)__ldg(&t.sum[slot]); break; }
        slot = (slot + 1) & t.mask;
    }
    out[i] = r;
}

int main()
{
    const int n = 130001, np = 9000;
    std::vector<uint32_t> key(n), probe(np);
    std::vector<int32_t> amount(n);
    uint32_t s = 1;
    auto rnd = [&] { s = s * 1664525u + 1013904223u; return s >> 8; };
    for (int i = 0; i < n; i++) {
        uint32_t r = rnd() % 4000;
        key[i] = 17 + (r * r / 4000) * 3;                    // skewed
        if (i % 3 == 0) key[i] = 17 + 3 * (rnd() % 5);       // five hot customers
        amount[i] = (int32_t)(rnd() % 20001) - 9000;
    }
    for (int i = 0; i < np; i++) probe[i] = 17 + rnd() % 12000;
    const uint32_t cap = 1u << 18;
    uint32_t *dk, *dp; int32_t* da; long long* dout;
    Table t; t.mask = cap - 1;
    CHK(cudaMalloc(&dk, n * 4)); CHK(cudaMalloc(&da, n * 4)); CHK(cudaMalloc(&dp, np * 4)); CHK(cudaMalloc(&dout, np * 8));
    CHK(cudaMalloc(&t.key, cap * 4)); CHK(cudaMalloc(&t.count, cap * 4)); CHK(cudaMalloc(&t.sum, cap * 8));
    CHK(cudaMemcpy(dk, key.data(), n * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(da, amount.data(), n * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dp, probe.data(), np * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemset(t.key, 0xFF, cap * 4)); CHK(cudaMemset(t.count, 0, cap * 4)); CHK(cudaMemset(t.sum, 0, cap * 8));

    build<<<96, 256>>>(dk, da, n, t);
    lookup<<<(np + 255) / 256, 256>>>(dp, np, t, dout);
    CHK(cudaGetLastError());

    std::vector<uint32_t> hk(cap), hc(cap);
    std::vector<unsigned long long> hs(cap);
    std::vector<long long> out(np);
    CHK(cudaMemcpy(hk.data(), t.key, cap * 4, cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(hc.data(), t.count, cap * 4, cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(hs.data(), t.sum, cap * 8, cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(out.data(), dout, np * 8, cudaMemcpyDeviceToHost));
    struct Row { uint32_t k, c; long long s; };
    std::vector<Row> rows;                                   // slots differ from run to run; sort by key
    for (uint32_t i = 0; i < cap; i++) if (hk[i] != EMPTY) rows.push_back({hk[i], hc[i], (long long)hs[i]});
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.k < b.k; });
    unsigned long long ck = 0;
    for (auto& r : rows) ck = ck * 1000003ull + r.k + 7ull * r.c + (unsigned long long)r.s;
    long long probes = 0;
    for (int i = 0; i < np; i++) probes += out[i] * (i % 7 + 1);
    printf("groups %zu checksum %llu probe checksum %lld\n", rows.size(), ck, probes);
    for (size_t i = 0; i < rows.size() && i < 8; i++) printf("%u: n=%u sum=%lld\n", rows[i].k, rows[i].c, rows[i].s);
    cudaFree(dk); cudaFree(da); cudaFree(dp); cudaFree(dout); cudaFree(t.key); cudaFree(t.count); cudaFree(t.sum);
    return 0;
}
