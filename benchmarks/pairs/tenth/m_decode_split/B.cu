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

const int SPLIT = 8;     // the cache of a head is cut into SPLIT ranges, a block each

// Split-KV decode in one launch. Every block makes (max, sum, acc[D]) of its range with an
// online softmax; the block of a head that finishes last merges the SPLIT partial results.
// 4 warps; a lane holds dims 2*lane and 2*lane+1.
__global__ void __launch_bounds__(128)
decode_kernel(const float* __restrict__ q, const float* __restrict__ kc, const float* __restrict__ vc,
              float* pm, float* pl, float* pacc, unsigned* counter, float* out, int len, float scale)
{
    __shared__ float wm[4], wl[4], wacc[4][D];
    __shared__ bool last;
    const int h = blockIdx.y, part = blockIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int chunk = (len + SPLIT - 1) / SPLIT;
    const int t0 = part * chunk, t1 = min(len, t0 + chunk);

    const float q0 = q[h * D + 2 * lane] * scale, q1 = q[h * D + 2 * lane + 1] * scale;
    float m = -INFINITY, l = 0.f, a0 = 0.f, a1 = 0.f;
    for (int t = t0 + warp; t < t1; t += 4) {
        const size_t base = ((size_t)h * TMAX + t) * D + 2 * lane;
        float s = q0 * kc[base] + q1 * kc[base + 1];
#pragma unroll
        for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        const float mn = fmaxf(m, s);
        const float c = expf(m - mn), e = expf(s - mn);
        l = l * c + e;
        a0 = a0 * c + e * vc[base];
        a1 = a1 * c + e * vc[base + 1];
        m = mn;
    }
    if (lane == 0) { wm[warp] = m; wl[warp] = l; }
    wacc[warp][2 * lane] = a0;
    wacc[warp][2 * lane + 1] = a1;
    __syncthreads();

    const int d = threadIdx.x;
    const int slot = h * SPLIT + part;
    if (d < D) {
        float bm = fmaxf(fmaxf(wm[0], wm[1]), fmaxf(wm[2], wm[3]));
        float bl = 0.f, ba = 0.f;
        for (int w = 0; w < 4; w++) {
            float c = wl[w] > 0.f ? expf(wm[w] - bm) : 0.f;
            bl += c * wl[w];
            ba += c * wacc[w][d];
        }
        pacc[slot * D + d] = ba;
        if (d == 0) { pm[slot] = bm; pl[slot] = bl; }
    }
    __syncthreads();
    // wraps back to 0, ready for the next step
    if (threadIdx.x == 0) last = atomicInc(&counter[h], SPLIT - 1) == SPLIT - 1;
    __syncthreads();
    if (!last || d >= D) return;

    float gm = -INFINITY;
    for (int p = 0; p < SPLIT; p++) gm = fmaxf(gm, pm[h * SPLIT + p]);
    float gl = 0.f, ga = 0.f;
    for (int p = 0; p < SPLIT; p++) {
        float w = pl[h * SPLIT + p];
        float c = w > 0.f ? expf(pm[h * SPLIT + p] - gm) : 0.f;
        gl += c * w;
        ga += c * pacc[(h * SPLIT + p) * D + d];
    }
    out[h * D + d] = ga / gl;
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

    float *q, *k, *v, *o, *pm, *pl, *pacc;
    unsigned* cnt;
    CUDA_OK(cudaMalloc(&q, H * D * sizeof(float)));
    CUDA_OK(cudaMalloc(&o, H * D * sizeof(float)));
    CUDA_OK(cudaMalloc(&k, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&v, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&pm, H * SPLIT * sizeof(float)));
    CUDA_OK(cudaMalloc(&pl, H * SPLIT * sizeof(float)));
    CUDA_OK(cudaMalloc(&pacc, H * SPLIT * D * sizeof(float)));
    CUDA_OK(cudaMalloc(&cnt, H * sizeof(unsigned)));
    CUDA_OK(cudaMemset(cnt, 0, H * sizeof(unsigned)));
    CUDA_OK(cudaMemcpy(q, hq.data(), H * D * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(k, hk.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(v, hv.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    const float scale = 1.f / sqrtf((float)D);
    for (int s = 0; s < STEPS; s++) {
        int len = T0 + s;
        decode_kernel<<<dim3(SPLIT, H), 128>>>(q, k, v, pm, pl, pacc, cnt, o, len, scale);
        next_token<<<H, D>>>(o, q, k, v, len);
        CUDA_OK(cudaGetLastError());
    }
    CUDA_OK(cudaMemcpy(ho.data(), o, H * D * sizeof(float), cudaMemcpyDeviceToHost));
    double cs = 0;
    for (int i = 0; i < H * D; i++) cs += fabs(ho[i]) * (1 + i % 3);
    printf("out[0..3] = %.6f %.6f %.6f %.6f\nchecksum %.6f\n", ho[0], ho[1], ho[2], ho[3], cs);
    cudaFree(q); cudaFree(k); cudaFree(v); cudaFree(o); cudaFree(pm); cudaFree(pl); cudaFree(pacc); cudaFree(cnt);
}
