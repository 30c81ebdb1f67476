// GroupNorm followed by SiLU (diffusion UNet block), channels-last activations: x[n][pixel][channel].
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

static void must(cudaError_t e, int line)
{
    if (e != cudaSuccess) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e)); exit(1); }
}
#define MUST(x) must((x), __LINE__)

struct Shape {
    int n, pixels, channels, groups;
    __host__ __device__ int cg() const { return channels / groups; }
    size_t count() const { return (size_t)n * pixels * channels; }
};

__device__ float reduce256(float v)
{
    __shared__ float sm[256];
    sm[threadIdx.x] = v;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (threadIdx.x < k) sm[threadIdx.x] += sm[threadIdx.x + k];
        __syncthreads();
    }
    v = sm[0];
    __syncthreads();
    return v;
}

__global__ void gn_stats(const float* x, Shape s, float eps, float2* stats)
{
    int n = blockIdx.y, g = blockIdx.x, cg = s.cg();
    const float* base = x + (size_t)n * s.pixels * s.channels + g * cg;
    int total = s.pixels * cg;
    float sum = 0.f;
    for (int i = threadIdx.x; i < total; i += 256) sum += base[(size_t)(i / cg) * s.channels + i % cg];
    float mean = reduce256(sum) / total;
    float sq = 0.f;
    for (int i = threadIdx.x; i < total; i += 256) {
        float d = base[(size_t)(i / cg) * s.channels + i % cg] - mean;
        sq += d * d;
    }
    float var = reduce256(sq) / total;
    if (threadIdx.x == 0) stats[n * s.groups + g] = make_float2(mean, rsqrtf(var + eps));
}

__global__ void gn_apply(const float* x, const float2* stats, const float* gamma, const float* beta, Shape s, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.n * s.pixels * s.channels) return;
    int c = i % s.channels;
    int n = i / (s.channels * s.pixels);
    float2 st = stats[n * s.groups + c / s.cg()];
    y[i] = (x[i] - st.x) * st.y * gamma[c] + beta[c];
}

__global__ void silu(const float* in, float* out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] / (1.f + expf(-in[i]));
}

int main()
{
    Shape s = {3, 26 * 26, 160, 32};
    size_t n = s.count();
    std::vector<float> x(n), gamma(s.channels), beta(s.channels);
    for (size_t i = 0; i < n; i++) {
        unsigned h = (unsigned)i * 2246822519u; h ^= h >> 15; h *= 3266489917u; h ^= h >> 13;
        x[i] = (float)(h & 0xfffff) / 524288.f - 1.f + 0.02f * (float)(i % s.channels);
    }
    for (int c = 0; c < s.channels; c++) { gamma[c] = 1.f + 0.003f * c; beta[c] = 0.4f - 0.005f * c; }

    float *dx, *dn, *dy, *dg, *db; float2* dst;
    MUST(cudaMalloc(&dx, n * sizeof(float)));
    MUST(cudaMalloc(&dn, n * sizeof(float)));
    MUST(cudaMalloc(&dy, n * sizeof(float)));
    MUST(cudaMalloc(&dg, s.channels * sizeof(float)));
    MUST(cudaMalloc(&db, s.channels * sizeof(float)));
    MUST(cudaMalloc(&dst, s.n * s.groups * sizeof(float2)));
    MUST(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(dg, gamma.data(), s.channels * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(db, beta.data(), s.channels * sizeof(float), cudaMemcpyHostToDevice));

    int blocks = (int)((n + 255) / 256);
    gn_stats<<<dim3(s.groups, s.n), 256>>>(dx, s, 1e-5f, dst);
    gn_apply<<<blocks, 256>>>(dx, dst, dg, db, s, dn);
    silu<<<blocks, 256>>>(dn, dy, (int)n);
    MUST(cudaGetLastError());

    std::vector<float> y(n);
    MUST(cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));
    double a = 0, q = 0;
    for (size_t i = 0; i < n; i++) { a += y[i]; q += (double)y[i] * y[i]; }
    printf("mean %.6f  rms %.6f  y[1000] %.5f\n", a / n, std::sqrt(q / n), y[1000]);
    cudaFree(dx); cudaFree(dn); cudaFree(dy); cudaFree(dg); cudaFree(db); cudaFree(dst);
    return 0;
}
