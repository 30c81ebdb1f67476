// LayerNorm forward, one block per token, affine, fp32.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

static const int kThreads = 256;

__device__ float block_sum(float v, float* buf)
{
    int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    float r = buf[0];
    __syncthreads();
    return r;
}

__global__ void layernorm_fwd(const float* x, const float* gamma, const float* beta,
                              float* y, float* mean_out, float* rstd_out, int hidden, float eps)
{
    __shared__ float buf[kThreads];
    const float* row = x + (size_t)blockIdx.x * hidden;
    float* out = y + (size_t)blockIdx.x * hidden;

    float s = 0.f;
    for (int i = threadIdx.x; i < hidden; i += blockDim.x) s += row[i];
    float mean = block_sum(s, buf) / hidden;

    float q = 0.f;
    for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
        float d = row[i] - mean;
        q += d * d;
    }
    float var = block_sum(q, buf) / hidden;
    float rstd = rsqrtf(var + eps);

    for (int i = threadIdx.x; i < hidden; i += blockDim.x)
        out[i] = (row[i] - mean) * rstd * gamma[i] + beta[i];

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
