// Single-token attention decode over a KV cache.
// One query per head; K and V caches are [head][t][D]. The cache grows by one entry per step.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(call)                                                          \
    do {                                                                       \
        cudaError_t err = (call);                                              \
        if (err != cudaSuccess) {                                              \
            printf("cuda: %s (line %d)\n", cudaGetErrorString(err), __LINE__); \
            exit(2);                                                           \
        }                                                                      \
    } while (0)

const int H = 24;        // heads
const int D = 64;        // head dim
const int TMAX = 1300;   // cache capacity
const int T0 = 1290;     // prefilled
const int STEPS = 4;

// scores[h][t] = scale * q[h] . K[h][t]
__global__ void qk_kernel(const float* q, const float* kc, float* scores, int len, float scale)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int h = blockIdx.y;
    if (t >= len) return;
    const float* kk = kc + ((size_t)h * TMAX + t) * D;
    const float* qq = q + h * D;
    float s = 0.f;
    for (int d = 0; d < D; d++) s += qq[d] * kk[d];
    scores[h * TMAX + t] = s * scale;
}

__global__ void softmax_kernel(float* scores, int len)
{
    __shared__ float red[128];
    float* s = scores + blockIdx.x * TMAX;
    int tid = threadIdx.x;
    float m = -INFINITY;
    for (int t = tid; t < len; t += 128) m = fmaxf(m, s[t]);
    red[tid] = m;
    __syncthreads();
    for (int k = 64; k; k >>= 1) { if (tid < k) red[tid] = fmaxf(red[tid], red[tid + k]); __syncthreads(); }
    m = red[0];
    __syncthreads();
    float sum = 0.f;
    for (int t = tid; t < len; t += 128) { float e = expf(s[t] - m); s[t] = e; sum += e; }
    red[tid] = sum;
    __syncthreads();
    for (int k = 64; k; k >>= 1) { if (tid < k) red[tid] += red[tid + k]; __syncthreads(); }
    float inv = 1.f / red[0];
    for (int t = tid; t < len; t += 128) s[t] *= inv;
}

__global__ void pv_kernel(const float* scores, const float* vc, float* out, int len)
{
    int h = blockIdx.x, d = threadIdx.x;
    float acc = 0.f;
    for (int t = 0; t < len; t++) acc += scores[h * TMAX + t] * vc[((size_t)h * TMAX + t) * D + d];
    out[h * D + d] = acc;
}

// next query and the new cache entry are made from the output (a stand-in for the rest of the model)
__global__ void next_token(const float* out, float* q, float* kc, float* vc, int pos)
{
    int h = blockIdx.x, d = threadIdx.x;
    float o = out[h * D + d];
    q[h * D + d] = 0.7f * q[h * D + d] + 1.5f * o;
    kc[((size_t)h * TMAX + pos) * D + d] = o * 0.9f;
    vc[((size_t)h * TMAX + pos) * D + d] = o * 1.1f - 0.05f;
}

int main()
{
    size_t n = (size_t)H * TMAX * D;
    std::vector<float> hk(n, 0.f), hv(n, 0.f), hq(H * D), ho(H * D);
    unsigned z = 99u;
    auto rnd = [&]() { z = z * 1103515245u + 12345u; return ((z >> 16) & 0x7fff) / 16384.0f - 1.0f; };
    for (int h = 0; h < H; h++)
        for (int t = 0; t < T0; t++)
            for (int d = 0; d < D; d++) {
                hk[((size_t)h * TMAX + t) * D + d] = rnd();
                hv[((size_t)h * TMAX + t) * D + d] = rnd();
            }
    for (auto& v : hq) v = 2.f * rnd();

    float *q, *k, *v, *o, *sc;
    CUDA_OK(cudaMalloc(&q, H * D * sizeof(float)));
    CUDA_OK(cudaMalloc(&o, H * D * sizeof(float)));
    CUDA_OK(cudaMalloc(&k, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&v, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&sc, (size_t)H * TMAX * sizeof(float)));
    CUDA_OK(cudaMemcpy(q, hq.data(), H * D * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(k, hk.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(v, hv.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    const float scale = 1.f / sqrtf((float)D);
    for (int s = 0; s < STEPS; s++) {
        int len = T0 + s;
        qk_kernel<<<dim3((len + 127) / 128, H), 128>>>(q, k, sc, len, scale);
        softmax_kernel<<<H, 128>>>(sc, len);
        pv_kernel<<<H, D>>>(sc, v, o, len);
        next_token<<<H, D>>>(o, q, k, v, len);
        CUDA_OK(cudaGetLastError());
    }
    CUDA_OK(cudaMemcpy(ho.data(), o, H * D * sizeof(float), cudaMemcpyDeviceToHost));
    double cs = 0;
    for (int i = 0; i < H * D; i++) cs += fabs(ho[i]) * (1 + i % 3);
    printf("out[0..3] = %.6f %.6f %.6f %.6f\nchecksum %.6f\n", ho[0], ho[1], ho[2], ho[3], cs);
    cudaFree(q); cudaFree(k); cudaFree(v); cudaFree(o); cudaFree(sc);
}
