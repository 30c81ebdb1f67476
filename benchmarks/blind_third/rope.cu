// Rotary position embedding for a fused QKV projection in half precision (GQA layout), and the KV-cache write.
//
//   qkv   [tokens, (q_heads + 2 * kv_heads) * 128]   half, output of the projection
//   q     [tokens, q_heads * 128]                    half, rotated
//   cache [kv_heads, tokens, 2, 128]                 half, rotated keys and plain values
//
// Pairs (i, i + 64) rotate together, as in GPT-NeoX and Llama. Angles come from a table in float, made once per model.
//
//   rope TOKENS Q_HEADS KV_HEADS

#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int HEAD = 128;
constexpr int HALF = HEAD / 2;
constexpr int VEC = 8;                    // halves in 16 bytes
constexpr int LANES = HALF / VEC;         // threads per head: each rotates 8 pairs
constexpr int HEADS_PER_BLOCK = 32;

#define CUDA_CHECK(x)                                                                                            \
    do {                                                                                                         \
        cudaError_t err__ = (x);                                                                                 \
        if (err__ != cudaSuccess) {                                                                              \
            fprintf(stderr, "[%s:%d] %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(err__));              \
            exit(1);                                                                                             \
        }                                                                                                        \
    } while (0)

union Pack {
    uint4 raw;
    __half2 h[VEC / 2];
};

__global__ void make_table(float2 *__restrict__ table, int tokens, float base)
{
    const int t = blockIdx.x * blockDim.y + threadIdx.y;
    const int i = threadIdx.x;
    if (t >= tokens) return;
    const float angle = t * powf(base, -2.0f * i / HEAD);
    float s, c;
    sincosf(angle, &s, &c);
    table[t * HALF + i] = make_float2(c, s);
}

// block: LANES x HEADS_PER_BLOCK, grid: heads, tokens
__global__ void __launch_bounds__(LANES *HEADS_PER_BLOCK)
rope_qkv(const __half *__restrict__ qkv, const float2 *__restrict__ table, __half *__restrict__ q, __half *__restrict__ cache,
         int tokens, int q_heads, int kv_heads)
{
    const int head = blockIdx.x * HEADS_PER_BLOCK + threadIdx.y;
    const int token = blockIdx.y;
    const int heads = q_heads + 2 * kv_heads;
    if (head >= heads) return;

    const int lane = threadIdx.x;
    const __half *src = qkv + ((size_t)token * heads + head) * HEAD + lane * VEC;
    Pack lo, hi;
    lo.raw = __ldg(reinterpret_cast<const uint4 *>(src));
    hi.raw = __ldg(reinterpret_cast<const uint4 *>(src + HALF));

    __half *dst;
    if (head < q_heads)
        dst = q + ((size_t)token * q_heads + head) * HEAD;
    else if (head < q_heads + kv_heads)
        dst = cache + ((size_t)(head - q_heads) * tokens + token) * 2 * HEAD;
    else
        dst = cache + ((size_t)(head - q_heads - kv_heads) * tokens + token) * 2 * HEAD + HEAD;

    if (head < q_heads + kv_heads) {
        const float4 *cs = reinterpret_cast<const float4 *>(table + (size_t)token * HALF + lane * VEC);
#pragma unroll
        for (int i = 0; i < VEC / 2; i++) {
            const float4 two = __ldg(cs + i);  // cos, sin, cos, sin
            const float2 a = __half22float2(lo.h[i]);
            const float2 b = __half22float2(hi.h[i]);
            lo.h[i] = __floats2half2_rn(a.x * two.x - b.x * two.y, a.y * two.z - b.y * two.w);
            hi.h[i] = __floats2half2_rn(b.x * two.x + a.x * two.y, b.y * two.z + a.y * two.w);
        }
    }
    *reinterpret_cast<uint4 *>(dst + lane * VEC) = lo.raw;
    *reinterpret_cast<uint4 *>(dst + lane * VEC + HALF) = hi.raw;
}

static double sum_of(const std::vector<__half> &v, double *absolute)
{
    double s = 0, a = 0;
    for (__half h : v) {
        s += __half2float(h);
        a += fabs(__half2float(h));
    }
    *absolute = a / v.size();
    return s / v.size();
}

int main(int argc, char **argv)
{
    const int tokens = argc > 1 ? atoi(argv[1]) : 512;
    const int q_heads = argc > 2 ? atoi(argv[2]) : 32;
    const int kv_heads = argc > 3 ? atoi(argv[3]) : 8;
    const int heads = q_heads + 2 * kv_heads;
    const size_t n_qkv = (size_t)tokens * heads * HEAD, n_q = (size_t)tokens * q_heads * HEAD, n_cache = (size_t)tokens * kv_heads * 2 * HEAD;

    std::vector<__half> qkv(n_qkv);
    for (size_t i = 0; i < n_qkv; i++)
        qkv[i] = __float2half((float)((i * 193 + i / 128 * 37) % 257) / 128.0f - 0.75f);

    __half *d_qkv, *d_q, *d_cache;
    float2 *d_table;
    CUDA_CHECK(cudaMalloc(&d_qkv, n_qkv * sizeof(__half)));
    CUDA_CHECK(cudaMalloc(&d_q, n_q * sizeof(__half)));
    CUDA_CHECK(cudaMalloc(&d_cache, n_cache * sizeof(__half)));
    CUDA_CHECK(cudaMalloc(&d_table, (size_t)tokens * HALF * sizeof(float2)));
    CUDA_CHECK(cudaMemcpy(d_qkv, qkv.data(), n_qkv * sizeof(__half), cudaMemcpyHostToDevice));

    make_table<<<(tokens + 3) / 4, dim3(HALF, 4)>>>(d_table, tokens, 500000.0f);
    CUDA_CHECK(cudaGetLastError());
    rope_qkv<<<dim3((heads + HEADS_PER_BLOCK - 1) / HEADS_PER_BLOCK, tokens), dim3(LANES, HEADS_PER_BLOCK)>>>(d_qkv, d_table, d_q, d_cache,
                                                                                                         tokens, q_heads, kv_heads);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());

    std::vector<__half> q(n_q), cache(n_cache);
    CUDA_CHECK(cudaMemcpy(q.data(), d_q, n_q * sizeof(__half), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(cache.data(), d_cache, n_cache * sizeof(__half), cudaMemcpyDeviceToHost));

    double aq, ac, mq = sum_of(q, &aq), mc = sum_of(cache, &ac);
    printf("queries: mean %.4f, mean magnitude %.4f\n", mq, aq);
    printf("cache:   mean %.4f, mean magnitude %.4f\n", mc, ac);
    const __half *last = q.data() + n_q - HEAD;
    printf("last query: %.3f %.3f %.3f ... %.3f\n", __half2float(last[0]), __half2float(last[1]), __half2float(last[HALF]), __half2float(last[HEAD - 1]));

    CUDA_CHECK(cudaFree(d_qkv));
    CUDA_CHECK(cudaFree(d_q));
    CUDA_CHECK(cudaFree(d_cache));
    CUDA_CHECK(cudaFree(d_table));
    return 0;
}
