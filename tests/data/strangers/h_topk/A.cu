// recommend the K best unseen items for every user (matrix factorization model)
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(expr)                                                              \
    do {                                                                           \
        const cudaError_t st = (expr);                                             \
        if (st != cudaSuccess) {                                                   \
            std::printf("%s failed: %s\n", #expr, cudaGetErrorString(st));         \
            std::exit(EXIT_FAILURE);                                               \
        }                                                                          \
    } while (0)

namespace rec {

constexpr int kDim = 16;   // latent factors
constexpr int kTop = 10;   // list length

struct Rec { int item; float score; };

// scores(u, i) = <U_u, V_i> + bias_i ; seen items get -inf
__global__ void scoreKernel(const float* U, const float* V, const float* bias, const uint32_t* seen,
                            int users, int items, float* scores)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int u = blockIdx.y;
    if (i >= items) return;
    float acc = bias[i];
    for (int d = 0; d < kDim; ++d) acc = fmaf(U[u * kDim + d], V[i * kDim + d], acc);
    const int words = (items + 31) / 32;
    if (seen[(size_t)u * words + i / 32] >> (i % 32) & 1u) acc = -INFINITY;
    scores[(size_t)u * items + i] = acc;
}

// best first; equal scores: the smaller item id wins
__global__ void selectKernel(const float* scores, int users, int items, Rec* out)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= users) return;
    Rec best[kTop];
    for (int k = 0; k < kTop; ++k) { best[k].item = -1; best[k].score = -INFINITY; }
    for (int i = 0; i < items; ++i) {
        float s = scores[(size_t)u * items + i];
        if (!(s > best[kTop - 1].score)) continue;
        int k = kTop - 1;
        while (k > 0 && s > best[k - 1].score) { best[k] = best[k - 1]; --k; }
        best[k].item = i;
        best[k].score = s;
    }
    for (int k = 0; k < kTop; ++k) out[(size_t)u * kTop + k] = best[k];
}

}  // namespace rec

int main()
{
    using namespace rec;
    const int users = 192, items = 6000, words = (items + 31) / 32;
    std::vector<float> U(users * kDim), V((size_t)items * kDim), bias(items);
    std::vector<uint32_t> seen((size_t)users * words, 0u);
    uint32_t st = 777u;
    auto rnd = [&st]() { st = st * 1664525u + 1013904223u; return (float)(st >> 8) / 16777216.0f; };
    for (auto& x : U) x = rnd() - 0.5f;
    for (auto& x : V) x = rnd() - 0.5f;
    for (auto& x : bias) x = 0.2f * rnd();
    for (int u = 0; u < users; ++u)
        for (int k = 0; k < 60; ++k) {
            int i = (int)(rnd() * items);
            if (i >= items) i = items - 1;
            seen[(size_t)u * words + i / 32] |= 1u << (i % 32);
        }

    float *dU, *dV, *dB, *dS; uint32_t* dSeen; Rec* dOut;
    CUDA_OK(cudaMalloc((void**)&dU, U.size() * sizeof(float)));
    CUDA_OK(cudaMalloc((void**)&dV, V.size() * sizeof(float)));
    CUDA_OK(cudaMalloc((void**)&dB, bias.size() * sizeof(float)));
    CUDA_OK(cudaMalloc((void**)&dS, (size_t)users * items * sizeof(float)));
    CUDA_OK(cudaMalloc((void**)&dSeen, seen.size() * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc((void**)&dOut, (size_t)users * kTop * sizeof(Rec)));
    CUDA_OK(cudaMemcpy(dU, U.data(), U.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dV, V.data(), V.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dB, bias.data(), bias.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dSeen, seen.data(), seen.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));

    scoreKernel<<<dim3((items + 255) / 256, users), 256>>>(dU, dV, dB, dSeen, users, items, dS);
    CUDA_OK(cudaGetLastError());
    selectKernel<<<(users + 63) / 64, 64>>>(dS, users, items, dOut);
    CUDA_OK(cudaGetLastError());

    std::vector<Rec> out((size_t)users * kTop);
    CUDA_OK(cudaMemcpy(out.data(), dOut, out.size() * sizeof(Rec), cudaMemcpyDeviceToHost));
    double total = 0; unsigned long long ids = 0;
    for (size_t j = 0; j < out.size(); ++j) { total += out[j].score; ids = ids * 31ull + (unsigned)out[j].item; }
    std::printf("score total %.6f  id hash %016llx\n", total, ids);
    for (int u = 0; u < users; u += 64) {
        std::printf("user %3d:", u);
        for (int k = 0; k < kTop; ++k) std::printf(" %d(%.3f)", out[(size_t)u * kTop + k].item, out[(size_t)u * kTop + k].score);
        std::printf("\n");
    }
    cudaFree(dU); cudaFree(dV); cudaFree(dB); cudaFree(dS); cudaFree(dSeen); cudaFree(dOut);
    return 0;
}
