// One decoding step of grouped-query attention over a KV cache with per-sequence lengths.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define cuda_must(x) do { if ((x) != cudaSuccess) { std::fprintf(stderr, "cuda error, line %d: %s\n", __LINE__, cudaGetErrorString(cudaGetLastError())); std::exit(1); } } while (0)

constexpr int HEAD = 64;
constexpr int NTHR = 128;

struct Cache {
    const float* k;      // [batch][kv_heads][max_len][HEAD]
    const float* v;
    const int* len;      // [batch], 1 <= len <= max_len
    int kv_heads, max_len;
};

constexpr int TK = 32;                 // keys per tile

// Flash-style single pass: tiles of K and V in shared memory, online softmax,
// no score buffer of the sequence's length any more.
__global__ void __launch_bounds__(NTHR)
decode_attention(const float* __restrict__ q, Cache c, float* __restrict__ out, int heads, float scale)
{
    __shared__ float qs[HEAD];
    __shared__ float ks[TK][HEAD + 1];
    __shared__ float vs[TK][HEAD];
    __shared__ float ps[TK];
    __shared__ float accs[HEAD];
    const int h = blockIdx.x, b = blockIdx.y, tid = threadIdx.x;
    const int kvh = h / (heads / c.kv_heads);
    const int len = c.len[b];
    const size_t kvbase = ((size_t)b * c.kv_heads + kvh) * c.max_len * HEAD;
    const float* K = c.k + kvbase;
    const float* V = c.v + kvbase;

    if (tid < HEAD) qs[tid] = q[((size_t)b * heads + h) * HEAD + tid] * scale;

    float m = -INFINITY, l = 0.f;      // the same in every thread
    float acc = 0.f;                   // thread: dimension tid % 64, keys of parity tid / 64
    const int dim = tid & (HEAD - 1), half = tid / HEAD;

    for (int j0 = 0; j0 < len; j0 += TK) {
        __syncthreads();
        for (int e = tid; e < TK * HEAD; e += NTHR) {
            const int j = e / HEAD, d = e % HEAD;
            const bool in = j0 + j < len;
            ks[j][d] = in ? K[(size_t)(j0 + j) * HEAD + d] : 0.f;
            vs[j][d] = in ? V[(size_t)(j0 + j) * HEAD + d] : 0.f;
        }
        __syncthreads();

        // four neighbouring threads per key, 16 dimensions each
        {
            const int j = tid >> 2, part = tid & 3;
            float s = 0.f;
#pragma unroll
            for (int i = 0; i < HEAD / 4; ++i) s = fmaf(qs[part * (HEAD / 4) + i], ks[j][part * (HEAD / 4) + i], s);
            s += __shfl_xor_sync(0xffffffffu, s, 1);
            s += __shfl_xor_sync(0xffffffffu, s, 2);
            if (part == 0) ps[j] = s;
        }
        __syncthreads();

        float mt = m;
#pragma unroll
        for (int j = 0; j < TK; ++j) mt = fmaxf(mt, ps[j]);
        const float corr = expf(m - mt);
        l *= corr;
        acc *= corr;
        m = mt;
#pragma unroll 4
        for (int j = 0; j < TK; ++j) {
            const float p = expf(ps[j] - m);
            l += p;
            if ((j & 1) == half) acc = fmaf(p, vs[j][dim], acc);
        }
    }

    __syncthreads();
    if (half == 1) accs[dim] = acc;
    __syncthreads();
    if (half == 0) out[((size_t)b * heads + h) * HEAD + dim] = (acc + accs[dim]) / l;
}

static std::vector<float> noise(size_t n, unsigned seed, float amp)
{
    std::vector<float> v(n);
    for (auto& x : v) { seed = seed * 1664525u + 1013904223u; x = amp * ((seed >> 9) / 4194304.f - 1.f); }
    return v;
}

int main()
{
    const int batch = 12, heads = 16, kv_heads = 4, max_len = 256;
    const float scale = 1.f / std::sqrt((float)HEAD);
    std::vector<int> len(batch);
    for (int b = 0; b < batch; ++b) len[b] = 64 + 32 * (b % 7);
    const size_t nq = (size_t)batch * heads * HEAD, nkv = (size_t)batch * kv_heads * max_len * HEAD;
    auto q = noise(nq, 1, 2.f), k = noise(nkv, 2, 1.f), v = noise(nkv, 3, 1.f);
    std::vector<float> o(nq);

    float *dq, *dk, *dv, *dout;
    int* dl;
    cuda_must(cudaMalloc(&dq, nq * 4));
    cuda_must(cudaMalloc(&dk, nkv * 4));
    cuda_must(cudaMalloc(&dv, nkv * 4));
    cuda_must(cudaMalloc(&dout, nq * 4));
    cuda_must(cudaMalloc(&dl, batch * sizeof(int)));
    cuda_must(cudaMemcpy(dq, q.data(), nq * 4, cudaMemcpyHostToDevice));
    cuda_must(cudaMemcpy(dk, k.data(), nkv * 4, cudaMemcpyHostToDevice));
    cuda_must(cudaMemcpy(dv, v.data(), nkv * 4, cudaMemcpyHostToDevice));
    cuda_must(cudaMemcpy(dl, len.data(), batch * sizeof(int), cudaMemcpyHostToDevice));

    Cache c{dk, dv, dl, kv_heads, max_len};
    decode_attention<<<dim3(heads, batch), NTHR>>>(dq, c, dout, heads, scale);
    cuda_must(cudaGetLastError());
    cuda_must(cudaMemcpy(o.data(), dout, nq * 4, cudaMemcpyDeviceToHost));

    double norm = 0;
    for (float x : o) norm += (double)x * x;
    std::printf("|o| = %.6f\n", std::sqrt(norm));
    for (int b = 0; b < batch; b += 3) std::printf("seq %d len %d: %.6f %.6f\n", b, len[b], o[(size_t)b * heads * HEAD], o[(size_t)b * heads * HEAD + 777]);
    cudaFree(dq); cudaFree(dk); cudaFree(dv); cudaFree(dout); cudaFree(dl);
    return 0;
}
