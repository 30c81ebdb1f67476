// kernel=gelu line=10 finding=KO106
#include <cstdio>
#include <cmath>

__global__ void gelu(float *out, const float *x, int n) {
    const float scale = sqrt(2.0f / M_PI);
    constexpr float half = 0.5f, cubic = 0.044715f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = half * x[i] * (1.0f + tanhf(scale * (x[i] + cubic * x[i] * x[i] * x[i])));
}

int main() {
    float *x, *out;
    cudaMallocManaged(&x, 64 * sizeof(float));
    cudaMallocManaged(&out, 64 * sizeof(float));
    for (int i = 0; i < 64; ++i) x[i] = i / 16.0f - 2;
    gelu<<<1, 64>>>(out, x, 64);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; ++i) {
        double v = x[i], right = 0.5 * v * (1 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
        if (fabs(out[i] - right) > 1e-5) return puts("FAIL"), 1;
    }
    return puts("PASS"), 0;
}
