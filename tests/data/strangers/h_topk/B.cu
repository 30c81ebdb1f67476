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

constexpr int kThreads = 128;
constexpr int kKeep = 4;   // candidates a thread keeps in registers

__device__ __forceinline__ bool better(float s, int i, float t, int j)
{
    return s > t || (s == t && (unsigned)i < (unsigned)j);     // item -1 (empty) sorts last
}

// One block per user, scores never leave the registers.  Every thread walks its stripe of the catalogue and keeps
// its best candidates sorted; then the block draws the K best heads one after another.
// best first; equal scores: the smaller item id wins
__global__ void __launch_bounds__(kThreads) recommendKernel(const float* __restrict__ U, const float4* __restrict__ V,
                                                            const float* __restrict__ bias,
                                                            const uint32_t* __restrict__ seen,
                                                            int items, Rec* __restrict__ out)
{
    __shared__ float wScore[kThreads / 32];
    __shared__ int   wItem[kThreads / 32];
    __shared__ int   winner;

    const int u = blockIdx.x, tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const uint32_t* mySeen = seen + (size_t)u * ((items + 31) / 32);
    float f[kDim];
#pragma unroll
    for (int d = 0; d < kDim; ++d) f[d] = __ldg(&U[u * kDim + d]);

    float cs[kKeep]; int ci[kKeep];
#pragma unroll
    for (int k = 0; k < kKeep; ++k) { cs[k] = -INFINITY; ci[k] = -1; }

    for (int i = tid; i < items; i += kThreads) {
        if (mySeen[i >> 5] >> (i & 31) & 1u) continue;
        float acc = bias[i];
#pragma unroll
        for (int d = 0; d < kDim / 4; ++d) {
            float4 v = __ldg(&V[i * (kDim / 4) + d]);
            acc = fmaf(f[4 * d + 0], v.x, acc);
            acc = fmaf(f[4 * d + 1], v.y, acc);
            acc = fmaf(f[4 * d + 2], v.z, acc);
            acc = fmaf(f[4 * d + 3], v.w, acc);
        }
        if (acc > cs[kKeep - 1]) {
            cs[kKeep - 1] = acc; ci[kKeep - 1] = i;
#pragma unroll
            for (int k = kKeep - 1; k > 0; --k)
                if (cs[k] > cs[k - 1]) {
                    float ts = cs[k]; cs[k] = cs[k - 1]; cs[k - 1] = ts;
                    int   ti = ci[k]; ci[k] = ci[k - 1]; ci[k - 1] = ti;
                }
        }
    }

    for (int r = 0; r < kTop; ++r) {
        float s = cs[0]; int it = ci[0];
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) {
            float s2 = __shfl_xor_sync(0xffffffffu, s, o);
            int   i2 = __shfl_xor_sync(0xffffffffu, it, o);
            if (better(s2, i2, s, it)) { s = s2; it = i2; }
        }
        if (lane == 0) { wScore[warp] = s; wItem[warp] = it; }
        __syncthreads();
        if (tid == 0) {
#pragma unroll
            for (int w = 1; w < kThreads / 32; ++w)
                if (better(wScore[w], wItem[w], s, it)) { s = wScore[w]; it = wItem[w]; }
            out[(size_t)u * kTop + r].item = it;
            out[(size_t)u * kTop + r].score = s;
            winner = it;
        }
        __syncthreads();
        if (ci[0] >= 0 && ci[0] == winner) {          // pop the head that was taken
#pragma unroll
            for (int k = 0; k + 1 < kKeep; ++k) { cs[k] = cs[k + 1]; ci[k] = ci[k + 1]; }
            cs[kKeep - 1] = -INFINITY; ci[kKeep - 1] = -1;
        }
    }
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

    float *dU, *dV, *dB; uint32_t* dSeen; Rec* dOut;
    CUDA_OK(cudaMalloc((void**)&dU, U.size() * sizeof(float)));
    CUDA_OK(cudaMalloc((void**)&dV, V.size() * sizeof(float)));
    CUDA_OK(cudaMalloc((void**)&dB, bias.size() * sizeof(float)));
    CUDA_OK(cudaMalloc((void**)&dSeen, seen.size() * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc((void**)&dOut, (size_t)users * kTop * sizeof(Rec)));
    CUDA_OK(cudaMemcpy(dU, U.data(), U.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dV, V.data(), V.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dB, bias.data(), bias.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dSeen, seen.data(), seen.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));

    recommendKernel<<<users, kThreads>>>(dU, reinterpret_cast<const float4*>(dV), dB, dSeen, items, dOut);
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
    cudaFree(dU); cudaFree(dV); cudaFree(dB); cudaFree(dSeen); cudaFree(dOut);
    return 0;
}
