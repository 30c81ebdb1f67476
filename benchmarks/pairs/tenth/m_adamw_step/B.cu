// AdamW with global gradient-norm clipping on a flat parameter buffer.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace {

void ck(cudaError_t e) { if (e != cudaSuccess) { std::puts(cudaGetErrorString(e)); std::exit(1); } }

struct Hyper {
    float lr, beta1, beta2, eps, weight_decay, max_norm;
};

struct State {
    float* param; float* grad; float* m; float* v;
    int n;
};

// a made-up loss: pulls every parameter to its own target
__global__ void gradient(const float* p, const float* target, const float* curv, float* g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) g[i] = curv[i] * (p[i] - target[i]);
}

__global__ void norm_partial(const float* g, double* partial, int n)
{
    __shared__ double sh[256];
    double s = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += (double)g[i] * g[i];
    sh[threadIdx.x] = s;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (threadIdx.x < k) sh[threadIdx.x] += sh[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sh[0];
}

// What does not depend on the element is computed once per step on the host, in double.
struct StepConst {
    float beta1, beta2, one_m_b1, one_m_b2;
    float step_size;   // lr * sqrt(1 - beta2^t) / (1 - beta1^t)
    float decay;       // 1 - lr * weight_decay
    float eps;
    float clip;        // factor on the gradient
};

__global__ void __launch_bounds__(256)
adamw_fused(float* __restrict__ p, float* __restrict__ g, float* __restrict__ m, float* __restrict__ v,
            StepConst k, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float gi = g[i] * k.clip;
        const float mi = k.beta1 * m[i] + k.one_m_b1 * gi;
        const float vi = k.beta2 * v[i] + k.one_m_b2 * gi * gi;
        p[i] = p[i] * k.decay - k.step_size * mi / (sqrtf(vi) + k.eps);
        g[i] = gi;
        m[i] = mi;
        v[i] = vi;
    }
}

void optimizer_step(const State& s, const Hyper& h, int step, double* d_partial, double* norm_out)
{
    const int blocks = 64;
    int grid = (s.n + 1023) / 1024;
    double part[blocks];
    norm_partial<<<blocks, 256>>>(s.grad, d_partial, s.n);
    ck(cudaGetLastError());
    ck(cudaMemcpy(part, d_partial, sizeof part, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double x : part) sum += x;
    double norm = std::sqrt(sum);
    *norm_out = norm;
    const double bc1 = 1.0 - std::pow((double)h.beta1, step);
    const double bc2 = 1.0 - std::pow((double)h.beta2, step);
    StepConst k;
    k.beta1 = h.beta1; k.one_m_b1 = 1.f - h.beta1;
    k.beta2 = h.beta2; k.one_m_b2 = 1.f - h.beta2;
    k.step_size = (float)(h.lr * std::sqrt(bc2) / bc1);
    k.decay = 1.f - h.lr * h.weight_decay;
    k.eps = h.eps;
    k.clip = norm > h.max_norm ? (float)(h.max_norm / norm) : 1.f;
    adamw_fused<<<grid, 256>>>(s.param, s.grad, s.m, s.v, k, s.n);
    ck(cudaGetLastError());
}

} // namespace

int main()
{
    const int n = 150001;
    const Hyper h{1e-2f, 0.9f, 0.999f, 1e-8f, 0.01f, 400.f};
    std::vector<float> p(n), t(n), c(n);
    for (int i = 0; i < n; i++) {
        p[i] = std::sin(0.37f * i);
        t[i] = 0.5f * std::cos(0.11f * i) + 3.f;
        c[i] = 0.25f + (i * 2654435761u >> 22) / 1024.f;
    }
    State s; s.n = n;
    float *d_t, *d_c; double* d_part;
    size_t bytes = n * sizeof(float);
    ck(cudaMalloc(&s.param, bytes)); ck(cudaMalloc(&s.grad, bytes));
    ck(cudaMalloc(&s.m, bytes)); ck(cudaMalloc(&s.v, bytes));
    ck(cudaMalloc(&d_t, bytes)); ck(cudaMalloc(&d_c, bytes));
    ck(cudaMalloc(&d_part, 64 * sizeof(double)));
    ck(cudaMemcpy(s.param, p.data(), bytes, cudaMemcpyHostToDevice));
    ck(cudaMemcpy(d_t, t.data(), bytes, cudaMemcpyHostToDevice));
    ck(cudaMemcpy(d_c, c.data(), bytes, cudaMemcpyHostToDevice));
    ck(cudaMemset(s.m, 0, bytes)); ck(cudaMemset(s.v, 0, bytes));

    for (int step = 1; step <= 4; step++) {
        double norm = 0;
        gradient<<<(n + 255) / 256, 256>>>(s.param, d_t, d_c, s.grad, n);
        optimizer_step(s, h, step, d_part, &norm);
        std::printf("step %d  grad norm %.5f\n", step, norm);
    }
    ck(cudaMemcpy(p.data(), s.param, bytes, cudaMemcpyDeviceToHost));
    double sum = 0, sq = 0;
    for (float x : p) { sum += x; sq += (double)x * x; }
    std::printf("sum %.5f  sumsq %.5f  p[7] %.6f\n", sum, sq, p[7]);
    cudaFree(s.param); cudaFree(s.grad); cudaFree(s.m); cudaFree(s.v);
    cudaFree(d_t); cudaFree(d_c); cudaFree(d_part);
    return 0;
}
