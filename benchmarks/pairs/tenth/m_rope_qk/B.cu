// Rotary position embedding (half-split layout) applied in place to the query and key tensors, fp16.
// q: [tokens][heads][DIM], k: [tokens][kv_heads][DIM], positions are given per token (packed sequences).
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_TRY(expr)                                                                        \
    do {                                                                                      \
        cudaError_t status_ = (expr);                                                         \
        if (status_ != cudaSuccess) {                                                         \
            std::fprintf(stderr, "[%s:%d] %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            std::exit(1);                                                                     \
        }                                                                                     \
    } while (0)

template <int DIM>
__device__ __forceinline__ void rotate_heads(__half* __restrict__ v, int heads,
                                             const float* cs, const float* sn)
{
    constexpr int HALF = DIM / 2;
    for (int idx = threadIdx.x; idx < heads * HALF; idx += blockDim.x) {
        const int head = idx / HALF, i = idx - head * HALF;
        __half* p = v + (size_t)head * DIM + i;
        const float c = cs[i], s = sn[i];
        const float a = __half2float(p[0]);
        const float b = __half2float(p[HALF]);
        p[0] = __float2half_rn(a * c - b * s);
        p[HALF] = __float2half_rn(b * c + a * s);
    }
}

// One block per token: the DIM/2 sines and cosines of its position are computed once
// and used by all query and key heads.
template <int DIM>
__global__ void rope_qk_kernel(__half* __restrict__ q, __half* __restrict__ k,
                               const int* __restrict__ positions, int heads, int kv_heads, float base)
{
    constexpr int HALF = DIM / 2;
    __shared__ float cs[HALF];
    __shared__ float sn[HALF];
    const int token = blockIdx.x;
    const float p = (float)__ldg(positions + token);
    for (int i = threadIdx.x; i < HALF; i += blockDim.x) {
        float freq = powf(base, -2.0f * (float)i / (float)DIM);
        sincosf(p * freq, &sn[i], &cs[i]);
    }
    __syncthreads();
    rotate_heads<DIM>(q + (size_t)token * heads * DIM, heads, cs, sn);
    rotate_heads<DIM>(k + (size_t)token * kv_heads * DIM, kv_heads, cs, sn);
}

template <int DIM>
void apply_rope(__half* q, __half* k, const int* pos, int tokens, int heads, int kv_heads, float base)
{
    rope_qk_kernel<DIM><<<tokens, 256>>>(q, k, pos, heads, kv_heads, base);
    CUDA_TRY(cudaGetLastError());
}

static void report(const char* name, const std::vector<__half>& v)
{
    double sum = 0, wsum = 0;
    for (size_t i = 0; i < v.size(); i++) {
        double x = __half2float(v[i]);
        sum += x;
        wsum += x * (double)(i % 101);
    }
    std::printf("%s: sum %.5f weighted %.4f last %.5f\n", name, sum, wsum, (double)__half2float(v.back()));
}

int main()
{
    constexpr int DIM = 80;
    const int tokens = 701, heads = 20, kv_heads = 4;
    const int seq_len[] = {300, 1, 250, 150};
    std::vector<int> pos;
    for (int s = 0; s < 4; s++)
        for (int i = 0; i < seq_len[s]; i++) pos.push_back(i + 1000 * s);

    std::vector<__half> q((size_t)tokens * heads * DIM), k((size_t)tokens * kv_heads * DIM);
    unsigned state = 31337u;
    auto gen = [&state]() {
        state ^= state << 13; state ^= state >> 17; state ^= state << 5;
        return __float2half((float)(state % 4001u) / 1000.f - 2.f);
    };
    for (auto& x : q) x = gen();
    for (auto& x : k) x = gen();

    __half *dq, *dk; int* dpos;
    CUDA_TRY(cudaMalloc(&dq, q.size() * sizeof(__half)));
    CUDA_TRY(cudaMalloc(&dk, k.size() * sizeof(__half)));
    CUDA_TRY(cudaMalloc(&dpos, tokens * sizeof(int)));
    CUDA_TRY(cudaMemcpy(dq, q.data(), q.size() * sizeof(__half), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(dk, k.data(), k.size() * sizeof(__half), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(dpos, pos.data(), tokens * sizeof(int), cudaMemcpyHostToDevice));

    apply_rope<DIM>(dq, dk, dpos, tokens, heads, kv_heads, 10000.0f);

    CUDA_TRY(cudaMemcpy(q.data(), dq, q.size() * sizeof(__half), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(k.data(), dk, k.size() * sizeof(__half), cudaMemcpyDeviceToHost));
    report("q", q);
    report("k", k);
    cudaFree(dq); cudaFree(dk); cudaFree(dpos);
    return 0;
}
