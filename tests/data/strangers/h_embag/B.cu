// Ranking model, sparse part: weighted mean of embedding rows for each request (embedding bag, CSR offsets),
// then the click score of the request against its candidate item.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

inline void must(cudaError_t e, const char* where)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

namespace cg = cooperative_groups;

constexpr int DIM = 64;
constexpr int LANES = DIM / 4;     // a request is handled by 16 lanes with a float4 each


// out[b] = sum_k w_k * table[id_k] / number of valid ids; ids < 0 are padding; an empty bag gives zeros.
// The score against the candidate item is taken from the registers in the same pass.
__global__ void __launch_bounds__(128) bagAndScore(const float4* __restrict__ table, const int* __restrict__ ids,
                                                   const float* __restrict__ weights, const int* __restrict__ offsets,
                                                   const float4* __restrict__ items, const int* __restrict__ candidate,
                                                   const float* __restrict__ bias, int bags,
                                                   float4* __restrict__ out, float* __restrict__ p)
{
    auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    const int b = (int)((blockIdx.x * blockDim.x + threadIdx.x) / LANES);
    const int lane = (int)tile.thread_rank();
    if (b >= bags) return;                                   // the same for all lanes of a tile

    const int beg = offsets[b], end = offsets[b + 1];
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    int valid = 0;
    for (int base = beg; base < end; base += LANES) {
        const int m = min(LANES, end - base);
        int myId = -1; float myW = 0.f;
        if (lane < m) { myId = ids[base + lane]; myW = weights[base + lane]; }
        for (int k = 0; k < m; ++k) {
            const int id = tile.shfl(myId, k);
            const float w = tile.shfl(myW, k);
            if (id < 0) continue;
            const float4 v = __ldg(&table[(size_t)id * LANES + lane]);
            acc.x = fmaf(w, v.x, acc.x);
            acc.y = fmaf(w, v.y, acc.y);
            acc.z = fmaf(w, v.z, acc.z);
            acc.w = fmaf(w, v.w, acc.w);
            ++valid;
        }
    }
    float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
    if (valid) r = make_float4(acc.x / valid, acc.y / valid, acc.z / valid, acc.w / valid);
    out[(size_t)b * LANES + lane] = r;

    const int c = candidate[b];
    const float4 q = __ldg(&items[(size_t)c * LANES + lane]);
    float dot = r.x * q.x + r.y * q.y + r.z * q.z + r.w * q.w;
    for (int o = LANES / 2; o > 0; o >>= 1) dot += tile.shfl_down(dot, o);
    if (lane == 0) p[b] = 1.0f / (1.0f + expf(-(dot + bias[c])));
}

template <class T> T* upload(const std::vector<T>& v)
{
    T* d = nullptr;
    must(cudaMalloc(&d, v.size() * sizeof(T)), "malloc");
    must(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
    return d;
}

int main() try
{
    const int rows = 20011, items = 3001, bags = 5003;
    uint64_t s = 42;
    auto next = [&s]() { s ^= s << 7; s ^= s >> 9; return s; };
    auto uni = [&]() { return (float)(next() >> 40) / (float)(1 << 24); };

    std::vector<float> table((size_t)rows * DIM), itab((size_t)items * DIM), bias(items), w;
    std::vector<int> ids, off(1, 0), cand(bags);
    for (auto& x : table) x = uni() - 0.5f;
    for (auto& x : itab) x = 0.8f * (uni() - 0.5f);
    for (auto& x : bias) x = uni() - 0.5f;
    for (int b = 0; b < bags; ++b) {
        int len = (int)(next() % 40);
        if (b % 100 == 7) len = 0;
        if (b % 500 == 9) len = 230;                         // heavy users
        for (int k = 0; k < len; ++k) {
            uint64_t r = next();
            ids.push_back(r % 13 == 0 ? -1 : (int)((r >> 8) % rows));
            w.push_back(0.25f + uni());
        }
        off.push_back((int)ids.size());
        cand[b] = (int)(next() % items);
    }

    float *dTable = upload(table), *dItems = upload(itab), *dBias = upload(bias), *dW = upload(w);
    int *dIds = upload(ids), *dOff = upload(off), *dCand = upload(cand);
    float *dPooled, *dP;
    must(cudaMalloc(&dPooled, (size_t)bags * DIM * sizeof(float)), "malloc");
    must(cudaMalloc(&dP, bags * sizeof(float)), "malloc");

    bagAndScore<<<(bags * LANES + 127) / 128, 128>>>((const float4*)dTable, dIds, dW, dOff, (const float4*)dItems,
                                                     dCand, dBias, bags, (float4*)dPooled, dP);
    must(cudaGetLastError(), "bagAndScore");

    std::vector<float> pooled((size_t)bags * DIM), p(bags);
    must(cudaMemcpy(pooled.data(), dPooled, pooled.size() * sizeof(float), cudaMemcpyDeviceToHost), "download");
    must(cudaMemcpy(p.data(), dP, p.size() * sizeof(float), cudaMemcpyDeviceToHost), "download");
    double n2 = 0, ctr = 0;
    for (float x : pooled) n2 += (double)x * x;
    for (float x : p) ctr += x;
    std::cout << "ids " << ids.size() << "  |pooled|^2 " << n2 << "  mean ctr " << ctr / bags << "\n";
    for (int b : { 0, 7, 9, 1234, bags - 1 }) std::cout << "  request " << b << ": p = " << p[b] << "\n";
    for (void* q : { (void*)dTable, (void*)dItems, (void*)dBias, (void*)dW, (void*)dIds, (void*)dOff, (void*)dCand, (void*)dPooled, (void*)dP })
        cudaFree(q);
    return 0;
}
catch (const std::exception& e) { std::cerr << e.what() << "\n"; return 1; }
