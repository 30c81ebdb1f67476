// kernel=moments line=10 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void moments(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sums[7];
    for (int k = 0; k < 4; ++k)
        sums[k] = pow((double)in[i], k);
    for (int k = 0; k < 3; ++k)
        sums[4 + k] = in[i] * pow((double)in[i], k);
    double total = 0.0;
    for (int k = 0; k < 7; ++k)
        total += sums[k];
    out[i] = total;
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = float(0.005) * (i + 1);
    moments<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0;
        for (int k = 0; k < 4; ++k) want += pow(x, k);
        for (int k = 0; k < 3; ++k) want += x * pow(x, k);
        if (!(fabs(out[i] - want) <= 1e-4 * fabs(want) + 1e-12)) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
