// kernel=damp line=9 finding=KO106
#include <cmath>
#include <cstdio>

// Exponential damping; every literal is double by accident.
__global__ void damp(float *x, const float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = x[i] * 0.5f + 0.25f * v[i]; // halve, add
        if (x[i] > 1.5f)
            x[i] -= 1.0f;
    }
}

int main() {
    const int n = 200;
    float *x, *v;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&v, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        x[i] = 4.0f;
        v[i] = 2.0f;
    }
    damp<<<(n + 63) / 64, 64>>>(x, v, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        if (std::fabs(x[i] - 1.5f) > 1e-6f) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
