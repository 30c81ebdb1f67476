// LayerNorm forward, one block per token, affine, fp32.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

static const int kThreads = 256;

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// One barrier only: after it every warp reduces the partials by itself,
// so that no broadcast step is needed.
__device__ __forceinline__ float block_sum(float v, float* part)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_sum(v);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    return warp_sum(lane < kThreads / 32 ? part[lane] : 0.f);
}

__global__ void __launch_bounds__(kThreads)
layernorm_fwd(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
              float* __restrict__ y, float* __restrict__ mean_out, float* __restrict__ rstd_out,
              int hidden, float eps)
{
    __shared__ float part[kThreads / 32];
    const float* row = x + (size_t)blockIdx.x * hidden;
    float* out = y + (size_t)blockIdx.x * hidden;
    const float inv = 1.f / hidden;

    float s = 0.f;
    for (int i = threadIdx.x; i < hidden; i += kThreads) s += row[i];
    const float mean = block_sum(s, part) * inv;

    float q = 0.f;
    for (int i = threadIdx.x; i < hidden; i += kThreads) {
        float d = row[i] - mean;
        q = fmaf(d, d, q);
    }
    const float rstd = rsqrtf(block_sum(q, part) * inv + eps);

    for (int i = threadIdx.x; i < hidden; i += kThreads)
        out[i] = (row[i] - mean) * rstd * __ldg(gamma + i) + __ldg(beta + i);

    if (threadIdx.x == 0) {
        mean_out[blockIdx.x] = mean;
        rstd_out[blockIdx.x] = rstd;
    }
}

int main()
{
    const int tokens = 1500, hidden = 768;
    const size_t n = (size_t)tokens * hidden;
    std::vector<float> hx(n), hg(hidden), hb(hidden), hy(n), hm(tokens), hr(tokens);
    unsigned s = 12345u;
    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        hx[i] = ((s >> 8) & 0xffff) / 32768.f - 1.f + 0.1f * (i % 7);
    }
    for (int i = 0; i < hidden; i++) { hg[i] = 1.f + 0.01f * (i % 13); hb[i] = 0.02f * (i % 5) - 0.03f; }

    float *dx, *dg, *db, *dy, *dm, *dr;
    CK(cudaMalloc(&dx, n * 4)); CK(cudaMalloc(&dy, n * 4));
    CK(cudaMalloc(&dg, hidden * 4)); CK(cudaMalloc(&db, hidden * 4));
    CK(cudaMalloc(&dm, tokens * 4)); CK(cudaMalloc(&dr, tokens * 4));
    CK(cudaMemcpy(dx, hx.data(), n * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dg, hg.data(), hidden * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, hb.data(), hidden * 4, cudaMemcpyHostToDevice));

    layernorm_fwd<<<tokens, kThreads>>>(dx, dg, db, dy, dm, dr, hidden, 1e-5f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    CK(cudaMemcpy(hy.data(), dy, n * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hm.data(), dm, tokens * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hr.data(), dr, tokens * 4, cudaMemcpyDeviceToHost));
    double a = 0, b = 0;
    for (size_t i = 0; i < n; i++) { a += hy[i]; b += std::fabs(hy[i]); }
    printf("sum %.4f  abs %.4f  mean[3] %.6f  rstd[3] %.6f\n", a, b, hm[3], hr[3]);
    cudaFree(dx); cudaFree(dy); cudaFree(dg); cudaFree(db); cudaFree(dm); cudaFree(dr);
    return 0;
}
