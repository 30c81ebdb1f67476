// Equi-join  lineitem >< orders  on a 64-bit order id, followed by SUM(qty * price).
// Order ids are full 64-bit numbers: tenant in the bits 40..63, sequence number below.
// orders.id is unique (primary key); 0xFFFF...FF is not a legal id.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cstdint>
#include <cuda_runtime.h>

typedef unsigned long long u64;

#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)


__host__ __device__ inline u64 mix64(u64 x)
{
    x ^= x >> 33; x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ULL;
    x ^= x >> 33;
    return x;
}

__global__ void build(const u64 *id, const int *price, int n, u64 *tkey, int *tval, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 k = id[i];
    unsigned h = (unsigned)mix64(k) & mask;
    while (true) {
        u64 old = atomicCAS(&tkey[h], ~0ull, k);
        if (old == ~0ull) { tval[h] = price[i]; return; }
        h = (h + 1) & mask;
    }
}

__global__ void probe(const u64 *fk, const int *qty, int n, const u64 *tkey, const int *tval,
                      unsigned mask, int *outPrice, u64 *matches, u64 *revenue)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 k = fk[i];
    unsigned h = (unsigned)mix64(k) & mask;
    int p = -1;
    while (tkey[h] != ~0ull) {
        if (tkey[h] == k) { p = tval[h]; break; }
        h = (h + 1) & mask;
    }
    outPrice[i] = p;
    if (p >= 0) {
        atomicAdd(matches, 1ull);
        atomicAdd(revenue, (u64)p * (u64)qty[i]);
    }
}

int main()
{
    const int nOrders = 200000, nItems = 1000000;
    const unsigned tableSize = 1u << 19;
    std::vector<u64> id(nOrders), fk(nItems);
    std::vector<int> price(nOrders), qty(nItems);
    for (int i = 0; i < nOrders; i++) {
        id[i] = (3ull << 40) | (u64)(1000 + 7 * (u64)i);
        price[i] = (int)(mix64(i + 17) % 50000);
    }
    for (int i = 0; i < nItems; i++) {
        fk[i] = (3ull << 40) | (1000 + mix64(i) % (8ull * nOrders));
        qty[i] = 1 + (int)(mix64(i ^ 0xabcdef) % 50);
    }

    u64 *dId, *dFk, *tKey, *dAgg; int *dPrice, *dQty, *tVal, *dOut;
    CK(cudaMalloc(&dId, nOrders * sizeof(u64)));
    CK(cudaMalloc(&dPrice, nOrders * sizeof(int)));
    CK(cudaMalloc(&dFk, nItems * sizeof(u64)));
    CK(cudaMalloc(&dQty, nItems * sizeof(int)));
    CK(cudaMalloc(&dOut, nItems * sizeof(int)));
    CK(cudaMalloc(&tKey, tableSize * sizeof(u64)));
    CK(cudaMalloc(&tVal, tableSize * sizeof(int)));
    CK(cudaMalloc(&dAgg, 2 * sizeof(u64)));
    CK(cudaMemcpy(dId, id.data(), nOrders * sizeof(u64), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dPrice, price.data(), nOrders * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dFk, fk.data(), nItems * sizeof(u64), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dQty, qty.data(), nItems * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemset(tKey, 0xff, tableSize * sizeof(u64)));
    CK(cudaMemset(dAgg, 0, 2 * sizeof(u64)));

    build<<<(nOrders + 255) / 256, 256>>>(dId, dPrice, nOrders, tKey, tVal, tableSize - 1);
    CK(cudaGetLastError());
    probe<<<(nItems + 255) / 256, 256>>>(dFk, dQty, nItems, tKey, tVal, tableSize - 1, dOut, dAgg, dAgg + 1);
    CK(cudaGetLastError());

    u64 agg[2];
    std::vector<int> out(nItems);
    CK(cudaMemcpy(agg, dAgg, sizeof agg, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(out.data(), dOut, nItems * sizeof(int), cudaMemcpyDeviceToHost));
    u64 h = 0;
    for (int i = 0; i < nItems; i++) h = h * 31 + (u64)(out[i] + 1);
    printf("matches %llu revenue %llu rowhash %016llx\n", agg[0], agg[1], h);
    cudaFree(dId); cudaFree(dPrice); cudaFree(dFk); cudaFree(dQty);
    cudaFree(dOut); cudaFree(tKey); cudaFree(tVal); cudaFree(dAgg);
    return 0;
}
