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

__device__ __forceinline__ float toy_grad(float w, int i, int step)
{
    unsigned h = (unsigned)i * 2654435761u ^ (unsigned)step * 40503u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    float noise = ((int)(h & 0xffff) - 32768) * (1.f / 32768.f);
    float target = sinf(0.001f * i);
    float curv = 0.002f * (1 + (i & 15));
    return curv * (w - target) + 0.003f * noise;
}

__device__ __forceinline__ void adam_one(float& w, float& m, float& v, float g, const AdamCfg& c)
{
    m = c.beta1 * m + (1.f - c.beta1) * g;
    v = c.beta2 * v + (1.f - c.beta2) * g * g;
    float upd = (m / c.bc1) / (sqrtf(v / c.bc2) + c.eps);
    w -= c.lr * (upd + c.wd * w);
}

// Gradient and update in one kernel, two parameters per thread. The moments are kept in bf16
// pairs, which halves the optimizer state and its traffic.
__global__ void grad_adamw(float2* __restrict__ w, __nv_bfloat162* __restrict__ m,
                           __nv_bfloat162* __restrict__ v, int n2, int step, AdamCfg c)
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n2; p += gridDim.x * blockDim.x) {
        float2 wi = w[p];
        float2 mi = __bfloat1622float2(m[p]);
        float2 vi = __bfloat1622float2(v[p]);
        // same rounding of the gradient to bf16 as before
        float g0 = __bfloat162float(__float2bfloat16(toy_grad(wi.x, 2 * p, step)));
        float g1 = __bfloat162float(__float2bfloat16(toy_grad(wi.y, 2 * p + 1, step)));
        adam_one(wi.x, mi.x, vi.x, g0, c);
        adam_one(wi.y, mi.y, vi.y, g1, c);
        w[p] = wi;
        m[p] = __floats2bfloat162_rn(mi.x, mi.y);
        v[p] = __floats2bfloat162_rn(vi.x, vi.y);
    }
}

int main()
{
    const int n = 49152 + 40;
    const int steps = 30;
    std::vector<float> hw(n);
    for (int i = 0; i < n; i++) hw[i] = 0.5f * cosf(0.37f * i);

    static_assert(n % 2 == 0, "parameters are handled in pairs");
    float* w;
    __nv_bfloat162 *m, *v;
    CUDA_TRY(cudaMalloc(&w, n * sizeof(float)));
    CUDA_TRY(cudaMalloc(&m, n / 2 * sizeof(*m)));
    CUDA_TRY(cudaMalloc(&v, n / 2 * sizeof(*v)));
    CUDA_TRY(cudaMemcpy(w, hw.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(m, 0, n / 2 * sizeof(*m)));
    CUDA_TRY(cudaMemset(v, 0, n / 2 * sizeof(*v)));

    AdamCfg c{0.01f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.f, 0.f};
    double p1 = 1, p2 = 1;
    for (int t = 1; t <= steps; t++) {
        p1 *= c.beta1; p2 *= c.beta2;
        c.bc1 = (float)(1 - p1);
        c.bc2 = (float)(1 - p2);
        grad_adamw<<<(n / 2 + 255) / 256, 256>>>((float2*)w, m, v, n / 2, t, c);
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
    CUDA_TRY(cudaFree(w)); CUDA_TRY(cudaFree(m)); CUDA_TRY(cudaFree(v));
    return 0;
}
