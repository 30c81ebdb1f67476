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

// Persistent blocks: each block walks over rows; warp shuffles instead of the shared-memory tree.
__global__ void __launch_bounds__(kThreads)
rmsnorm(const __half* __restrict__ x, const float* __restrict__ gamma, __half* __restrict__ y,
        float* __restrict__ rstd_out, int rows, int dim, float eps)
{
    constexpr int kWarps = kThreads / 32;
    __shared__ float warp_ss[kWarps];
    const int lane = threadIdx.x & 31;
    const int wid = threadIdx.x >> 5;

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const __half* xr = x + (size_t)row * dim;
        __half* yr = y + (size_t)row * dim;

        float acc = 0.f;
        for (int c = threadIdx.x; c < dim; c += kThreads) {
            float v = __half2float(xr[c]);
            acc = fmaf(v, v, acc);
        }
        #pragma unroll
        for (int o = 16; o > 0; o >>= 1)
            acc += __shfl_xor_sync(0xffffffffu, acc, o);
        if (lane == 0) warp_ss[wid] = acc;
        __syncthreads();

        float total = 0.f;
        #pragma unroll
        for (int w = 0; w < kWarps; ++w) total += warp_ss[w];
        const float r = rsqrtf(total / dim + eps);

        if (threadIdx.x == 0) rstd_out[row] = r;
        for (int c = threadIdx.x; c < dim; c += kThreads)
            yr[c] = __float2half(__half2float(xr[c]) * r * gamma[c]);
    }
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
    const int grid = rows < 528 ? rows : 528;   // 4 blocks per SM
    rmsnorm<<<grid, kThreads>>>(dt, dg, dy, ds, rows, dim, 1e-5f);
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
