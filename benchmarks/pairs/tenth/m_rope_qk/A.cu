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
__global__ void rope_kernel(__half* x, const int* positions, int tokens, int heads, float base)
{
    constexpr int HALF = DIM / 2;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= tokens * heads * HALF) return;
    int i = idx % HALF;
    int head = (idx / HALF) % heads;
    int token = idx / (HALF * heads);

    float freq = powf(base, -2.0f * (float)i / (float)DIM);
    float angle = (float)positions[token] * freq;
    float s, c;
    sincosf(angle, &s, &c);

    __half* v = x + ((size_t)token * heads + head) * DIM;
    float a = __half2float(v[i]);
    float b = __half2float(v[i + HALF]);
    v[i] = __float2half_rn(a * c - b * s);
    v[i + HALF] = __float2half_rn(b * c + a * s);
}

template <int DIM>
void apply_rope(__half* q, __half* k, const int* pos, int tokens, int heads, int kv_heads, float base)
{
    const int threads = 256;
    int nq = tokens * heads * (DIM / 2);
    int nk = tokens * kv_heads * (DIM / 2);
    rope_kernel<DIM><<<(nq + threads - 1) / threads, threads>>>(q, pos, tokens, heads, base);
    CUDA_TRY(cudaGetLastError());
    rope_kernel<DIM><<<(nk + threads - 1) / threads, threads>>>(k, pos, tokens, kv_heads, base);
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
