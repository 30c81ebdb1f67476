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

// x: [tokens][heads][hd], hd even; pos: [tokens] absolute position of each token
__global__ void rope_inplace(float* x, const int* pos, int tokens, int heads, int hd, float theta)
{
    const int half = hd / 2;
    long long gid = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long total = (long long)tokens * heads * half;
    if (gid >= total) return;
    int i = (int)(gid % half);
    long long th = gid / half;
    int t = (int)(th / heads);

    float inv_freq = powf(theta, -2.0f * (float)i / (float)hd);
    float angle = (float)pos[t] * inv_freq;
    float s, c;
    sincosf(angle, &s, &c);

    float* p = x + th * hd;
    float a = p[i];
    float b = p[i + half];
    p[i] = a * c - b * s;
    p[i + half] = b * c + a * s;
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

    const int tb = 256;
    long long nq = (long long)tokens * q_heads * (hd / 2), nk = (long long)tokens * kv_heads * (hd / 2);
    rope_inplace<<<(unsigned)((nq + tb - 1) / tb), tb>>>(dq, dp, tokens, q_heads, hd, theta);
    RT(cudaGetLastError());
    rope_inplace<<<(unsigned)((nk + tb - 1) / tb), tb>>>(dk, dp, tokens, kv_heads, hd, theta);
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
