// Residual add + RMSNorm, the little kernel that sits in front of every attention / MLP block.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int HIDDEN  = 1024;
constexpr int ROWS    = 1536;
constexpr int THREADS = 256;

// resid += delta ; out = rmsnorm(resid) * gain
__global__ void add_rmsnorm(float* resid, const __half* delta, const float* gain,
                            __half* out, int rows, float eps)
{
    __shared__ float part[THREADS];
    int row = blockIdx.x;
    if (row >= rows) return;
    float*        r = resid + (size_t)row * HIDDEN;
    const __half* d = delta + (size_t)row * HIDDEN;
    __half*       o = out   + (size_t)row * HIDDEN;

    float ss = 0.f;
    for (int i = threadIdx.x; i < HIDDEN; i += THREADS) {
        float v = r[i] + __half2float(d[i]);
        r[i] = v;
        ss += v * v;
    }
    part[threadIdx.x] = ss;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    float inv = rsqrtf(part[0] / HIDDEN + eps);
    for (int i = threadIdx.x; i < HIDDEN; i += THREADS)
        o[i] = __float2half(r[i] * inv * gain[i]);
}

static float frand(unsigned& s) { s = s * 1664525u + 1013904223u; return (s >> 8) * (1.f / 8388608.f) - 1.f; }

int main()
{
    size_t n = (size_t)ROWS * HIDDEN;
    std::vector<float> h_res(n), h_gain(HIDDEN);
    std::vector<__half> h_delta(n), h_out(n);
    unsigned seed = 7;
    for (size_t i = 0; i < n; i++) {
        float amp = 0.25f + (float)((i / HIDDEN) % 37) * 0.11f;
        h_res[i] = amp * frand(seed);
        h_delta[i] = __float2half(0.3f * frand(seed));
    }
    for (int i = 0; i < HIDDEN; i++) h_gain[i] = 1.f + 0.2f * frand(seed);

    float *d_res, *d_gain; __half *d_delta, *d_out;
    CK(cudaMalloc(&d_res, n * sizeof(float)));
    CK(cudaMalloc(&d_gain, HIDDEN * sizeof(float)));
    CK(cudaMalloc(&d_delta, n * sizeof(__half)));
    CK(cudaMalloc(&d_out, n * sizeof(__half)));
    CK(cudaMemcpy(d_res, h_res.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_gain, h_gain.data(), HIDDEN * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_delta, h_delta.data(), n * sizeof(__half), cudaMemcpyHostToDevice));

    for (int layer = 0; layer < 3; layer++) {
        add_rmsnorm<<<ROWS, THREADS>>>(d_res, d_delta, d_gain, d_out, ROWS, 1e-5f);
        CK(cudaGetLastError());
    }
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h_out.data(), d_out, n * sizeof(__half), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(h_res.data(), d_res, n * sizeof(float), cudaMemcpyDeviceToHost));

    double s1 = 0, s2 = 0;
    for (size_t i = 0; i < n; i++) { double v = __half2float(h_out[i]); s1 += v * ((i % 5) + 1); s2 += v * v; }
    printf("weighted sum %.4f  mean square %.6f\n", s1, s2 / n);
    for (int r = 0; r < ROWS; r += 301)
        printf("row %4d: %.4f %.4f  resid %.5f\n", r, __half2float(h_out[(size_t)r * HIDDEN]),
               __half2float(h_out[(size_t)r * HIDDEN + HIDDEN - 1]), h_res[(size_t)r * HIDDEN + 17]);
    cudaFree(d_res); cudaFree(d_gain); cudaFree(d_delta); cudaFree(d_out);
    return 0;
}
