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

__global__ void scale_grad(float* g, float c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) g[i] *= c;
}

__global__ void adamw(float* p, const float* g, float* m, float* v, Hyper h, int step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gi = g[i];
    float mi = h.beta1 * m[i] + (1.f - h.beta1) * gi;
    float vi = h.beta2 * v[i] + (1.f - h.beta2) * gi * gi;
    float mhat = mi / (1.f - powf(h.beta1, (float)step));
    float vhat = vi / (1.f - powf(h.beta2, (float)step));
    float pi = p[i];
    pi -= h.lr * h.weight_decay * pi;
    pi -= h.lr * mhat / (sqrtf(vhat) + h.eps);
    m[i] = mi; v[i] = vi; p[i] = pi;
}

void optimizer_step(const State& s, const Hyper& h, int step, double* d_partial, double* norm_out)
{
    const int blocks = 64;
    int grid = (s.n + 255) / 256;
    double part[blocks];
    norm_partial<<<blocks, 256>>>(s.grad, d_partial, s.n);
    ck(cudaGetLastError());
    ck(cudaMemcpy(part, d_partial, sizeof part, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double x : part) sum += x;
    double norm = std::sqrt(sum);
    *norm_out = norm;
    if (norm > h.max_norm) {
        scale_grad<<<grid, 256>>>(s.grad, (float)(h.max_norm / norm), s.n);
        ck(cudaGetLastError());
    }
    adamw<<<grid, 256>>>(s.param, s.grad, s.m, s.v, h, step, s.n);
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
