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

__global__ void k_grad(const float* w, const float* target, float* g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) g[i] = (w[i] - target[i]) * (1.f + 0.5f * (i & 7));
}

// block partial sums of g^2, combined with one double atomic per block
__global__ void k_sqnorm(const float* g, double* norm2, int n)
{
    __shared__ float sm[256];
    float acc = 0.f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) acc += g[i] * g[i];
    sm[threadIdx.x] = acc;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) sm[threadIdx.x] += sm[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(norm2, (double)sm[0]);
}

__global__ void k_adamw(float* w, const float* g, float* m, float* v, const double* norm2, int n, AdamArgs a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float nrm = (float)sqrt(*norm2);
    float sc = nrm > a.max_norm ? a.max_norm / (nrm + 1e-6f) : 1.f;
    float gi = g[i] * sc;
    float mi = a.beta1 * m[i] + (1.f - a.beta1) * gi;
    float vi = a.beta2 * v[i] + (1.f - a.beta2) * gi * gi;
    m[i] = mi;
    v[i] = vi;
    float upd = (mi / a.bc1) / (sqrtf(vi / a.bc2) + a.eps);
    w[i] = w[i] - a.lr * (upd + a.wd * w[i]);
}

// one optimiser step for a parameter tensor of n elements
static void step(float* w, const float* tgt, float* g, float* m, float* v, double* norm2, int n, int t)
{
    AdamArgs a{1e-2f, 0.9f, 0.95f, 1e-8f, 0.01f, 1.0f,
               1.f - powf(0.9f, (float)t), 1.f - powf(0.95f, (float)t)};
    const int tb = 256, nb = (n + tb - 1) / tb;
    k_grad<<<nb, tb>>>(w, tgt, g, n);
    CUDA_OK(cudaMemset(norm2, 0, sizeof(double)));
    k_sqnorm<<<nb < 512 ? nb : 512, 256>>>(g, norm2, n);
    k_adamw<<<nb, tb>>>(w, g, m, v, norm2, n, a);
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
    float *w, *tgt, *g, *m, *v;
    double* norm2;
    CUDA_OK(cudaMalloc(&w, bytes));
    CUDA_OK(cudaMalloc(&tgt, bytes));
    CUDA_OK(cudaMalloc(&g, bytes));
    CUDA_OK(cudaMalloc(&m, bytes));
    CUDA_OK(cudaMalloc(&v, bytes));
    CUDA_OK(cudaMalloc(&norm2, 2 * sizeof(double)));
    CUDA_OK(cudaMemcpy(w, hw, bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(tgt, ht, bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(m, 0, bytes));
    CUDA_OK(cudaMemset(v, 0, bytes));

    for (int t = 1; t <= 6; t++) {
        step(w, tgt, g, m, v, norm2, n, t);
        double h;
        CUDA_OK(cudaMemcpy(&h, norm2, sizeof h, cudaMemcpyDeviceToHost));
        printf("step %d  |g| = %.4f\n", t, sqrt(h));
    }
    CUDA_OK(cudaMemcpy(hw, w, bytes, cudaMemcpyDeviceToHost));
    double loss = 0;
    for (int i = 0; i < n; i++) loss += 0.5 * (hw[i] - ht[i]) * (hw[i] - ht[i]);
    printf("loss %.4f\n", loss);
    cudaFree(w); cudaFree(tgt); cudaFree(g); cudaFree(m); cudaFree(v); cudaFree(norm2);
    free(hw); free(ht);
    return 0;
}
