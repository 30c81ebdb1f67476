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

__global__ void decode_attention(const float* q, Cache c, float* out, int heads, float scale)
{
    extern __shared__ float score[];
    __shared__ float red[NTHR];
    const int h = blockIdx.x, b = blockIdx.y, tid = threadIdx.x;
    const int kvh = h / (heads / c.kv_heads);
    const int len = c.len[b];
    const float* qp = q + ((size_t)b * heads + h) * HEAD;
    const size_t kvbase = ((size_t)b * c.kv_heads + kvh) * c.max_len * HEAD;
    const float* K = c.k + kvbase;
    const float* V = c.v + kvbase;

    float mx = -INFINITY;
    for (int j = tid; j < len; j += NTHR) {
        float s = 0.f;
        for (int d = 0; d < HEAD; ++d) s += qp[d] * K[(size_t)j * HEAD + d];
        s *= scale;
        score[j] = s;
        mx = fmaxf(mx, s);
    }
    red[tid] = mx;
    __syncthreads();
    for (int o = NTHR / 2; o; o >>= 1) {
        if (tid < o) red[tid] = fmaxf(red[tid], red[tid + o]);
        __syncthreads();
    }
    mx = red[0];
    __syncthreads();

    float sum = 0.f;
    for (int j = tid; j < len; j += NTHR) {
        float p = expf(score[j] - mx);
        score[j] = p;
        sum += p;
    }
    red[tid] = sum;
    __syncthreads();
    for (int o = NTHR / 2; o; o >>= 1) {
        if (tid < o) red[tid] += red[tid + o];
        __syncthreads();
    }
    const float inv = 1.f / red[0];

    if (tid < HEAD) {
        float acc = 0.f;
        for (int j = 0; j < len; ++j) acc += score[j] * V[(size_t)j * HEAD + tid];
        out[((size_t)b * heads + h) * HEAD + tid] = acc * inv;
    }
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
    decode_attention<<<dim3(heads, batch), NTHR, max_len * sizeof(float)>>>(dq, c, dout, heads, scale);
    cuda_must(cudaGetLastError());
    cuda_must(cudaMemcpy(o.data(), dout, nq * 4, cudaMemcpyDeviceToHost));

    double norm = 0;
    for (float x : o) norm += (double)x * x;
    std::printf("|o| = %.6f\n", std::sqrt(norm));
    for (int b = 0; b < batch; b += 3) std::printf("seq %d len %d: %.6f %.6f\n", b, len[b], o[(size_t)b * heads * HEAD], o[(size_t)b * heads * HEAD + 777]);
    cudaFree(dq); cudaFree(dk); cudaFree(dv); cudaFree(dout); cudaFree(dl);
    return 0;
}
