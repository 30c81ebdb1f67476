#include "solver.hpp"
#include <cuda_runtime.h>
#include <utility>

__global__ void relax(const float *now, float *next, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float left = i > 0 ? now[i - 1] : 1.0f, right = i < n - 1 ? now[i + 1] : 0.0f;
    next[i] = 0.5f * (left + right);
}

Solver::Solver(int n) : n_{n}, now_(nullptr), next_(nullptr)
{
    cudaMalloc(&now_, n * sizeof(float));
    cudaMalloc(&next_, n * sizeof(float));
    cudaMemset(now_, 0, n * sizeof(float));
}

Solver::~Solver() { cudaFree(now_); cudaFree(next_); }

void Solver::step(int times)
{
    while (times-- > 0) {
        relax<<<(n_ + 31) / 32, 32>>>(now_, next_, n_);
        std::swap(now_, next_);
    }
}

std::vector<float> Solver::values() const
{
    std::vector<float> out(n_);
    cudaMemcpy(out.data(), now_, n_ * sizeof(float), cudaMemcpyDeviceToHost);
    return out;
}
