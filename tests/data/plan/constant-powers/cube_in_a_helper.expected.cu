// kernel=activate line=6 finding=KO116
#include <cmath>
#include <cstdio>

__device__ float gelu(float x) {
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * (x * x * x))));
}

__global__ void activate(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = gelu(in[i]);
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = float(0.25) * (i + 1);
    activate<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
        if (!(fabs(out[i] - want) <= 1e-5 * fabs(want))) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
