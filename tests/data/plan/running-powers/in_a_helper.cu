// kernel=apply line=8 finding=KO116
#include <cmath>
#include <cstdio>

__device__ float polynomial(float x, int terms) {
    float sum = 0.0f;
    for (int k = 0; k < terms; k++)
        sum += powf(x, k);
    return sum;
}

__global__ void apply(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = polynomial(in[i], 6);
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = float(0.005) * (i + 1);
    apply<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0;
        for (int k = 0; k < 6; k++) want += pow(x, k);
        if (!(fabs(out[i] - want) <= 1e-4 * fabs(want) + 1e-12)) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
