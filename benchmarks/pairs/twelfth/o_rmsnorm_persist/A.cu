// RMSNorm over token rows, fp16 activations, fp32 statistics, optional residual add.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int kThreads = 256;

__global__ void add_residual(const __half* x, const __half* res, __half* out, int total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total)
        out[i] = __float2half(__half2float(x[i]) + __half2float(res[i]));
}

__global__ void rmsnorm(const __half* x, const float* gamma, __half* y, float* rstd_out,
                        int rows, int dim, float eps)
{
    __shared__ float buf[kThreads];
    int row = blockIdx.x;
    if (row >= rows) return;
    const __half* xr = x + (size_t)row * dim;
    __half* yr = y + (size_t)row * dim;

    float acc = 0.f;
    for (int c = threadIdx.x; c < dim; c += blockDim.x) {
        float v = __half2float(xr[c]);
        acc += v * v;
    }
    buf[threadIdx.x] = acc;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    float r = rsqrtf(buf[0] / dim + eps);
    if (threadIdx.x == 0) rstd_out[row] = r;
    for (int c = threadIdx.x; c < dim; c += blockDim.x)
        yr[c] = __float2half(__half2float(xr[c]) * r * gamma[c]);
}

static float lcg(unsigned& s) { s = s * 1664525u + 1013904223u; return (float)(s >> 8) / 16777216.f - 0.5f; }

int main()
{
    const int rows = 1400, dim = 768;
    const size_t n = (size_t)rows * dim;
    std::vector<__half> hx(n), hr(n), hy(n);
    std::vector<float> hg(dim), hs(rows);
    unsigned seed = 17;
    for (size_t i = 0; i < n; ++i) {
        float amp = 0.2f + (float)((i / dim) % 13);
        hx[i] = __float2half(lcg(seed) * amp);
        hr[i] = __float2half(lcg(seed));
    }
    for (int c = 0; c < dim; ++c) hg[c] = 1.f + 0.1f * lcg(seed);

    __half *dx, *dr, *dt, *dy; float *dg, *ds;
    CK(cudaMalloc(&dx, n * sizeof(__half)));
    CK(cudaMalloc(&dr, n * sizeof(__half)));
    CK(cudaMalloc(&dt, n * sizeof(__half)));
    CK(cudaMalloc(&dy, n * sizeof(__half)));
    CK(cudaMalloc(&dg, dim * sizeof(float)));
    CK(cudaMalloc(&ds, rows * sizeof(float)));
    CK(cudaMemcpy(dx, hx.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dr, hr.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dg, hg.data(), dim * sizeof(float), cudaMemcpyHostToDevice));

    add_residual<<<(int)((n + 255) / 256), 256>>>(dx, dr, dt, (int)n);
    CK(cudaGetLastError());
    rmsnorm<<<rows, kThreads>>>(dt, dg, dy, ds, rows, dim, 1e-5f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    CK(cudaMemcpy(hy.data(), dy, n * sizeof(__half), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hs.data(), ds, rows * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0, sq = 0;
    for (size_t i = 0; i < n; ++i) { double v = __half2float(hy[i]); sum += v; sq += v * v; }
    printf("mean square of output: %.4f  mean: %.6f\n", sq / n, sum / n);
    for (int r = 0; r < rows; r += 350) printf("rstd[%d] = %.5f\n", r, hs[r]);
    cudaFree(dx); cudaFree(dr); cudaFree(dt); cudaFree(dy); cudaFree(dg); cudaFree(ds);
    return 0;
}
