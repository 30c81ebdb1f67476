#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

#define CUDA_TRY(call)                                                            \
    do {                                                                          \
        cudaError_t err = (call);                                                 \
        if (err != cudaSuccess) {                                                 \
            std::fprintf(stderr, "CUDA error %d (%s) at line %d\n", (int)err,     \
                         cudaGetErrorString(err), __LINE__);                      \
            std::exit(EXIT_FAILURE);                                              \
        }                                                                         \
    } while (0)

struct AdamCfg {
    float lr, beta1, beta2, eps, wd;
    float bc1, bc2;      // bias corrections of this step
};

// Toy model: quadratic bowl with per-parameter curvature plus gradient noise, gradients in bf16.
__global__ void make_grads(const float* w, __nv_bfloat16* g, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2654435761u ^ (unsigned)step * 40503u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    float noise = ((int)(h & 0xffff) - 32768) * (1.f / 32768.f);
    float target = sinf(0.001f * i);
    float curv = 0.002f * (1 + (i & 15));
    g[i] = __float2bfloat16(curv * (w[i] - target) + 0.003f * noise);
}

__global__ void adamw_step(float* w, float* m, float* v, const __nv_bfloat16* g, int n, AdamCfg c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gi = __bfloat162float(g[i]);
    float mi = c.beta1 * m[i] + (1.f - c.beta1) * gi;
    float vi = c.beta2 * v[i] + (1.f - c.beta2) * gi * gi;
    m[i] = mi;
    v[i] = vi;
    float upd = (mi / c.bc1) / (sqrtf(vi / c.bc2) + c.eps);
    w[i] -= c.lr * (upd + c.wd * w[i]);
}

int main()
{
    const int n = 49152 + 40;
    const int steps = 30;
    std::vector<float> hw(n);
    for (int i = 0; i < n; i++) hw[i] = 0.5f * cosf(0.37f * i);

    float *w, *m, *v;
    __nv_bfloat16* g;
    CUDA_TRY(cudaMalloc(&w, n * sizeof(float)));
    CUDA_TRY(cudaMalloc(&m, n * sizeof(float)));
    CUDA_TRY(cudaMalloc(&v, n * sizeof(float)));
    CUDA_TRY(cudaMalloc(&g, n * sizeof(__nv_bfloat16)));
    CUDA_TRY(cudaMemcpy(w, hw.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(m, 0, n * sizeof(float)));
    CUDA_TRY(cudaMemset(v, 0, n * sizeof(float)));

    AdamCfg c{0.01f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.f, 0.f};
    double p1 = 1, p2 = 1;
    for (int t = 1; t <= steps; t++) {
        p1 *= c.beta1; p2 *= c.beta2;
        c.bc1 = (float)(1 - p1);
        c.bc2 = (float)(1 - p2);
        make_grads<<<(n + 255) / 256, 256>>>(w, g, n, t);
        adamw_step<<<(n + 255) / 256, 256>>>(w, m, v, g, n, c);
    }
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaMemcpy(hw.data(), w, n * sizeof(float), cudaMemcpyDeviceToHost));

    double loss = 0, l1 = 0;
    for (int i = 0; i < n; i++) {
        double d = hw[i] - std::sin(0.001 * i);
        loss += 0.001 * (1 + (i & 15)) * d * d;
        l1 += std::fabs(hw[i]);
    }
    std::printf("loss %.6f  |w|_1 %.4f\n", loss / n, l1);
    for (int i = 0; i < n; i += 9973) std::printf("w[%d] = %.5f\n", i, hw[i]);
    CUDA_TRY(cudaFree(w)); CUDA_TRY(cudaFree(m)); CUDA_TRY(cudaFree(v)); CUDA_TRY(cudaFree(g));
    return 0;
}
