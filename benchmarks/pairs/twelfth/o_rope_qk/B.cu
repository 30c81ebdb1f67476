// Rotary position embedding (half-split pairing) applied in place to Q and K of a packed batch.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define RT(call)                                                                      \
    {                                                                                 \
        cudaError_t st = call;                                                        \
        if (st != cudaSuccess) { fprintf(stderr, "[%d] %s\n", __LINE__, cudaGetErrorString(st)); exit(3); } \
    }

struct RopeArgs {
    float* q;           // [tokens][q_heads][hd], hd even
    float* k;           // [tokens][kv_heads][hd]
    const int* pos;     // [tokens] absolute position of each token
    int q_heads, kv_heads, hd;
    float theta;
};

__device__ __forceinline__ void rotate_heads(float* __restrict__ base, int heads, int half, int hd,
                                             const float2* __restrict__ cs)
{
    const int n = heads * half;
    int h = threadIdx.x / half;
    int i = threadIdx.x - h * half;
    const int dh = blockDim.x / half;
    const int di = blockDim.x - dh * half;
    for (int e = threadIdx.x; e < n; e += blockDim.x) {
        float* p = base + (size_t)h * hd;
        const float c = cs[i].x, s = cs[i].y;
        const float a = p[i];
        const float b = p[i + half];
        p[i] = a * c - b * s;
        p[i + half] = b * c + a * s;
        // next (head, pair) without a division
        h += dh;
        i += di;
        if (i >= half) { i -= half; h++; }
    }
}

// One block per token: the angles depend on position and pair only, so they are computed
// once into shared memory and used by all heads of Q and of K.
__global__ void rope_qk(RopeArgs r)
{
    extern __shared__ float2 cs[];
    const int half = r.hd / 2;
    const int t = blockIdx.x;
    const float p = (float)r.pos[t];
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        const float inv_freq = powf(r.theta, -2.0f * (float)i / (float)r.hd);
        float s, c;
        sincosf(p * inv_freq, &s, &c);
        cs[i] = make_float2(c, s);
    }
    __syncthreads();
    rotate_heads(r.q + (size_t)t * r.q_heads * r.hd, r.q_heads, half, r.hd, cs);
    rotate_heads(r.k + (size_t)t * r.kv_heads * r.hd, r.kv_heads, half, r.hd, cs);
}

static void fill(std::vector<float>& v, unsigned seed)
{
    for (size_t i = 0; i < v.size(); i++) {
        seed = seed * 22695477u + 1u;
        v[i] = (float)((int)(seed >> 16) - 32768) / 32768.0f;
    }
}

int main()
{
    const int tokens = 300, q_heads = 24, kv_heads = 8, hd = 96;
    const float theta = 10000.0f;
    std::vector<float> q((size_t)tokens * q_heads * hd), k((size_t)tokens * kv_heads * hd);
    std::vector<int> pos(tokens);
    fill(q, 5);
    fill(k, 6);
    // three packed sequences, the last one continues a cached prefix
    for (int t = 0; t < tokens; t++) pos[t] = t < 90 ? t : (t < 210 ? t - 90 : t - 210 + 1500);

    float *dq, *dk;
    int* dp;
    RT(cudaMalloc(&dq, q.size() * sizeof(float)));
    RT(cudaMalloc(&dk, k.size() * sizeof(float)));
    RT(cudaMalloc(&dp, tokens * sizeof(int)));
    RT(cudaMemcpy(dq, q.data(), q.size() * sizeof(float), cudaMemcpyHostToDevice));
    RT(cudaMemcpy(dk, k.data(), k.size() * sizeof(float), cudaMemcpyHostToDevice));
    RT(cudaMemcpy(dp, pos.data(), tokens * sizeof(int), cudaMemcpyHostToDevice));

    RopeArgs args{dq, dk, dp, q_heads, kv_heads, hd, theta};
    rope_qk<<<tokens, 256, (hd / 2) * sizeof(float2)>>>(args);
    RT(cudaGetLastError());

    RT(cudaMemcpy(q.data(), dq, q.size() * sizeof(float), cudaMemcpyDeviceToHost));
    RT(cudaMemcpy(k.data(), dk, k.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double dot = 0, nrm = 0;
    for (int t = 0; t < tokens; t++)
        for (int d = 0; d < hd; d++) {
            dot += (double)q[(size_t)t * q_heads * hd + d] * k[(size_t)t * kv_heads * hd + d];
            nrm += (double)q[(size_t)t * q_heads * hd + d] * q[(size_t)t * q_heads * hd + d];
        }
    printf("q.k of head 0: %.4f   |q|^2 of head 0: %.4f\n", dot, nrm);
    for (int t = 0; t < tokens; t += 75) printf("%d: %.5f %.5f\n", t, q[(size_t)t * q_heads * hd + 3], k[(size_t)t * kv_heads * hd + 50]);
    RT(cudaFree(dq));
    RT(cudaFree(dk));
    RT(cudaFree(dp));
    return 0;
}
