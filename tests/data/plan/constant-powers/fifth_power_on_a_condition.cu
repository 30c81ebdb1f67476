// kernel=facing line=8 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void facing(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i] > 0 ? powf(1.0f - in[i], 5) : 0.0f;
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = float(1) / 256 * (i - 99);
    facing<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = x > 0 ? pow(1.0 - x, 5) : 0;
        if (!(fabs(out[i] - want) <= 1e-5 * fabs(want))) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
