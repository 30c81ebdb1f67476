// Ranking model, sparse part: weighted mean of embedding rows for each request (embedding bag, CSR offsets),
// then the click score of the request against its candidate item.
#include <cuda_runtime.h>
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

constexpr int DIM = 64;

// out[b] = sum_k w_k * table[id_k] / number of valid ids; ids < 0 are padding; an empty bag gives zeros
__global__ void embeddingBag(const float* table, const int* ids, const float* weights, const int* offsets,
                             int bags, float* out)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int b = tid / DIM, d = tid % DIM;
    if (b >= bags) return;
    float acc = 0.0f;
    int valid = 0;
    for (int k = offsets[b]; k < offsets[b + 1]; ++k) {
        int id = ids[k];
        if (id < 0) continue;
        acc = fmaf(weights[k], table[(size_t)id * DIM + d], acc);
        ++valid;
    }
    out[(size_t)b * DIM + d] = valid ? acc / valid : 0.0f;
}

__global__ void score(const float* pooled, const float* items, const int* candidate, const float* bias, int bags, float* p)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bags) return;
    int c = candidate[b];
    float dot = 0.0f;
    for (int d = 0; d < DIM; ++d) dot += pooled[(size_t)b * DIM + d] * items[(size_t)c * DIM + d];
    p[b] = 1.0f / (1.0f + expf(-(dot + bias[c])));
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

    embeddingBag<<<(bags * DIM + 255) / 256, 256>>>(dTable, dIds, dW, dOff, bags, dPooled);
    must(cudaGetLastError(), "embeddingBag");
    score<<<(bags + 127) / 128, 128>>>(dPooled, dItems, dCand, dBias, bags, dP);
    must(cudaGetLastError(), "score");

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
