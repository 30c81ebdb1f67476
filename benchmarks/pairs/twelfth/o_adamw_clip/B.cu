// AdamW with global-norm gradient clipping, a few steps on a toy quadratic.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CUDA_OK(call)                                                        \
    if ((call) != cudaSuccess) {                                             \
        printf("CUDA failure at line %d\n", __LINE__);                       \
        exit(EXIT_FAILURE);                                                  \
    }

struct AdamArgs {
    float lr, beta1, beta2, eps, wd, max_norm;
    float bc1, bc2;   // bias corrections of this step
};

struct NormSlot {
    double norm2;
    unsigned arrived;
    unsigned pad;
};

// Gradient, global norm, clipping and update in a single launch.
// The gradient stays in a register; blocks meet at a counter once the norm is complete.
__global__ void __launch_bounds__(256)
k_step(float* __restrict__ w, const float* __restrict__ target, float* __restrict__ m,
       float* __restrict__ v, NormSlot* slot, int n, AdamArgs a)
{
    __shared__ float wsum[8];
    __shared__ float s_scale;
    const int i = blockIdx.x * 256 + threadIdx.x;
    const bool live = i < n;

    float wi = 0.f, gi = 0.f;
    if (live) {
        wi = w[i];
        gi = (wi - target[i]) * (1.f + 0.5f * (i & 7));
    }
    float acc = gi * gi;
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if ((threadIdx.x & 31) == 0) wsum[threadIdx.x >> 5] = acc;
    __syncthreads();

    if (threadIdx.x == 0) {
        float b = 0.f;
        for (int k = 0; k < 8; k++) b += wsum[k];
        atomicAdd(&slot->norm2, (double)b);
        __threadfence();
        atomicAdd(&slot->arrived, 1u);
        volatile unsigned* flag = &slot->arrived;
        while (*flag < gridDim.x) { }
        __threadfence();
        float nrm = (float)sqrt(*(volatile double*)&slot->norm2);
        s_scale = nrm > a.max_norm ? a.max_norm / (nrm + 1e-6f) : 1.f;
    }
    __syncthreads();

    if (live) {
        gi *= s_scale;
        float mi = a.beta1 * m[i] + (1.f - a.beta1) * gi;
        float vi = a.beta2 * v[i] + (1.f - a.beta2) * gi * gi;
        m[i] = mi;
        v[i] = vi;
        float upd = (mi / a.bc1) / (sqrtf(vi / a.bc2) + a.eps);
        w[i] = wi - a.lr * (upd + a.wd * wi);
    }
}

// one optimiser step for a parameter tensor of n elements
static void step(float* w, const float* tgt, float* m, float* v, double* norm2, int n, int t)
{
    AdamArgs a{1e-2f, 0.9f, 0.95f, 1e-8f, 0.01f, 1.0f,
               1.f - powf(0.9f, (float)t), 1.f - powf(0.95f, (float)t)};
    CUDA_OK(cudaMemset(norm2, 0, sizeof(NormSlot)));
    k_step<<<(n + 255) / 256, 256>>>(w, tgt, m, v, (NormSlot*)norm2, n, a);
    CUDA_OK(cudaGetLastError());
}

int main(void)
{
    const int n = 120000;
    const size_t bytes = n * sizeof(float);
    float* hw = (float*)malloc(bytes);
    float* ht = (float*)malloc(bytes);
    for (int i = 0; i < n; i++) {
        hw[i] = 0.02f * (float)((i * 37) % 101 - 50);
        ht[i] = sinf(0.001f * i);
    }
    float *w, *tgt, *m, *v;
    double* norm2;
    CUDA_OK(cudaMalloc(&w, bytes));
    CUDA_OK(cudaMalloc(&tgt, bytes));
    CUDA_OK(cudaMalloc(&m, bytes));
    CUDA_OK(cudaMalloc(&v, bytes));
    CUDA_OK(cudaMalloc(&norm2, sizeof(NormSlot)));
    CUDA_OK(cudaMemcpy(w, hw, bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(tgt, ht, bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(m, 0, bytes));
    CUDA_OK(cudaMemset(v, 0, bytes));

    for (int t = 1; t <= 6; t++) {
        step(w, tgt, m, v, norm2, n, t);
        double h;
        CUDA_OK(cudaMemcpy(&h, norm2, sizeof h, cudaMemcpyDeviceToHost));
        printf("step %d  |g| = %.4f\n", t, sqrt(h));
    }
    CUDA_OK(cudaMemcpy(hw, w, bytes, cudaMemcpyDeviceToHost));
    double loss = 0;
    for (int i = 0; i < n; i++) loss += 0.5 * (hw[i] - ht[i]) * (hw[i] - ht[i]);
    printf("loss %.4f\n", loss);
    cudaFree(w); cudaFree(tgt); cudaFree(m); cudaFree(v); cudaFree(norm2);
    free(hw); free(ht);
    return 0;
}
